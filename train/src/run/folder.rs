//! A run's folder, held by one process at a time.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use crate::checkpoint::Checkpoints;
use crate::config::Config;
use crate::error::Usage;
use crate::files;
use crate::replay::Shards;

/// The config of the run, every key written out.
const CONFIG: &str = "config.toml";
/// Locked while a process works in the folder.
const LOCK: &str = "lock";

/// A run's folder, locked.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Opens or makes the folder of a run with this config. To `resume` is to go on with the run that is there; without
    /// it there must be none.
    ///
    /// # Errors
    /// If there is a run and `resume` is off, something else than a run, a run with another config, or a process at work.
    pub fn open(path: &Path, config: &Config, resume: bool) -> anyhow::Result<Self> {
        let shown = path.display();
        let begun = path.join(CONFIG).is_file();
        if begun && !resume {
            return Err(Usage::new(format!("{shown} already holds a run: --resume goes on with it")).into());
        }
        if !begun && holds_files(path).with_context(|| format!("run folder {shown}"))? {
            return Err(Usage::new(format!("{shown} is not empty and holds no run")).into());
        }
        fs::create_dir_all(path).with_context(|| format!("run folder {shown}"))?;
        let lock = File::create(path.join(LOCK)).with_context(|| format!("{shown}/{LOCK}"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Usage::new(format!("{shown}: another process is at work on this run")).into());
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(|| format!("{shown}/{LOCK}")),
        }
        let folder = Self { path: path.into(), lock };
        if begun {
            let file = folder.path.join(CONFIG);
            let before = Config::load(&file, &[])
                .with_context(|| format!("the run's own config {}", file.display()))?;
            config.check_continues(&before).with_context(|| format!("{shown} cannot be resumed"))?;
        }
        let write = || {
            fs::create_dir_all(folder.path.join("checkpoints"))?;
            fs::create_dir_all(folder.path.join("replay"))?;
            files::write_atomic(&folder.path.join(CONFIG), config.to_toml().as_bytes())
        };
        write().with_context(|| format!("run folder {shown}"))?;
        Ok(folder)
    }

    /// Refuses a run that has lost all its checkpoints but not what came of them: to begin anew would remove it.
    pub(super) fn check_fresh(&self) -> anyhow::Result<()> {
        let shown = self.path.display();
        let metrics = fs::metadata(self.metrics()).is_ok_and(|metadata| metadata.len() > 0);
        if metrics || !self.shards().positions()?.is_empty() {
            let problem = format!(
                "{shown}: the run has metrics or replay shards but no checkpoint to go on from; \
                 put one into {shown}/checkpoints, or begin a new run in another folder"
            );
            return Err(Usage::new(problem).into());
        }
        Ok(())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails where the folder is no longer the one that was opened: what would be written now would be lost, or spoil the
    /// run of another process that has begun in its place.
    pub(super) fn check_held(&self) -> anyhow::Result<()> {
        let identity = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
        let lock = self.path.join(LOCK);
        match (fs::metadata(&lock), self.lock.metadata()) {
            (Ok(found), Ok(held)) if identity(&found) == identity(&held) => Ok(()),
            _ => Err(anyhow!(
                "{} is gone or another: the folder was moved, removed or replaced while the run was at work",
                lock.display()
            )),
        }
    }

    /// Removes what processes that were killed had not finished.
    pub(super) fn tidy(&self) -> anyhow::Result<()> {
        for folder in [&self.path, &self.path.join("checkpoints"), &self.path.join("replay")] {
            files::remove_temporaries(folder).with_context(|| folder.display().to_string())?;
        }
        Ok(())
    }

    /// The run's checkpoints.
    pub fn checkpoints(&self) -> Checkpoints {
        Checkpoints::new(self.path.join("checkpoints"))
    }

    /// The run's replay shards.
    pub fn shards(&self) -> Shards {
        Shards::new(self.path.join("replay"))
    }

    /// One line an iteration.
    pub fn metrics(&self) -> PathBuf {
        self.path.join("metrics.jsonl")
    }

    /// One line a closing match.
    pub fn arena(&self) -> PathBuf {
        self.path.join("arena.jsonl")
    }
}

/// Whether a folder is there and holds more than what a process that was stopped at once leaves: a lock, folders that are empty, files that it
/// had not finished.
fn holds_files(path: &Path) -> std::io::Result<bool> {
    if !path.exists() {
        return Ok(false);
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let is_empty_folder = entry.file_type()?.is_dir() && fs::read_dir(entry.path())?.next().is_none();
        if entry.file_name() != LOCK && !is_empty_folder && !files::is_temporary(&entry.file_name()) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::exit_code;

    const SMALL: &str = "game = 'giuthi-2x2'\niterations = 1\n\
        [net]\nchannels = 8\nblocks = 1\npolicy_hidden = 4\nvalue_hidden = 4\n\
        [evaluation]\ngames = 4\n";

    fn refused(path: &Path, config: &Config, resume: bool) -> String {
        let error = Folder::open(path, config, resume).unwrap_err();
        assert_eq!(exit_code(&error), 2, "{error:#}");
        format!("{error:#}")
    }

    #[test]
    fn a_run_is_begun_once_and_resumed_with_its_own_config() {
        let parent = tempfile::tempdir().unwrap();
        let (path, config) = (parent.path().join("a/run"), Config::parse(SMALL).unwrap());
        let folder = Folder::open(&path, &config, false).unwrap();
        assert!(refused(&path, &config, true).contains("another process is at work"));
        drop(folder);
        assert!(refused(&path, &config, false).contains("already holds a run"));
        let longer = Config { iterations: 5, ..config.clone() };
        Folder::open(&path, &longer, true).unwrap();
        let other = Config { seed: 3, ..config };
        assert!(
            refused(&path, &other, true).contains("config key seed: the run was begun with 0, now it is 3")
        );
        assert_eq!(Config::load(&path.join(CONFIG), &[]).unwrap(), longer);
    }

    #[test]
    fn a_folder_that_was_moved_or_replaced_is_not_written_to() {
        let parent = tempfile::tempdir().unwrap();
        let (path, config) = (parent.path().join("run"), Config::parse(SMALL).unwrap());
        let folder = Folder::open(&path, &config, false).unwrap();
        folder.check_held().unwrap();
        fs::rename(&path, parent.path().join("moved")).unwrap();
        let error = folder.check_held().unwrap_err().to_string();
        assert!(error.contains("run/lock is gone"), "{error}");
        let other = Folder::open(&path, &config, false).unwrap();
        folder.check_held().unwrap_err();
        other.check_held().unwrap();
    }

    #[test]
    fn resuming_what_is_not_there_begins() {
        let parent = tempfile::tempdir().unwrap();
        let config = Config::parse(SMALL).unwrap();
        Folder::open(&parent.path().join("run"), &config, true).unwrap();
        // Killed while it wrote its config.
        let begun = parent.path().join("begun");
        fs::create_dir_all(begun.join("replay")).unwrap();
        fs::write(begun.join(".config.toml.tmp"), "game").unwrap();
        Folder::open(&begun, &config, true).unwrap().tidy().unwrap();
        assert!(!begun.join(".config.toml.tmp").exists());
        fs::write(parent.path().join("letter.txt"), "x").unwrap();
        for resume in [false, true] {
            assert!(refused(parent.path(), &config, resume).contains("holds no run"));
        }
    }
}
