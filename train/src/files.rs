//! Files that are whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name, syncs it and renames it.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    write_synced(&temporary, bytes)?;
    fs::rename(&temporary, path)?;
    sync_parent(path)
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
