//! The boards of 64 games, pit by pit.

use super::{LANES, Row};

/// 64 games. Boards are in the view of the player to move: pits `0..P/2` are his own from his left, the others the
/// enemy's in ring order, so that counter-clockwise is upward and the pit opposite `p` is `P-1-p`. When the turn goes over the
/// halves change places, which costs less than it saves: legal moves, capture, mask and observation all
/// speak of own and enemy pits.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Block<const P: usize> {
    /// Seeds; in Kiothi the high bit marks a nki.
    pub(super) pits: [Row<u8>; P],
    /// Captured seeds of the player to move, and of the other.
    pub(super) scores: [Row<u8>; 2],
    /// The player to move.
    pub(super) mover: Row<u8>,
    /// 1: this is an extra move (Giuthi).
    pub(super) extra: Row<u8>,
    /// 1: the lane holds a game; the last block may have lanes to spare.
    pub(super) live: Row<u8>,
    /// Plies since the last capture.
    pub(super) since: Row<u16>,
    /// Kiothi: 0 sow, 1 lift, 2 second lift, 3 place; warriors in hand; the first boma lifted, or the floor of placements.
    pub(super) phase: Row<u8>,
    pub(super) hand: Row<u8>,
    pub(super) floor: Row<u8>,
    /// The action being played.
    pub(super) action: Row<u16>,
    /// After a step: the player who acted; 1 where somebody was passed over.
    pub(super) actor: Row<u8>,
    pub(super) passed: Row<u8>,
    /// Lanes whose history is kept in the side table.
    pub(super) long: u64,
    /// Lanes neither reset nor stepped yet.
    pub(super) untouched: u64,
    /// Plies of the longest history after the last step.
    pub(super) longest: u16,
}

impl<const P: usize> Block<P> {
    pub(super) fn new() -> Self {
        let row = [0; LANES];
        Self {
            pits: [row; P],
            scores: [row; 2],
            mover: row,
            extra: row,
            live: row,
            since: [0; LANES],
            phase: row,
            hand: row,
            floor: row,
            action: [0; LANES],
            actor: row,
            passed: row,
            long: 0,
            untouched: !0,
            longest: 0,
        }
    }

    /// The pits of one game.
    #[inline]
    pub(super) fn column(&self, lane: usize) -> [u8; P] {
        self.pits.each_ref().map(|row| row[lane % LANES])
    }

    #[inline]
    pub(super) fn set_column(&mut self, lane: usize, pits: &[u8; P]) {
        for (row, &seeds) in self.pits.iter_mut().zip(pits) {
            row[lane % LANES] = seeds;
        }
    }
}

/// What the moves of 64 games have come to.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    /// 1: the history begins anew, with a capture.
    pub(super) fresh: Row<u8>,
    /// 1: the game has ended for lack of moves.
    pub(super) over: Row<u8>,
}
