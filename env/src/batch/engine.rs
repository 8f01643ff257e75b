//! The engine over all games of a batch.

use super::LANES;
use super::ahead::Ahead;
use super::chunk::Beginning;
use super::foretold::Foretold;
use super::isa::Level;
use super::lockstep::{BatchGame, Lockstep, MakeChunk};
use super::output::{Units, Write, write_end};
use super::pool::{Pool, in_parallel};
use super::rows::Raw;
use super::sow::GROUP;
use crate::game::Game;
use crate::position::Position;
use crate::vec_env::{
    Buffers, Cell, Episode, ResetOptions, Starts, VecEnvConfig, VecEnvError, check_config, read_games,
    write_games,
};

/// The games that one thread steps.
pub(super) struct Share<G: Game> {
    pub(super) chunk: Box<dyn Lockstep<G>>,
    pub(super) games: usize,
    /// What a block shows, on its way to the caller's arrays.
    raw: Raw,
    /// All actions last checked were legal.
    legal: bool,
    pub(super) foretold: Foretold,
}

/// Many games stepped in lockstep, 64 to a vector: the same games, for the same seeds, as the scalar rules play.
///
/// If a call panics, which only a defect can bring about, some games may have been stepped and others not: drop the engine.
pub struct BatchEngine<G: BatchGame> {
    pub(super) rules: G::Rules,
    config: VecEnvConfig,
    starts: Starts<G>,
    pub(super) level: Level,
    units: Units,
    pub(super) shares: Vec<Share<G>>,
    /// Games of every share but the last.
    pub(super) share: usize,
    /// Threads for all shares but the first, which the caller's own thread steps; `None` if there is but one share.
    pub(super) pool: Option<Pool>,
}

impl<G: BatchGame> BatchEngine<G> {
    /// An engine at the first episode of its seed.
    ///
    /// # Errors
    /// As [`VecEnv::new`](crate::VecEnv::new).
    pub fn new(rules: G::Rules, config: VecEnvConfig) -> Result<Self, VecEnvError> {
        Self::with_level(rules, config, Level::detect())
    }

    pub(super) fn with_level(
        rules: G::Rules,
        config: VecEnvConfig,
        level: Level,
    ) -> Result<Self, VecEnvError> {
        check_config::<G>(&config)?;
        let starts = Starts::new(rules, &config);
        let blocks = config.num_envs.div_ceil(LANES);
        let share = blocks.div_ceil(config.threads) * LANES;
        let cells = G::observation_len(&rules);
        let make_share = |first_game: usize| {
            let games = share.min(config.num_envs - first_game);
            let make = MakeChunk { rules, level, starts: &starts, config: &config, first_game, games };
            Share {
                chunk: G::chunk(&make),
                games,
                raw: Raw::new(cells),
                legal: true,
                foretold: Foretold::default(),
            }
        };
        let shares: Vec<_> = (0..config.num_envs).step_by(share).map(make_share).collect();
        let pool = match shares.len() {
            1 => None,
            shares => Some(Pool::new(shares - 1)?),
        };
        let units = Units::new(&G::units(&rules));
        let mut engine = Self { rules, config, starts, level, units, shares, share, pool };
        for env in 0..config.num_envs {
            let beginning =
                engine.beginning(env, Episode { seed: config.seed, game: env as u64, number: 0 })?;
            let share = &mut engine.shares[env / share];
            share.chunk.reset(env % engine.share, &beginning, false);
        }
        for share in &mut engine.shares {
            share.chunk.set_untouched();
        }
        Ok(engine)
    }

    /// Board size and options.
    pub fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// What the engine is made of.
    pub fn config(&self) -> &VecEnvConfig {
        &self.config
    }

    /// The games played side by side.
    pub fn num_envs(&self) -> usize {
        self.config.num_envs
    }

