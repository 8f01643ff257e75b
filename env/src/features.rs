//! What one ply of simulation shows of an action. Sowing is chaotic: a net cannot compute it, the engine can.

use crate::game::{Action, Game};
use crate::position::Position;

/// Features of an action, in this order: seeds captured / seeds a pit at the start; extra move; laps / 10; landing pit
/// relative to the mover / pits; enemy row entered; would repeat a position; endless; ends the game.
pub const ACTION_FEATURES: usize = 8;

/// Which of the features are these.
pub(crate) const REPEATS: usize = 5;
pub(crate) const ENDS_GAME: usize = 7;

/// Laps are counted in this unit.
const LAPS_UNIT: f32 = 10.0;

/// What an action would do, found by playing it on a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Seeds it captures (the sweep of a no-moves end not among them).
    pub captured: u8,
    /// Laps sown, at most 255; 0 in Kiothi's opening and if endless.
    pub laps: u8,
    /// Where the last seed falls, counted from the left end of the mover's row along the ring.
    pub landing: u8,
    /// It earns an extra move.
    pub extra_move: bool,
    /// A seed falls into the enemy row.
    pub entered: bool,
    /// It ends the game by repetition.
    pub repeats: bool,
    /// It ends the game by endless sowing.
    pub endless: bool,
    /// It ends the game, in whatever way.
    pub ends_game: bool,
}

impl ActionInfo {
    /// Plays `action`, which must be legal in `position`, on a copy of the state; the state after it comes with it.
    pub fn of<G: Game>(position: &Position<G>, action: Action) -> (Self, G) {
        Self::probe(position.state(), action, |fingerprint| position.has_stood(fingerprint))
    }

    /// The same for a bare state; `has_stood` tells of a fingerprint whether it is in the history.
    pub fn probe<G: Game>(before: &G, action: Action, has_stood: impl Fn(u128) -> bool) -> (Self, G) {
        let mut after = *before;
        let played = after.play_unchecked(action);
        let over = after.is_over();
        let repeats = !played.endless
            && !over
            && played.captured == 0
            && after.counts_for_repetition()
            && has_stood(after.fingerprint());
        let info = Self {
            action,
            captured: played.captured,
            laps: played.laps.min(255) as u8,
            landing: before.relative_pit(played.landing),
            extra_move: played.extra_move,
            entered: played.entered,
            repeats,
            endless: played.endless,
            ends_game: over || repeats || played.endless,
        };
        (info, after)
    }

    /// The features as floats; `seed_unit` is [`Game::seed_unit`] and `pits` [`Game::num_pits`].
    pub fn features(&self, seed_unit: f32, pits: usize) -> [f32; ACTION_FEATURES] {
        let (raw, units) = (self.raw(), feature_units(seed_unit, pits));
        std::array::from_fn(|i| f32::from(raw[i]) / units[i])
    }

    /// The features as counts and flags.
    pub(crate) fn raw(&self) -> [u8; ACTION_FEATURES] {
        [
            self.captured,
            self.extra_move.into(),
            self.laps,
            self.landing,
            self.entered.into(),
            self.repeats.into(),
            self.endless.into(),
            self.ends_game.into(),
        ]
    }
}

/// By what the raw features are divided.
pub(crate) fn feature_units(seed_unit: f32, pits: usize) -> [f32; ACTION_FEATURES] {
    [seed_unit, 1.0, LAPS_UNIT, pits as f32, 1.0, 1.0, 1.0, 1.0]
}
