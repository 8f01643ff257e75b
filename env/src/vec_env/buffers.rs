//! The caller's arrays, into which steps and resets write.

use std::mem::take;

use super::config::VecEnvError;
use super::features::ActionFeatures;
use crate::game::{End, Game};
use crate::position::Position;

/// What a cell of an observation is: `f32` normalized or `u8` raw counts.
pub trait Cell: Copy + Default + Send + 'static {
    /// Writes the observation of the player to move; `out` has [`Game::observation_len`] cells.
    fn observe<G: Game>(position: &Position<G>, out: &mut [Self]);

    /// Makes raw counts into cells, where `normalize` makes `f32` of them.
    #[doc(hidden)]
    fn convert(raw: &[u8], normalize: impl FnOnce(&[u8], &mut [f32]), out: &mut [Self]);

    /// Makes all cells zero. If they are, looking is cheaper than writing.
    #[doc(hidden)]
    fn clear(cells: &mut [Self]);
}

impl Cell for f32 {
    fn observe<G: Game>(position: &Position<G>, out: &mut [Self]) {
        position.observe(out);
    }

    #[inline(always)]
    fn convert(raw: &[u8], normalize: impl FnOnce(&[u8], &mut [f32]), out: &mut [Self]) {
        normalize(raw, out);
    }

    #[inline(always)]
    fn clear(cells: &mut [Self]) {
        if cells.iter().fold(0, |bits, &cell| bits | cell.to_bits()) != 0 {
            cells.fill(0.0);
        }
    }
}

impl Cell for u8 {
    fn observe<G: Game>(position: &Position<G>, out: &mut [Self]) {
        position.observe_raw(out);
    }

    #[inline(always)]
    fn convert(raw: &[u8], _: impl FnOnce(&[u8], &mut [f32]), out: &mut [Self]) {
        out.copy_from_slice(&raw[..out.len()]);
    }

    #[inline(always)]
    fn clear(cells: &mut [Self]) {
        if cells.iter().fold(0, |bits, &cell| bits | cell) != 0 {
            cells.fill(0);
        }
    }
}

/// The arrays that a step or a reset fills, row-major and owned by the caller. With B games, D cells an observation and A
/// actions; players are numbered 0 and 1.
///
/// After a step that ends a game the first four (and the action features) tell of the game that begins, the next five of the move
/// just made, and the six named `final_` of the game that ended; those are zero where none has.
///
/// Every cell of the first nine is written every time. A row of the `final_` ones is written where a game has ended, and
/// cleared where `final_mask` tells of the time before: hand them in all zero, and from then on together and as they are.
/// (Games seldom end. Writing every row, or looking at it, made steps of many games a third slower.)
#[derive(Debug, Default)]
pub struct Buffers<'a, T> {
    /// Shape `(B, D)`, in the view of the player to move.
    pub observations: &'a mut [T],
    /// Shape `(B, A)`: the legal actions.
    pub action_mask: &'a mut [bool],
    /// Shape `(B,)`, 0 or 1.
    pub to_move: &'a mut [i8],
    /// Shape `(B, 2)`, seeds captured by player.
    pub scores: &'a mut [i16],
    /// Shape `(B,)`: the outcome for the player who has just acted, 0 while the game goes on.
    pub rewards: &'a mut [f32],
    /// Shape `(B, 2)`: the outcome by player, 0 while the game goes on.
    pub returns: &'a mut [f32],
    /// Shape `(B,)`: the move has ended the game.
    pub terminated: &'a mut [bool],
    /// Shape `(B,)`: the game was broken off at `max_plies`.
    pub truncated: &'a mut [bool],
    /// Shape `(B,)`: somebody was passed over, and the game goes on.
    pub passed: &'a mut [bool],
    /// Shape `(B, D)`: the last position of the game that ended, in the view of the player shown to move in it.
    pub final_observations: &'a mut [T],
    /// Shape `(B,)`: a game has ended, by itself or broken off.
    pub final_mask: &'a mut [bool],
    /// Shape `(B, 2)`, seeds by player, the last sweep included.
    pub final_scores: &'a mut [i16],
    /// Shape `(B,)`, 0 or 1: the player shown to move in the last position.
    pub final_to_move: &'a mut [i8],
    /// Shape `(B,)`: how the game ended, an index into [`RESULTS`]; 0 where it was broken off.
    pub final_results: &'a mut [i8],
    /// Shape `(B,)`: plies of the episode, those of its opening not counted.
    pub final_plies: &'a mut [i32],
    /// What the legal actions of the positions now shown would do, where that is asked for.
    pub action_features: ActionFeatures<'a>,
}

/// The words for how a game ended, by the codes in [`Buffers::final_results`].
pub const RESULTS: [&str; 4] = ["", End::NoMoves.word(), End::Repetition.word(), End::Endless.word()];

/// The index into [`RESULTS`].
pub(crate) fn result_code(end: Option<End>) -> i8 {
    match end {
        None => 0,
        Some(End::NoMoves) => 1,
        Some(End::Repetition) => 2,
        Some(End::Endless) => 3,
    }
}

/// Takes the first `count` cells off a slice.
fn take_front<'a, C>(slice: &mut &'a mut [C], count: usize) -> &'a mut [C] {
    let (front, rest) = take(slice).split_at_mut(count);
    *slice = rest;
    front
}