    /// The name of the instruction set that the engine has chosen: `avx512`, `avx2` or `plain`.
    pub fn instruction_set(&self) -> &'static str {
        self.level.name()
    }

    /// The position of a game, with its history.
    ///
    /// # Panics
    /// If there is no game `env`.
    pub fn position(&self, env: usize) -> Position<G> {
        assert!(env < self.num_envs(), "there is no game {env}");
        self.shares[env / self.share].chunk.position(env % self.share)
    }

    /// The positions of the games, in order.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Position<G>> {
        (0..self.num_envs()).map(|env| self.position(env))
    }

    /// Draws a legal action in every game, as [`VecEnv::sample_actions`](crate::VecEnv::sample_actions) does.
    ///
    /// # Errors
    /// If `out` has the wrong length.
    pub fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), VecEnvError> {
        VecEnvError::check_len("actions", self.num_envs(), out.len())?;
        let jobs = self
            .shares
            .iter_mut()
            .zip(out.chunks_mut(self.share))
            .map(|(share, out)| || share.chunk.sample(out));
        in_parallel(self.pool.as_mut(), jobs);
        Ok(())
    }

    /// Plays an action in every game; games that end begin their next episode.
    ///
    /// # Errors
    /// If an array has the wrong length or an action cannot be played; nothing has changed then.
    pub fn step<T: Cell>(
        &mut self,
        actions: &[i64],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, num_actions) = self.widths();
        buffers.check(self.num_envs(), cells, num_actions)?;
        self.check(actions)?;
        let (rules, level, units) = (&self.rules, self.level, &self.units);
        let mut rows = buffers.reborrow();
        let jobs = self.shares.iter_mut().map(|share| {
            let mut rows = rows.take_games(share.games, cells, num_actions);
            move || share.step(rules, level, units, &mut rows)
        });
        in_parallel(self.pool.as_mut(), jobs);
        self.foretell(&mut buffers.action_features);
        Ok(())
    }

    /// The same without telling of it: rules only.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn advance(&mut self, actions: &[i64]) -> Result<(), VecEnvError> {
        self.check(actions)?;
        let jobs = self.shares.iter_mut().map(|share| || share.advance());
        in_parallel(self.pool.as_mut(), jobs);
        Ok(())
    }

    /// Begins new episodes and writes where all games stand.
    ///
    /// # Errors
    /// As [`VecEnv::reset`](crate::VecEnv::reset); nothing has changed then.
    pub fn reset<T: Cell>(
        &mut self,
        options: &ResetOptions<'_>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, num_actions) = self.widths();
        buffers.check(self.num_envs(), cells, num_actions)?;
        options.check(self.num_envs())?;
        let beginnings: Vec<_> = options
            .envs(self.num_envs())
            .map(|env| Ok((env, self.asked(env, options)?)))
            .collect::<Result<_, VecEnvError>>()?;
        for (env, beginning) in &beginnings {
            let share = &mut self.shares[env / self.share];
            share.chunk.reset(env % self.share, beginning, options.seed.is_some());
        }
        self.show(buffers);
        Ok(())
    }

    /// Writes where all games stand.
    fn show<T: Cell>(&mut self, buffers: &mut Buffers<'_, T>) {
        let (cells, num_actions) = self.widths();
        let mut rows = buffers.reborrow();
        for share in &mut self.shares {
            let mut rows = rows.take_games(share.games, cells, num_actions);
            for lot in 0..share.games.div_ceil(LANES) {
                let mut rows = rows.take_games(LANES.min(rows.to_move.len()), cells, num_actions);
                share.chunk.show(lot, &mut share.raw, rows.action_mask);
                self.level.run(Write { raw: &share.raw, units: &self.units, buffers: &mut rows });
                rows.passed.fill(false);
            }
        }
        self.foretell(&mut buffers.action_features);
    }

    /// All of the games as bytes; see [`VecEnv::save`](crate::VecEnv::save).
    pub fn save(&self) -> Vec<u8> {
        let games =
            (0..self.num_envs()).map(|env| self.shares[env / self.share].chunk.saved(env % self.share));
        write_games(&self.rules, &self.config, games)
    }

    /// Goes back to a saved state.
    ///
    /// # Errors
    /// As [`VecEnv::restore`](crate::VecEnv::restore); nothing has changed then.
    pub fn restore<T: Cell>(
        &mut self,
        saved: &[u8],
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), VecEnvError> {
        let (cells, num_actions) = self.widths();
        buffers.check(self.num_envs(), cells, num_actions)?;
        for (env, game) in read_games(&self.rules, &self.config, saved)?.iter().enumerate() {
            self.shares[env / self.share].chunk.restore(env % self.share, game);
        }
        self.show(buffers);
        Ok(())
    }

    /// The beginning that a reset asks for in game `env`.
    fn asked(&self, env: usize, options: &ResetOptions<'_>) -> Result<Beginning<G>, VecEnvError> {
        let chunk = &self.shares[env / self.share].chunk;
        let (last, untouched) = (chunk.episode(env % self.share), chunk.is_untouched(env % self.share));
        let episode = options.episode(last, untouched);
        match options.position(env, &self.rules)? {
            Some(position) => Ok(Beginning { episode, start: *position.state(), actions: Vec::new() }),
            None => self.beginning(env, episode),
        }
    }

    /// The beginning of an episode as the options say.
    fn beginning(&self, env: usize, episode: Episode) -> Result<Beginning<G>, VecEnvError> {
        let plies = self.config.random_opening_plies;
        let drawn = self.starts.draw(episode).ok_or(VecEnvError::Opening { env, plies })?;
        let (start, actions) = drawn.recorded();
        Ok(Beginning { episode, start: *start.state(), actions })
    }

    /// Takes the actions over, if all are legal; otherwise an error that names the first that is not.
    pub(super) fn check(&mut self, actions: &[i64]) -> Result<(), VecEnvError> {
        VecEnvError::check_len("actions", self.num_envs(), actions.len())?;
        let jobs = self
            .shares
            .iter_mut()
            .zip(actions.chunks(self.share))
            .map(|(share, actions)| || share.legal = share.chunk.check(actions));
        in_parallel(self.pool.as_mut(), jobs);
        let Some(share) = self.shares.iter().position(|share| !share.legal) else { return Ok(()) };
        for (env, &action) in actions.iter().enumerate().skip(share * self.share) {
            self.position(env).check(action).map_err(|error| VecEnvError::Action { env, error })?;
        }
        unreachable!("the blocks and the positions agree on what is legal")
    }

    /// Cells of an observation, and actions.
    fn widths(&self) -> (usize, usize) {
        (G::observation_len(&self.rules), G::num_actions(&self.rules))
    }
}

