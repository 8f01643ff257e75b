//! From pits of 64 games to games, one after the other: a transposition in registers.

use super::{LANES, Row};

/// Rows for the longest observation (Kiothi's 50 cells), and up to a multiple of eight.
pub(super) const MOST_ROWS: usize = 56;

/// What 64 games show after a step, game by game, as plain bytes. A step fills it block by block, and
/// [`output`](super::output) makes of it what the caller wants: it stays in the nearest cache.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Shape `(64, D)`: raw counts in the view of the player to move.
    pub(super) observations: Vec<u8>,
    pub(super) mover: Row<u8>,
    /// Of the player to move, and of the other.
    pub(super) scores: [Row<u8>; 2],
    pub(super) passed: Row<u8>,
}

impl Raw {
    pub(super) fn new(cells: usize) -> Self {
        let row = [0; LANES];
        Self { observations: vec![0; LANES * cells], mover: row, scores: [row; 2], passed: row }
    }
}

/// Writes the first `width` of the rows as columns: cell `(i, j)` of `out`, shape `(64, width)`, is `rows[j][i]`.
///
/// Eight rows become one of 64 words of eight bytes (bytes to pairs to fours to eights, by shifts that become vectors), and each
/// word is stored at once. The last eight rows may be some of those before once more.
#[inline(always)]
pub(super) fn transpose(rows: &[Row<u8>; MOST_ROWS], width: usize, out: &mut [u8]) {
    assert!(width <= MOST_ROWS && out.len() >= LANES * width, "room for the columns");
    let out = &mut out[..LANES * width];
    if width < 8 {
        let words = words(rows.first_chunk().expect("eight rows"));
        for (column, word) in out.chunks_exact_mut(width).zip(words) {
            column.copy_from_slice(&word.to_le_bytes()[..width]);
        }
        return;
    }
    for first in (0..width).step_by(8) {
        let first = first.min(width - 8);
        let words = words(rows[first..].first_chunk().expect("eight rows"));
        for (column, word) in out.chunks_exact_mut(width).zip(words) {
            column[first..first + 8].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Eight rows as one of words, the first row lowest.
#[inline(always)]
fn words(rows: &[Row<u8>; 8]) -> Row<u64> {
    let pairs = |a: &Row<u8>, b: &Row<u8>| {
        let mut out = [0u16; LANES];
        for i in 0..LANES {
            out[i] = u16::from(a[i]) | u16::from(b[i]) << 8;
        }
        out
    };
    let fours = |a: &Row<u16>, b: &Row<u16>| {
        let mut out = [0u32; LANES];
        for i in 0..LANES {
            out[i] = u32::from(a[i]) | u32::from(b[i]) << 16;
        }
        out
    };
    let low = fours(&pairs(&rows[0], &rows[1]), &pairs(&rows[2], &rows[3]));
    let high = fours(&pairs(&rows[4], &rows[5]), &pairs(&rows[6], &rows[7]));
    let mut words = [0u64; LANES];
    for i in 0..LANES {
        words[i] = u64::from(low[i]) | u64::from(high[i]) << 32;
    }
    words
}
