//! The file: a preamble, the layers from few seeds up, checksums, an index, a trailer. `docs/tablebase.md` has the table.

use std::io::{self, Write};

use mancala_env::{Capture, Game, Giuthi, GiuthiRules};
use serde::{Deserialize, Serialize};

use super::index::BoardIndex;

/// How a tablebase begins. The line ends and the zero show a file that was transferred as text.
const MAGIC: &[u8; 16] = b"mancala table\r\n\0";
/// How it ends.
const END: &[u8; 8] = b"tableend";
/// Changes whenever the same bytes mean something else.
const FORMAT: u32 = 1;
/// Magic, format, checksum of both.
pub(super) const PREAMBLE: u64 = 24;
/// Length of the checksums, of the index, checksum of both, checksum of the trailer so far, [`END`].
const TRAILER: usize = 32;
/// Bytes that have a checksum of their own; the last of a layer may be shorter.
pub(super) const BLOCK: usize = 1 << 16;

/// What a tablebase is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Subject {
    pub(super) game: String,
    pub(super) rules_version: u32,
    pub(super) pits: u8,
    pub(super) capture: Capture,
    /// The most seeds a board holds.
    pub(super) seeds: u32,
}

impl Subject {
    /// Of the game as this version plays it.
    pub(super) fn new(rules: &GiuthiRules, seeds: u32) -> Self {
        Self {
            game: Giuthi::NAME.into(),
            rules_version: Giuthi::RULES_VERSION,
            pits: rules.pits(),
            capture: rules.capture(),
            seeds,
        }
    }

    /// In words, but for the seeds.
    pub(super) fn name(&self) -> String {
        let Self { game, rules_version, pits, capture, .. } = self;
        format!(
            "{game} with {pits} pits a row and capture={} (rules version {rules_version})",
            capture.word()
        )
    }

    /// In words, with the seeds.
    pub(super) fn with_seeds(&self) -> String {
        format!("{}, up to {} seeds", self.name(), self.seeds)
    }

    /// Whether a tablebase of the one answers questions about the other, seeds aside.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    /// The rules with the smallest start; `None` if there are none of that kind.
    pub(super) fn rules(&self) -> Option<GiuthiRules> {
        Some(GiuthiRules::new(self.pits, 2)?.with_capture(self.capture))
    }
}

/// A layer of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayerEntry {
    /// Boards in it.
    pub(super) boards: u64,
    /// Bytes of a rank, 1 or 2.
    pub(super) rank_bytes: u8,
    /// Rounds that it took.
    pub(super) rounds: u32,
}

impl LayerEntry {
    /// Its length in the file.
    pub(super) fn bytes(&self) -> u64 {
        self.boards * (2 + 2 * u64::from(self.rank_bytes))
    }

    /// Checksums of it.
    pub(super) fn blocks(&self) -> u64 {
        self.bytes().div_ceil(BLOCK as u64)
    }
}

/// What stands in the file's index.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Contents {
    pub(super) subject: Subject,
    /// By seeds.
    pub(super) layers: Vec<LayerEntry>,
}

/// The bytes a file begins with.
pub(super) fn preamble() -> [u8; PREAMBLE as usize] {
    let mut bytes = [0; PREAMBLE as usize];
    bytes[..16].copy_from_slice(MAGIC);
    bytes[16..20].copy_from_slice(&FORMAT.to_le_bytes());
    let sum = crc32fast::hash(&bytes[..20]);
    bytes[20..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Writes what follows the layers.
pub(super) fn write_tail(out: &mut impl Write, contents: &Contents, sums: &[u32]) -> io::Result<()> {
    let mut tail: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    let sums_len = tail.len() as u64;
    serde_json::to_writer(&mut tail, contents)?;
    let mut trailer = [0; TRAILER];
    trailer[..8].copy_from_slice(&sums_len.to_le_bytes());
    trailer[8..16].copy_from_slice(&(tail.len() as u64 - sums_len).to_le_bytes());
    trailer[16..20].copy_from_slice(&crc32fast::hash(&tail).to_le_bytes());
    let sum = crc32fast::hash(&trailer[..20]);
    trailer[20..24].copy_from_slice(&sum.to_le_bytes());
    trailer[24..].copy_from_slice(END);
    out.write_all(&tail)?;
    out.write_all(&trailer)
}

/// Reads what a file is of and where its checksums begin.
///
/// # Errors
/// If the bytes are no whole tablebase of this format, in words.
pub(super) fn read(bytes: &[u8]) -> Result<(Contents, usize), String> {
    const ALTERED: &str = "it has been altered or damaged";
    let number =
        |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    let long = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let Some(preamble) = bytes.get(..PREAMBLE as usize).filter(|bytes| bytes.starts_with(MAGIC)) else {
        return Err("it is not a tablebase".into());
    };
    if number(preamble, 20) != crc32fast::hash(&preamble[..20]) {
        return Err(format!("{ALTERED} (preamble)"));
    }
    match number(preamble, 16) {
        FORMAT => {}
        format => return Err(format!("its format is {format}, this version reads {FORMAT}")),
    }
    let body = bytes.len().checked_sub(TRAILER).filter(|&body| body >= preamble.len());
    let Some(body) = body.filter(|_| bytes.ends_with(END)) else {
        return Err(
            "it does not end as a tablebase does: it is cut off, not yet finished, or has grown".into()
        );
    };
    let (body, trailer) = bytes.split_at(body);
    if number(trailer, 20) != crc32fast::hash(&trailer[..20]) {
        return Err(format!("{ALTERED} (trailer)"));
    }
    let (sums, index) = (long(trailer, 0), long(trailer, 8));
    let tail = sums.checked_add(index).and_then(|tail| (body.len() as u64).checked_sub(tail));
    let Some(tail) = tail.filter(|&tail| tail >= PREAMBLE) else {
        return Err("it is cut off: its index is not all there".into());
    };
    let (data, tail) = body.split_at(tail as usize);
    if number(trailer, 16) != crc32fast::hash(tail) {
        return Err(format!("{ALTERED} (index)"));
    }
    let contents: Contents =
        serde_json::from_slice(&tail[sums as usize..]).map_err(|error| format!("index: {error}"))?;
    let blocks: u64 = contents.layers.iter().map(LayerEntry::blocks).sum();
    let layers: u64 = contents.layers.iter().map(LayerEntry::bytes).sum();
    if PREAMBLE + layers != data.len() as u64 || 4 * blocks != sums {
        return Err(format!(
            "its layers should take {layers} bytes and {} are there: it is cut off",
            data.len() as u64 - PREAMBLE
        ));
    }
    Ok((contents, data.len()))
}

/// Checks that the layers are those that the subject has.
pub(super) fn check_layers(contents: &Contents, index: &BoardIndex) -> Result<(), String> {
    let expected = (0..=contents.subject.seeds as usize).map(|seeds| index.boards(seeds));
    let are_known = contents.layers.iter().all(|layer| matches!(layer.rank_bytes, 1 | 2));
    if !are_known || !contents.layers.iter().map(|layer| layer.boards).eq(expected) {
        return Err("its layers are not those of its boards".into());
    }
    Ok(())
}
