//! Many games side by side, stepped in one call: the environment of reinforcement learning.

mod buffers;
mod config;
mod features;
mod game;
mod start;
#[cfg(test)]
mod tests;

pub use buffers::{Buffers, Cell, RESULTS};
pub use config::{ResetOptions, VecEnvConfig, VecEnvError};
pub use features::RaggedFeatures;

use crate::game::Game;
use crate::giuthi::Giuthi;
use crate::position::Position;
use game::EnvGame;
pub(crate) use start::{Episode, Starts};

/// Games of one kind played side by side. What a step does is drawn up in `docs/environment.md`.
///
/// - A step plays one action in every game. A game that ends begins anew in the same step (Gymnasium's `SAME_STEP`).
/// - Game `i` of episode `e` depends on (seed, `i`, `e`) and the actions alone: not on how many games there are nor on threads.
/// - Results go straight into the caller's [`Buffers`].
///
/// A new environment stands at the first episode of its seed, ready to step.
///
/// ```
/// use mancala_env::{Buffers, Giuthi, GiuthiRules, VecEnv, VecEnvConfig};
///
/// let rules = GiuthiRules::new(5, 4).unwrap();
/// let mut env = VecEnv::<Giuthi>::new(rules, VecEnvConfig { num_envs: 2, ..Default::default() }).unwrap();
/// let (mut observations, mut final_observations) = ([0f32; 2 * 15], [0f32; 2 * 15]);
/// let mut buffers = Buffers {
///     observations: &mut observations,
///     action_mask: &mut [false; 2 * 10],
///     to_move: &mut [0; 2],
///     scores: &mut [0; 4],
///     rewards: &mut [0.0; 2],
///     returns: &mut [0.0; 4],
///     terminated: &mut [false; 2],
///     truncated: &mut [false; 2],
///     passed: &mut [false; 2],
///     final_observations: &mut final_observations,
///     final_mask: &mut [false; 2],
///     final_scores: &mut [0; 4],
///     final_results: &mut [0; 2],
///     final_plies: &mut [0; 2],
/// };
/// let mut actions = [0; 2];
/// for _ in 0..100 {
///     env.sample_actions(&mut actions).unwrap();
///     env.step(&actions, &mut buffers).unwrap();
/// }
/// ```
#[derive(Clone, Debug)]
pub struct VecEnv<G: Game> {
    rules: G::Rules,
    config: VecEnvConfig,
    starts: Starts<G>,
    games: Vec<EnvGame<G>>,
}

impl<G: Game> VecEnv<G> {
    /// An environment at the first episode of its seed.
    ///
    /// # Errors
    /// If an option has no such value, or ten thousand random openings in a row end some game before its first move.
    pub fn new(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        check_config::<G>(&config)?;
        let starts = Starts::new(rules, &config);
        let plies = config.random_opening_plies;
        let game = |env| {
            let episode = Episode { seed: config.seed, game: env as u64, number: 0 };
            let position = starts.draw(episode).ok_or(VecEnvError::Opening { env, plies })?;
            Ok(EnvGame::new(episode, position))
        };
        let games = (0..config.num_envs).map(game).collect::<Result<_, VecEnvError>>()?;
        Ok(Self { rules, config, starts, games })
    }

    /// Board size and options.
    pub fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// What the environment is made of.
    pub fn config(&self) -> &VecEnvConfig {
        &self.config
    }

    /// The games played side by side.
    pub fn num_envs(&self) -> usize {
        self.games.len()
    }

