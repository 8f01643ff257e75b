//! Where a search limited by nodes or time looks less deep, so that it may look deeper elsewhere. What it finds so is no
//! longer the value of plain minimax.

use mancala_env::Game;

use super::children::Child;
use super::evaluation::{Foresight, margin_to_come};
use super::search::{Place, Search, Stopped};
use super::values::{Found, Rests};

/// Quiet actions from this place in the order on may be searched a ply less deep.
const LATE: usize = 2;
/// And from this on, two plies.
const VERY_LATE: usize = 6;

/// By the depth of a search, that of the one which is to foretell it; 0 where none is.
const SHALLOW: [u32; 13] = [0, 0, 0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 6];

impl<G: Game> Search<'_, G> {
    /// By how many plies less a child is searched first, the `rank`th of a position searched `depth` plies deep. One that then
    /// turns out better than the best so far is searched again, in full.
    #[inline]
    pub(super) fn reduction(&self, state: &G, child: &Child<G>, depth: u32, rank: usize) -> u32 {
        let is_quiet = !child.is_capture && child.state.to_move() != state.to_move();
        if !self.is_selective || !is_quiet || rank < LATE || depth < 3 {
            return 0;
        }
        1 + u32::from(rank >= VERY_LATE && depth > 3)
    }

    /// Whether a search `depth` plies deep would find more than `alpha`, if a shallow one leaves little doubt: a margin more or
    /// less than asked for by the spread between the two. That is Buro's ProbCut. The shallow search is only made where the
    /// evaluation speaks for it.
    pub(super) fn foretold(
        &mut self,
        state: &G,
        place: Place,
        lead: i32,
        depth: u32,
        alpha: i32,
    ) -> Result<Option<Found>, Stopped> {
        let shallow = SHALLOW.get(depth as usize).copied().unwrap_or(0);
        if shallow == 0 || self.foretells || !state.counts_for_repetition() {
            return Ok(None);
        }
        let Foresight { bias, spread, doubt } = self.foresight;
        let beta = alpha + 1;
        let expected = lead + margin_to_come(state);
        let (least, is_above) = if expected >= beta {
            (beta - bias + spread, true)
        } else if expected + doubt <= alpha {
            (alpha - bias - spread + 1, false)
        } else {
            return Ok(None);
        };
        self.foretells = true;
        let found = self.search(state, place, shallow, least - 1, least);
        self.foretells = false;
        let found = found?;
        let value = if is_above { beta } else { alpha };
        let is_foretold = (found.value >= least) == is_above;
        Ok(is_foretold.then_some(Found { value, rests: Rests { on_horizon: true, ..found.rests } }))
    }
}
