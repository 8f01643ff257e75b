//! The config of a run: a TOML file, overridden key by key, then checked.

mod load;
#[cfg(test)]
mod shipped_tests;
#[cfg(test)]
mod tests;
mod validate;

use mancala_env::GameSpec;
use mancala_search::net::NetConfig;
use mancala_search::self_play::{SearchKind, SelfPlayConfig};
use serde::{Deserialize, Serialize};

pub use load::ConfigError;

/// All that a run depends on, but for the binary and the processor.
///
/// `docs/training.md` explains every key. Keys that stand here with a default may be left out of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The game with its options, as `giuthi-5x4`.
    pub game: String,
    /// What all random numbers of the run come from.
    #[serde(default)]
    pub seed: u64,
    /// How often to go through self-play and learning.
    pub iterations: u64,
    /// No iteration is begun that would, as long as the longest so far, end after this many minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// Threads of self-play and of the learner.
    #[serde(default = "default_threads")]
    pub threads: usize,
    /// The sizes of the net.
    pub net: NetConfig,
    /// How games are played.
    #[serde(default)]
    pub self_play: SelfPlay,
    /// What is learned from.
    #[serde(default)]
    pub replay: Replay,
    /// How it is learned.
    #[serde(default)]
    pub learner: Learner,
    /// What is kept.
    #[serde(default)]
    pub checkpoint: Checkpoint,
    /// The matches at the end of the run.
    #[serde(default)]
    pub evaluation: Evaluation,
}

/// Section `[self_play]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlay {
    /// Games an iteration.
    pub games: u64,
    /// Games played in lockstep by one thread: the batch of the evaluator.
    pub lockstep: usize,
    /// Which search plays.
    pub selection: SearchKind,
    /// Simulations a move.
    pub simulations: u32,
    /// Share of the moves that are searched with `simulations` and are rows for the policy.
    pub full_share: f32,
    /// Simulations of the other moves.
    pub fast_simulations: u32,
    /// Gumbel: root actions that sequential halving starts with.
    pub considered: usize,
    /// Gumbel: how much a difference of values weighs against a difference of log-probabilities in the improved policy.
    pub sigma_scale: f32,
    /// PUCT: weight of the prior's exploration term.
    pub exploration: f32,
    /// PUCT: part of the Dirichlet noise in the root's priors.
    pub noise_part: f32,
    /// PUCT: alpha of the noise, times the number of legal actions.
    pub noise_alpha: f64,
    /// The first so many moves after the opening are drawn from the search's policy.
    pub sampled_plies: u32,
    /// Temperature of those draws.
    pub temperature: f32,
    /// Each game starts after 0 to this many random plies.
    pub opening_plies: u32,
    /// Share of the games that begin as forks of others.
    pub fork_share: f64,
    /// A game this long is stopped and counts as a draw.
    pub max_plies: u32,
}

/// Section `[replay]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Replay {
    /// The newest positions, this many at most, are learned from.
    pub window: usize,
    /// The window of the run's first positions, from which it grows by a power law up to `window`; 0: it is `window` always.
    pub growth_start: usize,
    /// Exponent of the growth.
    pub growth_exponent: f64,
    /// The window's growth for each new position when the growth begins.
    pub growth_slope: f64,
    /// How often a position is drawn on average: each iteration learns from `reuse` times its new positions.
    pub reuse: f64,
    /// Whether each draw is turned into its mirror image half of the time, where the game has one.
    pub mirror: bool,
}

/// Section `[learner]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Learner {
    /// Positions a step.
    pub batch: usize,
    /// Learning rate of AdamW after the warmup.
    pub learning_rate: f64,
    /// What it falls to, along half a cosine, by `decay_iterations`.
    pub final_learning_rate: f64,
    /// The iteration at which it has fallen; 0 keeps it constant.
    pub decay_iterations: u64,
    /// Over this many steps of the run it rises from 0.
    pub warmup_steps: u64,
    /// Decoupled weight decay, of weights and not of biases.
    pub weight_decay: f64,
    /// Gradients longer than this are cut to it.
    pub gradient_clip: f64,
    /// Weight of the value loss beside that of the policy.
    pub value_weight: f64,
    /// Weight of the margin loss; 0: the net has no margin head.
    pub margin_weight: f64,
    /// Share of the search's value in the value target; the rest is the outcome of the game.
    pub value_blend: f64,
    /// Decay a step of the moving average of the weights, with which games are played; 0 plays with the weights themselves.
    pub ema_decay: f64,
}

