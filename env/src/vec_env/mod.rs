//! Many games side by side, stepped in one call: the environment of reinforcement learning.

mod arrays;
mod buffers;
mod config;
mod features;
#[cfg(test)]
mod features_tests;
mod game;
mod loop_env;
mod saved;
#[cfg(test)]
mod saved_tests;
mod start;
#[cfg(test)]
mod tests;

pub use arrays::Arrays;
pub use buffers::{Buffers, Cell, RESULTS};
pub use config::{ResetOptions, VecEnvConfig, VecEnvError};
pub use features::{ActionFeatures, RaggedFeatures};

use std::fmt;

use crate::batch::{BatchEngine, BatchGame};
use crate::position::Position;
pub(crate) use config::check_config;
pub(crate) use loop_env::LoopEnv;
pub(crate) use saved::{SavedGame, read_games, write_games};
pub(crate) use start::{Episode, Starts};

/// Games of one kind played side by side. What a step does is drawn up in `docs/environment.md`.
///
/// - A step plays one action in every game. A game that ends begins anew in the same step (Gymnasium's `SAME_STEP`).
/// - Game `i` of episode `e` depends on (seed, `i`, `e`) and the actions alone: not on how many games there are nor on threads.
/// - Results go straight into the caller's [`Buffers`].
/// - Few games are played one by one, many in lockstep by a [`BatchEngine`]: the same games, arrays and errors either way.
///
/// A new environment stands at the first episode of its seed, ready to step.
///
/// ```
/// use mancala_env::{Arrays, Giuthi, GiuthiRules, VecEnv, VecEnvConfig};
///
/// let rules = GiuthiRules::new(5, 4).unwrap();
/// let mut env = VecEnv::<Giuthi>::new(rules, VecEnvConfig { num_envs: 2, ..Default::default() }).unwrap();
/// // 15 cells an observation, 10 actions.
/// let mut arrays = Arrays::<f32>::new(2, 15, 10);
/// let mut actions = [0; 2];
/// for _ in 0..100 {
///     env.sample_actions(&mut actions).unwrap();
///     env.step(&actions, &mut arrays.buffers()).unwrap();
/// }
/// ```
pub struct VecEnv<G: BatchGame>(Way<G>);

/// How the games are played.
enum Way<G: BatchGame> {
    OneByOne(LoopEnv<G>),
    Lockstep(BatchEngine<G>),
}

/// From so many games on all go in lockstep. With AVX-512 that is as fast from 7 games on and twice as fast here; AVX2 takes up to
/// twice as long (`speed_of_both_ways` in the tests).
const LOCKSTEP_FROM: usize = 16;

/// Runs the same code for whichever way a [`VecEnv`] goes.
macro_rules! either_way {
    ($games:expr, |$way:ident| $body:expr) => {
        match $games {
            Way::OneByOne($way) => $body,
            Way::Lockstep($way) => $body,
        }
    };
}

impl<G: BatchGame> VecEnv<G> {
    /// An environment at the first episode of its seed.
    ///
    /// # Errors
    /// If an option has no such value, or ten thousand random openings in a row end some game before its first move.
    pub fn new(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        match config.num_envs >= LOCKSTEP_FROM {
            false => Self::one_by_one(rules, config),
            true => Self::lockstep(rules, config),
        }
    }

    fn one_by_one(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        LoopEnv::new(rules, config).map(|env| Self(Way::OneByOne(env)))
    }

    fn lockstep(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        BatchEngine::new(rules, config).map(|engine| Self(Way::Lockstep(engine)))
    }

    /// Board size and options.
    pub fn rules(&self) -> &G::Rules {
        either_way!(&self.0, |games| games.rules())
    }

    /// What the environment is made of.
    pub fn config(&self) -> &VecEnvConfig {
        either_way!(&self.0, |games| games.config())
    }

    /// The games played side by side.
    pub fn num_envs(&self) -> usize {
        self.config().num_envs
    }

    /// The position of a game, with its history.
    ///
    /// # Panics
    /// If there is no game `env`.
    pub fn position(&self, env: usize) -> Position<G> {
        either_way!(&self.0, |games| games.position(env))
    }

    /// The positions of the games, in order.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Position<G>> {
        (0..self.num_envs()).map(|env| self.position(env))
    }

    /// Begins new episodes and writes where all games stand.
    ///
    /// # Errors
    /// If an array has the wrong length, a position is malformed or finished, or no random opening is found; nothing has
    /// changed then.
    pub fn reset<T: Cell>(
        &mut self,
        options: &ResetOptions<'_>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        either_way!(&mut self.0, |games| games.reset(options, buffers))
    }

    /// Plays an action in every game, `actions` of shape `(num_envs,)`; games that end begin their next episode.
    ///
    /// # Errors
    /// If an array has the wrong length or an action cannot be played. All actions are looked at before any is played:
    /// nothing has changed then.
    pub fn step<T: Cell>(
        &mut self,
        actions: &[i64],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        either_way!(&mut self.0, |games| games.step(actions, buffers))
    }

    /// Draws a legal action in every game with [`random_action`](crate::random_action), each from the game's own stream, which
    /// only a reset with a seed begins anew. Drawing never alters the games. `out` has shape `(num_envs,)`.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VecEnvError> {
        either_way!(&mut self.0, |games| games.sample_actions(out))
    }

    /// All of the games as bytes, for [`restore`](Self::restore): positions with histories, episodes, seeds, samplers. The bytes
    /// are the same whatever the threads and the machine.
    pub fn save(&self) -> Vec<u8> {
        either_way!(&self.0, |games| games.save())
    }

    /// Goes back to where [`save`](Self::save) was called, in this environment or in one like it, and writes where all games stand:
    /// whatever is asked from then on is answered as it was there. Threads and seed may differ.
    ///
    /// # Errors
    /// If an array has the wrong length, or `saved` is damaged or was saved with another game, `num_envs`, `max_plies`,
    /// `random_opening_plies` or `random_first_player`; nothing has changed then.
    pub fn restore<T: Cell>(
        &mut self,
        saved: &[u8],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        either_way!(&mut self.0, |games| games.restore(saved, buffers))
    }
}

impl<G: BatchGame> fmt::Debug for VecEnv<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VecEnv")
            .field("rules", self.rules())
            .field("config", self.config())
            .finish_non_exhaustive()
    }
}
