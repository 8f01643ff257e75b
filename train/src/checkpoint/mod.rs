//! Checkpoints: folders that are whole or not there, and are checked before they are believed.

mod folder;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use mancala_search::net::{NetHeader, Weights};
use serde::{Deserialize, Serialize};

pub use folder::{Checkpoints, Found};

/// The net to play with, in a checkpoint's folder.
pub const NET: &str = mancala_search::net::NET_FILE;
/// What only learning needs.
pub const OPTIMIZER: &str = "optimizer.safetensors";
/// Where in the run it was written.
pub const STATE: &str = "state.json";
/// Sizes and checksums of the others, written last.
pub const MANIFEST: &str = "manifest.json";
/// The link to the newest checkpoint, in the folder of them all.
pub const LATEST: &str = "latest";

/// The version of this format.
const FORMAT: u32 = 1;

/// Where a run stood; with the config and the replay shards all it needs to go on. There is no state of a random number
/// generator: each iteration's random numbers come from the seed and its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Version of the checkpoint format.
    pub format: u32,
    /// The seed of the run.
    pub seed: u64,
    /// CRC-32 of the keys of the config that learning depends on, in hexadecimal.
    pub config_hash: String,
    /// Iterations done.
    pub iteration: u64,
    /// Games played.
    pub games: u64,
    /// Positions of them that are learned from.
    pub positions: u64,
    /// Steps of the optimizer.
    pub steps: u64,
}

impl State {
    /// The state before the first iteration.
    pub fn new(seed: u64, config: &str) -> Self {
        let config_hash = format!("{:08x}", crc32fast::hash(config.as_bytes()));
        Self { format: FORMAT, seed, config_hash, iteration: 0, games: 0, positions: 0, steps: 0 }
    }
}

/// What the manifest tells of each other file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    bytes: u64,
    /// CRC-32 in hexadecimal.
    crc32: String,
}

impl Listed {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, crc32: format!("{:08x}", crc32fast::hash(bytes)) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u32,
    files: BTreeMap<String, Listed>,
}

/// A whole checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Where the run stood.
    pub state: State,
    /// The net to play with.
    pub net: Weights,
    /// The file of the optimizer.
    pub optimizer: Vec<u8>,
}

/// Why a checkpoint cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It cannot be read or written.
    #[error("checkpoint {path}: {error}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// It is cut off or altered.
    #[error("checkpoint {path} is damaged: {problem}{advice}")]
    Damaged {
        /// Which.
        path: String,
        /// What is wrong.
        problem: String,
        /// What can be done about it.
        advice: String,
    },
    /// There is no link to the newest, and no checkpoint is whole.
    #[error(
        "checkpoints {path}: {LATEST} {why} and no numbered checkpoint is whole; \
         put a whole one there, or begin a new run in another folder"
    )]
    NoneWhole {
        /// Their folder.
        path: String,
        /// What is wrong with the link.
        why: String,
    },
    /// It is of another game, net or run.
    #[error("checkpoint {path} does not fit: {problem}")]
    Mismatch {
        /// Which.
        path: String,
        /// What it holds and what was asked for.
        problem: String,
    },
}

fn io_at(path: &Path) -> impl Fn(io::Error) -> CheckpointError {
    let path = path.display().to_string();
    move |error| CheckpointError::Io { path: path.clone(), error }
}

impl Checkpoint {
    /// Reads a checkpoint's folder and checks it against its manifest.
    ///
    /// # Errors
    /// If it is not there, or damaged.
    pub fn read(folder: &Path) -> Result<Self, CheckpointError> {
        let damaged = |problem: String| CheckpointError::Damaged {
            path: folder.display().to_string(),
            problem,
            advice: String::new(),
        };
        if !folder.is_dir() {
            return Err(io_at(folder)(io::ErrorKind::NotFound.into()));
        }
        let read = |name: &str| match fs::read(folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(damaged(format!("{name} is missing")))
            }
            result => result.map_err(io_at(&folder.join(name))),
        };
        let broken = |name: &str, error: &dyn std::fmt::Display| damaged(format!("{name}: {error}"));
        let manifest: Manifest =
            serde_json::from_slice(&read(MANIFEST)?).map_err(|error| broken(MANIFEST, &error))?;
        if manifest.format != FORMAT {
            let problem = format!("it has format version {}; this program reads {FORMAT}", manifest.format);
            return Err(CheckpointError::Mismatch { path: folder.display().to_string(), problem });
        }
        let checked = |name: &str| {
            let bytes = read(name)?;
            let (found, listed) = (Listed::of(&bytes), manifest.files.get(name));
            let listed = listed.ok_or_else(|| damaged(format!("{MANIFEST} does not list {name}")))?;
            if found.bytes != listed.bytes {
                let (found, listed) = (found.bytes, listed.bytes);
                return Err(damaged(format!("{name} has {found} bytes, {MANIFEST} tells {listed}")));
            }
            if found.crc32 != listed.crc32 {
                return Err(damaged(format!("{name} has another checksum than {MANIFEST} tells")));
            }
            Ok(bytes)
        };
        let (state, net, optimizer) = (checked(STATE)?, checked(NET)?, checked(OPTIMIZER)?);
        let state = serde_json::from_slice(&state).map_err(|error| broken(STATE, &error))?;
        let net = Weights::from_bytes(&net).map_err(|error| broken(NET, &error))?;
        Ok(Self { state, net, optimizer })
    }
}

