//! What a position is worth where the search stops looking: the one place to tune.

use std::any::Any;

use mancala_env::{Game, Kiothi, Phase, Player};

/// The fewest plies in which a player of Kiothi redistributes: two lifts, and a warrior at least from each.
const SHORTEST_REDISTRIBUTION: u32 = 4;

/// The margin still to come for the player to move, in seeds, beyond the lead he has; never more than the seeds in play
/// either way. Material only: nothing is expected to come.
#[inline]
pub(super) fn margin_to_come<G: Game>(_state: &G) -> i32 {
    0
}

/// Whether no line of `depth` plies from here captures anything or ends the game, so that material cannot change: so it is
/// deep in Kiothi's opening. There the search need not look to know that every action is worth the same.
#[inline]
pub(super) fn is_settled_for<G: Game>(state: &G, depth: u32) -> bool {
    if state.counts_for_repetition() {
        return false;
    }
    (state as &dyn Any).downcast_ref::<Kiothi>().is_some_and(|kiothi| depth < opening_plies_left(kiothi))
}

/// At least so many plies of the opening are left; the game may end at once with the last of them.
fn opening_plies_left(kiothi: &Kiothi) -> u32 {
    let own = match kiothi.phase() {
        Phase::Lift => SHORTEST_REDISTRIBUTION,
        Phase::SecondLift { hand, .. } => u32::from(hand) + 2,
        Phase::Place { hand, .. } => hand.into(),
        Phase::Sow => return 0,
    };
    match kiothi.to_move() {
        Player::Zero => own + SHORTEST_REDISTRIBUTION,
        Player::One => own,
    }
}
