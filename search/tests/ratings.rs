//! Ratings against values worked out by hand, and against simulated agents whose strength is known.

use mancala_env::{Stream, stream};
use mancala_search::arena::{MatchResult, RatedPair, RatingsError, expected_score, rate};
use rand::{Rng, RngExt};

/// So many games of `a` against `b`, each a pair of its own.
fn games(a: usize, b: usize, wins: usize, losses: usize) -> Vec<RatedPair> {
    let pair = |points| RatedPair { a, b, games: 1, points };
    [vec![pair(1.0); wins], vec![pair(0.0); losses]].concat()
}

#[test]
fn ratings_have_their_known_values() {
    // Three of four points: odds of 3 to 1, 400 log10(3) Elo.
    let halves = [1.0, 1.0, 0.5, 0.5].map(|points| RatedPair { a: 0, b: 1, games: 1, points });
    let ratings = rate(2, &halves, 1, 1_000.0).unwrap();
    assert!((ratings.agents[0].elo - 1_190.848_5).abs() < 1e-3, "{ratings:?}");
    assert_eq!((ratings.agents[1].elo, ratings.agents[1].elo_low), (1_000.0, Some(1_000.0)));
    // Odds of 2 to 1, 2 to 1 and 4 to 1 agree with each other: 400 log10(2) a step.
    let pairs = [games(0, 1, 4, 2), games(1, 2, 8, 4), games(2, 0, 3, 12)].concat();
    let ratings = rate(3, &pairs, 2, 0.0).unwrap();
    for (rating, expected) in ratings.agents.iter().zip([240.824, 120.412, 0.0]) {
        assert!((rating.elo - expected).abs() < 1e-3, "{ratings:?}");
    }
    assert!(!ratings.is_unbounded);
    // Odds of 99 to 1 five times over.
    let chain: Vec<_> = (0..5).flat_map(|agent| games(agent, agent + 1, 99, 1)).collect();
    let elo = rate(6, &chain, 5, 0.0).unwrap().agents[0].elo;
    assert!((elo - 3_991.27).abs() < 0.1, "{elo}");
    // Whoever is the anchor, the differences are the same.
    let other = rate(3, &pairs, 0, 50.0).unwrap();
    for (one, other) in ratings.agents.iter().zip(&other.agents) {
        assert!((one.elo - ratings.agents[0].elo - (other.elo - 50.0)).abs() < 1e-6);
    }
}

#[test]
fn of_two_agents_the_rating_is_that_of_their_match() {
    let pairs = [[1.0, 0.5], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]];
    let result = MatchResult::of_pairs(&pairs);
    let rated = pairs.map(|[one, two]| RatedPair { a: 0, b: 1, games: 2, points: one + two });
    let rating = rate(2, &rated, 1, 0.0).unwrap().agents[0];
    let both = [
        (Some(rating.elo), result.elo),
        (rating.elo_low, result.elo_low),
        (rating.elo_high, result.elo_high),
    ];
    for (found, expected) in both {
        assert!((found.unwrap() - expected.unwrap()).abs() < 1e-6, "{rating:?} {result:?}");
    }
}

#[test]
fn agents_whom_nothing_compares_are_refused() {
    let pairs = [games(0, 2, 1, 1), games(1, 3, 2, 1), games(4, 4, 1, 1)].concat();
    let error = rate(5, &pairs, 0, 0.0).unwrap_err();
    assert_eq!(error, RatingsError::Disconnected(vec![vec![0, 2], vec![1, 3], vec![4]]));
}

#[test]
fn the_unbeaten_have_no_interval() {
    // 0 has won all games against 1, and 1 and 2 know each other.
    let pairs = [games(0, 1, 10, 0), games(1, 2, 3, 1), games(2, 1, 2, 2)].concat();
    let ratings = rate(3, &pairs, 2, 0.0).unwrap();
    let [best, second, _] = ratings.agents[..] else { panic!() };
    assert!(ratings.is_unbounded);
    assert_eq!((best.elo_low, best.elo_high), (None, None));
    assert!(second.elo_low.is_some() && second.elo_high.is_some());
    // One more game, drawn: 10.5 points of 11. The drawn game pulls 1 up a little, so the difference alone is exact.
    assert!(best.elo > second.elo + 400.0);
    // Among 1 and 2 alone it is 5 points of 8.
    assert!((second.elo - 88.7).abs() < 15.0, "{second:?}");
}

/// A pair between agents `difference` apart: one of the games is decided by the opening alone now and then, and some are drawn.
fn play(difference: f64, rng: &mut impl Rng) -> f64 {
    let score = expected_score(difference);
    let draws = 0.6 * score.min(1.0 - score);
    let mut game = || match rng.random::<f64>() {
        x if x < draws => 0.5,
        x if x < score + draws / 2.0 => 1.0,
        _ => 0.0,
    };
    let (one, two) = (game(), game());
    // Half of the pairs are the same game twice.
    if rng.random::<f64>() < 0.5 { 2.0 * one } else { one + two }
}

/// The share of the intervals that hold the truth, and the mean error of the ratings.
fn coverage(rounds: u64) -> (f64, f64) {
    const TRUTH: [f64; 4] = [0.0, 60.0, 180.0, -150.0];
    // Not everybody meets everybody, and not equally often.
    const MEETINGS: [(usize, usize, usize); 4] = [(0, 1, 60), (1, 2, 100), (0, 3, 80), (1, 3, 40)];
    let (mut covered, mut error) = (0, 0.0);
    for round in 0..rounds {
        let mut rng = stream(Stream::Arena, 3, round, 0);
        let mut pairs = Vec::new();
        for (a, b, number) in MEETINGS {
            pairs.extend((0..number).map(|_| {
                let points = play(TRUTH[a] - TRUTH[b], &mut rng);
                RatedPair { a, b, games: 2, points }
            }));
        }
        let ratings = rate(4, &pairs, 0, 0.0).unwrap();
        for (rating, truth) in ratings.agents.iter().zip(TRUTH).skip(1) {
            covered += u32::from(rating.elo_low.unwrap() <= truth && truth <= rating.elo_high.unwrap());
            error += rating.elo - truth;
        }
    }
    let number = 3.0 * rounds as f64;
    (f64::from(covered) / number, error / number)
}

#[test]
fn the_intervals_cover_the_truth_in_95_of_100_tables() {
    let (covered, error) = coverage(2_000);
    assert!((covered - 0.95).abs() < 0.015, "{covered}");
    assert!(error.abs() < 2.0, "{error}");
}

#[test]
#[ignore = "long"]
fn the_intervals_cover_the_truth_in_95_of_100_tables_long() {
    let (covered, error) = coverage(50_000);
    println!("{:.2}%, mean error {error:.2}", 100.0 * covered);
    assert!((covered - 0.95).abs() < 0.015, "{covered}");
}
