//! What values mean.
//!
//! Values are final margins, in [parts of a seed](evaluation::PARTS): the lead at the end of the game, or 0 in a draw, or where the search stops looking the
//! lead there and what [`evaluation`] expects to come. Every value is in the view of the player to move in the position it
//! belongs to; a child's is turned round only if another player is to move there.
//!
//! Each value carries what it rests on. One that rests on the scores (a draw is worth 0 whatever the lead; a decided game is
//! cut where the lead says so) holds for these scores only; one that rests on the horizon, for this depth only.

use std::ops::BitOr;

use mancala_env::Game;

use super::evaluation;

/// Beyond every margin.
pub(super) const INFINITY: i32 = 10_000;

/// What a value rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rests {
    /// On the scores: another lead may make more of a difference than itself.
    pub(super) on_scores: bool,
    /// On the horizon: a deeper search may find another value.
    pub(super) on_horizon: bool,
}

impl BitOr for Rests {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self { on_scores: self.on_scores | other.on_scores, on_horizon: self.on_horizon | other.on_horizon }
    }
}

/// A value, or a bound where the window says so (fail-soft), with what it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Final margin for the player to move, parts of a seed.
    pub(super) value: i32,
    /// What it rests on.
    pub(super) rests: Rests,
}

impl Found {
    /// A draw by repetition or endless sowing.
    pub(super) const DRAW: Self = Self { value: 0, rests: Rests { on_scores: true, on_horizon: false } };
    /// Worse than any action.
    pub(super) const NOTHING: Self =
        Self { value: -INFINITY, rests: Rests { on_scores: false, on_horizon: false } };

    /// The same for the other player.
    #[inline]
    pub(super) fn turned(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

/// The lead of the player to move, parts of a seed.
pub(super) fn lead<G: Game>(state: &G) -> i32 {
    let scores = state.scores().map(i32::from);
    let mover = state.to_move().index();
    (scores[mover] - scores[1 - mover]) * evaluation::PARTS
}

/// The value of `child`, where the search stops, for the player to move in `state`.
#[inline]
pub(super) fn leaf<G: Game>(state: &G, child: &G) -> Found {
    let value = lead(child) + evaluation::margin_to_come(child);
    let found = Found { value, rests: Rests { on_scores: false, on_horizon: true } };
    if child.to_move() == state.to_move() { found } else { found.turned() }
}
