//! What tests that span crates share: every game there is, games played at random, and the golden vectors.

use std::fs;
use std::path::Path;

use mancala_env::{
    Capture, Game, GameSpec, GiuthiRules, KiothiRules, Played, Position, Stream, random_action, stream,
};
use serde_json::Value;

/// Every board of Giuthi with both captures, and every start of Kiothi.
pub fn every_game() -> Vec<GameSpec> {
    let boards = (2..=10).flat_map(|pits| (2..=9).filter_map(move |seeds| GiuthiRules::new(pits, seeds)));
    let giuthi = boards
        .flat_map(|rules| [Capture::Any, Capture::Occupied].map(|capture| rules.with_capture(capture)))
        .map(GameSpec::Giuthi);
    let starts =
        (3..=10).flat_map(|boma| (1..=10).filter_map(move |warriors| KiothiRules::new(boma, warriors)));
    giuthi.chain(starts.map(GameSpec::Kiothi)).collect()
}

/// The positions of a random game that begins with `start`, until it ends or `plies` have been played. The same seed makes
/// the same game.
pub fn random_game<G: Game>(start: Position<G>, seed: u64, plies: usize) -> Vec<Position<G>> {
    let mut rng = stream(Stream::Agent, seed, 0, 0);
    let next = |position: &Position<G>| {
        if position.is_over() {
            return None;
        }
        let mut next = position.clone();
        next.play_unchecked(random_action(position.state(), &mut rng)?);
        Some(next)
    };
    std::iter::successors(Some(start), next).take(plies + 1).collect()
}

/// The objects of a golden file in `tests/vectors`, one a line.
///
/// # Panics
/// If there is no such file or a line is no JSON.
pub fn vectors(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

/// The text under `key`.
///
/// # Panics
/// If there is none.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// The game that a golden row names with `game` and, in Giuthi, `capture`.
///
/// # Panics
/// If there is no such game.
pub fn game_of(row: &Value) -> GameSpec {
    let spec = GameSpec::parse(text(row, "game")).unwrap();
    match row["capture"].as_str() {
        Some(capture) => spec.with_option("capture", capture).unwrap(),
        None => spec,
    }
}

/// What a move did, as the golden vectors put it: `extra`, `triple`, `capture:N`, `pass`, `endless`, in this order.
pub fn flags(played: &Played) -> Vec<String> {
    let mut flags = Vec::new();
    let mut push = |set: bool, flag: String| flags.extend(set.then_some(flag));
    push(played.extra_move, "extra".into());
    push(played.bonus, "triple".into());
    push(played.captured > 0, format!("capture:{}", played.captured));
    push(played.passed, "pass".into());
    push(played.endless, "endless".into());
    flags
}
