//! The sequential probability ratio test: a match that ends as soon as it is clear which of two hypotheses to believe.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::statistics::{Pentanomial, expected_score};

/// The probability to take one hypothesis where the other is true, the same for both.
const ERROR_RATE: f64 = 0.05;

/// Pairs of a kind that has not been seen count as so many: a kind without any could not be imagined to occur.
const UNSEEN: f64 = 1e-3;

/// Elo differences beyond this cannot be told from certain wins.
const MAX_ELO: f64 = 1_000.0;

/// Halvings of the interval in which a multiplier is looked for.
const HALVINGS: u32 = 40;

/// A test of "A is `elo1` better than B" against "A is `elo0` better", each wrongly taken with probability 0.05.
///
/// The likelihoods are those of the five kinds of pairs, so that neither draws nor the two games of an opening, which are
/// not independent, disturb the test: a generalized SPRT, in which each hypothesis fixes the expected score alone and takes
/// the distribution that fits the pairs best (Van den Bergh, "A practical introduction to the GSPRT").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// What an SPRT takes for true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A is `elo0` better.
    Elo0,
    /// A is `elo1` better.
    Elo1,
}

impl Sprt {
    /// A test of `elo1` against `elo0`, in logistic Elo.
    ///
    /// # Errors
    /// Unless `elo0` < `elo1`, both within -1000..=1000.
    pub fn new(elo0: f64, elo1: f64) -> Result<Self, String> {
        for elo in [elo0, elo1] {
            if elo.is_nan() || elo.abs() > MAX_ELO {
                return Err(format!("{elo} is not from -{MAX_ELO} to {MAX_ELO}"));
            }
        }
        match elo0 < elo1 {
            true => Ok(Self { elo0, elo1 }),
            false => Err(format!("elo0 has to be below elo1, and {elo0} is not below {elo1}")),
        }
    }

    /// The lower difference.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The higher one.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The log likelihood ratio at or below which `elo0` is taken for true, and that at or above which `elo1` is.
    pub fn bounds(&self) -> [f64; 2] {
        let bound = ((1.0 - ERROR_RATE) / ERROR_RATE).ln();
        [-bound, bound]
    }

    /// The log likelihood ratio of `elo1` to `elo0`.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.0.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { UNSEEN } else { f64::from(count) });
        let [tilt0, tilt1] = [self.elo0, self.elo1].map(|elo| Tilt::to(expected_score(elo), &counts));
        let ratio = |(kind, count): (usize, f64)| count * (tilt0.divisor(kind) / tilt1.divisor(kind)).ln();
        counts.into_iter().enumerate().map(ratio).sum()
    }

    /// What these pairs decide, if they do.
    pub fn verdict(&self, pairs: &Pentanomial) -> Option<Verdict> {
        let (llr, [lower, upper]) = (self.llr(pairs), self.bounds());
        match llr {
            _ if llr <= lower => Some(Verdict::Elo0),
            _ if llr >= upper => Some(Verdict::Elo1),
            _ => None,
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.elo0, self.elo1)
    }
}

impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = |text: &str| text.trim().parse::<f64>().ok();
        let read = text.split_once(',').and_then(|(elo0, elo1)| parse(elo0).zip(parse(elo1)));
        let (elo0, elo1) = read.ok_or("expected two Elo differences, as 0,10")?;
        Self::new(elo0, elo1)
    }
}

/// The distribution with a given mean that makes the counts likeliest: a kind of pairs with frequency `p` has probability
/// `p / (1 + multiplier * (score - mean))`.
struct Tilt {
    mean: f64,
    multiplier: f64,
}

impl Tilt {
    fn to(mean: f64, counts: &[f64; 5]) -> Self {
        // All divisors are positive within these ends, between which the slope of the likelihood falls from inf to -inf.
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        let slope = |multiplier: f64| {
            let tilt = Self { mean, multiplier };
            let term = |kind: usize| counts[kind] * (score(kind) - mean) / tilt.divisor(kind);
            (0..counts.len()).map(term).sum::<f64>()
        };
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        Self { mean, multiplier: f64::midpoint(low, high) }
    }

    fn divisor(&self, kind: usize) -> f64 {
        1.0 + self.multiplier * (score(kind) - self.mean)
    }
}

/// The points a game of a kind of pairs.
fn score(kind: usize) -> f64 {
    kind as f64 / 4.0
}
