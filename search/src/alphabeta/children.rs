//! The positions that actions lead to, and in which order a search goes through them.

use mancala_env::{Action, Game};

use super::evaluation;
use super::search::{Place, Search};
use super::values::{Found, Rests, lead, leaf};

/// An extra move is worth so much when actions are put in order: the evaluation sees the player to move in every position, and
/// searches find that he has more than it expects.
const TEMPO: i32 = 4 * evaluation::PARTS;

/// A position that an action leads to.
#[derive(Clone, Copy)]
pub(super) struct Child<G> {
    /// The action.
    pub(super) action: Action,
    pub(super) state: G,
    /// A capture: no earlier position can come back.
    pub(super) is_capture: bool,
    pub(super) fingerprint: u128,
    rank: u64,
    /// Its value for the player who acted, if it ends the game.
    pub(super) ended: Option<Found>,
}

impl<G: Game> Search<'_, G> {
    /// Plays an action on a copy.
    #[inline]
    pub(super) fn play(&mut self, state: &G, action: Action, place: Place) -> Child<G> {
        self.nodes += 1;
        let mut after = *state;
        let played = after.play_unchecked(action);
        let is_capture = played.captured > 0;
        let mut child = Child { action, state: after, is_capture, fingerprint: 0, rank: 0, ended: None };
        if played.endless {
            child.ended = Some(Found::DRAW);
        } else if after.is_over() {
            let found = Found { value: lead(&after), rests: Rests::default() };
            child.ended = Some(if after.to_move() == state.to_move() { found } else { found.turned() });
        } else if !is_capture && after.counts_for_repetition() {
            child.fingerprint = after.fingerprint();
            if self.line[place.start..].contains(&child.fingerprint) {
                child.ended = Some(Found::DRAW);
            }
        }
        child
    }

    /// Appends the children of a position, best first.
    pub(super) fn generate(
        &mut self,
        state: &G,
        actions: &[Action],
        place: Place,
        table_action: Option<Action>,
    ) {
        let first = self.children.len();
        let mover = state.to_move();
        for &action in actions {
            let mut child = self.play(state, action, place);
            if child.is_capture && child.ended.is_none() {
                child.fingerprint = child.state.fingerprint();
            }
            if let Some(refutations) = &self.refutations {
                let at_once = child.ended.unwrap_or_else(|| leaf(state, &child.state)).value;
                let moves_again = child.ended.is_none() && child.state.to_move() == mover;
                let value = at_once + if moves_again { TEMPO } else { 0 };
                child.rank = refutations.rank(mover, action, table_action, value);
            }
            self.children.push(child);
        }
        if self.refutations.is_some() {
            self.children[first..].sort_unstable_by_key(|child| (!child.rank, child.action));
        }
    }
}
