//! Any text at all, and right ones with a wrong letter: errors, never a panic; what is read is written the same again.

use mancala_env::{AnyPosition, Game, GameSpec, Position, for_position};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

const GAMES: [&str; 4] =
    ["giuthi-4x4", "giuthi-2x3?capture=occupied", "kiothi-6x5", "kiothi?one_warrior_multiplier=2"];

const POSITIONS: [&str; 8] = [
    "4,4,4,4/4,4,4,4 0 0 p0",
    "1,2/3,1 12 9 p1",
    "0,0/0,0 7 8 p1 no-moves",
    "2,0/0,0 7 8 p1 repetition",
    "0,0,0,0,5,5,5,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p0 lift ....................",
    "0,0,0,0,5,0,5,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p0 lift>5:5 ....................",
    "0,0,0,0,5,5,5,5,5,5/0,0,0,0,0,0,5,5,5,6 0 0 p1 place:9@19 ....................",
    "0,1,0,0,5,5,5,5,5,5/0,0,0,0,5,0,0,0,5,5 9 1 p0 sow .x...........x.....x",
];

const MOVES: [&str; 6] = ["12ccw", "3cw", "4:3", "lift 4", "place 17", "16:1"];

/// A text, or one of `samples` with some letters put in the place of others.
fn near(samples: &'static [&'static str]) -> impl Strategy<Value = String> {
    let letter = prop_oneof!["[0-9]", "[,/ :@>?=&.xp-]", "\\PC"];
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), 0..=1usize, letter), 1..4);
    let changed = (select(samples), changes).prop_map(|(text, changes)| {
        let mut letters: Vec<char> = text.chars().collect();
        for (place, removed, letter) in changes {
            let start = place.index(letters.len() + 1);
            let end = (start + removed).min(letters.len());
            letters.splice(start..end, letter.chars());
        }
        letters.into_iter().collect()
    });
    prop_oneof![1 => ".*", 4 => changed, 1 => select(samples).prop_map(str::to_owned)]
}

fn check_position<G: Game>(position: &Position<G>) {
    let written = position.write();
    let again = Position::<G>::read(*position.rules(), &written).unwrap();
    assert_eq!((again.write(), again.end()), (written, position.end()));
    for action in position.legal_actions() {
        position.clone().play(action).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_game_id_panics(text in near(&GAMES)) {
        if let Ok(spec) = GameSpec::parse(&text) {
            prop_assert_eq!(GameSpec::parse(&spec.id()), Ok(spec));
        }
    }

    #[test]
    fn no_position_panics(text in near(&POSITIONS), game in select(&GAMES[..])) {
        let read: Result<AnyPosition, _> = GameSpec::parse(game).unwrap().read(&text);
        if let Ok(position) = read {
            for_position!(&position, |position| check_position(position));
        }
    }

    #[test]
    fn no_move_panics(text in near(&MOVES), game in select(&GAMES[..])) {
        let position = GameSpec::parse(game).unwrap().initial();
        for_position!(&position, |position| {
            let state = position.state();
            if let Ok(action) = state.parse_action(&text) {
                prop_assert_eq!(state.parse_action(&state.action_name(action)), Ok(action));
                let _ = position.clone().play(action);
            }
        });
    }
}
