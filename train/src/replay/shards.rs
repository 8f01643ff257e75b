//! The folder with a run's replay shards.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mancala_env::Game;
use mancala_search::self_play::{Shard, ShardHeader};

use crate::files::{self, numbered};

const EXTENSION: &str = "shard";

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
        let expected = Shard::new::<G>(rules, seed, iteration, 0, Vec::new()).header.to_string();
        match shard.header.to_string() {
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
            if let Ok(header) = ShardHeader::from_bytes(&bytes) {
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
    use mancala_search::self_play::{GameRecord, MoveRecord};

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
}
