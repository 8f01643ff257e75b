//! `mancala analyze` from outside.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::refusal;
use mancala_env::{Game, GameSpec, Giuthi, GiuthiRules, Position, for_position};
use mancala_search::tablebase::{BuildSettings, Tablebase, build};
use serde_json::Value;

/// Six seeds are to be had (docs/giuthi.md).
const CAPTURE: [&str; 4] = ["--game", "giuthi-4x4", "--position", "1,5,0,2/0,1,2,0 0 0 p0"];

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
    command.arg("analyze").args(arguments).output().unwrap()
}

/// The output of an analysis that must succeed.
fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

/// The message of an analysis that must be refused in one line.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.stdout.is_empty());
    refusal(&output, 2)
}

/// Checks what holds of every analysis.
fn check(found: &Value) {
    let field = |name: &str| found[name].as_str().unwrap().to_owned();
    let position = GameSpec::parse(&field("game")).unwrap().read(&field("position")).unwrap();
    for_position!(position, |position| {
        assert_eq!(found["to_move"], position.to_move().index());
        let actions = found["actions"].as_array().unwrap();
        let mut numbers: Vec<u64> = actions.iter().map(|row| row["action"].as_u64().unwrap()).collect();
        for row in actions {
            let action = row["action"].as_u64().unwrap() as u16;
            assert_eq!(row["name"], position.state().action_name(action), "{found}");
            assert!(row["value"].is_null() || row["value"].is_f64(), "{found}");
            assert!(row["policy"].is_null() || row["policy"].is_f64(), "{found}");
            assert!(["class", "win_slack", "loss_slack"].iter().all(|key| row.get(key).is_some()), "{found}");
            assert_eq!(row["class"].is_null(), found["class"].is_null(), "{found}");
        }
        let key = if actions[0]["policy"].is_null() { "value" } else { "policy" };
        let keys: Vec<f64> = actions.iter().map(|row| row[key].as_f64().unwrap()).collect();
        assert!(keys.is_sorted_by(|one, other| one >= other), "best first: {found}");
        numbers.sort_unstable();
        assert!(
            numbers.iter().eq(position
                .legal_actions()
                .iter()
                .map(|&a| u64::from(a))
                .collect::<Vec<_>>()
                .iter())
        );
        let mut after = position.clone();
        for step in found["line"].as_array().unwrap() {
            assert_eq!(step["player"], after.to_move().index());
            let action = step["action"].as_u64().unwrap() as u16;
            assert_eq!(step["name"], after.state().action_name(action));
            after.play(action).unwrap();
        }
    });
}

#[test]
fn alphabeta_sees_a_capture_and_counts_seeds() {
    let found = json(&[&CAPTURE[..], &["--agent", "alphabeta:depth=1"]].concat());
    check(&found);
    assert_eq!((&found["unit"], &found["depth"]), (&"margin".into(), &1.into()));
    assert_eq!(found["actions"][0]["name"], "6ccw");
    assert_eq!(found["line"][0]["name"], "6ccw");
    assert_eq!(found["value"], found["actions"][0]["value"]);
    assert!(found["nodes"].as_u64().unwrap() > 0);
    assert_eq!(found["agent"], "alphabeta:depth=1");
    assert_eq!(found.as_object().unwrap().len(), 11, "{found}");
}

#[test]
fn every_agent_has_an_opinion() {
    for (agent, unit) in [
        ("random", "outcome"),
        ("greedy", "margin"),
        ("alphabeta:nodes=500", "margin"),
        ("mcts:sims=50", "outcome"),
    ] {
        for game in ["giuthi-5x4", "giuthi-3x2?capture=occupied", "kiothi-3x2"] {
            let found = json(&["--game", game, "--agent", agent]);
            check(&found);
            assert_eq!(found["unit"], unit, "{found}");
            assert_eq!(found["game"], game);
        }
    }
}

#[test]
fn the_text_names_viewpoint_unit_and_moves() {
    let text = stdout(&[&CAPTURE[..], &["--agent", "greedy"]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..4],
        [
            "game      giuthi-4x4",
            "position  1,5,0,2/0,1,2,0 0 0 p0",
            "to move   Player 0",
            "agent     greedy",
        ]
    );
    assert_eq!(lines[4], "value     +6.00 for Player 0 (seeds by which he ends ahead)");
    assert_eq!(lines[5], "line      Player 0: 6ccw");
    assert_eq!(lines[6], "searched  depth 1, 2 nodes");
    let rows: Vec<Vec<&str>> = lines[8..].iter().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows, [["move", "value"], ["6ccw", "+6.00"], ["6cw", "+0.00"]]);
    let random = stdout(&["--game", "giuthi-2x2", "--agent", "random"]);
    let first = random.lines().nth(9).unwrap();
    assert_eq!(first.split_whitespace().collect::<Vec<_>>(), ["2ccw", "-", "25.0%"], "{random}");
}