impl<G: Game> Share<G> {
    /// Plays the actions taken over.
    fn advance(&mut self) {
        for group in 0..self.games.div_ceil(GROUP * LANES) {
            self.chunk.advance(group, &Ahead::default());
        }
    }

    /// The same, and writes what comes of it.
    fn step<T: Cell>(&mut self, rules: &G::Rules, level: Level, units: &Units, buffers: &mut Buffers<'_, T>) {
        for group in 0..self.games.div_ceil(GROUP * LANES) {
            self.chunk.advance(group, &Ahead::of::<G, T>(rules, buffers));
            self.write(rules, level, units, group, buffers);
        }
    }

    /// Writes what a group shows after a step. `buffers` are the rows of the games not told of yet.
    fn write<T: Cell>(
        &mut self,
        rules: &G::Rules,
        level: Level,
        units: &Units,
        group: usize,
        buffers: &mut Buffers<'_, T>,
    ) {
        let (cells, num_actions) = (G::observation_len(rules), G::num_actions(rules));
        let first = group * GROUP * LANES;
        let mut rows = buffers.take_games((GROUP * LANES).min(self.games - first), cells, num_actions);
        let mut rest = rows.reborrow();
        for lot in group * GROUP..((group + 1) * GROUP).min(self.games.div_ceil(LANES)) {
            let mut rows = rest.take_games(LANES.min(rest.to_move.len()), cells, num_actions);
            self.chunk.show(lot, &mut self.raw, rows.action_mask);
            level.run(Write { raw: &self.raw, units, buffers: &mut rows });
        }
        for ended in self.chunk.ended() {
            write_end(rules, ended, ended.game - first, &mut rows);
        }
    }
}
