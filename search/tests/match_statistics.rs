//! What the statistics of matches promise, measured on simulated matches whose truth is known.

use mancala_env::{Stream, stream};
use mancala_search::arena::{MatchResult, Pentanomial, Sprt, Verdict, elo, expected_score};
use rand::{Rng, RngExt};

/// Points of A in both games of a pair, by kind.
const KINDS: [[f64; 2]; 5] = [[0.0, 0.0], [0.0, 0.5], [0.0, 1.0], [0.5, 1.0], [1.0, 1.0]];

/// How often each kind of pairs occurs: equal agents with many draws, and with none; a game that the seats decide; a better
/// agent; a much better one; one who hardly ever fails.
const MATCHES: [[f64; 5]; 6] = [
    [0.1, 0.2, 0.4, 0.2, 0.1],
    [0.2, 0.0, 0.6, 0.0, 0.2],
    [0.05, 0.0, 0.9, 0.0, 0.05],
    [0.05, 0.1, 0.25, 0.2, 0.4],
    [0.01, 0.03, 0.1, 0.15, 0.71],
    [0.002, 0.004, 0.02, 0.06, 0.914],
];

fn draw(shares: &[f64; 5], rng: &mut impl Rng) -> [f64; 2] {
    let mut rest: f64 = rng.random();
    let kind = shares.iter().position(|share| {
        rest -= share;
        rest < 0.0
    });
    KINDS[kind.unwrap_or(4)]
}

fn mean(shares: &[f64; 5]) -> f64 {
    shares.iter().zip(KINDS).map(|(share, [one, two])| share * (one + two) / 2.0).sum()
}

/// The share of matches of so many pairs whose interval holds the truth.
fn coverage(shares: &[f64; 5], pairs: usize, matches: u64) -> f64 {
    let truth = elo(mean(shares)).unwrap();
    let covers = |index: &u64| {
        let mut rng = stream(Stream::Arena, 1, *index, pairs as u64);
        let pairs: Vec<_> = (0..pairs).map(|_| draw(shares, &mut rng)).collect();
        let result = MatchResult::of_pairs(&pairs);
        result.elo_low.is_none_or(|low| low <= truth + 1e-9)
            && result.elo_high.is_none_or(|high| truth - 1e-9 <= high)
    };
    (0..matches).filter(covers).count() as f64 / matches as f64
}

fn check_coverage(matches: u64) {
    // Where all pairs but one or two are of one kind, the match does not tell how they spread.
    let too_short =
        |shares: &[f64; 5], pairs: usize| shares.iter().any(|share| (1.0 - share) * (pairs as f64) < 4.5);
    for shares in &MATCHES {
        for pairs in [20, 50, 100, 500].into_iter().filter(|&pairs| !too_short(shares, pairs)) {
            let covered = coverage(shares, pairs, matches);
            println!("{shares:?} {pairs} pairs: {:.2}%", 100.0 * covered);
            assert!((covered - 0.95).abs() < 0.015, "{shares:?} {pairs} pairs: {covered}");
        }
    }
}

#[test]
fn the_interval_covers_the_truth_in_95_of_100_matches() {
    check_coverage(3_000);
}

#[test]
#[ignore = "long"]
fn the_interval_covers_the_truth_in_95_of_100_matches_long() {
    check_coverage(100_000);
}

/// The kinds' shares bent so that their mean is that of `elo`.
fn bent(shares: &[f64; 5], elo: f64) -> [f64; 5] {
    let bend = |by: f64| {
        let bent: [f64; 5] = std::array::from_fn(|kind| shares[kind] * (by * kind as f64).exp());
        let sum: f64 = bent.iter().sum();
        bent.map(|share| share / sum)
    };
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if mean(&bend(middle)) < expected_score(elo) { low = middle } else { high = middle }
    }
    bend(low)
}

/// The share of tests that take `elo1`, the truth being `elo`, and the pairs they take on average.
fn accepted(sprt: &Sprt, shares: &[f64; 5], elo: f64, tests: u64) -> (f64, f64) {
    let shares = bent(shares, elo);
    let (mut taken, mut length) = (0, 0u64);
    for test in 0..tests {
        let mut rng = stream(Stream::Arena, 2, test, 0);
        let mut pairs = Pentanomial::default();
        let verdict = loop {
            pairs.add(draw(&shares, &mut rng));
            length += 1;
            if let Some(verdict) = sprt.verdict(&pairs) {
                break verdict;
            }
        };
        taken += u64::from(verdict == Verdict::Elo1);
    }
    (taken as f64 / tests as f64, length as f64 / tests as f64)
}

