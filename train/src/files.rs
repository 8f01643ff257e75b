//! Files that are whole or not there.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Writes a file under a temporary name, syncs it and renames it.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Half a file takes room where there is none, and looks like the work of somebody else.
        let _ = fs::remove_file(&temporary);
    }
    written.and_then(|()| sync_parent(path))
}

/// Writes a file and waits until it is on the disk.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The name beside `path` under which it is prepared; the leading dot keeps it out of every listing.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Whether a name is one under which something is prepared.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(b".tmp")
}

/// Removes from a folder what a process that was killed had not finished.
pub(crate) fn remove_temporaries(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_temporary(&entry.file_name()) {
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
    }
    Ok(())
}

/// Seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> f64 {
    // To the millisecond: more digits would only make the files longer.
    let milliseconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    milliseconds as f64 / 1000.0
}

/// Seconds since 1970 up to now.
pub(crate) fn unix_time() -> f64 {
    seconds(SystemTime::now())
}

/// Makes a new name in a folder last.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// The numbers of the files (with an extension) or folders (without) named by six digits or more, ascending.
pub(crate) fn numbered(folder: &Path, extension: Option<&str>) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = PathBuf::from(entry?.file_name());
        let stem = name.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let fits = name.extension().and_then(|extension| extension.to_str()) == extension;
        if fits && stem.len() >= 6 && stem.bytes().all(|byte| byte.is_ascii_digit()) {
            numbers.extend(stem.parse::<u64>().ok());
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}
