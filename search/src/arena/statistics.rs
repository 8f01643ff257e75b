//! What the games of a match say.

use serde::{Deserialize, Serialize};

/// Standard errors on either side of a 95% interval.
const INTERVAL: f64 = 1.96;

/// The result of a match in the view of agent A.
///
/// The two games of an opening are not independent, so spread is measured between pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Games played, two an opening.
    pub games: u32,
    /// Games A won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games A lost.
    pub losses: u32,
    /// A's points a game, 0..=1, a draw half a point.
    pub score: f64,
    /// The standard error of `score` over pairs; of a single pair nothing is known, and it is 0.5.
    pub score_se: f64,
    /// A's Elo less B's; `None` where `score` is 0 or 1.
    pub elo: Option<f64>,
    /// Lower end of the 95% interval of `elo`; `None` where unbounded.
    pub elo_low: Option<f64>,
    /// Upper end of the 95% interval of `elo`; `None` where unbounded.
    pub elo_high: Option<f64>,
}

impl MatchResult {
    /// Sums up a match; a pair holds A's points (0, 0.5 or 1) in the two games of an opening. Without pairs the score is 0.5.
    pub fn of_pairs(pairs: &[[f64; 2]]) -> Self {
        let count = |points: f64| pairs.as_flattened().iter().filter(|&&game| game == points).count() as u32;
        let means: Vec<f64> = pairs.iter().map(|[one, two]| (one + two) / 2.0).collect();
        let number = means.len() as f64;
        let score = if means.is_empty() { 0.5 } else { means.iter().sum::<f64>() / number };
        let score_se = if means.len() < 2 {
            0.5
        } else {
            let squares: f64 = means.iter().map(|mean| (mean - score).powi(2)).sum();
            (squares / (number - 1.0) / number).sqrt()
        };
        Self {
            games: 2 * pairs.len() as u32,
            wins: count(1.0),
            draws: count(0.5),
            losses: count(0.0),
            score,
            score_se,
            elo: elo(score),
            elo_low: elo(score - INTERVAL * score_se),
            elo_high: elo(score + INTERVAL * score_se),
        }
    }
}

/// The Elo difference at which `score` points a game are expected; `None` unless 0 < `score` < 1.
pub fn elo(score: f64) -> Option<f64> {
    // Adding zero turns -0 into 0.
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10() + 0.0)
}
