//! Golden games, cases and perft counts of an independent reference, replayed move by move.

use mancala_env::{Game, GameSpec, Played, Position, for_position, perft};
use serde_json::Value;

fn lines(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn spec_of(row: &Value) -> GameSpec {
    let spec = GameSpec::parse(text(row, "game")).unwrap();
    match row["capture"].as_str() {
        Some(capture) => spec.with_option("capture", capture).unwrap(),
        None => spec,
    }
}

fn flags_of(played: &Played) -> Vec<String> {
    let mut flags = Vec::new();
    let mut push = |set: bool, flag: String| flags.extend(set.then_some(flag));
    push(played.extra_move, "extra".into());
    push(played.bonus, "triple".into());
    push(played.captured > 0, format!("capture:{}", played.captured));
    push(played.passed, "pass".into());
    push(played.endless, "endless".into());
    flags
}

fn play_text<G: Game>(position: &mut Position<G>, name: &str) -> (u16, Played) {
    let action = position.state().parse_action(name).unwrap();
    assert_eq!(position.state().action_name(action), name);
    let played = position.play(action).unwrap_or_else(|error| panic!("{}: {error}", position.write()));
    (action, played)
}

fn check_end<G: Game>(position: &Position<G>, row: &Value) {
    let end = position.end().map(|end| end.word());
    assert_eq!(end, row["result"].as_str(), "result of {row}");
    let winner = position.winner().map(|winner| winner.index() as u64);
    assert_eq!(winner, row["winner"].as_u64(), "winner of {row}");
}

fn check_game<G: Game>(mut position: Position<G>, row: &Value) {
    for (ply, step) in row["moves"].as_array().unwrap().iter().enumerate() {
        let at = || format!("ply {ply} of {} from {}", text(row, "game"), text(row, "start"));
        assert_eq!(position.legal_actions().len() as u64, step["legal"].as_u64().unwrap(), "{}", at());
        let (action, played) = play_text(&mut position, text(step, "move"));
        assert_eq!(u64::from(action), step["action"].as_u64().unwrap(), "{}", at());
        assert_eq!(position.write(), text(step, "position"), "{}", at());
        assert_eq!(flags_of(&played), *step["flags"].as_array().unwrap(), "{}", at());
        match &step["laps"] {
            Value::Null => assert_eq!(played.laps, 0, "{}", at()),
            laps => assert_eq!(u64::from(played.laps), laps.as_u64().unwrap(), "{}", at()),
        }
    }
    assert!(position.is_over());
    check_end(&position, row);
}

fn check_games(file: &str) {
    let rows = lines(file);
    assert!(!rows.is_empty());
    for row in &rows {
        let start = spec_of(row).read(text(row, "start")).unwrap();
        for_position!(start, |position| check_game(position, row));
    }
}

#[test]
fn giuthi_games_agree() {
    check_games("giuthi.jsonl");
}

#[test]
fn kiothi_games_agree() {
    check_games("kiothi.jsonl");
}

fn check_case<G: Game>(mut position: Position<G>, row: &Value) {
    let one = [row["move"].clone()];
    let moves = row["moves"].as_array().map_or(&one[..], Vec::as_slice);
    let mut last = Played::default();
    for name in moves {
        last = play_text(&mut position, name.as_str().unwrap()).1;
    }
    assert_eq!(position.write(), text(row, "position"), "{row}");
    assert_eq!(flags_of(&last), *row["flags"].as_array().unwrap(), "{row}");
    check_end(&position, row);
}

#[test]
fn cases_agree() {
    for row in &lines("cases.jsonl") {
        let start = spec_of(row).read(text(row, "start")).unwrap();
        for_position!(start, |position| check_case(position, row));
    }
}

#[test]
fn perft_counts_agree() {
    for row in &lines("perft.jsonl") {
        let start = spec_of(row).read(text(row, "position")).unwrap();
        for (depth, count) in (1..).zip(row["perft"].as_array().unwrap()) {
            let found = for_position!(&start, |position| perft(position, depth));
            assert_eq!(found, count.as_u64().unwrap(), "depth {depth} of {row}");
        }
    }
}

#[test]
fn every_position_of_every_game_survives_the_text() {
    for row in lines("giuthi.jsonl").iter().chain(&lines("kiothi.jsonl")) {
        let spec = spec_of(row);
        for step in row["moves"].as_array().unwrap() {
            let written = text(step, "position");
            let read = spec.read(written).unwrap();
            assert_eq!(for_position!(&read, |position| position.write()), written);
        }
    }
}
