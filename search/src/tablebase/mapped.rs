//! A file as memory.
//!
//! Tables are larger than what a process should read in before it may ask one question, and every probe goes to another
//! place. The one unsafe call of the crate is here.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// A file mapped into memory, for reading.
#[derive(Debug)]
pub(super) struct Mapped(memmap2::Mmap);

impl Mapped {
    /// Maps the whole file.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        // A folder opens like a file; that it cannot be mapped says less.
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // SAFETY: the bytes are read only as numbers, any of which is valid, and never twice in the hope of the same answer, so
        // that another process that writes into the file can cause a wrong answer but nothing undefined within ours. Tables are
        // never written in place: a build goes to another name and is renamed. A file cut off while it is mapped ends the
        // process by a signal, as with every mapped file.
        #[allow(unsafe_code)]
        let map = unsafe { memmap2::Mmap::map(file) }?;
        Ok(Self(map))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
