//! `mancala match` and `mancala rate` from outside: results files, sequential tests, tables.

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::refusal;
use serde_json::Value;

fn mancala(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
    command.args(arguments.split_whitespace());
    command
}

fn stdout(arguments: &str) -> String {
    let output = mancala(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &str) -> Value {
    serde_json::from_str(&stdout(&format!("{arguments} --json"))).unwrap()
}

/// The message of a command that must be refused.
fn refused(arguments: &str) -> String {
    refusal(&mancala(arguments).output().unwrap(), 2)
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }
}

/// The lines of a results file in the order of the games, without what they took.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        let effort = line.as_object_mut().unwrap().remove("effort").unwrap();
        assert!(effort[0]["moves"].is_u64() && effort[1]["seconds"].is_f64(), "{effort}");
    }
    lines.sort_by_key(|line| line["index"].as_u64());
    lines
}

/// The report without what the games took.
fn without_effort(mut report: Value) -> Value {
    for side in ["a", "b"] {
        let side = report[side].as_object_mut().unwrap();
        assert!(side.remove("seconds_a_move").unwrap().is_f64());
        side.remove("nodes_a_move").unwrap();
    }
    report
}

const MATCH: &str = "match --game giuthi-4x3 --a mcts:sims=30 --b greedy --seed 3";

#[test]
fn a_killed_match_goes_on_with_no_game_lost_or_counted_twice() {
    let folder = Folder::new();
    let (whole, killed) = (folder.name("whole"), folder.name("killed"));
    let expected = json(&format!("{MATCH} --games 60 --results {whole}"));
    let go_on = format!("{MATCH} --games 60 --threads 2 --results {killed}");
    for _ in 0..3 {
        let lines_before = fs::read(&killed).map_or(0, |bytes| bytes.len());
        let mut child = mancala(&go_on).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while fs::read(&killed).map_or(0, |bytes| bytes.len()) <= lines_before
            && child.try_wait().unwrap().is_none()
            && start.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // As if the last line had been cut off.
        let bytes = fs::read(&killed).unwrap();
        fs::write(&killed, &bytes[..bytes.len().saturating_sub(7)]).unwrap();
    }
    assert!(!fs::read_to_string(&killed).unwrap().ends_with('\n'));
    let resumed = json(&go_on);
    assert_eq!(without_effort(resumed), without_effort(expected.clone()));
    assert_eq!(lines(&folder.path("killed")), lines(&folder.path("whole")));
    assert_eq!(lines(&folder.path("whole")).len(), 60);
    // Nothing is left to play: the file does not change, and all of the result comes from it.
    let before = fs::read(&whole).unwrap();
    let again = json(&format!("{MATCH} --games 60 --results {whole}"));
    let nodes = |report: &Value| report["a"]["nodes_a_move"].as_f64().unwrap();
    assert!((nodes(&again) - nodes(&expected)).abs() < 0.1 && nodes(&again) > 25.0, "{again}");
    assert_eq!(again["b"]["nodes_a_move"], Value::Null);
    assert_eq!(fs::read(&whole).unwrap(), before);
    // More games may be asked for, and fewer: each time it is the match of so many.
    for games in [70, 20] {
        let longer = json(&format!("{MATCH} --games {games} --results {whole}"));
        let fresh = json(&format!("{MATCH} --games {games}"));
        assert_eq!(without_effort(longer), without_effort(fresh));
    }
    assert_eq!(lines(&folder.path("whole")).len(), 70);
}

