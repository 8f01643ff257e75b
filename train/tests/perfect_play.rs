//! `mancala evaluate` and `mancala puzzles` from outside.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::refusal;
use mancala_env::{Giuthi, GiuthiRules, Stream, stream};
use mancala_search::net::{NetConfig, NetHeader, Weights};
use mancala_search::tablebase::{BuildSettings, build};
use serde_json::Value;

/// A folder with the table of 3x3, a net for giuthi-3x3 that knows nothing, and one for giuthi-4x2.
fn folder() -> PathBuf {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let rules = GiuthiRules::new(3, 3).unwrap();
        build(&folder.path().join("3x3.tb"), &rules, 18, &BuildSettings::default(), &()).unwrap();
        let sizes = NetConfig::plain(8, 1, 8, 8);
        for (name, rules) in [("net", rules), ("other", GiuthiRules::new(4, 2).unwrap())] {
            let header = NetHeader::of::<Giuthi>(&rules, sizes);
            let weights = Weights::random(header, &mut stream(Stream::Learner, 1, 0, 0));
            fs::write(folder.path().join(name).with_extension("safetensors"), weights.to_bytes()).unwrap();
        }
        folder
    });
    made.path().into()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mancala")).args(arguments).current_dir(folder()).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    refusal(&run(arguments), 2)
}

#[test]
fn a_net_is_measured_by_its_simulations() {
    let asked = ["evaluate", "--net", "net.safetensors", "--tablebase", "3x3.tb", "--positions", "400"];
    let json = stdout(&[&asked[..], &["--sims", "0,8", "--json"]].concat());
    let lines: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(lines.len(), 2);
    for (line, simulations) in lines.iter().zip([0, 8]) {
        assert_eq!(line["simulations"], simulations);
        assert_eq!(line["positions"], 400);
        for (name, most) in [("preserving", 1.0), ("preserving_random", 1.0), ("regret", 1.0)] {
            let share = line[name].as_f64().unwrap();
            assert!((0.0..=most).contains(&share), "{name}: {line}");
        }
        assert!(line["calibration"]["mean_squared_error"].is_f64());
    }
    // Eight simulations with a net that knows nothing are better than nothing.
    assert!(lines[1]["preserving"].as_f64() > lines[0]["preserving"].as_f64());
    assert_eq!(stdout(&[&asked[..], &["--sims", "0,8", "--json"]].concat()), json);
    let text = stdout(&asked);
    assert!(text.contains("400 positions of giuthi with 3 pits a row") && text.contains("sims=64"), "{text}");
}

#[test]
fn any_agent_is_measured() {
    let asked = ["evaluate", "--game", "giuthi-3x3", "--tablebase", "3x3.tb", "--positions", "300", "--json"];
    let json =
        stdout(&[&asked[..], &["--agent", "tablebase:3x3.tb", "--agent", "alphabeta:depth=2"]].concat());
    let lines: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!((&lines[0]["preserving"], &lines[0]["regret"]), (&Value::from(1.0), &Value::from(0.0)));
    assert!(lines[1]["calibration"].is_null() && lines[1]["simulations"].is_null());
}

#[test]
fn problems_are_printed_with_their_solution() {
    let asked = ["puzzles", "--tablebase", "3x3.tb", "--count", "5", "--min-laps", "4", "--seed", "2"];
    let text = stdout(&asked);
    assert_eq!(text.matches("Solution: p").count(), 5, "{text}");
    let json = stdout(&[&asked[..], &["--json"]].concat());
    assert_eq!(json.lines().count(), 5);
    for line in json.lines() {
        let puzzle: Value = serde_json::from_str(line).unwrap();
        assert!(puzzle["laps"].as_u64().unwrap() >= 4 && puzzle["game"] == "giuthi-3x3", "{line}");
        let first = &puzzle["solution"][0];
        assert_eq!((&first["player"], &first["laps"]), (&puzzle["to_move"], &puzzle["laps"]));
        // `analyze` agrees that the position can be played on.
        let position = puzzle["position"].as_str().unwrap();
        let analysis = stdout(&[
            "analyze",
            "--game",
            "giuthi-3x3",
            "--position",
            position,
            "--agent",
            "tablebase:3x3.tb",
            "--json",
        ]);
        let analysis: Value = serde_json::from_str(&analysis).unwrap();
        assert_eq!(analysis["line"][0]["name"], first["name"]);
        assert_eq!(analysis["value"], if puzzle["task"] == "win" { 1.0 } else { 0.0 });
    }
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    for (arguments, part) in [
        (&["evaluate", "--tablebase", "3x3.tb"][..], "--net"),
        (&["evaluate", "--net", "none", "--tablebase", "3x3.tb"], "none"),
        (&["evaluate", "--net", "net.safetensors", "--tablebase", "none.tb"], "none.tb"),
        (&["evaluate", "--net", "net.safetensors", "--tablebase", "net.safetensors"], "not a tablebase"),
        (&["evaluate", "--net", "other.safetensors", "--tablebase", "3x3.tb"], "4 pits a row"),
        (
            &["evaluate", "--net", "net.safetensors", "--game", "giuthi-4x2", "--tablebase", "3x3.tb"],
            "giuthi-4x2",
        ),
        (
            &["evaluate", "--net", "net.safetensors", "--tablebase", "3x3.tb", "--positions", "0"],
            "at least 1",
        ),
        (&["evaluate", "--agent", "random", "--tablebase", "3x3.tb"], "--game"),
        (&["evaluate", "--agent", "randon", "--game", "giuthi-3x3", "--tablebase", "3x3.tb"], "randon"),
        (&["evaluate", "--agent", "random", "--game", "kiothi-3x2", "--tablebase", "3x3.tb"], "kiothi-3x2"),
        (&["puzzles", "--tablebase", "none.tb", "--count", "1"], "none.tb"),
        (&["puzzles", "--tablebase", "3x3.tb", "--count", "1", "--game", "giuthi-4x3"], "4 pits a row"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(part), "{message}");
    }
}
