//! Kiothi, sentence by sentence of its rules page.
//!
//! ```text
//! Player 1  19  18  17  16  15  14  13  12  11  10
//! Player 0   0   1   2   3   4   5   6   7   8   9    -> sowing
//! ```

mod board;
mod capture;
mod ends;
mod moves;
mod nki;
mod notation;
mod opening;
mod redistributions;

use mancala_env::{Game, Kiothi, KiothiRules, Played, Position};

const UNMARKED: &str = "sow ....................";

fn kiothi(text: &str) -> Position<Kiothi> {
    Position::read(KiothiRules::new(6, 5).unwrap(), text).unwrap()
}

fn play(position: &mut Position<Kiothi>, name: &str) -> Played {
    let action = position.state().parse_action(name).unwrap();
    position.play(action).unwrap_or_else(|error| panic!("{error} in {}", position.write()))
}

/// The names of the legal actions.
fn names(position: &Position<Kiothi>) -> Vec<String> {
    position.legal_actions().iter().map(|&action| position.state().action_name(action)).collect()
}

/// What a move did: `triple`, `capture:N`, `endless`, or nothing.
fn flags(played: &Played) -> String {
    let mut flags = vec![];
    flags.extend(played.bonus.then(|| "triple".to_owned()));
    flags.extend((played.captured > 0).then(|| format!("capture:{}", played.captured)));
    flags.extend(played.endless.then(|| "endless".to_owned()));
    flags.join(" ")
}

/// Plays a move and checks the position after it and its flags.
fn check(before: &str, name: &str, after: &str, expected: &str) -> Played {
    let mut position = kiothi(before);
    let played = play(&mut position, name);
    assert_eq!(position.write(), after, "{name} in {before}");
    assert_eq!(flags(&played), expected, "{name} in {before}");
    assert!(!played.passed && !played.extra_move, "there are no passes and extra moves");
    played
}

/// The same without any mark, before and after: texts without phase and nki.
fn check_unmarked(before: &str, name: &str, after: &str, expected: &str) -> Played {
    check(&format!("{before} {UNMARKED}"), name, &format!("{after} {UNMARKED}"), expected)
}
