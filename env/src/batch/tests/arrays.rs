//! The caller's arrays, owned.

use crate::vec_env::{Buffers, Cell};

/// Owned arrays, full of rubbish at first, so that a cell left out is seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arrays<T> {
    pub(super) observations: Vec<T>,
    pub(super) action_mask: Vec<bool>,
    pub(super) to_move: Vec<i8>,
    pub(super) scores: Vec<i16>,
    pub(super) rewards: Vec<f32>,
    pub(super) returns: Vec<f32>,
    pub(super) terminated: Vec<bool>,
    pub(super) truncated: Vec<bool>,
    pub(super) passed: Vec<bool>,
    pub(super) final_observations: Vec<T>,
    pub(super) final_mask: Vec<bool>,
    pub(super) final_scores: Vec<i16>,
    pub(super) final_results: Vec<i8>,
    pub(super) final_plies: Vec<i32>,
}

impl<T: Cell> Arrays<T> {
    pub(super) fn new(games: usize, cells: usize, actions: usize, rubbish: T) -> Self {
        Self {
            observations: vec![rubbish; games * cells],
            action_mask: vec![true; games * actions],
            to_move: vec![-1; games],
            scores: vec![-1; 2 * games],
            rewards: vec![f32::NAN; games],
            returns: vec![f32::NAN; 2 * games],
            terminated: vec![true; games],
            truncated: vec![true; games],
            passed: vec![true; games],
            final_observations: vec![rubbish; games * cells],
            final_mask: vec![true; games],
            final_scores: vec![-1; 2 * games],
            final_results: vec![-1; games],
            final_plies: vec![-1; games],
        }
    }

    pub(super) fn buffers(&mut self) -> Buffers<'_, T> {
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
            final_results: &mut self.final_results,
            final_plies: &mut self.final_plies,
        }
    }
}