    /// The positions of the games, in order.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = &Position<G>> {
        self.games.iter().map(EnvGame::position)
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
        let (cells, actions) = self.widths();
        buffers.check(self.num_envs(), cells, actions)?;
        for (array, found) in
            [("reset_mask", options.mask.map(<[_]>::len)), ("positions", options.positions.map(<[_]>::len))]
        {
            VecEnvError::check_len(array, self.num_envs(), found.unwrap_or(self.num_envs()))?;
        }
        let beginnings: Vec<_> = (0..self.num_envs())
            .filter(|&env| options.mask.is_none_or(|mask| mask[env]))
            .map(|env| self.beginning(env, options))
            .collect::<Result<_, _>>()?;
        for (env, episode, position) in beginnings {
            self.games[env].begin(episode, position, options.seed.is_some());
        }
        for (i, game) in self.games.iter().enumerate() {
            buffers.write_position(i, game.position());
            buffers.clear_move(i);
            buffers.clear_final(i, cells);
        }
        Ok(())
    }

    /// The episode that a reset begins in game `env`, and where it begins.
    fn beginning(
        &self,
        env: usize,
        options: &ResetOptions<'_>,
    ) -> Result<(usize, Episode, Position<G>), VecEnvError> {
        let episode = self.games[env].next_episode(options.seed);
        let Some(text) = options.positions.and_then(|positions| positions[env].as_deref()) else {
            let plies = self.config.random_opening_plies;
            let position = self.starts.draw(episode).ok_or(VecEnvError::Opening { env, plies })?;
            return Ok((env, episode, position));
        };
        let position =
            Position::read(self.rules, text).map_err(|error| VecEnvError::Position { env, error })?;
        match position.end() {
            Some(end) => Err(VecEnvError::Finished { env, text: position.write(), end }),
            None => Ok((env, episode, position)),
        }
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
        let (cells, num_actions) = self.widths();
        VecEnvError::check_len("actions", self.num_envs(), actions.len())?;
        buffers.check(self.num_envs(), cells, num_actions)?;
        for (env, (game, &action)) in self.games.iter().zip(actions).enumerate() {
            game.position().check(action).map_err(|error| VecEnvError::Action { env, error })?;
        }
        let (starts, max_plies) = (&self.starts, self.config.max_plies);
        let step_all = |games: &mut [EnvGame<G>], actions: &[i64], buffers: &mut Buffers<'_, T>| {
            for (i, (game, &action)) in games.iter_mut().zip(actions).enumerate() {
                game.step(action as u16, starts, max_plies, i, buffers);
            }
        };
        let share = self.games.len().div_ceil(self.config.threads);
        if share == self.games.len() {
            step_all(&mut self.games, actions, buffers);
            return Ok(());
        }
        std::thread::scope(|scope| {
            let mut rows = buffers.reborrow();
            let (mut games, mut actions) = (&mut self.games[..], actions);
            while games.len() > share {
                let (some_games, other_games) = games.split_at_mut(share);
                let (some_actions, other_actions) = actions.split_at(share);
                let mut some_rows = rows.take_games(share, cells, num_actions);
                let step_all = &step_all;
                scope.spawn(move || step_all(some_games, some_actions, &mut some_rows));
                (games, actions) = (other_games, other_actions);
            }
            // The last share is this thread's own.
            step_all(games, actions, &mut rows);
        });
        Ok(())
    }

    /// Draws a legal action in every game with [`random_action`](crate::random_action), each from the game's own stream, which
    /// only a reset with a seed begins anew. Drawing never alters the games. `out` has shape `(num_envs,)`.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VecEnvError> {
        VecEnvError::check_len("actions", self.num_envs(), out.len())?;
        for (game, action) in self.games.iter_mut().zip(out) {
            *action = game.sample_action();
        }
        Ok(())
    }

    /// Cells of an observation, and actions.
    fn widths(&self) -> (usize, usize) {
        (G::observation_len(&self.rules), G::num_actions(&self.rules))
    }
}

pub(crate) fn check_config<G: Game>(config: &VecEnvConfig) -> Result<(), VecEnvError> {
    let refuse = |option, problem: &str| Err(VecEnvError::Config { option, problem: problem.into() });
    if config.num_envs == 0 {
        return refuse("num_envs", "there must be at least one game");
    }
    if config.threads == 0 {
        return refuse("threads", "there must be at least one thread");
    }
    if config.max_plies == Some(0) {
        return refuse("max_plies", "an episode has at least one ply");
    }
    if config.random_first_player && G::NAME != Giuthi::NAME {
        return refuse("random_first_player", "in kiothi Player 0 begins; only giuthi has this option");
    }
    Ok(())
}