/// Section `[checkpoint]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Checkpoint {
    /// Iterations from one checkpoint to the next; the last iteration always has one.
    pub every: u64,
    /// How many of the newest are kept.
    pub keep: usize,
}

/// Section `[evaluation]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evaluation {
    /// Agents to play against.
    pub opponents: Vec<String>,
    /// Games against each, two an opening.
    pub games: u32,
    /// Simulations a move of the net.
    pub simulations: u32,
    /// Random plies before the agents play.
    pub opening_plies: u32,
}

fn default_threads() -> usize {
    2
}

impl Default for SelfPlay {
    fn default() -> Self {
        let SelfPlayConfig {
            lockstep,
            selection,
            simulations,
            full_share,
            fast_simulations,
            considered,
            sigma_scale,
            exploration,
            noise_part,
            noise_alpha,
            sampled_plies,
            temperature,
            opening_plies,
            fork_share,
            max_plies,
        } = SelfPlayConfig::default();
        Self {
            games: 512,
            lockstep,
            selection,
            simulations,
            full_share,
            fast_simulations,
            considered,
            sigma_scale,
            exploration,
            noise_part,
            noise_alpha,
            sampled_plies,
            temperature,
            opening_plies,
            fork_share,
            max_plies,
        }
    }
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            window: 200_000,
            growth_start: 0,
            growth_exponent: 0.75,
            growth_slope: 0.4,
            reuse: 4.0,
            mirror: true,
        }
    }
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            batch: 512,
            learning_rate: 2e-3,
            final_learning_rate: 2e-4,
            decay_iterations: 0,
            warmup_steps: 100,
            weight_decay: 1e-3,
            gradient_clip: 1.0,
            value_weight: 1.0,
            margin_weight: 0.0,
            value_blend: 0.0,
            ema_decay: 0.0,
        }
    }
}

impl Default for Checkpoint {
    fn default() -> Self {
        Self { every: 1, keep: 5 }
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        let opponents = vec!["random".into(), "alphabeta:depth=2".into()];
        Self { opponents, games: 200, simulations: 64, opening_plies: 4 }
    }
}

impl SelfPlay {
    /// What one unit of self-play needs to know.
    pub fn search_config(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            lockstep: self.lockstep,
            selection: self.selection,
            simulations: self.simulations,
            full_share: self.full_share,
            fast_simulations: self.fast_simulations,
            considered: self.considered,
            sigma_scale: self.sigma_scale,
            exploration: self.exploration,
            noise_part: self.noise_part,
            noise_alpha: self.noise_alpha,
            sampled_plies: self.sampled_plies,
            temperature: self.temperature,
            opening_plies: self.opening_plies,
            fork_share: self.fork_share,
            max_plies: self.max_plies,
        }
    }
}

impl Replay {
    /// The window once a run has had so many positions: with `c` = `growth_start` and `N` positions
    /// `c (1 + slope ((N / c)^exponent - 1) / exponent)`, at most `window` (KataGo's law, Wu 2019).
    ///
    /// It never grows by more than the new positions, so that what has left it never comes back.
    pub fn window_after(&self, positions: u64) -> usize {
        if self.growth_start == 0 {
            return self.window;
        }
        let start = self.growth_start as f64;
        let grown =
            ((positions as f64 / start).max(1.0).powf(self.growth_exponent) - 1.0) / self.growth_exponent;
        // What is a whole number but for rounding counts as one.
        ((start * (1.0 + self.growth_slope * grown) + 1e-6) as usize).min(self.window)
    }
}

impl Learner {
    /// The learning rate of an iteration (from 1) at a step of the run (from 0).
    pub fn rate(&self, iteration: u64, step: u64) -> f64 {
        let warmup = match self.warmup_steps {
            0 => 1.0,
            steps => ((step + 1) as f64 / steps as f64).min(1.0),
        };
        let fallen = match self.decay_iterations {
            0 => 0.0,
            iterations => ((iteration - 1) as f64 / iterations as f64).min(1.0),
        };
        let share = 0.5 * (1.0 + (std::f64::consts::PI * fallen).cos());
        warmup * (self.final_learning_rate + share * (self.learning_rate - self.final_learning_rate))
    }
}

impl Config {
    /// The game; checked when the config was read.
    ///
    /// # Panics
    /// If `game` names none.
    pub fn spec(&self) -> GameSpec {
        GameSpec::parse(&self.game).expect("the config has been checked")
    }
}
