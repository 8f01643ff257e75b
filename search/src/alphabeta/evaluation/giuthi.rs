//! Giuthi: what stands in either pit of each column, and how many pits either player can move.

use mancala_env::{Game, Giuthi, Player};

use super::weights::GIUTHI;
use super::{Foresight, PHASES, Terms};

/// Contents of a pit are told apart by this, up to 15 and more.
const KINDS: [u8; 16] = [0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7];
const NUM_KINDS: usize = 8;
const COLUMNS: usize = NUM_KINDS * NUM_KINDS;
/// Pits that can be moved are counted up to this.
const MOST_MOVABLE: usize = 6;
/// A board is full with so many seeds a pit.
const FULL: i32 = 6;

#[inline]
fn kind(seeds: u8) -> usize {
    KINDS[usize::from(seeds.min(15))].into()
}

impl Terms for Giuthi {
    const LEN: usize = COLUMNS + (MOST_MOVABLE + 1) * (MOST_MOVABLE + 1);
    const WEIGHTS: &'static [[i16; 2]] = &GIUTHI;
    const FORESIGHT: Foresight = Foresight { bias: 25, spread: 75, doubt: 133 };

    #[inline]
    fn for_each_term(&self, mut count: impl FnMut(usize)) -> (i32, i32) {
        let (one, zero) = self.pits().split_at(self.row_len());
        let (own, other) = match self.to_move() {
            Player::Zero => (zero, one),
            Player::One => (one, zero),
        };
        let (mut in_play, mut own_movable, mut other_movable) = (0, 0, 0);
        for (&own, &other) in own.iter().zip(other.iter().rev()) {
            in_play += i32::from(own) + i32::from(other);
            own_movable += usize::from(own >= 2);
            other_movable += usize::from(other >= 2);
            count(NUM_KINDS * kind(own) + kind(other));
        }
        count(COLUMNS + (MOST_MOVABLE + 1) * own_movable.min(MOST_MOVABLE) + other_movable.min(MOST_MOVABLE));
        let full = 2 * FULL * self.row_len() as i32;
        (in_play, (in_play * PHASES / full).min(PHASES))
    }
}
