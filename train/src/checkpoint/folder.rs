//! The folder of a run's checkpoints: written whole, linked to, pruned.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{
    Checkpoint, CheckpointError, FORMAT, LATEST, Listed, MANIFEST, Manifest, NET, OPTIMIZER, STATE, io_at,
};
use crate::files::{self, numbered};

/// The folder with a run's checkpoints, `000001` and so on, named by the iterations done, and [`LATEST`].
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    /// The checkpoints in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder of the checkpoint after an iteration.
    pub fn path(&self, iteration: u64) -> PathBuf {
        self.folder.join(format!("{iteration:06}"))
    }

    /// The link to the newest checkpoint.
    pub fn latest_path(&self) -> PathBuf {
        self.folder.join(LATEST)
    }

    /// Writes a checkpoint under a temporary name, syncs it, renames it and lets [`LATEST`] point to it.
    ///
    /// # Errors
    /// If it cannot be written; what was there is there still.
    pub fn write(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let folder = self.path(checkpoint.state.iteration);
        self.write_folder(&folder, checkpoint).map_err(io_at(&folder))
    }

    fn write_folder(&self, folder: &Path, checkpoint: &Checkpoint) -> io::Result<()> {
        let temporary = files::temporary(folder);
        remove_folder(&temporary)?;
        fs::create_dir_all(&temporary)?;
        let state = serde_json::to_vec_pretty(&checkpoint.state)?;
        let contents =
            [(NET, &checkpoint.net.to_bytes()), (OPTIMIZER, &checkpoint.optimizer), (STATE, &state)];
        let mut manifest = Manifest { format: FORMAT, files: BTreeMap::new() };
        for (name, bytes) in contents {
            files::write_synced(&temporary.join(name), bytes)?;
            manifest.files.insert(name.into(), Listed::of(bytes));
        }
        files::write_synced(&temporary.join(MANIFEST), &serde_json::to_vec_pretty(&manifest)?)?;
        files::sync_parent(&temporary.join(MANIFEST))?;
        fs::rename(&temporary, folder)?;
        files::sync_parent(folder)?;
        self.point_latest(checkpoint.state.iteration)
    }

    /// Replaces the link in one step: a new link is made and renamed over the old.
    fn point_latest(&self, iteration: u64) -> io::Result<()> {
        let latest = self.latest_path();
        let temporary = files::temporary(&latest);
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::os::unix::fs::symlink(format!("{iteration:06}"), &temporary)?,
        }
        fs::rename(&temporary, &latest)?;
        files::sync_parent(&latest)
    }

    /// The checkpoint that [`LATEST`] points to; `None` if there is no such link.
    ///
    /// # Errors
    /// If it is damaged; the error names the newest whole one before it.
    pub fn latest(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        let latest = self.latest_path();
        let target = match fs::read_link(&latest) {
            Ok(target) => self.folder.join(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_at(&latest)(error)),
        };
        match Checkpoint::read(&target) {
            Ok(checkpoint) => Ok(Some(checkpoint)),
            Err(CheckpointError::Damaged { path, problem, .. }) => {
                let advice = self.advice(&target);
                Err(CheckpointError::Damaged { path, problem, advice })
            }
            Err(error) => Err(error),
        }
    }

    /// What to do about a damaged checkpoint.
    fn advice(&self, damaged: &Path) -> String {
        let older = self.numbers().unwrap_or_default().into_iter().rev().map(|number| self.path(number));
        let mut older = older.filter(|path| path.file_name() < damaged.file_name());
        match older.find(|path| Checkpoint::read(path).is_ok()) {
            None => "; no older checkpoint is whole".into(),
            Some(path) => format!(
                "; the previous whole one is {}, to go on from it: ln -sfn {} {}",
                path.display(),
                path.file_name().unwrap_or_default().to_string_lossy(),
                self.latest_path().display()
            ),
        }
    }

    fn numbers(&self) -> Result<Vec<u64>, CheckpointError> {
        numbered(&self.folder, None).map_err(io_at(&self.folder))
    }

    /// Removes the checkpoints after an iteration: a run that goes on from it writes them anew.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn remove_after(&self, iteration: u64) -> Result<(), CheckpointError> {
        self.remove(self.numbers()?.into_iter().filter(|&number| number > iteration))
    }

    /// Removes all but the newest `keep` and returns the iteration of the oldest that stays (0 if there is none).
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn prune(&self, keep: usize) -> Result<u64, CheckpointError> {
        let mut surplus = self.numbers()?;
        let kept = surplus.split_off(surplus.len().saturating_sub(keep));
        self.remove(surplus.into_iter())?;
        Ok(kept.first().copied().unwrap_or(0))
    }

    /// A folder is renamed before it goes, lest one that is half removed looks damaged.
    fn remove(&self, numbers: impl Iterator<Item = u64>) -> Result<(), CheckpointError> {
        for folder in numbers.map(|number| self.path(number)) {
            let temporary = files::temporary(&folder);
            let removed = remove_folder(&temporary)
                .and_then(|()| fs::rename(&folder, &temporary))
                .and_then(|()| remove_folder(&temporary));
            removed.map_err(io_at(&folder))?;
        }
        Ok(())
    }
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::tests::checkpoint;

    fn written(iterations: u64) -> (tempfile::TempDir, Checkpoints) {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(folder.path());
        for iteration in 1..=iterations {
            checkpoints.write(&checkpoint(iteration)).unwrap();
        }
        (folder, checkpoints)
    }

    #[test]
    fn latest_is_a_relative_link_to_the_newest() {
        let (folder, checkpoints) = written(3);
        assert_eq!(checkpoints.latest().unwrap().unwrap(), checkpoint(3));
        assert_eq!(fs::read_link(folder.path().join(LATEST)).unwrap(), Path::new("000003"));
        assert!(folder.path().join(LATEST).join(NET).is_file());
        assert_eq!(checkpoints.prune(2).unwrap(), 2);
        assert_eq!(numbered(folder.path(), None).unwrap(), [2, 3]);
        checkpoints.remove_after(2).unwrap();
        checkpoints.write(&checkpoint(3)).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing temporary stays");
    }

    #[test]
    fn none_is_none() {
        assert!(written(0).1.latest().unwrap().is_none());
    }

    #[test]
    fn damage_is_refused_and_the_previous_whole_one_named() {
        for name in [NET, OPTIMIZER, STATE, MANIFEST] {
            for damage in ["cut", "altered", "removed"] {
                let (folder, checkpoints) = written(3);
                fs::remove_file(checkpoints.path(2).join(MANIFEST)).unwrap();
                let file = checkpoints.path(3).join(name);
                let mut bytes = fs::read(&file).unwrap();
                match damage {
                    "cut" => bytes.truncate(bytes.len() / 2),
                    _ => bytes[3] ^= 1,
                }
                fs::write(&file, bytes).unwrap();
                if damage == "removed" {
                    fs::remove_file(&file).unwrap();
                }
                let error = checkpoints.latest().unwrap_err();
                assert!(matches!(error, CheckpointError::Damaged { .. }), "{name} {damage}: {error}");
                let error = error.to_string();
                let whole = folder.path().join("000001").display().to_string();
                assert!(error.contains("000003 is damaged") && error.contains(name), "{error}");
                assert!(error.contains(&format!("whole one is {whole}")), "{error}");
                assert!(!error.contains('\n'), "{error}");
            }
        }
    }
}