fn check_error_rates(tests: u64, differences: &[[f64; 2]]) {
    for shares in &MATCHES[..4] {
        for &[elo0, elo1] in differences {
            let sprt = Sprt::new(elo0, elo1).unwrap();
            let [(wrong, length0), (right, length1)] =
                [elo0, elo1].map(|elo| accepted(&sprt, shares, elo, tests));
            println!(
                "{shares:?} {elo0},{elo1}: {:.2}% {:.2}% wrong, {length0:.0} and {length1:.0} pairs",
                100.0 * wrong,
                100.0 * (1.0 - right)
            );
            for error in [wrong, 1.0 - right] {
                assert!((error - 0.05).abs() < 0.015, "{shares:?} {elo0},{elo1}: {error}");
            }
        }
    }
}

#[test]
fn the_sequential_test_errs_as_often_as_asked() {
    check_error_rates(2_000, &[[0.0, 30.0]]);
}

#[test]
#[ignore = "long"]
fn the_sequential_test_errs_as_often_as_asked_long() {
    check_error_rates(5_000, &[[0.0, 10.0], [-20.0, 20.0], [0.0, 30.0], [50.0, 80.0]]);
}

#[test]
fn the_log_likelihood_ratio_has_its_known_value() {
    // All pairs won or lost twice are a coin: 70 ln(s / 0.5) + 30 ln((1 - s) / 0.5) with s = 0.640065 at 100 Elo.
    let coin = Pentanomial([30, 0, 0, 0, 70]);
    let sprt = Sprt::new(0.0, 100.0).unwrap();
    assert!((sprt.llr(&coin) - 7.427).abs() < 0.02, "{}", sprt.llr(&coin));
    assert_eq!(sprt.verdict(&coin), Some(Verdict::Elo1));
    let [lower, upper] = sprt.bounds();
    assert!((upper - 2.944_439).abs() < 1e-6 && lower == -upper, "ln(0.95 / 0.05)");
    // The other way round.
    let mirrored = Sprt::new(-100.0, 0.0).unwrap();
    assert!((mirrored.llr(&Pentanomial([70, 0, 0, 0, 30])) + sprt.llr(&coin)).abs() < 1e-6);
    assert_eq!(sprt.llr(&Pentanomial::default()), 0.0);
    // In the middle between both.
    let even = Sprt::new(-10.0, 10.0).unwrap();
    assert!(even.llr(&Pentanomial([3, 5, 9, 5, 3])).abs() < 1e-9);
}

#[test]
fn tests_are_read_and_refused() {
    assert_eq!("0,10".parse(), Sprt::new(0.0, 10.0));
    assert_eq!("-5, 2.5".parse(), Sprt::new(-5.0, 2.5));
    assert_eq!("-5,2.5".parse::<Sprt>().unwrap().to_string(), "-5,2.5");
    for (text, problem) in [
        ("", "as 0,10"),
        ("0", "as 0,10"),
        ("0,x", "as 0,10"),
        ("0,1,2", "as 0,10"),
        ("10,0", "10 is not below 0"),
        ("0,0", "0 is not below 0"),
        ("nan,1", "NaN is not from -1000 to 1000"),
        ("0,inf", "inf is not from"),
    ] {
        assert!(text.parse::<Sprt>().unwrap_err().contains(problem), "{text}");
    }
}

#[test]
fn students_quantiles_are_those_of_the_tables() {
    // The interval of [1, 0.5] pairs is t * se * 400 / ln(10) / (s (1 - s)) wide to either side.
    for (pairs, quantile) in [(2, 12.706), (3, 4.303), (11, 2.228), (31, 2.042)] {
        let mut all = vec![[1.0, 0.5]; pairs - 1];
        all.push([0.5, 0.5]);
        let result = MatchResult::of_pairs(&all);
        let width = result.elo_high.unwrap() - result.elo.unwrap();
        let slope = 173.717_79 / (result.score * (1.0 - result.score));
        assert!((width / (result.score_se * slope) - quantile).abs() < 1e-3, "{result:?}");
    }
}
