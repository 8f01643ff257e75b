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

use std::collections::BTreeMap;
use std::path::PathBuf;

use mancala_env::Game;
use mancala_search::self_play::GameRecord;
use serde::{Deserialize, Serialize};

use crate::files::{self, numbered};

const MAGIC: &[u8; 8] = b"MNCSHARD";
const VERSION: u32 = 1;
/// Magic, version, length of the header.
const PREFIX: usize = 16;
const EXTENSION: &str = "shard";

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
    /// Length of the games before compression.
    pub bytes: u64,
}

/// The games of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// What it holds.
    pub header: ShardHeader,
    /// The games, by number.
    pub games: Vec<GameRecord>,
}

/// Why a shard cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// It cannot be read or written.
    #[error("replay shard {path}: {error}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// It is cut off, altered or no shard.
    #[error("replay shard {path} is damaged: {problem}")]
    Damaged {
        /// Which.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// It is of another game, version or run.
    #[error("replay shard {path} is of {found}; this run is of {expected}")]
    Mismatch {
        /// Which.
        path: String,
        /// What it holds.
        found: String,
        /// What was asked for.
        expected: String,
    },
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

    /// Reads what [`to_bytes`](Self::to_bytes) writes; an error says what is wrong with the bytes.
    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (header, packed) = split(bytes)?;
        let len = usize::try_from(header.bytes).map_err(|error| error.to_string())?;
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

/// The folder with a run's shards, `000001.shard` and so on, one an iteration.
#[derive(Clone, Debug)]
pub struct Shards {
    folder: PathBuf,
}

impl Shards {
    /// The shards in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn path(&self, iteration: u64) -> PathBuf {
        self.folder.join(format!("{iteration:06}.{EXTENSION}"))
    }

    /// Writes a shard, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, shard: &Shard) -> Result<(), ShardError> {
        let path = self.path(shard.header.iteration);
        files::write_atomic(&path, &shard.to_bytes())
            .map_err(|error| ShardError::Io { path: path.display().to_string(), error })
    }

    /// Reads the shard of an iteration and checks that it is of this game, these rules and this run's seed.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is of something else.
    pub fn read<G: Game>(&self, rules: &G::Rules, seed: u64, iteration: u64) -> Result<Shard, ShardError> {
        let file = self.path(iteration);
        let path = file.display().to_string();
        let bytes = std::fs::read(&file).map_err(|error| ShardError::Io { path: path.clone(), error })?;
        let shard = Shard::from_bytes(&bytes)
            .map_err(|problem| ShardError::Damaged { path: path.clone(), problem })?;
        let of = |header: &ShardHeader| {
            let ShardHeader { game, rules_version, seed, iteration, .. } = header;
            format!("{game} (rules version {rules_version}, seed {seed}, iteration {iteration})")
        };
        let expected = of(&Shard::new::<G>(rules, seed, iteration, 0, Vec::new()).header);
        match of(&shard.header) {
            found if found == expected => Ok(shard),
            found => Err(ShardError::Mismatch { path, found, expected }),
        }
    }

    /// Positions of each iteration that has a shard; one that is damaged is left out.
    ///
    /// # Errors
    /// If the folder or a file in it cannot be read.
    pub fn positions(&self) -> Result<BTreeMap<u64, u64>, ShardError> {
        let at = |error| ShardError::Io { path: self.folder.display().to_string(), error };
        let mut positions = BTreeMap::new();
        for iteration in numbered(&self.folder, Some(EXTENSION)).map_err(at)? {
            let bytes = std::fs::read(self.path(iteration)).map_err(at)?;
            if let Ok((header, _)) = split(&bytes) {
                positions.insert(iteration, header.positions);
            }
        }
        Ok(positions)
    }

    /// Removes the shards of all iterations that `keep` does not want.
    ///
    /// # Errors
    /// If the folder cannot be read or a shard not removed.
    pub fn retain(&self, keep: impl Fn(u64) -> bool) -> Result<(), ShardError> {
        let at = |error| ShardError::Io { path: self.folder.display().to_string(), error };
        for iteration in numbered(&self.folder, Some(EXTENSION)).map_err(at)? {
            if !keep(iteration) {
                std::fs::remove_file(self.path(iteration)).map_err(at)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_env::{Giuthi, GiuthiRules};
    use mancala_search::self_play::MoveRecord;

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
        let folder = tempfile::tempdir().unwrap();
        let (rules, shards) = (GiuthiRules::new(3, 2).unwrap(), Shards::new(folder.path()));
        for iteration in 1..=4 {
            shards.write(&shard(&rules, iteration)).unwrap();
        }
        assert_eq!(shards.read::<Giuthi>(&rules, 7, 2).unwrap(), shard(&rules, 2));
        assert_eq!(shards.positions().unwrap(), (1..=4).map(|iteration| (iteration, 40)).collect());
        shards.retain(|iteration| iteration > 2).unwrap();
        assert!(matches!(shards.read::<Giuthi>(&rules, 7, 2), Err(ShardError::Io { .. })));
        assert!(shards.read::<Giuthi>(&rules, 7, 3).is_ok());
    }

    #[test]
    fn another_game_or_run_is_refused_with_both_named() {
        let folder = tempfile::tempdir().unwrap();
        let (rules, shards) = (GiuthiRules::new(3, 2).unwrap(), Shards::new(folder.path()));
        shards.write(&shard(&rules, 1)).unwrap();
        let other = GiuthiRules::new(4, 2).unwrap();
        let error = shards.read::<Giuthi>(&other, 7, 1).unwrap_err().to_string();
        assert!(error.contains("giuthi-3x2 ") && error.contains("giuthi-4x2 "), "{error}");
        let error = shards.read::<Giuthi>(&rules, 8, 1).unwrap_err().to_string();
        assert!(error.contains("seed 7") && error.contains("seed 8"), "{error}");
    }

    #[test]
    fn another_format_is_refused_with_both_versions_named() {
        let mut bytes = shard(&GiuthiRules::new(3, 2).unwrap(), 1).to_bytes();
        bytes[8] = 9;
        let error = Shard::from_bytes(&bytes).unwrap_err();
        assert!(error.contains("format version 9; this program reads 1"), "{error}");
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
