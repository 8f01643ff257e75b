//! How self-play games are played.

use serde::{Deserialize, Serialize};

use crate::mcts::{FIRST_PLAY_REDUCTION, Selection, Settings};

/// Which search plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Gumbel AlphaZero: [`Selection::Gumbel`]. The policy target is the improved policy.
    Gumbel,
    /// AlphaZero: [`Selection::Puct`] with Dirichlet noise in the root's priors. The policy target are the shares of visits.
    Puct,
}

/// How self-play games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SelfPlayConfig {
    /// Games played in lockstep by one thread: the batch of the evaluator.
    pub lockstep: usize,
    /// Which search plays.
    pub selection: SearchKind,
    /// Simulations a move.
    pub simulations: u32,
    /// Share of the moves that are searched with `simulations` and noise, above 0 and at most 1. The others have
    /// `fast_simulations`, no noise, and are no row for the policy: more games, and so outcomes, for the same work (playout-cap
    /// randomization, Wu 2019).
    pub full_share: f32,
    /// Simulations of the moves that are not searched in full.
    pub fast_simulations: u32,
    /// Gumbel: root actions that sequential halving starts with.
    pub considered: usize,
    /// Gumbel: how much values weigh against priors in the improved policy; see [`Settings::sigma_scale`].
    pub sigma_scale: f32,
    /// PUCT: weight of the prior's exploration term.
    pub exploration: f32,
    /// PUCT: part of the noise in the root's priors, 0..=1.
    pub noise_part: f32,
    /// PUCT: the Dirichlet distribution's alpha is this divided by the number of legal actions.
    pub noise_alpha: f64,
    /// The first so many moves after the opening are drawn from the search's policy instead of being its choice.
    pub sampled_plies: u32,
    /// A drawn move has a probability in proportion to policy^(1 / `temperature`).
    pub temperature: f32,
    /// Each game starts after 0 to this many random plies, drawn uniformly.
    pub opening_plies: u32,
    /// Share of the games that begin where another has been, after one random action there; below 1.
    pub fork_share: f64,
    /// A game this long is stopped and counts as a draw.
    pub max_plies: u32,
}

impl Default for SelfPlayConfig {
    fn default() -> Self {
        Self {
            lockstep: 128,
            selection: SearchKind::Gumbel,
            simulations: 32,
            full_share: 1.0,
            fast_simulations: 8,
            considered: 10,
            sigma_scale: 0.25,
            exploration: 1.25,
            noise_part: 0.25,
            noise_alpha: 10.0,
            sampled_plies: 0,
            temperature: 1.0,
            opening_plies: 8,
            fork_share: 0.0,
            max_plies: 400,
        }
    }
}

impl SelfPlayConfig {
    pub(super) fn settings(&self) -> Settings {
        let selection = match self.selection {
            SearchKind::Gumbel => Selection::Gumbel { considered: self.considered },
            SearchKind::Puct => {
                let exploration = self.exploration;
                Selection::Puct { exploration, first_play_reduction: FIRST_PLAY_REDUCTION, cuts: false }
            }
        };
        Settings { simulations: self.simulations, selection, sigma_scale: self.sigma_scale, contempt: 0.0 }
    }
}
