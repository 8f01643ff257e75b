//! Replay shards: the games of one iteration in one file.
//!
//! ```text
//! bytes 0..8     "MNCSHARD"
//! 8..12          version of this format, u32 little-endian
//! 12..16         length of the header H, u32
//! 16..16+H       header, JSON
//! ..-4           the games, postcard, compressed as one LZ4 block
//! last 4         CRC-32 of all before, u32
//! ```

use mancala_env::Game;
use serde::{Deserialize, Serialize};

use super::GameRecord;

const MAGIC: &[u8; 8] = b"MNCSHARD";
const VERSION: u32 = 1;
/// LZ4 makes at most so many bytes of one.
const MOST_BYTES_A_BYTE: usize = 255;
/// Magic, version, length of the header.
const PREFIX: usize = 16;

/// What a shard holds; readable without unpacking the games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// The game with its options.
    pub game: String,
    /// The rules it was played by.
    pub rules_version: u32,
    /// The seed of the run.
    pub seed: u64,
    /// The iteration whose games these are, from 1.
    pub iteration: u64,
    /// Number of games.
    pub games: u64,
    /// Positions in them that are learned from.
    pub positions: u64,
    /// Length of the games before compression, in a file; 0 in a [`Shard`].
    pub bytes: u64,
}

impl ShardHeader {
    /// Checks that a shard is as it was written and reads its header, without unpacking the games.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        split(bytes).map(|(header, _)| header)
    }
}

/// What a shard is of, in words.
impl std::fmt::Display for ShardHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { game, rules_version, seed, iteration, .. } = self;
        write!(f, "{game} (rules version {rules_version}, seed {seed}, iteration {iteration})")
    }
}

/// The games of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// What it holds.
    pub header: ShardHeader,
    /// The games, by number.
    pub games: Vec<GameRecord>,
}

impl Shard {
    /// The games of an iteration.
    pub fn new<G: Game>(
        rules: &G::Rules,
        seed: u64,
        iteration: u64,
        positions: u64,
        games: Vec<GameRecord>,
    ) -> Self {
        let header = ShardHeader {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            seed,
            iteration,
            games: games.len() as u64,
            positions,
            bytes: 0,
        };
        Self { header, games }
    }

    /// As a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let games = postcard::to_stdvec(&self.games).expect("games have a fixed form");
        let header = ShardHeader { bytes: games.len() as u64, ..self.header.clone() };
        let header = serde_json::to_vec(&header).expect("a header is JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(lz4_flex::block::compress(&games));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) writes.
    ///
    /// # Errors
    /// Says what is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (header, packed) = split(bytes)?;
        let len = usize::try_from(header.bytes).map_err(|error| error.to_string())?;
        // It is reserved before anything is unpacked.
        if len > packed.len().saturating_mul(MOST_BYTES_A_BYTE) {
            return Err(format!(
                "its header tells {len} bytes of games, more than {} packed ones can hold",
                packed.len()
            ));
        }
        let games = lz4_flex::block::decompress(packed, len).map_err(|error| error.to_string())?;
        let games: Vec<GameRecord> = postcard::from_bytes(&games).map_err(|error| error.to_string())?;
        if games.len() as u64 != header.games {
            return Err(format!("it holds {} games, its header tells {}", games.len(), header.games));
        }
        Ok(Self { header: ShardHeader { bytes: 0, ..header }, games })
    }
}

/// Checks the whole and splits it into header and packed games.
fn split(bytes: &[u8]) -> Result<(ShardHeader, &[u8]), String> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4).ok_or("it is cut off")?;
        Ok::<_, String>(u32::from_le_bytes(word.try_into().expect("four bytes")))
    };
    if !bytes.starts_with(MAGIC) {
        return Err("it is no replay shard".into());
    }
    let version = word(8)?;
    if version != VERSION {
        return Err(format!("it has format version {version}; this program reads {VERSION}"));
    }
    let end = bytes.len().checked_sub(4).filter(|&end| end >= PREFIX).ok_or("it is cut off")?;
    if word(end)? != crc32fast::hash(&bytes[..end]) {
        return Err("its checksum does not agree with its contents".into());
    }
    let header_end = PREFIX + word(12)? as usize;
    let header = bytes[..end].get(PREFIX..header_end).ok_or("its header is cut off")?;
    let header = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    Ok((header, &bytes[header_end..end]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::self_play::MoveRecord;
    use mancala_env::{Giuthi, GiuthiRules};

    fn shard(rules: &GiuthiRules, iteration: u64) -> Shard {
        let moves = (0..40).map(|i| MoveRecord {
            action: i % 6,
            value: f32::from(i) / 64.0,
            policy: vec![i, 65535 - i],
        });
        let game = GameRecord {
            index: iteration,
            opening: vec![1, 2],
            moves: moves.collect(),
            end: None,
            returns: [0.0; 2],
            scores: [3, 4],
        };
        Shard::new::<Giuthi>(rules, 7, iteration, 40, vec![game; 3])
    }

    #[test]
    fn what_is_written_reads_back() {
        let shard = shard(&GiuthiRules::new(3, 2).unwrap(), 5);
        let bytes = shard.to_bytes();
        assert_eq!(Shard::from_bytes(&bytes).unwrap(), shard);
        assert_eq!(ShardHeader::from_bytes(&bytes).unwrap().positions, 40);
    }

    #[test]
    fn another_format_is_refused_with_both_versions_named() {
        let mut bytes = shard(&GiuthiRules::new(3, 2).unwrap(), 1).to_bytes();
        bytes[8] = 9;
        let error = Shard::from_bytes(&bytes).unwrap_err();
        assert!(error.contains("format version 9; this program reads 1"), "{error}");
    }

    /// Such a file would have all memory reserved at once.
    #[test]
    fn a_length_that_no_packed_games_have_is_refused() {
        let shard = shard(&GiuthiRules::new(3, 2).unwrap(), 1);
        let bytes = shard.to_bytes();
        let (header, packed) = split(&bytes).unwrap();
        for told in [255 * packed.len() as u64 + 1, 1 << 62, u64::MAX] {
            let header = serde_json::to_vec(&ShardHeader { bytes: told, ..header.clone() }).unwrap();
            let mut altered = bytes[..PREFIX].to_vec();
            altered[PREFIX - 4..].copy_from_slice(&(header.len() as u32).to_le_bytes());
            altered.extend(header);
            altered.extend(packed);
            altered.extend(crc32fast::hash(&altered).to_le_bytes());
            let error = Shard::from_bytes(&altered).unwrap_err();
            assert!(error.contains(&format!("its header tells {told} bytes of games")), "{error}");
        }
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_found() {
        let bytes = shard(&GiuthiRules::new(3, 2).unwrap(), 1).to_bytes();
        for len in 0..bytes.len() {
            assert!(Shard::from_bytes(&bytes[..len]).is_err(), "cut to {len}");
        }
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 0x10;
            assert!(Shard::from_bytes(&altered).is_err(), "byte {at}");
        }
    }
}
