//! The games one by one: the reference for the engine, and the faster way with few games.

use super::buffers::{Buffers, Cell};
use super::config::{ResetOptions, VecEnvConfig, VecEnvError, check_config};
use super::features::ActionFeatures;
use super::game::EnvGame;
use super::saved::{read_games, write_games};
use super::start::{Episode, Starts};
use crate::game::Game;
use crate::position::Position;

/// A [`VecEnv`](super::VecEnv) that plays a plain loop over games, by the scalar rules and in one thread.
#[derive(Clone, Debug)]
pub(crate) struct LoopEnv<G: Game> {
    rules: G::Rules,
    config: VecEnvConfig,
    starts: Starts<G>,
    games: Vec<EnvGame<G>>,
}

impl<G: Game> LoopEnv<G> {
    /// An environment at the first episode of its seed.
    ///
    /// # Errors
    /// As [`VecEnv::new`](super::VecEnv::new).
    pub(crate) fn new(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        check_config::<G>(&config)?;
        let starts = Starts::new(rules, &config);
        let plies = config.random_opening_plies;
        let game = |env| {
            let episode = Episode { seed: config.seed, game: env as u64, number: 0 };
            let start = starts.draw(episode).ok_or(VecEnvError::Opening { env, plies })?;
            Ok(EnvGame::new(episode, start.position()))
        };
        let games = (0..config.num_envs).map(game).collect::<Result<_, VecEnvError>>()?;
        Ok(Self { rules, config, starts, games })
    }

    /// Board size and options.
    pub(crate) fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// What the environment is made of.
    pub(crate) fn config(&self) -> &VecEnvConfig {
        &self.config
    }

    /// The games played side by side.
    pub(crate) fn num_envs(&self) -> usize {
        self.games.len()
    }

    /// The position of a game, with its history.
    pub(crate) fn position(&self, env: usize) -> Position<G> {
        self.games[env].position().clone()
    }

    /// Begins new episodes and writes where all games stand.
    ///
    /// # Errors
    /// As [`VecEnv::reset`](super::VecEnv::reset); nothing has changed then.
    pub(crate) fn reset<T: Cell>(
        &mut self,
        options: &ResetOptions<'_>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, actions) = self.widths();
        buffers.check(self.num_envs(), cells, actions)?;
        options.check(self.num_envs())?;
        let beginnings: Vec<_> = options
            .envs(self.num_envs())
            .map(|env| self.beginning(env, options))
            .collect::<Result<_, _>>()?;
        for (env, episode, position) in beginnings {
            self.games[env].begin(episode, position, options.seed.is_some());
        }
        self.show(buffers);
        Ok(())
    }

    /// Writes where all games stand.
    fn show<T: Cell>(&self, buffers: &mut Buffers<'_, T>) {
        let (cells, _) = self.widths();
        for (i, game) in self.games.iter().enumerate() {
            buffers.write_position(i, game.position());
            buffers.clear_move(i);
            buffers.clear_final(i, cells);
        }
        self.foretell(&mut buffers.action_features);
    }

    /// All of the games as bytes; see [`VecEnv::save`](super::VecEnv::save).
    pub(crate) fn save(&self) -> Vec<u8> {
        write_games(&self.rules, &self.config, self.games.iter().map(EnvGame::saved))
    }

    /// Goes back to a saved state.
    ///
    /// # Errors
    /// As [`VecEnv::restore`](super::VecEnv::restore); nothing has changed then.
    pub(crate) fn restore<T: Cell>(
        &mut self,
        saved: &[u8],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, actions) = self.widths();
        buffers.check(self.num_envs(), cells, actions)?;
        let games = read_games::<G>(&self.rules, &self.config, saved)?;
        self.games = games.into_iter().map(EnvGame::restored).collect();
        self.show(buffers);
        Ok(())
    }

    /// The episode that a reset begins in game `env`, and where it begins.
    fn beginning(
        &self,
        env: usize,
        options: &ResetOptions<'_>,
    ) -> Result<(usize, Episode, Position<G>), VecEnvError> {
        let episode = self.games[env].next_episode(options);
        let plies = self.config.random_opening_plies;
        let position = match options.position(env, &self.rules)? {
            Some(position) => position,
            None => self.starts.draw(episode).ok_or(VecEnvError::Opening { env, plies })?.position(),
        };
        Ok((env, episode, position))
    }

    /// Plays an action in every game; games that end begin their next episode.
    ///
    /// # Errors
    /// As [`VecEnv::step`](super::VecEnv::step): all actions are looked at before any is played.
    pub(crate) fn step<T: Cell>(
        &mut self,
        actions: &[i64],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, num_actions) = self.widths();
        buffers.check(self.num_envs(), cells, num_actions)?;
        VecEnvError::check_len("actions", self.num_envs(), actions.len())?;
        for (env, (game, &action)) in self.games.iter().zip(actions).enumerate() {
            game.position().check(action).map_err(|error| VecEnvError::Action { env, error })?;
        }
        for (i, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            game.step(action as u16, &self.starts, self.config.max_plies, i, buffers);
        }
        self.foretell(&mut buffers.action_features);
        Ok(())
    }

    /// Writes the action features that are asked for.
    pub(crate) fn foretell(&self, request: &mut ActionFeatures<'_>) {
        request.write(&self.rules, self.games.iter().map(EnvGame::position));
    }

    /// Draws a legal action in every game, as [`VecEnv::sample_actions`](super::VecEnv::sample_actions) does.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub(crate) fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VecEnvError> {
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
