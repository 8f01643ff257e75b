//! What makes a search try other root actions each time.

use std::f64::consts::TAU;

use rand::Rng;

/// In (0, 1), so that no logarithm is infinite.
fn uniform(rng: &mut impl Rng) -> f64 {
    (f64::from(rng.next_u32()) + 0.5) / 4_294_967_296.0
}

/// A standard Gumbel variate, for [`Tree::begin`](super::Tree::begin).
pub fn gumbel(rng: &mut impl Rng) -> f32 {
    -(-uniform(rng).ln()).ln() as f32
}

/// Shares drawn from the symmetric Dirichlet distribution with this `alpha` above 0, for
/// [`Tree::mix_priors`](super::Tree::mix_priors): positive or 0, summing to 1.
pub fn dirichlet(alpha: f64, len: usize, rng: &mut impl Rng) -> Vec<f32> {
    // Logarithms, since with a small alpha all of the variates themselves may be too small for a float.
    let logs: Vec<f64> = (0..len).map(|_| ln_gamma_variate(alpha, rng)).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    logs.iter().map(|log| ((log - most).exp() / sum) as f32).collect()
}

fn normal(rng: &mut impl Rng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (TAU * uniform(rng)).cos()
}

/// The logarithm of a gamma variate: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
fn ln_gamma_variate(shape: f64, rng: &mut impl Rng) -> f64 {
    if shape < 1.0 {
        return ln_gamma_variate(shape + 1.0, rng) + uniform(rng).ln() / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && uniform(rng).ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d.ln() + v.ln();
        }
    }
}

#[cfg(test)]
mod tests {
    use mancala_env::{Stream, stream};

    use super::*;

    #[test]
    fn dirichlet_shares_have_their_mean_and_variance() {
        let mut rng = stream(Stream::Agent, 0, 0, 0);
        for (alpha, len) in [(0.03, 16), (0.3, 8), (1.0, 2), (4.0, 5)] {
            let draws = 20_000;
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..draws {
                let shares = dirichlet(alpha, len, &mut rng);
                assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
                assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                sum += f64::from(shares[0]);
                squares += f64::from(shares[0]).powi(2);
            }
            let (mean, expected) = (sum / f64::from(draws), 1.0 / len as f64);
            let variance = squares / f64::from(draws) - mean * mean;
            let expected_variance = expected * (1.0 - expected) / (alpha * len as f64 + 1.0);
            assert!((mean - expected).abs() < 0.01, "alpha {alpha}: mean {mean}, expected {expected}");
            assert!(
                (variance / expected_variance - 1.0).abs() < 0.1,
                "alpha {alpha}: variance {variance}, expected {expected_variance}"
            );
        }
    }

    #[test]
    fn however_small_alpha_is_the_shares_are_shares() {
        let mut rng = stream(Stream::Agent, 0, 0, 0);
        for alpha in [1e-6, 1e-3, 1e6] {
            let shares = dirichlet(alpha, 16, &mut rng);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{shares:?}");
        }
    }

    #[test]
    fn gumbel_variates_have_their_mean() {
        let mut rng = stream(Stream::Agent, 0, 0, 0);
        let draws = 20_000;
        let mean = (0..draws).map(|_| f64::from(gumbel(&mut rng))).sum::<f64>() / f64::from(draws);
        // Euler's constant; the standard deviation is pi / sqrt(6).
        assert!((mean - 0.577_216).abs() < 0.04, "{mean}");
    }
}
