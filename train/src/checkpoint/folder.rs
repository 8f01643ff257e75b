//! The folder of a run's checkpoints: written whole, linked to, pruned.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{
    Checkpoint, CheckpointError, FORMAT, LATEST, Listed, MANIFEST, Manifest, NET, OPTIMIZER, STATE, io_at,
};
use crate::files::{self, numbered};

/// The checkpoint to go on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Its folder.
    pub path: PathBuf,
    /// Where [`LATEST`] did not lead to it: why not.
    pub instead: Option<String>,
}

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
        // Not the folders above it: where they have vanished, the run has.
        fs::create_dir(&temporary)?;
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
        replace_folder(&temporary, folder)?;
        files::sync_parent(folder)?;
        self.point_latest(checkpoint.state.iteration)
    }

    /// Lets [`LATEST`] point to a checkpoint.
    ///
    /// # Errors
    /// If the link cannot be made.
    pub fn point_latest_to(&self, iteration: u64) -> Result<(), CheckpointError> {
        self.point_latest(iteration).map_err(io_at(&self.latest_path()))
    }

    /// Replaces the link in one step: a new link is made and renamed over the old.
    fn point_latest(&self, iteration: u64) -> io::Result<()> {
        let latest = self.latest_path();
        let temporary = files::temporary(&latest);
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::os::unix::fs::symlink(format!("{iteration:06}"), &temporary)?,
        }
        // A copy that follows links, as `cp -rL`, makes a folder of it, which a link cannot be renamed over.
        if fs::symlink_metadata(&latest).is_ok_and(|found| found.is_dir()) {
            remove_folder(&latest)?;
        }
        fs::rename(&temporary, &latest)?;
        files::sync_parent(&latest)
    }

    /// The checkpoint that [`LATEST`] points to; where that is no link or leads nowhere, the newest whole one. `None` if
    /// there is no checkpoint at all, and nothing that was one.
    ///
    /// # Errors
    /// If the one that the link points to is damaged: the error names the newest whole one before it. If there is no link
    /// and none is whole: the error says what can be done.
    pub fn latest(&self) -> Result<Option<Found>, CheckpointError> {
        let latest = self.latest_path();
        let target = match fs::read_link(&latest) {
            Ok(target) => self.folder.join(target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.newest_whole("is missing");
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return self.newest_whole("is no link");
            }
            Err(error) => return Err(io_at(&latest)(error)),
        };
        if !target.is_dir() {
            return self.newest_whole("points to nothing");
        }
        match Checkpoint::read(&target) {
            Ok(checkpoint) => Ok(Some(Found { checkpoint, path: target, instead: None })),
            Err(CheckpointError::Damaged { path, problem, .. }) => {
                let advice = self.advice(&target);
                Err(CheckpointError::Damaged { path, problem, advice })
            }
            Err(error) => Err(error),
        }
    }

    /// The newest whole checkpoint, where [`LATEST`] is of no use.
    fn newest_whole(&self, why: &str) -> Result<Option<Found>, CheckpointError> {
        let (numbers, latest) = (self.numbers()?, self.latest_path());
        for path in numbers.iter().rev().map(|&number| self.path(number)) {
            match Checkpoint::read(&path) {
                Ok(checkpoint) => {
                    let instead = Some(format!("{} {why}", latest.display()));
                    return Ok(Some(Found { checkpoint, path, instead }));
                }
                Err(CheckpointError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // A link to nothing is left of a run, even where nothing else is.
        if numbers.is_empty() && fs::symlink_metadata(&latest).is_err() {
            return Ok(None);
        }
        Err(CheckpointError::NoneWhole { path: self.folder.display().to_string(), why: why.into() })
    }

    /// What to do about a damaged checkpoint.
    fn advice(&self, damaged: &Path) -> String {
        let number = damaged.file_name().and_then(|name| name.to_str()?.parse().ok());
        self.advice_before(number.unwrap_or(u64::MAX))
    }

    /// What to do where it is not possible to go on from an iteration: which checkpoint before it to take, and how.
    pub fn advice_before(&self, iteration: u64) -> String {
        let older = self.numbers().unwrap_or_default().into_iter().rev();
        let mut older = older.filter(|&number| number < iteration).map(|number| self.path(number));
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

/// Renames a folder; one that has the name already goes, as when a process was killed before it had made the link to it.
fn replace_folder(from: &Path, to: &Path) -> io::Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let old = to.with_file_name(format!(".{name}.old.tmp"));
    remove_folder(&old)?;
    match fs::rename(to, &old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::rename(from, to)?,
    }
    remove_folder(&old)
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
        assert_eq!(checkpoints.latest().unwrap().unwrap().checkpoint, checkpoint(3));
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
    fn an_existing_folder_of_the_same_number_is_replaced() {
        let (folder, checkpoints) = written(2);
        fs::remove_file(checkpoints.path(2).join(MANIFEST)).unwrap();
        fs::remove_file(checkpoints.latest_path()).unwrap();
        checkpoints.write(&checkpoint(2)).unwrap();
        assert_eq!(checkpoints.latest().unwrap().unwrap().checkpoint, checkpoint(2));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing temporary stays");
    }

    /// Makes the link of no use, in the way that the words tell.
    fn break_link(checkpoints: &Checkpoints, how: &str) {
        let latest = checkpoints.latest_path();
        fs::remove_file(&latest).unwrap();
        match how {
            "is no link" => {
                fs::create_dir(&latest).unwrap();
                fs::write(latest.join(NET), "x").unwrap();
            }
            "points to nothing" => std::os::unix::fs::symlink("000009", &latest).unwrap(),
            _ => {}
        }
    }

    #[test]
    fn without_a_link_the_newest_whole_one_is_found() {
        for how in ["is missing", "is no link", "points to nothing"] {
            let (folder, checkpoints) = written(3);
            break_link(&checkpoints, how);
            fs::remove_file(checkpoints.path(3).join(MANIFEST)).unwrap();
            let found = checkpoints.latest().unwrap().unwrap();
            assert_eq!((&found.checkpoint, &found.path), (&checkpoint(2), &checkpoints.path(2)));
            assert!(found.instead.unwrap().ends_with(how));
            for number in [1, 2] {
                fs::write(checkpoints.path(number).join(STATE), "{}").unwrap();
            }
            let error = checkpoints.latest().unwrap_err();
            assert!(matches!(error, CheckpointError::NoneWhole { .. }), "{error}");
            let error = error.to_string();
            assert!(error.contains(how) && error.contains("begin a new run"), "{error}");
            assert!(!error.contains('\n'), "{error}");
            checkpoints.write(&checkpoint(4)).unwrap();
            assert_eq!(fs::read_link(folder.path().join(LATEST)).unwrap(), Path::new("000004"));
        }
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
