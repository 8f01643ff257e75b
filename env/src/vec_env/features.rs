//! What each legal action of each game would do.

use super::VecEnv;
use super::config::VecEnvError;
use crate::batch::BatchGame;
use crate::features::{ACTION_FEATURES, ActionInfo};

/// Features of the legal actions of B games, K of them in all, one game after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RaggedFeatures {
    /// Shape `(B + 1,)`: the actions of game `i` are rows `offsets[i]..offsets[i + 1]`.
    pub offsets: Vec<i64>,
    /// Shape `(K,)`: action numbers, ascending within a game.
    pub actions: Vec<i64>,
    /// Shape `(K, ACTION_FEATURES)`, see [`ActionInfo::features`].
    pub features: Vec<f32>,
}

impl<G: BatchGame> VecEnv<G> {
    /// The features of every legal action, found by playing it on a copy.
    pub fn action_features(&self) -> RaggedFeatures {
        let mut ragged = RaggedFeatures { offsets: vec![0], ..RaggedFeatures::default() };
        for env in 0..self.num_envs() {
            self.each_action(env, |info, features| {
                ragged.actions.push(info.action.into());
                ragged.features.extend(features);
            });
            ragged.offsets.push(ragged.actions.len() as i64);
        }
        ragged
    }

    /// The same with a row for every action, zero where it is not legal: `out` has shape
    /// `(num_envs, num_actions, ACTION_FEATURES)`.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn action_features_dense(&self, out: &mut [f32]) -> Result<(), VecEnvError> {
        let cells = G::num_actions(self.rules()) * ACTION_FEATURES;
        VecEnvError::check_len("action_features", self.num_envs() * cells, out.len())?;
        out.fill(0.0);
        for (env, rows) in out.chunks_exact_mut(cells).enumerate() {
            self.each_action(env, |info, features| {
                let at = usize::from(info.action) * ACTION_FEATURES;
                rows[at..at + ACTION_FEATURES].copy_from_slice(&features);
            });
        }
        Ok(())
    }

    fn each_action(&self, env: usize, mut tell: impl FnMut(ActionInfo, [f32; ACTION_FEATURES])) {
        let (unit, pits) = (G::seed_unit(self.rules()), G::num_pits(self.rules()));
        let position = self.position(env);
        for action in position.legal_actions() {
            let (info, _) = ActionInfo::of(&position, action);
            tell(info, info.features(unit, pits));
        }
    }
}
