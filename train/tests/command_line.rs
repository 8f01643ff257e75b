//! The `mancala` command from outside.

mod common;

use common::refusal;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CONFIG: &str = "
game = 'giuthi-3x2'
iterations = 2
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4 }
self_play = { games = 8, lockstep = 4, simulations = 4, considered = 2, opening_plies = 2, max_plies = 40 }
learner = { batch = 16 }
evaluation = { games = 4, simulations = 4 }
";

fn mancala() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mancala"))
}

fn run(arguments: &[&str]) -> Output {
    mancala().args(arguments).output().unwrap()
}

/// The output of a command that must succeed.
fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The message of a command that must fail with this code and say why in one line.
fn refused(code: i32, arguments: &[&str]) -> String {
    refusal(&run(arguments), code)
}

/// A config in a folder, and the folder of a run beside it.
fn setting(folder: &Path) -> (String, String) {
    let config = folder.join("config.toml");
    fs::write(&config, CONFIG).unwrap();
    (config.display().to_string(), folder.join("run").display().to_string())
}

#[test]
fn perft_counts_each_depth() {
    let table = stdout(&["perft", "--game", "giuthi-2x2", "--depth", "4"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["depth", "count"]);
    assert_eq!(rows.iter().skip(1).map(|row| row[0]).collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    let json = stdout(&["perft", "--game", "giuthi-2x2", "--depth", "4", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (row, found) in rows.iter().skip(1).zip(json["perft"].as_array().unwrap()) {
        assert_eq!(row[1], found["count"].to_string());
    }
    let position = json["position"].as_str().unwrap();
    assert_eq!(stdout(&["perft", "--game", "giuthi-2x2", "--position", position, "--depth", "4"]), table);
}

#[test]
fn perft_agrees_with_the_vectors() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/perft.jsonl");
    let vectors = fs::read_to_string(vectors).unwrap();
    let mut checked = 0;
    for line in vectors.lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let counts = vector["perft"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap());
        let counts: Vec<u64> = counts.take_while(|&count| count < 300_000).collect();
        let (game, depth) = (vector["game"].as_str().unwrap(), counts.len().to_string());
        let game = match vector["capture"].as_str() {
            Some(capture) => format!("{game}?capture={capture}"),
            None => game.into(),
        };
        let position = vector["position"].as_str().unwrap();
        let json = stdout(&["perft", "--game", &game, "--position", position, "--depth", &depth, "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found = json["perft"].as_array().unwrap().iter().map(|row| row["count"].as_u64().unwrap());
        assert!(found.eq(counts), "{line}: {json}");
        checked += 1;
    }
    assert!(checked > 0, "there are vectors");
}

/// The objects of `mancala bench --json`, and that they have the fields they should.
fn bench(arguments: &[&str]) -> Vec<serde_json::Value> {
    let text = stdout(&[&["bench", "--seconds", "0.02", "--json"], arguments].concat());
    let rows = match serde_json::from_str(&text).unwrap() {
        serde_json::Value::Array(rows) => rows,
        row => vec![row],
    };
    for row in &rows {
        for rate in ["scalar_steps_per_s", "batch_steps_per_s", "batch_observe_steps_per_s"] {
            assert!(row[rate].as_f64().unwrap() > 0.0, "{row}");
        }
        assert_eq!(row["checksums_agree"], true, "{row}");
        assert_eq!(row.as_object().unwrap().len(), 7, "{row}");
    }
    rows
}

#[test]
fn bench_plays_the_same_games_three_ways() {
    for (game, batch, threads) in
        [("giuthi-3x3", 100, 2), ("giuthi-8x8?capture=occupied", 64, 1), ("kiothi-3x2", 70, 2)]
    {
        let (batch, threads) = (batch.to_string(), threads.to_string());
        let rows = bench(&["--game", game, "--batch", &batch, "--threads", &threads]);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["game"], game);
        assert_eq!((rows[0]["batch"].to_string(), rows[0]["threads"].to_string()), (batch, threads));
    }
}

#[test]
fn bench_measures_every_combination() {
    let rows =
        bench(&["--game", "giuthi-2x2,giuthi-3x2", "--batch", "1", "--batch", "3", "--threads", "1,2"]);
    let found: Vec<_> =
        rows.iter().map(|row| format!("{} {} {}", row["game"], row["batch"], row["threads"])).collect();
    let games = ["\"giuthi-2x2\"", "\"giuthi-3x2\""];
    let expected: Vec<_> = games
        .iter()
        .flat_map(|game| ["1 1", "1 2", "3 1", "3 2"].map(|rest| format!("{game} {rest}")))
        .collect();
    assert_eq!(found, expected);
    let table = ["bench", "--game", "giuthi", "--batch", "2", "--threads", "1", "--seconds", "0.02"];
    let table = stdout(&table);
    let row: Vec<_> = table.lines().last().unwrap().split_whitespace().collect();
    assert_eq!((&row[..3], row.last()), (&["giuthi-8x8", "2", "1"][..], Some(&"agree")), "{table}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = mancala()
        .args(["perft", "--game", "giuthi-2x2", "--depth", "400000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""));
}

#[test]
fn bad_usage_has_code_2_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (config, out) = setting(folder.path());
    let train = |set: &str| refused(2, &["train", "--config", &config, "--out", &out, "--set", set]);
    assert!(refused(2, &["perft", "--game", "chess", "--depth", "1"]).contains("chess"));
    assert!(
        refused(2, &["perft", "--game", "giuthi-2x2", "--depth", "1", "--position", "x"]).contains("\"x\"")
    );
    assert!(train("learner.colour=red").contains("learner.colour"));
    assert!(train("self_play.simulations=0").contains("self_play.simulations"));
    assert!(!Path::new(&out).exists(), "a config that is refused leaves nothing behind");
    let games = |a: &str, games: &str| {
        refused(2, &["match", "--game", "giuthi-3x2", "--a", a, "--b", "random", "--games", games])
    };
    assert!(games("chess", "2").contains("--a chess"));
    assert!(games("net:nowhere,sims=1", "2").contains("nowhere"));
    assert!(games("random", "3").contains('3'));
    assert!(refused(2, &["train", "--config", "/nowhere.toml", "--out", &out]).contains("/nowhere.toml"));
    assert!(train("replay.reuse=1e300").contains("replay.reuse"));
    assert_eq!(run(&[]).status.code(), Some(2));
    refused(2, &["perft"]);
    refused(2, &["sow"]);
    refused(2, &["perf"]);
    for depth in ["x", "-1", "99999999999"] {
        assert!(refused(2, &["perft", "--game", "giuthi", "--depth", depth]).contains(depth));
    }
    let play = ["match", "--game", "giuthi-3x2", "--a", "random", "--b", "random", "--games", "2"];
    assert!(refused(2, &[&play[..], &["--seed", "-1"]].concat()).contains("-1"));
    assert!(refused(2, &[&play[..], &["--results", "/nope/x"]].concat()).contains("/nope/x"));
    for bad in [
        ["--game", "giuthi-11x2"],
        ["--game", "giuthi-2x2,chess"],
        ["--batch", "0"],
        ["--batch", "1,-7"],
        ["--threads", "0"],
        ["--threads", "many"],
        ["--seconds", "0"],
        ["--seconds", "-1.5"],
        ["--seconds", "inf"],
    ] {
        let named = bad[1].rsplit(',').next().unwrap();
        assert!(refused(2, &["bench", bad[0], bad[1]]).contains(named));
    }
    let position = refused(2, &["perft", "--game", "giuthi-2x2", "--depth", "1", "--position", "x"]);
    assert_eq!(position.matches("position").count(), 1, "{position}");
}

#[test]
fn every_subcommand_helps_with_an_example() {
    let plain = [
        "perft",
        "bench",
        "train",
        "match",
        "rate",
        "evaluate",
        "puzzles",
        "report",
        "analyze",
        "play",
        "tablebase",
    ];
    let nested = ["tablebase build", "tablebase probe", "tablebase verify"];
    for subcommand in plain.into_iter().chain(nested) {
        let words: Vec<&str> = subcommand.split(' ').chain(["--help"]).collect();
        let help = stdout(&words);
        assert!(help.contains("Example") && help.contains(&format!("  mancala {subcommand} ")), "{help}");
    }
    assert!(stdout(&["--version"]).starts_with("mancala "));
}

#[test]
fn training_ends_in_a_net_that_plays() {
    let folder = tempfile::tempdir().unwrap();
    let (config, out) = setting(folder.path());
    let train = ["train", "--config", &config, "--out", &out];
    let report = stdout(&train);
    assert!(
        report.contains("alphabeta:depth=2") && report.contains("mancala match --game giuthi-3x2"),
        "{report}"
    );
    assert!(report.contains(&format!("mancala_rl.agent(\"net:{out},sims=4\")")), "{report}");

    assert!(refused(2, &train).contains("already holds a run"));
    let again = stdout(&[&train[..], &["--resume"]].concat());
    assert_eq!(again, report, "the closing table is printed, not played again");
    let other = refused(2, &[&train[..], &["--resume", "--set", "learner.batch=8"]].concat());
    assert!(
        other.contains("config key learner.batch") && other.contains("16") && other.contains('8'),
        "{other}"
    );

    let longer = stdout(&[&train[..], &["--resume", "--iterations", "3"]].concat());
    assert!(longer.contains("all 3 iterations"), "{longer}");
    let metrics = fs::read_to_string(Path::new(&out).join("metrics.jsonl")).unwrap();
    assert_eq!(metrics.lines().count(), 3);
    let shorter = stdout(&[&train[..], &["--resume", "--iterations", "2"]].concat());
    assert!(shorter.starts_with("the run already has 3 iterations; 2 were asked for"), "{shorter}");
    assert!(shorter.contains("standard error") && !shorter.contains("+-"), "{shorter}");

    let net = format!("net:{out},sims=4");
    let results = folder.path().join("games.jsonl").display().to_string();
    let play = [
        "match",
        "--game",
        "giuthi-3x2",
        "--a",
        &net,
        "--b",
        "random",
        "--games",
        "6",
        "--results",
        &results,
    ];
    let result: serde_json::Value =
        serde_json::from_str(&stdout(&[&play[..], &["--json"]].concat())).unwrap();
    assert_eq!(result["games"], 6);
    let sum = ["wins", "draws", "losses"].iter().map(|key| result[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum, 6);
    assert!(["score", "score_se"].iter().all(|key| result[key].is_f64()));
    assert!(["elo", "elo_low", "elo_high"].iter().all(|key| result.get(key).is_some()));
    let games = fs::read_to_string(&results).unwrap();
    assert_eq!(games.lines().count(), 6);
    let game: serde_json::Value = serde_json::from_str(games.lines().next().unwrap()).unwrap();
    assert_eq!((game["a"].as_str(), game["game"].as_str()), (Some(net.as_str()), Some("giuthi-3x2")));
    for game in games.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
        assert_eq!(game["a_plays"].as_u64().unwrap(), game["index"].as_u64().unwrap() % 2, "{game}");
        let result = game["result"].as_str();
        assert!(["no-moves", "repetition", "endless"].map(Some).contains(&result), "{game}");
    }
    let text = stdout(&play);
    assert!(text.contains("6 games: "), "{text}");
    let line = text.lines().find(|line| line.starts_with("score ")).unwrap();
    let figures = (result["score"].as_f64().unwrap(), result["score_se"].as_f64().unwrap());
    assert_eq!(line, format!("score {:.3} (standard error {:.3})", figures.0, figures.1));

    let own = Path::new(&out).join("config.toml");
    fs::write(&own, fs::read_to_string(&own).unwrap() + "\n[colour]\n").unwrap();
    let error = refused(2, &[&train[..], &["--resume"]].concat());
    assert!(error.contains(&own.display().to_string()) && error.contains("colour"), "{error}");
}

#[test]
fn an_interrupt_ends_with_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (config, out) = setting(folder.path());
    let arguments = ["train", "--config", &config, "--out", &out, "--iterations", "1000000"];
    let mut child = mancala().args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("iteration")).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("stopping as soon as this iteration is saved")), "{rest:?}");
    let metrics = fs::read_to_string(Path::new(&out).join("metrics.jsonl")).unwrap();
    let done = metrics.lines().count();
    let state = fs::read_to_string(Path::new(&out).join("checkpoints/latest/state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["iteration"].as_u64(), Some(done as u64));
}

/// Both while games are played and while libtorch learns: it must not crash, and not wait.
#[test]
fn a_second_interrupt_ends_at_once() {
    for (number, set) in ["self_play.games=10000000", "replay.reuse=1000"].into_iter().enumerate() {
        for signal in ["-INT", "-TERM"] {
            let folder = tempfile::tempdir().unwrap();
            let (config, out) = setting(folder.path());
            let games = if number == 0 { "self_play.simulations=4" } else { "self_play.games=2000" };
            let arguments = ["train", "--config", &config, "--out", &out, "--set", set, "--set", games];
            let mut child =
                mancala().args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let begun = |name: &str| Path::new(&out).join(name).exists();
            // The shard is written between self-play and learning.
            while !begun("checkpoints/latest") || (number == 1 && !begun("replay/000001.shard")) {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            std::thread::sleep(std::time::Duration::from_millis(300));
            let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(kill.success());
            let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
            assert!(lines.next().unwrap().contains("again stops at once"));
            let asked = std::time::Instant::now();
            let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(kill.success());
            let rest: Vec<String> = lines.collect();
            assert_eq!(child.wait().unwrap().code(), Some(130), "{set}: {rest:?}");
            assert!(rest.is_empty() && asked.elapsed().as_secs() < 5, "{set}: {rest:?}");
        }
    }
}