// 5ccw earns an extra move (env/tests/giuthi/moves.rs): where the line begins with it, the same player goes on.
#[test]
fn the_line_names_a_player_where_another_one_moves() {
    let question =
        ["--game", "giuthi-4x4", "--position", "0,0,0,2/2,2,0,2 0 0 p0", "--agent", "alphabeta:depth=6"];
    let found = json(&question);
    check(&found);
    let mut expected = String::new();
    let mut last = None;
    for step in found["line"].as_array().unwrap() {
        let (player, name) = (step["player"].as_u64().unwrap(), step["name"].as_str().unwrap());
        expected += &match last.replace(player) {
            Some(last) if last == player => format!(" {name}"),
            Some(_) => format!("; Player {player}: {name}"),
            None => format!("Player {player}: {name}"),
        };
    }
    assert!(stdout(&question).contains(&format!("\nline      {expected}\n")));
    assert!(found["line"].as_array().unwrap().len() > 1);
}

#[test]
fn moves_are_played_before() {
    let found = json(&["--game", "giuthi-4x4", "--moves", "4ccw, 1cw", "--agent", "greedy"]);
    check(&found);
    let position = found["position"].as_str().unwrap();
    assert_ne!(position, "4,4,4,4/4,4,4,4 0 0 p0");
    let opening = json(&["--game", "kiothi", "--moves", "lift 4 lift 5 place 17", "--agent", "random"]);
    check(&opening);
    assert_eq!(opening["actions"].as_array().unwrap().len(), 3, "17, 18 and 19 are left");
}

// After 2ccw 5ccw the first position would stand again (env/tests/giuthi/repetition.rs): a draw, unknown to a text alone.
#[test]
fn what_the_moves_lead_through_can_come_back() {
    let value_of_5ccw = |arguments: &[&str]| {
        let found = json(&[&["--game", "giuthi-3x4", "--agent", "greedy"], arguments].concat());
        check(&found);
        let rows = found["actions"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == "5ccw").unwrap();
        (row["value"].as_f64().unwrap(), found["position"].as_str().unwrap().to_owned())
    };
    let (with_history, position) = value_of_5ccw(&["--position", "1,0,3/1,1,1 100 0 p1", "--moves", "2ccw"]);
    assert_eq!(with_history, 0.0);
    assert_eq!(value_of_5ccw(&["--position", &position]), (100.0, position));
}

#[test]
fn bad_input_is_named() {
    let greedy = ["--agent", "greedy"];
    let with = |arguments: &[&str]| refused(&[arguments, &greedy[..]].concat());
    assert!(with(&["--game", "chess"]).contains("chess"));
    assert!(with(&["--game", "giuthi-2x2", "--position", "x"]).contains("\"x\""));
    let over = with(&["--game", "giuthi-2x2", "--position", "0,0/0,0 4 4 p0 no-moves"]);
    assert!(
        over.contains("0,0/0,0 4 4 p0 no-moves") && over.contains("the game is over (no-moves)"),
        "{over}"
    );
    let settled = with(&["--game", "giuthi-2x2", "--position", "1,0/0,1 3 3 p0"]);
    assert!(settled.contains("the game is over (no-moves)"), "{settled}");
    let endless = with(&["--game", "giuthi-2x2", "--position", "5,0/0,5 0 0 p1", "--moves", "0cw"]);
    assert!(endless.contains("--moves \"0cw\"") && endless.contains("(endless)"), "{endless}");
    let illegal = with(&["--game", "giuthi-4x4", "--moves", "4ccw 4cw"]);
    assert!(illegal.contains("move 2 (4cw)") && illegal.contains("not a pit of Player 1"), "{illegal}");
    let beyond = with(&["--game", "giuthi-2x2", "--position", "5,0/0,5 0 0 p1", "--moves", "0cw 0cw"]);
    assert!(beyond.contains("move 2 (0cw)") && beyond.contains("the game is over"), "{beyond}");
    assert!(refused(&["--game", "giuthi-2x2", "--agent", "chess"]).contains("--agent chess"));
    assert!(refused(&["--game", "giuthi-2x2", "--agent", "net:nowhere,sims=1"]).contains("nowhere"));
    assert!(refused(&["--game", "giuthi-2x2"]).contains("--agent"));
}

/// A tablebase of 3 pits a row and up to 12 seeds.
fn tablebase(folder: &Path) -> String {
    let path = folder.join("3x2.tb");
    let rules = GiuthiRules::new(3, 2).unwrap();
    build(&path, &rules, 12, &BuildSettings::default(), &()).unwrap();
    path.display().to_string()
}