impl Checkpoint {
    /// Refuses a checkpoint of another game, net or version. The config has been compared key by key before; the hash
    /// finds a checkpoint that was moved here from another run.
    ///
    /// # Errors
    /// Names what differs, with both values.
    pub fn check_fits(
        &self,
        folder: &Path,
        header: &NetHeader,
        fresh: &State,
    ) -> Result<(), CheckpointError> {
        let mismatch =
            |problem: String| CheckpointError::Mismatch { path: folder.display().to_string(), problem };
        self.net.header.check(header).map_err(|error| mismatch(error.to_string()))?;
        let (found, expected) = (self.net.header.net, header.net);
        if found != expected {
            return Err(mismatch(format!("its net has {found:?}, this run {expected:?}")));
        }
        if self.net.header.margin != header.margin {
            let has = |margin: bool| if margin { "a margin head" } else { "no margin head" };
            let (found, expected) = (has(self.net.header.margin), has(header.margin));
            return Err(mismatch(format!("its net has {found}, this run {expected}")));
        }
        if self.state.seed != fresh.seed {
            return Err(mismatch(format!("its run has seed {}, this one {}", self.state.seed, fresh.seed)));
        }
        if self.state.config_hash != fresh.config_hash {
            let (found, expected) = (&self.state.config_hash, &fresh.config_hash);
            return Err(mismatch(format!("its run has config hash {found}, this one {expected}")));
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use mancala_env::{Giuthi, GiuthiRules, Stream, stream};
    use mancala_search::net::NetConfig;

    const SIZES: NetConfig = NetConfig::plain(4, 1, 2, 2);

    fn header(pits: u8) -> NetHeader {
        NetHeader::of::<Giuthi>(&GiuthiRules::new(pits, 2).unwrap(), SIZES)
    }

    pub(in crate::checkpoint) fn checkpoint(iteration: u64) -> Checkpoint {
        let net = Weights::random(header(3), &mut stream(Stream::Learner, iteration, 0, 0));
        let state = State { iteration, ..State::new(1, "config") };
        Checkpoint { state, net, optimizer: vec![iteration as u8; 1000] }
    }

    #[test]
    fn another_game_net_or_run_is_refused_with_both_named() {
        let fresh = State::new(1, "config");
        let refuse = |header: &NetHeader, fresh: &State| {
            checkpoint(1).check_fits(Path::new("000001"), header, fresh).unwrap_err().to_string()
        };
        let error = refuse(&header(4), &fresh);
        assert!(error.contains("giuthi-3x2") && error.contains("giuthi-4x2"), "{error}");
        let error = refuse(&NetHeader { rules_version: 77, ..header(3) }, &fresh);
        assert!(error.contains("rules version 77"), "{error}");
        let error = refuse(&NetHeader { net: NetConfig { channels: 8, ..SIZES }, ..header(3) }, &fresh);
        assert!(error.contains("channels: 4") && error.contains("channels: 8"), "{error}");
        let error = refuse(&header(3).with_margin(true), &fresh);
        assert!(error.contains("no margin head, this run a margin head"), "{error}");
        let error = refuse(&header(3), &State::new(2, "config"));
        assert!(error.contains("seed 1") && error.contains("2"), "{error}");
        assert!(refuse(&header(3), &State::new(1, "other")).contains("config hash"));
        checkpoint(1).check_fits(Path::new("000001"), &header(3), &fresh).unwrap();
    }
    #[test]
    fn another_format_is_refused_with_both_versions_named() {
        let folder = tempfile::tempdir().unwrap();
        Checkpoints::new(folder.path()).write(&checkpoint(1)).unwrap();
        let path = folder.path().join("000001");
        let manifest = path.join(MANIFEST);
        let text = fs::read_to_string(&manifest).unwrap();
        let newer =
            text.replacen("\"format\":1", "\"format\":2", 1).replacen("\"format\": 1", "\"format\": 2", 1);
        assert_ne!(newer, text);
        fs::write(&manifest, newer).unwrap();
        let error = Checkpoint::read(&path).unwrap_err();
        assert!(matches!(error, CheckpointError::Mismatch { .. }), "{error}");
        let error = error.to_string();
        assert!(error.contains("format version 2; this program reads 1"), "{error}");
    }
}
