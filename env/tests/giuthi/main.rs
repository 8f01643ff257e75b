//! Giuthi, sentence by sentence of its rules page. The boards are small and were worked out by hand:
//!
//! ```text
//! Player 1   3  2  1  0        4  3  2  1  0
//! Player 0   4  5  6  7        5  6  7  8  9
//! ```

mod board;
mod capture;
mod endless;
mod ends;
mod moves;
mod notation;
mod passing;
mod repetition;

use mancala_env::{Capture, Game, Giuthi, GiuthiRules, Played, Position};

/// The position of a text, on a board with as many pits as the text has.
fn giuthi(text: &str) -> Position<Giuthi> {
    giuthi_with(Capture::Any, text)
}

fn giuthi_with(capture: Capture, text: &str) -> Position<Giuthi> {
    let pits = text.split('/').next().unwrap().split(',').count();
    let rules = GiuthiRules::new(pits as u8, 4).unwrap().with_capture(capture);
    Position::read(rules, text).unwrap()
}

fn play(position: &mut Position<Giuthi>, name: &str) -> Played {
    let action = position.state().parse_action(name).unwrap();
    position.play(action).unwrap_or_else(|error| panic!("{error} in {}", position.write()))
}

/// The names of the legal actions.
fn names(position: &Position<Giuthi>) -> Vec<String> {
    position.legal_actions().iter().map(|&action| position.state().action_name(action)).collect()
}

/// What a move did: `extra`, `capture:N`, `pass`, `endless`, or nothing.
fn flags(played: &Played) -> String {
    let mut flags = vec![];
    flags.extend(played.extra_move.then(|| "extra".to_owned()));
    flags.extend((played.captured > 0).then(|| format!("capture:{}", played.captured)));
    flags.extend(played.passed.then(|| "pass".to_owned()));
    flags.extend(played.endless.then(|| "endless".to_owned()));
    flags.join(" ")
}

/// Plays a move and checks the position after it and its flags.
fn check(before: &str, name: &str, after: &str, expected: &str) -> Played {
    check_with(Capture::Any, before, name, after, expected)
}

fn check_with(capture: Capture, before: &str, name: &str, after: &str, expected: &str) -> Played {
    let mut position = giuthi_with(capture, before);
    let played = play(&mut position, name);
    assert_eq!(position.write(), after, "{name} in {before}");
    assert_eq!(flags(&played), expected, "{name} in {before}");
    played
}