/// Checks classes and slacks against the tablebase itself.
fn check_classes(found: &Value, position: &Position<Giuthi>, path: &str) {
    check(found);
    let judgements = Tablebase::open(path).unwrap().judge(position).unwrap();
    let rows = found["actions"].as_array().unwrap();
    for judgement in &judgements {
        let row = rows.iter().find(|row| row["action"] == judgement.action).unwrap();
        assert_eq!(row["class"], judgement.class.word(), "{found}");
        assert_eq!(row["win_slack"], serde_json::json!(judgement.win_slack), "{found}");
        assert_eq!(row["loss_slack"], serde_json::json!(judgement.loss_slack), "{found}");
    }
    let best = judgements.iter().map(|judgement| judgement.class).max().unwrap();
    assert_eq!(found["class"], best.word());
}

#[test]
fn a_tablebase_judges_the_moves_beside_any_agent() {
    let folder = tempfile::tempdir().unwrap();
    let path = tablebase(folder.path());
    let (of_agent, with) = (format!("tablebase:{path}"), format!("alphabeta:depth=2,tb={path}"));
    let own = [["--agent", &of_agent], ["--agent", &with]];
    let named = [["--agent", "greedy"], ["--agent", "mcts:sims=20"], ["--agent", "random"]];
    let rules = GiuthiRules::new(3, 2).unwrap();
    for text in ["2,2,2/2,2,2 0 0 p0", "0,4,1/2,0,2 0 2 p1", "2,0,1/1,3,0 5 0 p0", "2,0,0/0,0,3 1 0 p0"] {
        let position = Position::read(rules, text).unwrap();
        let question = ["--game", "giuthi-3x2", "--position", text];
        for agent in own {
            check_classes(&json(&[&question[..], &agent].concat()), &position, &path);
        }
        for agent in named {
            let beside = json(&[&question[..], &agent, &["--tablebase", &path]].concat());
            check_classes(&beside, &position, &path);
            assert!(json(&[&question[..], &agent].concat())["class"].is_null());
        }
    }
    // The agent's values and the classes are told side by side, the best action of the tablebase first.
    let found = json(&["--game", "giuthi-3x2", "--agent", &of_agent]);
    assert_eq!(found["actions"][0]["action"], found["line"][0]["action"], "{found}");
    let text = stdout(&["--game", "giuthi-3x2", "--agent", &of_agent]);
    let class = format!("\nclass     Player 0 {} (perfect play, {path})\n", found["class"].as_str().unwrap());
    assert!(text.contains(&class), "{text}");
    let header = text.lines().find(|line| line.starts_with("move ")).unwrap();
    let header: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(header, ["move", "value", "class", "win", "slack", "loss", "slack"]);
}

#[test]
fn classes_count_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let path = tablebase(folder.path());
    let rules = GiuthiRules::new(3, 2).unwrap();
    // A move that leads back to where the game has been draws, whatever the scores, and has nothing to spare.
    let start = "1,0,3/1,1,1 5 0 p1";
    let position = |moves: &[&str]| {
        let mut position = Position::<Giuthi>::read(rules, start).unwrap();
        for text in moves {
            position.play(position.state().parse_action(text).unwrap()).unwrap();
        }
        position
    };
    let arguments = ["--game", "giuthi-3x2", "--agent", "greedy", "--tablebase", &path, "--position", start];
    let found = json(&[&arguments[..], &["--moves", "2ccw"]].concat());
    check_classes(&found, &position(&["2ccw"]), &path);
    let rows = found["actions"].as_array().unwrap();
    let back = rows.iter().find(|row| row["name"] == "5ccw").unwrap();
    assert_eq!((&back["class"], &back["win_slack"]), (&"draws".into(), &Value::Null), "{found}");
}

#[test]
fn a_tablebase_that_does_not_know_the_position_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = tablebase(folder.path());
    let refused = |game: &str, agent: &str, more: &[&str]| {
        refused(&[&["--game", game, "--agent", agent], more].concat())
    };
    let flag = ["--tablebase", &path];
    let outside = refused("giuthi-3x3", "greedy", &flag);
    assert!(outside.contains("18 seeds in play") && outside.contains("at most 12"), "{outside}");
    let kiothi = refused("kiothi-3x2", "greedy", &flag);
    assert!(kiothi.contains("3 pits a row") && kiothi.contains("kiothi-3x2"), "{kiothi}");
    let wide = refused("giuthi-4x2", "greedy", &flag);
    assert!(wide.contains("3 pits a row") && wide.contains("4 pits a row"), "{wide}");
    let occupied = refused("giuthi-3x2?capture=occupied", "greedy", &flag);
    assert!(occupied.contains("capture=any") && occupied.contains("capture=occupied"), "{occupied}");
    assert!(refused("giuthi-3x2", "greedy", &["--tablebase", "nowhere.tb"]).contains("nowhere.tb"));
    let agent = refused("giuthi-3x3", &format!("tablebase:{path}"), &[]);
    assert!(agent.contains("18 seeds in play"), "{agent}");
    // An agent that searches has an opinion all the same.
    let found = json(&["--game", "giuthi-3x3", "--agent", &format!("alphabeta:depth=2,tb={path}")]);
    check(&found);
    assert!(found["class"].is_null() && found["actions"][0]["class"].is_null(), "{found}");
}
