//! What a config must be to make sense.

use mancala_env::{GameSpec, for_game};
use mancala_search::AgentSpec;
use mancala_search::arena::openings;
use mancala_search::net::{MAX_BLOCKS, MAX_LEVELS, MAX_WIDTH};

use super::{Config, ConfigError, Evaluation};

/// More threads than this are a mistake.
const MAX_THREADS: usize = 1024;

/// All games of an iteration are in memory together.
const MAX_GAMES: u64 = 10_000_000;
/// More than this is a mistake, in games, simulations, plies and rows alike.
const MAX_COUNT: usize = 1_000_000;
/// More positions do not fit into the memory of any machine that trains on its CPU.
const MAX_WINDOW: usize = 1_000_000_000;

/// Learning more often than this from the same position is a mistake.
const MAX_REUSE: f64 = 1000.0;

/// A check of one key: its path, whether its value will do, and what it should be.
type Check = (&'static str, bool, &'static str);

impl Config {
    /// Checks that the values make sense.
    ///
    /// # Errors
    /// Names the first key whose value does not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        GameSpec::parse(&self.game).map_err(|error| ConfigError::key("game", error.to_string()))?;
        let checks = [self.check_run(), self.check_self_play(), self.check_learning(), self.check_keeping()];
        match checks.into_iter().flatten().find(|&(_, holds, _)| !holds) {
            Some((key, _, wanted)) => Err(ConfigError::key(key, format!("must be {wanted}"))),
            None => self.check_opponents().and_then(|()| self.check_openings()),
        }
    }

    fn check_run(&self) -> Vec<Check> {
        let Self { iterations, threads, net, .. } = self;
        let width = |width: usize| (1..=MAX_WIDTH).contains(&width);
        vec![
            ("iterations", *iterations >= 1, "at least 1"),
            ("minutes", self.minutes.is_none_or(is_positive), "a number above 0"),
            ("threads", (1..=MAX_THREADS).contains(threads), "1 to 1024"),
            ("net.channels", width(net.channels), "1 to 16384"),
            ("net.blocks", net.blocks <= MAX_BLOCKS, "at most 1000"),
            ("net.policy_hidden", width(net.policy_hidden), "1 to 16384"),
            ("net.value_hidden", width(net.value_hidden), "1 to 16384"),
            ("net.count_levels", net.count_levels <= MAX_LEVELS, "at most 256"),
            ("net.count_levels", net.count_levels > 0 || !net.afterstates, "above 0 for net.afterstates"),
            (
                "net.capture_search",
                net.reply_features || !net.capture_search,
                "false without net.reply_features",
            ),
            ("net.policy_blocks", net.policy_blocks <= MAX_BLOCKS, "at most 1000"),
        ]
    }

    fn check_self_play(&self) -> Vec<Check> {
        let play = &self.self_play;
        let count = |count: u32| (1..=MAX_COUNT as u32).contains(&count);
        vec![
            ("self_play.games", (1..=MAX_GAMES).contains(&play.games), "1 to 10000000"),
            ("self_play.lockstep", (1..=MAX_COUNT).contains(&play.lockstep), "1 to 1000000"),
            ("self_play.simulations", count(play.simulations), "1 to 1000000"),
            (
                "self_play.full_share",
                play.full_share > 0.0 && play.full_share <= 1.0,
                "above 0 and at most 1",
            ),
            ("self_play.fast_simulations", count(play.fast_simulations), "1 to 1000000"),
            (
                "self_play.fast_simulations",
                play.full_share >= 1.0 || play.fast_simulations <= play.simulations,
                "at most self_play.simulations",
            ),
            ("self_play.considered", play.considered >= 1, "at least 1"),
            ("self_play.sigma_scale", is_positive(play.sigma_scale.into()), "a number above 0"),
            ("self_play.exploration", is_positive(play.exploration.into()), "a number above 0"),
            ("self_play.noise_part", (0.0..=1.0).contains(&play.noise_part), "0 to 1"),
            ("self_play.noise_alpha", is_positive(play.noise_alpha), "a number above 0"),
            ("self_play.temperature", is_positive(play.temperature.into()), "a number above 0"),
            ("self_play.max_plies", count(play.max_plies), "1 to 1000000"),
            ("self_play.opening_plies", play.opening_plies < play.max_plies, "below self_play.max_plies"),
            ("self_play.fork_share", (0.0..1.0).contains(&play.fork_share), "at least 0 and below 1"),
            (
                "self_play.fork_share",
                play.fork_share == 0.0 || play.games > (self.threads.saturating_mul(play.lockstep)) as u64,
                "0 where all of self_play.games are begun at once, threads * self_play.lockstep: no game has ended to fork from",
            ),
        ]
    }

    fn check_learning(&self) -> Vec<Check> {
        let (replay, learner) = (&self.replay, &self.learner);
        let final_rate = learner.final_learning_rate;
        vec![
            ("replay.window", (1..=MAX_WINDOW).contains(&replay.window), "1 to 1000000000"),
            (
                "replay.reuse",
                is_positive(replay.reuse) && replay.reuse <= MAX_REUSE,
                "above 0 and at most 1000",
            ),
            ("replay.growth_start", replay.growth_start <= replay.window, "at most replay.window"),
            ("replay.growth_exponent", is_share(replay.growth_exponent), "above 0 and at most 1"),
            // A steeper window would grow faster than there are positions to fill it.
            ("replay.growth_slope", is_share(replay.growth_slope), "above 0 and at most 1"),
            ("learner.batch", learner.batch >= 1, "at least 1"),
            (
                "learner.batch",
                learner.batch as u64 <= self.most_held(),
                "at most the positions that the replay buffer will ever hold: replay.window, or what all games have",
            ),
            ("learner.learning_rate", is_positive(learner.learning_rate), "a number above 0"),
            (
                "learner.final_learning_rate",
                (0.0..=learner.learning_rate).contains(&final_rate),
                "0 to learner.learning_rate",
            ),
            ("learner.weight_decay", is_at_least_0(learner.weight_decay), "a number of at least 0"),
            ("learner.gradient_clip", is_positive(learner.gradient_clip), "a number above 0"),
            ("learner.value_weight", is_at_least_0(learner.value_weight), "a number of at least 0"),
            ("learner.margin_weight", is_at_least_0(learner.margin_weight), "a number of at least 0"),
            ("learner.value_blend", (0.0..=1.0).contains(&learner.value_blend), "0 to 1"),
            ("learner.ema_decay", (0.0..1.0).contains(&learner.ema_decay), "at least 0 and below 1"),
        ]
    }

    /// The most positions that can be in the replay buffer, ever.
    fn most_held(&self) -> u64 {
        let plies = self.self_play.games.saturating_mul(self.self_play.max_plies.into());
        let all = plies.saturating_mul(self.iterations);
        all.min(self.replay.window_after(all) as u64)
    }

    fn check_keeping(&self) -> Vec<Check> {
        vec![
            ("checkpoint.every", self.checkpoint.every >= 1, "at least 1"),
            ("checkpoint.keep", self.checkpoint.keep >= 1, "at least 1"),
            ("evaluation.simulations", self.evaluation.simulations <= MAX_COUNT as u32, "at most 1000000"),
            (
                "evaluation.games",
                self.evaluation.games.is_multiple_of(2),
                "even, for there are two an opening",
            ),
        ]
    }

    fn check_opponents(&self) -> Result<(), ConfigError> {
        for opponent in &self.evaluation.opponents {
            opponent
                .parse::<AgentSpec>()
                .map_err(|error| ConfigError::key("evaluation.opponents", error.to_string()))?;
        }
        Ok(())
    }

    /// Small boards have few openings; better to say so now than at the end of the run.
    fn check_openings(&self) -> Result<(), ConfigError> {
        let Evaluation { games, opening_plies, .. } = self.evaluation;
        let wanted = games as usize / 2;
        for_game!(self.spec(), |rules: G| openings::<G>(&rules, opening_plies, wanted, self.seed).map(drop))
            .map_err(|error| ConfigError::key("evaluation.games", error.to_string()))
    }
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}

fn is_at_least_0(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
