//! What each legal action of each game would do.

use super::config::VecEnvError;
use super::{VecEnv, Way};
use crate::batch::BatchGame;
use crate::features::{ACTION_FEATURES, ActionInfo};
use crate::game::Game;
use crate::position::Position;

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

/// What a step or a reset is to tell of the legal actions of the positions that it leads to.
#[derive(Debug, Default)]
pub enum ActionFeatures<'a> {
    /// Nothing.
    #[default]
    None,
    /// A row for every action, zero where it is not legal: shape `(B, A, ACTION_FEATURES)`. In Kiothi, of whose 630 actions few are
    /// legal, `Ragged` is much the less.
    Dense(&'a mut [f32]),
    /// A row for every legal action. What was there is overwritten, its memory used again.
    Ragged(&'a mut RaggedFeatures),
}

impl<'a> ActionFeatures<'a> {
    /// A request for a row for every action, if `out` fits.
    pub(crate) fn dense(out: &'a mut [f32], games: usize, actions: usize) -> Result<Self, VecEnvError> {
        let request = Self::Dense(out);
        request.check(games, actions)?;
        Ok(request)
    }

    /// Refuses an array that does not fit `games` games with `actions` actions.
    pub(crate) fn check(&self, games: usize, actions: usize) -> Result<(), VecEnvError> {
        match self {
            Self::Dense(out) => {
                VecEnvError::check_len("action_features", games * actions * ACTION_FEATURES, out.len())
            }
            Self::None | Self::Ragged(_) => Ok(()),
        }
    }

    /// Writes what is asked for, action by action.
    pub(super) fn write<'p, G: Game>(
        &mut self,
        rules: &G::Rules,
        positions: impl Iterator<Item = &'p Position<G>>,
    ) {
        let (unit, pits, num_actions) = (G::seed_unit(rules), G::num_pits(rules), G::num_actions(rules));
        match self {
            Self::None => {}
            Self::Dense(out) => {
                for (position, rows) in positions.zip(out.chunks_exact_mut(num_actions * ACTION_FEATURES)) {
                    rows.fill(0.0);
                    for action in position.legal_actions() {
                        let (info, _) = ActionInfo::of(position, action);
                        rows[usize::from(action) * ACTION_FEATURES..][..ACTION_FEATURES]
                            .copy_from_slice(&info.features(unit, pits));
                    }
                }
            }
            Self::Ragged(RaggedFeatures { offsets, actions, features }) => {
                offsets.clear();
                actions.clear();
                features.clear();
                offsets.push(0);
                for position in positions {
                    for action in position.legal_actions() {
                        let (info, _) = ActionInfo::of(position, action);
                        actions.push(action.into());
                        features.extend(info.features(unit, pits));
                    }
                    offsets.push(actions.len() as i64);
                }
            }
        }
    }
}

impl<G: BatchGame> VecEnv<G> {
    /// The features of every legal action, found by playing it on a copy.
    pub fn action_features(&mut self) -> RaggedFeatures {
        let mut ragged = RaggedFeatures::default();
        self.action_features_into(&mut ragged);
        ragged
    }

    /// The same into arrays that have been used before: what was there is overwritten, its memory used again.
    pub fn action_features_into(&mut self, ragged: &mut RaggedFeatures) {
        self.foretell(&mut ActionFeatures::Ragged(ragged));
    }

    /// The same with a row for every action, zero where it is not legal: `out` has shape
    /// `(num_envs, num_actions, ACTION_FEATURES)`.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn action_features_dense(&mut self, out: &mut [f32]) -> Result<(), VecEnvError> {
        let actions = G::num_actions(self.rules());
        self.foretell(&mut ActionFeatures::dense(out, self.num_envs(), actions)?);
        Ok(())
    }

    fn foretell(&mut self, request: &mut ActionFeatures<'_>) {
        match &mut self.0 {
            Way::OneByOne(games) => games.foretell(request),
            Way::Lockstep(engine) => engine.foretell(request),
        }
    }
}
