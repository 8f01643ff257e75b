//! Golden games, cases and perft counts of an independent reference, replayed move by move.

use mancala_env::{Game, Played, Position, for_position, perft};
use mancala_tests::{flags, game_of, text, vectors};
use serde_json::Value;

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
        assert_eq!(flags(&played), *step["flags"].as_array().unwrap(), "{}", at());
        match &step["laps"] {
            Value::Null => assert_eq!(played.laps, 0, "{}", at()),
            laps => assert_eq!(u64::from(played.laps), laps.as_u64().unwrap(), "{}", at()),
        }
    }
    assert!(position.is_over());
    check_end(&position, row);
}

fn check_games(file: &str) {
    let rows = vectors(file);
    assert!(!rows.is_empty());
    for row in &rows {
        let start = game_of(row).read(text(row, "start")).unwrap();
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
    assert_eq!(flags(&last), *row["flags"].as_array().unwrap(), "{row}");
    check_end(&position, row);
}

#[test]
fn cases_agree() {
    for row in &vectors("cases.jsonl") {
        let start = game_of(row).read(text(row, "start")).unwrap();
        for_position!(start, |position| check_case(position, row));
    }
}

#[test]
fn perft_counts_agree() {
    for row in &vectors("perft.jsonl") {
        let start = game_of(row).read(text(row, "position")).unwrap();
        for (depth, count) in (1..).zip(row["perft"].as_array().unwrap()) {
            let found = for_position!(&start, |position| perft(position, depth));
            assert_eq!(found, count.as_u64().unwrap(), "depth {depth} of {row}");
        }
    }
}

#[test]
fn every_position_of_every_game_survives_the_text() {
    for row in vectors("giuthi.jsonl").iter().chain(&vectors("kiothi.jsonl")) {
        let spec = game_of(row);
        for step in row["moves"].as_array().unwrap() {
            let written = text(step, "position");
            let read = spec.read(written).unwrap();
            assert_eq!(for_position!(&read, |position| position.write()), written);
        }
    }
}