impl<'a, T: Cell> Buffers<'a, T> {
    /// Refuses arrays that do not fit `games` games with `cells` cells an observation and `actions` actions.
    pub(crate) fn check(&self, games: usize, cells: usize, actions: usize) -> Result<(), VecEnvError> {
        for (array, expected, found) in [
            ("observations", games * cells, self.observations.len()),
            ("action_mask", games * actions, self.action_mask.len()),
            ("to_move", games, self.to_move.len()),
            ("scores", 2 * games, self.scores.len()),
            ("rewards", games, self.rewards.len()),
            ("returns", 2 * games, self.returns.len()),
            ("terminated", games, self.terminated.len()),
            ("truncated", games, self.truncated.len()),
            ("passed", games, self.passed.len()),
            ("final_observations", games * cells, self.final_observations.len()),
            ("final_mask", games, self.final_mask.len()),
            ("final_scores", 2 * games, self.final_scores.len()),
            ("final_to_move", games, self.final_to_move.len()),
            ("final_results", games, self.final_results.len()),
            ("final_plies", games, self.final_plies.len()),
        ] {
            VecEnvError::check_len(array, expected, found)?;
        }
        self.action_features.check(games, actions)
    }

    /// The same arrays, lent for a while; but for the action features, which are written when all else is.
    pub(crate) fn reborrow(&mut self) -> Buffers<'_, T> {
        Buffers {
            observations: &mut *self.observations,
            action_mask: &mut *self.action_mask,
            to_move: &mut *self.to_move,
            scores: &mut *self.scores,
            rewards: &mut *self.rewards,
            returns: &mut *self.returns,
            terminated: &mut *self.terminated,
            truncated: &mut *self.truncated,
            passed: &mut *self.passed,
            final_observations: &mut *self.final_observations,
            final_mask: &mut *self.final_mask,
            final_scores: &mut *self.final_scores,
            final_to_move: &mut *self.final_to_move,
            final_results: &mut *self.final_results,
            final_plies: &mut *self.final_plies,
            action_features: ActionFeatures::None,
        }
    }

    /// Takes the rows of the first `games` games off, but for the action features.
    pub(crate) fn take_games(&mut self, games: usize, cells: usize, actions: usize) -> Self {
        Self {
            observations: take_front(&mut self.observations, games * cells),
            action_mask: take_front(&mut self.action_mask, games * actions),
            to_move: take_front(&mut self.to_move, games),
            scores: take_front(&mut self.scores, 2 * games),
            rewards: take_front(&mut self.rewards, games),
            returns: take_front(&mut self.returns, 2 * games),
            terminated: take_front(&mut self.terminated, games),
            truncated: take_front(&mut self.truncated, games),
            passed: take_front(&mut self.passed, games),
            final_observations: take_front(&mut self.final_observations, games * cells),
            final_mask: take_front(&mut self.final_mask, games),
            final_scores: take_front(&mut self.final_scores, 2 * games),
            final_to_move: take_front(&mut self.final_to_move, games),
            final_results: take_front(&mut self.final_results, games),
            final_plies: take_front(&mut self.final_plies, games),
            action_features: ActionFeatures::None,
        }
    }

    /// Writes what there is to choose from in game `i` now.
    pub(crate) fn write_position<G: Game>(&mut self, i: usize, position: &Position<G>) {
        let (cells, actions) = (G::observation_len(position.rules()), G::num_actions(position.rules()));
        T::observe(position, &mut self.observations[i * cells..][..cells]);
        let mask = &mut self.action_mask[i * actions..][..actions];
        mask.fill(false);
        for action in position.legal_actions() {
            mask[usize::from(action)] = true;
        }
        self.to_move[i] = position.to_move().index() as i8;
        self.scores[2 * i..][..2].copy_from_slice(&position.scores().map(i16::from));
    }

    /// Writes that game `i` has ended in `position` after `plies` plies.
    pub(crate) fn write_final<G: Game>(&mut self, i: usize, position: &Position<G>, plies: u32) {
        let cells = G::observation_len(position.rules());
        T::observe(position, &mut self.final_observations[i * cells..][..cells]);
        self.final_mask[i] = true;
        self.final_scores[2 * i..][..2].copy_from_slice(&position.scores().map(i16::from));
        self.final_to_move[i] = position.to_move().index() as i8;
        self.final_results[i] = result_code(position.end());
        self.final_plies[i] = plies.min(i32::MAX as u32) as i32;
    }

    /// Writes that game `i` has not ended, where the arrays tell of one that had.
    pub(crate) fn clear_final(&mut self, i: usize, cells: usize) {
        if !self.final_mask[i] {
            return;
        }
        self.final_observations[i * cells..][..cells].fill(T::default());
        self.final_mask[i] = false;
        self.final_scores[2 * i..][..2].fill(0);
        self.final_to_move[i] = 0;
        self.final_results[i] = 0;
        self.final_plies[i] = 0;
    }

    /// Writes that no move has been made in game `i`.
    pub(crate) fn clear_move(&mut self, i: usize) {
        self.rewards[i] = 0.0;
        self.returns[2 * i..][..2].fill(0.0);
        self.terminated[i] = false;
        self.truncated[i] = false;
        self.passed[i] = false;
    }
}
