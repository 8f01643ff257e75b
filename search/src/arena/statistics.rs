//! What the games of a match say.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::play::MatchGame;

/// Elo of a factor e in the odds.
pub(super) const ELO_SCALE: f64 = 400.0 / std::f64::consts::LN_10;

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
    /// Sums up the games of a match, all of them and in their order.
    pub fn of_games(games: &[MatchGame]) -> Self {
        let pairs = games.as_chunks::<2>().0.iter().map(|[one, two]| [one.a_points, two.a_points]);
        Self::of_pairs(&pairs.collect::<Vec<_>>())
    }

    /// Sums up a match; a pair holds A's points (0, 0.5 or 1) in the two games of an opening. Without pairs the score is 0.5.
    ///
    /// The interval is Student's over pairs, on the Elo scale: there the estimate is spread evenly to both sides however
    /// unequal the agents are, which `tests/match_statistics.rs` measures.
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
        let elo = elo(score);
        let interval = elo.zip(student_95(number - 1.0)).map(|(elo, width)| {
            let spread = width * score_se * ELO_SCALE / (score * (1.0 - score));
            (elo - spread, elo + spread)
        });
        Self {
            games: 2 * pairs.len() as u32,
            wins: count(1.0),
            draws: count(0.5),
            losses: count(0.0),
            score,
            score_se,
            elo,
            elo_low: interval.map(|(low, _)| low),
            elo_high: interval.map(|(_, high)| high),
        }
    }
}

/// Standard errors on either side of a 95% interval, by the degrees of freedom that spread was measured with; `None` below 1.
pub(super) fn student_95(freedom: f64) -> Option<f64> {
    (freedom >= 1.0).then(|| StudentsT::new(0.0, 1.0, freedom).ok().map(|t| t.inverse_cdf(0.975)))?
}

/// The Elo difference at which `score` points a game are expected; `None` unless 0 < `score` < 1.
pub fn elo(score: f64) -> Option<f64> {
    // Adding zero turns -0 into 0.
    (score > 0.0 && score < 1.0).then(|| -400.0 * (1.0 / score - 1.0).log10() + 0.0)
}

/// The points a game that are expected of an agent who is `elo` better.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_SCALE).exp())
}

/// The pairs of a match by the points of A in both games: 0, 0.5, 1, 1.5, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u32; 5]);

impl Pentanomial {
    /// One more pair.
    pub fn add(&mut self, [one, two]: [f64; 2]) {
        self.0[(2.0 * (one + two)) as usize] += 1;
    }
}
