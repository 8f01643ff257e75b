//! A tablebase that is not finished: `F.part` holds the layers that are done, `F.part.json` says which, a line each.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::error::TablebaseError;
use super::super::file::{BLOCK, Contents, LayerEntry, PREAMBLE, Subject, preamble, write_tail};
use super::super::index::BoardIndex;
use super::super::mapped::Mapped;
use super::super::margins::Margins;

/// A line of `F.part.json` after the first, which is the subject.
#[derive(Serialize, Deserialize)]
struct Line {
    layer: LayerEntry,
    /// Checksums of its blocks.
    crc32: Vec<u32>,
}

/// The layers of an unfinished file.
pub(super) struct Partial {
    path: PathBuf,
    data: File,
    lines: File,
    contents: Contents,
    sums: Vec<u32>,
    end: u64,
}

/// The margins of the layers that are done.
pub(super) struct Lower {
    data: Mapped,
    /// By seeds, where its layer begins.
    starts: Vec<u64>,
}

impl Lower {
    /// What is known of a board with `seeds` seeds.
    #[inline]
    pub(super) fn margins(&self, seeds: usize, number: u64) -> Margins {
        let at = (self.starts[seeds] + 2 * number) as usize;
        Margins::from_bytes([self.data[at], self.data[at + 1]])
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

impl Partial {
    /// Begins a file, or goes on with one: layers that are listed and whole are kept.
    pub(super) fn open(path: &Path, subject: Subject, index: &BoardIndex) -> Result<Self, TablebaseError> {
        let part = with_suffix(path, ".part");
        let fail = |error| TablebaseError::Io { path: part.display().to_string(), error };
        let open =
            |path: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let data = open(&part).map_err(fail)?;
        match data.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let problem = format!("{}: another process is building it", part.display());
                return Err(TablebaseError::Unbuildable(problem));
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        // Another build may have given this very file its name since it was opened.
        if path.exists() {
            return Err(TablebaseError::Unbuildable(format!("{} is there already", path.display())));
        }
        let lines = open(&with_suffix(path, ".part.json")).map_err(fail)?;
        let contents = Contents { subject, layers: Vec::new() };
        let mut partial = Self { path: part.clone(), data, lines, contents, sums: Vec::new(), end: PREAMBLE };
        partial.resume(index)?;
        Ok(partial)
    }

    /// Takes over what is whole and drops the rest.
    fn resume(&mut self, index: &BoardIndex) -> Result<(), TablebaseError> {
        let path = self.path.clone();
        let fail = |error| TablebaseError::Io { path: path.display().to_string(), error };
        let mut text = BufReader::new(&self.lines).lines();
        let mut length = 0;
        // A first line that was cut off comes from a run that has done nothing yet.
        if let Some(line) = text.next().transpose().map_err(fail)?
            && let Ok(subject) = serde_json::from_str::<Subject>(&line)
        {
            if subject != self.contents.subject {
                return Err(TablebaseError::Unbuildable(format!(
                    "{} is an unfinished tablebase of {} with up to {} seeds, not of {} with up to {}: finish or remove it (and {0}.json)",
                    path.display(),
                    subject.name(),
                    subject.seeds,
                    self.contents.subject.name(),
                    self.contents.subject.seeds,
                )));
            }
            length = line.len() as u64 + 1;
        }
        let has_begun = length > 0;
        if !has_begun && !begins_as_ours(&self.data).map_err(fail)? {
            return Err(TablebaseError::Unbuildable(format!(
                "{}: a file that is no unfinished tablebase is there already",
                path.display()
            )));
        }
        let mut found = Vec::new();
        if has_begun {
            for line in text.map_while(Result::ok) {
                let Ok(parsed) = serde_json::from_str::<Line>(&line) else { break };
                found.push((parsed, line.len() as u64 + 1));
            }
        }
        self.data.seek(SeekFrom::Start(PREAMBLE)).map_err(fail)?;
        let mut data = BufReader::with_capacity(BLOCK, &self.data);
        for (seeds, (Line { layer, crc32 }, bytes)) in found.into_iter().enumerate() {
            let is_next =
                seeds <= self.contents.subject.seeds as usize && layer.boards == index.boards(seeds);
            if !is_next || block_sums(&mut data, layer.bytes()).map_err(fail)? != Some(crc32.clone()) {
                break;
            }
            self.end += layer.bytes();
            length += bytes;
            self.sums.extend(crc32);
            self.contents.layers.push(layer);
        }
        drop(data);
        self.data.seek(SeekFrom::Start(0)).map_err(fail)?;
        self.data.write_all(&preamble()).map_err(fail)?;
        self.data.set_len(self.end).map_err(fail)?;
        self.lines.set_len(length).map_err(fail)?;
        self.lines.seek(SeekFrom::Start(length)).map_err(fail)?;
        if !has_begun {
            let line = serde_json::to_string(&self.contents.subject).map_err(|error| fail(error.into()))?;
            writeln!(self.lines, "{line}").map_err(fail)?;
        }
        Ok(())
    }

    /// The layers that are done, by seeds.
    pub(super) fn layers(&self) -> &[LayerEntry] {
        &self.contents.layers
    }

    /// What they say.
    pub(super) fn lower(&self) -> Result<Lower, TablebaseError> {
        let data = Mapped::new(&self.data).map_err(|error| self.fail(error))?;
        let mut start = PREAMBLE;
        let mut starts = Vec::new();
        for layer in &self.contents.layers {
            starts.push(start);
            start += layer.bytes();
        }
        Ok(Lower { data, starts })
    }

    /// Adds a layer; when this returns it is on the disk.
    pub(super) fn push(
        &mut self,
        margins: &[Margins],
        ranks: &[[u16; 2]],
        rounds: u32,
    ) -> Result<(), TablebaseError> {
        // Rounds count from 0, so the last that changed something is `rounds - 1`.
        let rank_bytes = if rounds <= 256 { 1 } else { 2 };
        let layer = LayerEntry { boards: margins.len() as u64, rank_bytes, rounds };
        let crc32 = self.write_layer(margins, ranks, rank_bytes).map_err(|error| self.fail(error))?;
        self.end += layer.bytes();
        self.contents.layers.push(layer.clone());
        self.sums.extend(&crc32);
        self.list(&Line { layer, crc32 }).map_err(|error| self.fail(error))
    }

    fn write_layer(&self, margins: &[Margins], ranks: &[[u16; 2]], rank_bytes: u8) -> io::Result<Vec<u32>> {
        let mut out = Summed { out: &self.data, block: Vec::with_capacity(BLOCK), sums: Vec::new() };
        (&self.data).seek(SeekFrom::Start(self.end))?;
        for margins in margins {
            out.add(&margins.to_bytes())?;
        }
        for rank in ranks.as_flattened() {
            out.add(&rank.to_le_bytes()[..rank_bytes.into()])?;
        }
        out.flush()?;
        self.data.sync_data()?;
        Ok(out.sums)
    }

    fn list(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.lines.write_all(&text)?;
        self.lines.sync_data()
    }

    /// Makes the file whole and gives it its name.
    pub(super) fn finish(mut self, path: &Path) -> Result<(), TablebaseError> {
        let end = self.end;
        let finish = |partial: &mut Self| -> io::Result<()> {
            partial.data.seek(SeekFrom::Start(end))?;
            let mut out = BufWriter::new(&partial.data);
            write_tail(&mut out, &partial.contents, &partial.sums)?;
            out.flush()?;
            drop(out);
            partial.data.sync_all()?;
            fs::rename(&partial.path, path)?;
            fs::remove_file(with_suffix(&partial.path, ".json"))
        };
        finish(&mut self).map_err(|error| self.fail(error))
    }

    fn fail(&self, error: io::Error) -> TablebaseError {
        TablebaseError::Io { path: self.path.display().to_string(), error }
    }
}

/// Whether a file is empty or begins as an unfinished tablebase does, or does as far as it goes.
fn begins_as_ours(mut file: &File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(PREAMBLE).read_to_end(&mut head)?;
    Ok(preamble().starts_with(&head))
}

/// Checksums of the next `bytes` bytes, block by block; `None` if there are fewer.
fn block_sums(data: &mut impl Read, mut bytes: u64) -> io::Result<Option<Vec<u32>>> {
    let mut sums = Vec::new();
    let mut block = vec![0; BLOCK];
    while bytes > 0 {
        let block = &mut block[..(BLOCK as u64).min(bytes) as usize];
        match data.read_exact(block) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            result => result?,
        }
        sums.push(crc32fast::hash(block));
        bytes -= block.len() as u64;
    }
    Ok(Some(sums))
}

/// Writes in blocks and keeps their checksums.
struct Summed<'a> {
    out: &'a File,
    block: Vec<u8>,
    sums: Vec<u32>,
}

impl Summed<'_> {
    /// At most two bytes, so that blocks, which are even, never split them.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.sums.push(crc32fast::hash(&self.block));
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(())
    }
}
