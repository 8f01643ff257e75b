//! What the moves of a board lead to, as the tables see it.

use mancala_env::{Game, Giuthi, GiuthiRules, Player};

use super::index::BoardIndex;
use super::margins::Margins;

/// A board, seen by the player to move: his pits from his own left, then the opponent's from the opponent's own left.
pub(super) type Cells = [u8; 20];

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The laps never end.
    Endless,
    /// The game is over, the margin for the player who moved.
    Over(i8),
    /// A board with fewer seeds: so many were captured.
    Lower(Reached, i8),
    /// A board with as many seeds.
    Same(Reached),
}

/// A board that a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    /// The seeds on it.
    pub(super) seeds: usize,
    /// Its number among those with as many.
    pub(super) number: u64,
    /// Another player is to move.
    pub(super) is_turned: bool,
}

/// Plays on boards of one kind.
pub(super) struct Mover {
    rules: GiuthiRules,
    pits: usize,
}

impl Mover {
    pub(super) fn new(rules: GiuthiRules) -> Self {
        Self { rules, pits: rules.pits().into() }
    }

    /// The board as a state, Player 1 to move: his row is the one numbered from 0. `None` if he cannot move.
    pub(super) fn state(&self, cells: &Cells) -> Option<Giuthi> {
        let can_move = cells[..self.pits].iter().any(|&seeds| seeds >= 2);
        let state = || Giuthi::from_pits(&self.rules, &cells[..2 * self.pits], [0; 2], Player::One);
        can_move.then(state)?
    }

    /// Where the moves of a board with so many seeds lead, [`state`](Self::state) being that board.
    #[inline]
    pub(super) fn outcomes(
        &self,
        index: &BoardIndex,
        state: &Giuthi,
        seeds: usize,
        mut each: impl FnMut(Outcome),
    ) {
        for action in state.legal_actions() {
            let mut child = *state;
            let played = child.play_unchecked(action);
            each(if played.endless {
                Outcome::Endless
            } else if child.is_over() {
                let [zero, one] = child.scores();
                Outcome::Over(one as i8 - zero as i8)
            } else {
                let seeds = seeds - usize::from(played.captured);
                let (number, is_turned) =
                    (board_number(index, &child, seeds), child.to_move() != Player::One);
                let reached = Reached { seeds, number, is_turned };
                if played.captured > 0 {
                    Outcome::Lower(reached, played.captured as i8)
                } else {
                    Outcome::Same(reached)
                }
            });
        }
    }
}

/// The number of a settled state that goes on, of `seeds` seeds.
#[inline]
pub(super) fn board_number(index: &BoardIndex, state: &Giuthi, seeds: usize) -> u64 {
    let (one, zero) = state.pits().split_at(state.row_len());
    match state.to_move() {
        Player::Zero => index.number(seeds, zero, one),
        Player::One => index.number(seeds, one, zero),
    }
}

impl Reached {
    /// What the board there, with these margins, is worth to the player who moved.
    #[inline]
    pub(super) fn seen(self, margins: Margins) -> Margins {
        if self.is_turned { margins.turned() } else { margins }
    }
}
