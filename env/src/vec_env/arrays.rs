//! The caller's arrays, owned.

use super::buffers::{Buffers, Cell};
use super::features::ActionFeatures;

/// Owned arrays of the shapes that [`Buffers`] tells of, for callers that have none of their own.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of Buffers")]
pub struct Arrays<T> {
    pub observations: Vec<T>,
    pub action_mask: Vec<bool>,
    pub to_move: Vec<i8>,
    pub scores: Vec<i16>,
    pub rewards: Vec<f32>,
    pub returns: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub passed: Vec<bool>,
    pub final_observations: Vec<T>,
    pub final_mask: Vec<bool>,
    pub final_scores: Vec<i16>,
    pub final_to_move: Vec<i8>,
    pub final_results: Vec<i8>,
    pub final_plies: Vec<i32>,
}

impl<T: Cell> Arrays<T> {
    /// Zeros for so many games, with so many cells an observation and so many actions.
    pub fn new(games: usize, cells: usize, actions: usize) -> Self {
        Self::full(games, cells, actions, T::default(), false, 0, 0.0)
    }

    /// Rubbish, so that a cell left out is seen; all games are said to have ended in the step before.
    #[cfg(test)]
    pub(crate) fn rubbish(games: usize, cells: usize, actions: usize, cell: T) -> Self {
        Self::full(games, cells, actions, cell, true, -1, f32::NAN)
    }

    fn full(games: usize, cells: usize, actions: usize, cell: T, flag: bool, number: i8, real: f32) -> Self {
        Self {
            observations: vec![cell; games * cells],
            action_mask: vec![flag; games * actions],
            to_move: vec![number; games],
            scores: vec![number.into(); 2 * games],
            rewards: vec![real; games],
            returns: vec![real; 2 * games],
            terminated: vec![flag; games],
            truncated: vec![flag; games],
            passed: vec![flag; games],
            final_observations: vec![cell; games * cells],
            final_mask: vec![flag; games],
            final_scores: vec![number.into(); 2 * games],
            final_to_move: vec![number; games],
            final_results: vec![number; games],
            final_plies: vec![number.into(); games],
        }
    }

    /// The arrays, lent to a step or a reset, which is not asked for action features.
    pub fn buffers(&mut self) -> Buffers<'_, T> {
        Buffers {
            observations: &mut self.observations,
            action_mask: &mut self.action_mask,
            to_move: &mut self.to_move,
            scores: &mut self.scores,
            rewards: &mut self.rewards,
            returns: &mut self.returns,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            passed: &mut self.passed,
            final_observations: &mut self.final_observations,
            final_mask: &mut self.final_mask,
            final_scores: &mut self.final_scores,
            final_to_move: &mut self.final_to_move,
            final_results: &mut self.final_results,
            final_plies: &mut self.final_plies,
            action_features: ActionFeatures::None,
        }
    }
}
