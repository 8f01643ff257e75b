//! What the legal actions of all games of a batch would do.

use super::LANES;
use super::engine::{BatchEngine, Share};
use super::foretold::{FeatureUnits, WriteDense, WriteRagged};
use super::lockstep::BatchGame;
use super::pool::in_parallel;
use super::sow::GROUP;
use crate::features::{ACTION_FEATURES, feature_units};
use crate::vec_env::{ActionFeatures, RaggedFeatures, VecEnvError};

impl<G: BatchGame> BatchEngine<G> {
    /// As [`VecEnv::action_features_into`](crate::VecEnv::action_features_into).
    pub fn action_features_into(&mut self, ragged: &mut RaggedFeatures) {
        self.foretell(&mut ActionFeatures::Ragged(ragged));
    }

    /// As [`VecEnv::action_features_dense`](crate::VecEnv::action_features_dense).
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn action_features_dense(&mut self, out: &mut [f32]) -> Result<(), VecEnvError> {
        let actions = G::num_actions(self.rules());
        self.foretell(&mut ActionFeatures::dense(out, self.num_envs(), actions)?);
        Ok(())
    }

    /// Writes the features that are asked for; arrays are of the right length.
    pub(crate) fn foretell(&mut self, request: &mut ActionFeatures<'_>) {
        match request {
            ActionFeatures::None => {}
            ActionFeatures::Dense(out) => self.foretell_dense(out),
            ActionFeatures::Ragged(ragged) => self.foretell_ragged(ragged),
        }
    }

    fn foretell_dense(&mut self, out: &mut [f32]) {
        let (level, num_actions) = (self.level, G::num_actions(&self.rules));
        let (units, width) = (&units::<G>(&self.rules), num_actions * ACTION_FEATURES);
        let jobs = self.shares.iter_mut().zip(out.chunks_mut(self.share * width)).map(|(share, out)| {
            move || {
                for (group, out) in out.chunks_mut(GROUP * LANES * width).enumerate() {
                    share.foretold.clear();
                    share.foretell(group);
                    level.run(WriteDense { foretold: &share.foretold, units, num_actions, out });
                }
            }
        });
        in_parallel(self.pool.as_mut(), jobs);
    }

    /// Only when all shares have been foretold is it known where the rows of each begin.
    fn foretell_ragged(&mut self, ragged: &mut RaggedFeatures) {
        let jobs = self.shares.iter_mut().map(|share| {
            || {
                share.foretold.clear();
                (0..share.games.div_ceil(GROUP * LANES)).for_each(|group| share.foretell(group));
            }
        });
        in_parallel(self.pool.as_mut(), jobs);
        ragged.offsets.clear();
        ragged.offsets.push(0);
        let mut rows = 0;
        for count in self.shares.iter().flat_map(|share| &share.foretold.counts) {
            rows += i64::from(*count);
            ragged.offsets.push(rows);
        }
        ragged.actions.resize(rows as usize, 0);
        ragged.features.resize(rows as usize * ACTION_FEATURES, 0.0);
        let (mut actions, mut features) = (&mut ragged.actions[..], &mut ragged.features[..]);
        let (level, units) = (self.level, &units::<G>(&self.rules));
        let jobs = self.shares.iter().map(|Share { foretold, .. }| {
            let count = foretold.actions.len();
            let actions = actions.split_off_mut(..count).expect("resized");
            let features = features.split_off_mut(..count * ACTION_FEATURES).expect("resized");
            move || level.run(WriteRagged { foretold, units, actions, features })
        });
        in_parallel(self.pool.as_mut(), jobs);
    }
}

fn units<G: BatchGame>(rules: &G::Rules) -> FeatureUnits {
    [feature_units(G::seed_unit(rules), G::num_pits(rules)); LANES]
}

impl<G: BatchGame> Share<G> {
    /// Adds what the actions in a group would do.
    fn foretell(&mut self, group: usize) {
        let first = group * GROUP * LANES;
        self.chunk.foretell(first..self.games.min(first + GROUP * LANES), &mut self.foretold);
    }
}
