//! What a position is worth where the search stops looking: linear in terms that are cheap to count, weights fitted to games.
//!
//! Every term is seen from the player to move, so that a position with the seats exchanged has the same value for the
//! player to move; Giuthi's do not tell a position from its mirror image. `examples/tune_evaluation.rs` fits the weights.

mod giuthi;
mod kiothi;
#[cfg(test)]
mod tests;
mod weights;

use mancala_env::{Game, Giuthi, Kiothi};

/// The search counts in so many parts of a seed.
pub const PARTS: i32 = 4;

/// Weights are so many parts of a seed.
pub const WEIGHT_UNIT: i32 = 64;

/// The full board's phase; that of an empty one is 0.
pub const PHASES: i32 = 16;

/// A game whose positions have terms. A term occurs in a position any number of times.
pub trait Terms: Game {
    /// How many terms there are.
    const LEN: usize;
    /// What each is worth on a full board and on an empty one; see [`WEIGHT_UNIT`].
    const WEIGHTS: &'static [[i16; 2]];

    /// How a search compares with the evaluation and with a search of half the plies or a little more, in hundredths of the
    /// seeds that a pit holds when all are in play: see [`Foresight`].
    const FORESIGHT: Foresight;

    /// Counts every occurrence of a term; returns the seeds in play and the phase, 0..=[`PHASES`].
    fn for_each_term(&self, count: impl FnMut(usize)) -> (i32, i32);
}

/// The margin still to come for the player to move, in parts of a seed, beyond the lead he has; never more than the seeds in
/// play either way.
#[inline]
pub fn margin_to_come<G: Game>(state: &G) -> i32 {
    // Which game it is, the compiler knows: there is nothing left of the choice.
    if let Some(giuthi) = state.as_giuthi() {
        weighed(giuthi)
    } else if let Some(kiothi) = state.as_kiothi() {
        if kiothi.counts_for_repetition() { weighed(kiothi) } else { 0 }
    } else {
        0
    }
}

#[inline]
fn weighed<G: Terms>(state: &G) -> i32 {
    let (mut full, mut empty) = (0, 0);
    let (in_play, phase) = state.for_each_term(|term| {
        let [on_full, on_empty] = G::WEIGHTS[term];
        full += i32::from(on_full);
        empty += i32::from(on_empty);
    });
    let most = in_play * PARTS;
    ((full * phase + empty * (PHASES - phase)) * PARTS / (WEIGHT_UNIT * PHASES)).clamp(-most, most)
}

/// How well a shallow search tells what a deep one will find, measured on positions one random action off games.
#[derive(Clone, Copy, Debug)]
pub struct Foresight {
    /// The deep value is greater by this, for it is the player to move who has more choice.
    pub bias: i32,
    /// It strays by so much (one standard deviation).
    pub spread: i32,
    /// Where the evaluation alone is this far below what is asked for, a shallow search is likely to be enough.
    pub doubt: i32,
}

impl Foresight {
    /// For the game that goes on in `state`, in parts of a seed; `seeds` are all there are, captured ones included.
    pub(super) fn of<G: Game>(state: &G, seeds: i32) -> Self {
        let (hundredths, pits) = if let Some(giuthi) = state.as_giuthi() {
            (Giuthi::FORESIGHT, giuthi.pits().len())
        } else if let Some(kiothi) = state.as_kiothi() {
            (Kiothi::FORESIGHT, kiothi.boma().len())
        } else {
            return Self { bias: 0, spread: 0, doubt: 0 };
        };
        let parts = |hundredths: i32| hundredths * PARTS * seeds / (100 * pits as i32);
        Self {
            bias: parts(hundredths.bias),
            spread: parts(hundredths.spread),
            doubt: parts(hundredths.doubt),
        }
    }
}

/// Whether no line of `depth` plies from here captures anything, ends the game or leaves the opening, so that nothing can
/// change: so it is deep in Kiothi's opening. There the search need not look to know that every action is worth the same.
#[inline]
pub(super) fn is_settled_for<G: Game>(state: &G, depth: u32) -> bool {
    if state.counts_for_repetition() {
        return false;
    }
    state.as_kiothi().is_some_and(|kiothi| depth < kiothi::opening_plies_left(kiothi))
}
