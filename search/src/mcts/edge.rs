//! What a tree is made of.

use std::num::NonZeroU32;
use std::ops::Range;

use mancala_env::{Game, Player};

/// A position that goes on and has been judged (or, the newest one, waits for it).
pub(super) struct Node<G: Game> {
    pub(super) state: G,
    pub(super) edges: Range<usize>,
    /// The evaluator's value for the player to move here.
    pub(super) value: f32,
    pub(super) is_judged: bool,
}

/// An action of a node. Children are indexed by position among the legal actions, never by action number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) child: Option<NonZeroU32>,
    pub(super) visits: u32,
    /// Sum of the values backed up, in the view of Player 0.
    pub(super) value_sum: f32,
    /// Logarithm of the prior, and the prior.
    pub(super) logit: f32,
    pub(super) prior: f32,
    /// What is certain of the value, in the view of Player 0: not less than the first, not more than the second.
    pub(super) bounds: (f32, f32),
}

impl Edge {
    /// An edge that nobody has gone along. `ended`: the game's value in the view of Player 0, if the action ends it.
    pub(super) fn new(ended: Option<f32>) -> Self {
        let bounds = ended.map_or((-1.0, 1.0), |value| (value, value));
        Self { child: None, visits: 0, value_sum: 0.0, logit: 0.0, prior: 1.0, bounds }
    }

    /// Mean value, within its bounds, in the view of Player 0; without visits it means nothing, unless it is proven.
    #[inline]
    pub(super) fn q(&self) -> f32 {
        self.within(self.value_sum / self.visits.max(1) as f32)
    }

    /// A value brought within the bounds: who is sure of more on the way up would not have gone where it comes from.
    #[inline]
    pub(super) fn within(&self, value: f32) -> f32 {
        let (low, high) = self.bounds;
        value.max(low).min(high)
    }

    /// The value, if it is certain, in the view of Player 0.
    #[inline]
    pub(super) fn proven(&self) -> Option<f32> {
        exact(self.bounds)
    }

    /// The bounds in the view of the player of this sign.
    #[inline]
    pub(super) fn bounds_for(&self, sign: f32) -> (f32, f32) {
        seen_by(sign, self.bounds)
    }

    /// The node that it leads to, which is never the root.
    #[inline]
    pub(super) fn child(&self) -> Option<usize> {
        self.child.map(|child| child.get() as usize)
    }
}

/// What selection sees of an action, in the view of the player who chooses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) visits: u32,
    /// Mean value, meaningless without visits.
    pub(super) q: f32,
    pub(super) logit: f32,
    pub(super) prior: f32,
}

/// The value between bounds that leave only one.
#[inline]
pub(super) fn exact((low, high): (f32, f32)) -> Option<f32> {
    (low == high).then_some(low)
}

/// Bounds turned from Player 0's view to that of the player of this sign, or back.
#[inline]
pub(super) fn seen_by(sign: f32, (low, high): (f32, f32)) -> (f32, f32) {
    if sign > 0.0 { (low, high) } else { (-high, -low) }
}

pub(super) fn sign(player: Player) -> f32 {
    match player {
        Player::Zero => 1.0,
        Player::One => -1.0,
    }
}