#[test]
fn a_file_of_another_match_is_refused_with_both_named() {
    let folder = Folder::new();
    let file = folder.name("games");
    stdout(&format!("{MATCH} --games 4 --results {file}"));
    for (other, found, expected) in [
        ("--game giuthi-4x3 --game giuthi-4x4", "game giuthi-4x3", "giuthi-4x4"),
        ("--game giuthi-4x3?capture=occupied", "game giuthi-4x3 ", "giuthi-4x3?capture=occupied"),
        ("--game kiothi-3x2", "game giuthi-4x3", "kiothi-3x2"),
        ("--a random", "agent A mcts:sims=30", "random"),
        ("--b random", "agent B greedy", "random"),
        ("--seed 4", "seed 3", "4"),
        ("--opening-plies 5", "opening plies 4", "5"),
    ] {
        // The last of a flag counts, so each is written once.
        let mut flags: Vec<&str> = MATCH.split(' ').collect();
        let other: Vec<&str> = other.split(' ').collect();
        let [.., flag, value] = other[..] else { panic!() };
        let place = flags.iter().position(|&known| known == flag);
        match place {
            Some(place) => flags[place + 1] = value,
            None => flags.extend([flag, value]),
        }
        let message = refused(&format!("{} --games 4 --results {file}", flags.join(" ")));
        assert!(message.contains(&format!("{file}:1: ")), "{message}");
        assert!(
            message.contains(found) && message.contains(&format!("{expected} was expected")),
            "{message}"
        );
    }
    let good = fs::read_to_string(&file).unwrap();
    fs::write(&file, good.replace("\"mcts:sims=30\"", "\"mcts:sims=030\"")).unwrap();
    stdout(&format!("{MATCH} --games 4 --results {file}"));
    let go_on = format!("{MATCH} --games 4 --results {file}");
    let rate = format!("rate --game giuthi-4x3 --results {file}");
    let second: Vec<&str> = good.lines().collect();
    let twice = format!("{good}{}\n", second[1]);
    let changed = |from: &str, to: &str| good.replacen(from, to, 1);
    for (text, problem) in [
        (twice, "is already in line"),
        (changed("\"rules_version\":", "\"rules_version\":7"), "rules version 71 where 1 was expected"),
        (changed("\"actions\":[", "\"actions\":[99,"), "action 1: "),
        (changed("\"scores\":[", "\"scores\":[1"), "the actions end in"),
        (changed("{", ""), "no result of a game"),
        (changed("\"seed\":3,", ""), "missing field `seed`"),
    ] {
        fs::write(&file, &text).unwrap();
        for command in [&go_on, &rate] {
            let message = refused(command);
            assert!(message.contains(&format!("{file}:")) && message.contains(problem), "{message}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "what is refused is left as it is");
    }
}

#[test]
fn a_file_that_is_being_played_into_is_refused() {
    let folder = Folder::new();
    let file = folder.name("games");
    let held = File::create(&file).unwrap();
    held.try_lock().unwrap();
    let message = refused(&format!("{MATCH} --games 4 --results {file}"));
    assert!(message.contains("another process") && message.contains(&file), "{message}");
    drop(held);
    stdout(&format!("{MATCH} --games 4 --results {file}"));
}

#[test]
fn too_few_openings_are_bad_usage_that_leaves_no_file() {
    let folder = Folder::new();
    let file = folder.name("games");
    let play = "match --game giuthi-2x2 --a random --b random --opening-plies 1";
    let message = refused(&format!("{play} --games 6 --results {file}"));
    assert!(message.contains("3 are wanted, and there are 2 of 1 random plies"), "{message}");
    assert!(!folder.path("games").exists());
    stdout(&format!("{play} --games 4"));
}

#[test]
fn a_sequential_test_ends_the_match_at_the_same_pair_whatever_the_threads() {
    let folder = Folder::new();
    let play = "match --game giuthi-5x4 --a alphabeta:depth=3 --b random --games 400 --sprt -20,60";
    let one = json(play);
    assert_eq!(one["sprt"]["decision"], "elo1");
    let games = one["games"].as_u64().unwrap();
    assert!(games < 200, "{one}");
    assert!(one["sprt"]["llr"].as_f64() >= one["sprt"]["upper"].as_f64());
    let file = folder.name("games");
    for threads in [2, 1] {
        // The second time all games are there, and more than were needed.
        let other = json(&format!("{play} --threads {threads} --results {file}"));
        assert_eq!(without_effort(other), without_effort(one.clone()));
    }
    let equal =
        json("match --game giuthi-5x4 --a alphabeta:depth=2 --b alphabeta:depth=2 --games 1000 --sprt 0,100");
    assert_eq!(equal["sprt"]["decision"], "elo0");
    assert_eq!(equal["duplicates"].as_u64().unwrap(), equal["games"].as_u64().unwrap() / 2);
    let open = json("match --game giuthi-5x4 --a random --b random --games 4 --sprt 0,1");
    assert_eq!((open["sprt"]["decision"].as_str(), open["games"].as_u64()), (None, Some(4)));
    let text = stdout(play);
    assert!(text.contains("SPRT -20,60: Elo +60 rather than -20"), "{text}");
    assert!(refused(&play.replace("-20,60", "60,-20")).contains("60 is not below -20"));
}

#[test]
fn the_table_of_a_match_says_what_its_json_says() {
    let report = json("match --game giuthi-4x3 --a mcts:sims=20 --b random --games 20");
    let kinds = report["pentanomial"].as_array().unwrap();
    assert_eq!(kinds.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 10);
    let text = stdout("match --game giuthi-4x3 --a mcts:sims=20 --b random --games 20");
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_string();
    assert_eq!(row("A  mcts:sims=20").split_whitespace().count(), 4, "{text}");
    assert!(row("B  random").ends_with(" -"), "random counts no nodes: {text}");
    let (wins, draws, losses) = (&report["wins"], &report["draws"], &report["losses"]);
    assert_eq!(row("20 games"), format!("20 games: {wins} wins, {draws} draws, {losses} losses of A"));
    let elo = ["elo", "elo_low", "elo_high"].map(|key| format!("{:+.0}", report[key].as_f64().unwrap()));
    assert_eq!(row("Elo"), format!("Elo {} (95%: {} to {})", elo[0], elo[1], elo[2]));
    let timed =
        json("match --game giuthi-3x2 --a mcts:time=0.001 --b alphabeta:time=0.001 --games 2 --threads 99");
    assert!(timed["a"]["seconds_a_move"].as_f64().unwrap() < 0.5, "{timed}");
}

#[test]
fn agents_are_rated_over_any_files() {
    let folder = Folder::new();
    let agents = ["alphabeta:depth=3", "greedy", "random"];
    let mut files = Vec::new();
    for (index, (a, b)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
        let file = folder.name(&format!("{index}.jsonl"));
        let (a, b) = (agents[a], agents[b]);
        stdout(&format!("match --game giuthi-4x3 --a {a} --b {b} --games 60 --results {file}"));
        files.push(file);
    }
    let all = format!("rate --game giuthi-4x3 --results {}", files.join(" "));
    let report = json(&format!("{all} --anchor random=100"));
    let rows = report["agents"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["agent"].as_str().unwrap()).collect();
    assert_eq!(names, agents);
    assert_eq!((report["anchor"].as_str(), report["games"].as_u64()), (Some("random"), Some(180)));
    assert_eq!((rows[2]["elo"].as_f64(), rows[2]["elo_low"].as_f64()), (Some(100.0), Some(100.0)));
    for row in rows {
        let count = |key: &str| row[key].as_f64().unwrap();
        assert_eq!(count("games"), 120.0);
        assert_eq!(count("wins") + count("draws") + count("losses"), 120.0);
        assert_eq!(count("score"), (count("wins") + count("draws") / 2.0) / 120.0);
    }
    let text = stdout(&all);
    assert!(agents.iter().all(|agent| text.contains(agent)) && text.contains("anchor"), "{text}");
    // Of two agents the rating is that of their match.
    let two = json(&format!("rate --game giuthi-4x3 --results {} --anchor random=0", files[1]));
    let of_match =
        json(&format!("match --game giuthi-4x3 --a greedy --b random --games 60 --results {}", files[1]));
    for key in ["elo", "elo_low", "elo_high"] {
        let (rated, expected) = (two["agents"][0][key].as_f64().unwrap(), of_match[key].as_f64().unwrap());
        assert!((rated - expected).abs() < 1e-6, "{key}: {rated} {expected}");
    }

    assert!(refused(&format!("{all} {}", files[0])).contains(" of one match is in "));
    assert!(refused(&format!("{all} --anchor mcts:sims=5=0")).contains("they have alphabeta:depth=3"));
    assert!(refused(&format!("{all} --anchor random")).contains("alphabeta:depth=4=1000"));
    let other = refused(&all.replace("giuthi-4x3", "giuthi-4x3?capture=occupied"));
    assert!(other.contains("giuthi-4x3 where giuthi-4x3?capture=occupied was expected"), "{other}");
    let apart = folder.name("apart.jsonl");
    let play = "match --game giuthi-4x3 --a alphabeta:depth=1 --b alphabeta:depth=2 --games 4";
    stdout(&format!("{play} --results {apart}"));
    let message = refused(&format!("{all} {apart}"));
    assert!(message.contains("2 groups") && message.contains("| alphabeta:depth=1, alphabeta:depth=2"));
    fs::write(folder.path("empty"), "").unwrap();
    assert!(
        refused(&format!("rate --game giuthi-4x3 --results {}", folder.name("empty"))).contains("no game")
    );
    assert!(refused("rate --game giuthi-4x3 --results /nope/x").contains("/nope/x"));
}
