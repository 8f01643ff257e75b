//! Random play: streams, draws by weight, openings.

use mancala_env::{
    Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_action, random_opening, stream,
};
use rand::Rng;

fn first_words(purpose: Stream, seed: u64, game: u64, episode: u64) -> [u64; 4] {
    let mut rng = stream(purpose, seed, game, episode);
    [(); 4].map(|()| rng.next_u64())
}

#[test]
fn a_stream_is_the_same_again_and_unlike_every_other() {
    let purposes =
        [Stream::Episode, Stream::Sample, Stream::Arena, Stream::Agent, Stream::SelfPlay, Stream::Learner];
    let mut seen = std::collections::HashSet::new();
    for purpose in purposes {
        for (seed, game, episode) in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (u64::MAX, 1, 1)] {
            let words = first_words(purpose, seed, game, episode);
            assert_eq!(words, first_words(purpose, seed, game, episode));
            assert!(seen.insert(words), "{purpose:?} {seed} {game} {episode}");
        }
    }
}

/// How often each legal action of a state is drawn in `draws` draws, in their order.
fn frequencies<G: Game>(state: &G, draws: u32) -> Vec<f64> {
    let mut rng = stream(Stream::Sample, 5, 0, 0);
    let actions = state.legal_actions();
    let mut counts = vec![0.0; actions.len()];
    for _ in 0..draws {
        let action = random_action(state, &mut rng).unwrap();
        counts[actions.binary_search(&action).unwrap()] += 1.0 / f64::from(draws);
    }
    counts
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 0.01, "{found} for {expected}");
    }
}

#[test]
fn actions_are_drawn_by_their_weights() {
    let giuthi = Giuthi::initial(&GiuthiRules::new(5, 4).unwrap());
    assert_near(&frequencies(&giuthi, 40_000), &[0.1; 10]);
    let lift = Kiothi::initial(&KiothiRules::new(6, 5).unwrap());
    assert_near(&frequencies(&lift, 40_000), &[5.0, 4.0, 3.0, 2.0, 1.0].map(|pairs| pairs / 15.0));
    // Two in hand: C(1 + 19 - j, 1) of C(21, 2) redistributions begin with boma j.
    let text = "0,0,0,0,5,5,5,5,0,0/0,0,0,0,5,5,5,5,5,5 0 0 p0 place:2@0 ....................";
    let (place, _) = Kiothi::read(&KiothiRules::new(6, 5).unwrap(), text).unwrap();
    let expected: Vec<_> = (0..20).map(|j| f64::from(20 - j) / 210.0).collect();
    assert_near(&frequencies(&place, 40_000), &expected);
}

#[test]
fn nothing_is_drawn_where_the_game_is_over() {
    let (over, _) = Giuthi::read(&GiuthiRules::new(2, 4).unwrap(), "1,0/1,1 0 0 p0").unwrap();
    assert_eq!(random_action(&over, &mut stream(Stream::Sample, 0, 0, 0)), None);
}

#[test]
fn an_opening_has_its_plies_and_goes_on() {
    let start = Position::<Giuthi>::initial(GiuthiRules::new(2, 2).unwrap());
    let mut rng = stream(Stream::Episode, 3, 0, 0);
    for _ in 0..200 {
        let opening = random_opening(&start, 3, &mut rng).unwrap();
        assert_eq!((opening.plies(), opening.is_over()), (3, false));
    }
    assert_eq!(random_opening(&start, 0, &mut rng), Some(start));
}

#[test]
fn an_opening_that_cannot_go_on_is_none() {
    let rules = GiuthiRules::new(4, 4).unwrap();
    let last = Position::<Giuthi>::read(rules, "1,0,0,0/0,2,0,0 0 0 p0").unwrap();
    let mut rng = stream(Stream::Episode, 3, 0, 0);
    // 5ccw ends the game by a sweep; 5cw leaves a single seed everywhere and does the same.
    assert_eq!(random_opening(&last, 1, &mut rng), None);
    assert!(random_opening(&last, 0, &mut rng).is_some());
}
