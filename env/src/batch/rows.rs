//! From pits of 64 games to games, one after the other: a transposition in registers.

use super::{LANES, Row};

/// Rows for the longest observation (Kiothi's 50 cells), and up to a multiple of eight.
pub(super) const MOST_ROWS: usize = 56;

/// What 64 games show after a step, game by game, as plain bytes. A step fills it block by block, and
/// [`output`](super::output) makes of it what the caller wants: it stays in the nearest cache.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Shape `(64, D)` and eight bytes to spare: raw counts in the view of the player to move.
    pub(super) observations: Vec<u8>,
    pub(super) mover: Row<u8>,
    /// Of the player to move, and of the other.
    pub(super) scores: [Row<u8>; 2],
    pub(super) passed: Row<u8>,
}

impl Raw {
    pub(super) fn new(cells: usize) -> Self {
        let row = [0; LANES];
        Self { observations: vec![0; LANES * cells + 8], mover: row, scores: [row; 2], passed: row }
    }
}

/// Writes the first `width` of the rows as columns: cell `(i, j)` of `out`, shape `(64, width)`, is `rows[j][i]`. `out` has eight
/// bytes to spare.
///
/// Eight rows become one of 64 words of eight bytes (bytes to pairs to fours to eights, by shifts that become vectors), and each
/// word is stored at once. A store may reach into the next game's first cells, so the last rows come first.
#[inline(always)]
pub(super) fn transpose(rows: &[Row<u8>; MOST_ROWS], width: usize, out: &mut [u8]) {
    assert!(width <= MOST_ROWS && out.len() >= LANES * width + 8, "room for the columns");
    for (group, rows) in rows.as_chunks::<8>().0.iter().enumerate().rev() {
        if 8 * group >= width {
            continue;
        }
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
        for i in 0..LANES {
            out[i * width + 8 * group..][..8].copy_from_slice(&words[i].to_le_bytes());
        }
    }
}
