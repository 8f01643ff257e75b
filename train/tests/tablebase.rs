//! `mancala tablebase` from outside.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::refusal;
use serde_json::Value;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
    command.arg("tablebase").args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The output of a command that must succeed.
fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[arguments, &["--json"]].concat())).unwrap()
}

/// The message of a command that must fail with this code and say why in one line.
fn refused(code: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.stdout.is_empty());
    refusal(&output, code)
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// A build that goes on by itself, and the lines it has written so far.
struct Building {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStderr>>,
}

impl Building {
    fn begin(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Waits for a line that begins like this.
    fn wait_for(&mut self, start: &str) {
        for line in self.lines.by_ref() {
            if line.unwrap().starts_with(start) {
                return;
            }
        }
        panic!("no line {start}");
    }

    /// Waits until so many layers are done, or the build has ended.
    fn wait_for_layers(&mut self, layers: u32) {
        let _ = self.lines.by_ref().find(|line| layers_done(line.as_deref().unwrap()) >= layers);
    }

    /// The rest of the lines, and the exit code.
    fn end(mut self) -> (Vec<String>, Option<i32>) {
        let lines = self.lines.by_ref().map(Result::unwrap).collect();
        (lines, self.child.wait().unwrap().code())
    }
}

/// How many layers are done by a line of a build.
fn layers_done(line: &str) -> u32 {
    let number = |line: &str| line.split(' ').next().and_then(|word| word.parse::<u32>().ok());
    match (line.strip_prefix("seeds "), line.strip_prefix("going on: ")) {
        (Some(line), _) => number(line).map_or(0, |seeds| seeds + 1),
        (_, Some(line)) => number(line).unwrap_or(0),
        _ => 0,
    }
}

/// Names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_tablebase_is_built_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    let output = run(&["build", "--pits", "3", "--seeds", "2", "--out", &out, "--threads", "2"]);
    assert!(output.status.success());
    let lines = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 13, "a line for each layer: {lines:?}");
    assert!(lines[12].starts_with("seeds 12 of 12: 3164 boards, 11 rounds, "), "{lines:?}");
    assert!(lines[12].ends_with(" s; 100.0% of all boards"), "{lines:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let bytes = fs::metadata(&out).unwrap().len();
    for part in [
        &format!("{out}: giuthi with 3 pits a row and capture=any, up to 12 seeds\n"),
        "boards  9576, ",
        &format!("({bytes} bytes)"),
        " s, ",
        "start   giuthi-3x2: the player to move wins from a lead of -7, loses from -9 down; at +0 he wins\n",
    ] {
        assert!(text.contains(part), "{part:?}: {text}");
    }
    assert_eq!(names(folder.path()), ["a.tb"]);

    let start = json(&["probe", &out, "--position", "2,2,2/2,2,2 0 0 p0"]);
    let expected = serde_json::json!({
        "tablebase": out, "position": "2,2,2/2,2,2 0 0 p0", "to_move": 0, "seeds": 12, "lead": 0,
        "win": -7, "loss": -9, "win_rank": start["win_rank"], "loss_rank": start["loss_rank"], "class": "wins",
    });
    assert_eq!(start, expected);
    assert!(start["win_rank"].is_u64() && start["loss_rank"].is_u64(), "{start}");
    // The same board with other scores; the class is that of the text.
    for (scores, class) in [("0 7", "wins"), ("1 9", "draws"), ("1 10", "loses"), ("160 8", "wins")] {
        let found = json(&["probe", &out, "--position", &format!("2,2,2/2,2,2 {scores} p0")]);
        assert_eq!((&found["win"], &found["loss"]), (&(-7).into(), &(-9).into()), "{found}");
        assert_eq!(found["class"], class, "{found}");
    }
    let text = stdout(&["probe", &out, "--position", "2,2,2/2,2,2 1 9 p0"]);
    for part in [
        "to move    Player 0, with a lead of -8 and 12 seeds",
        "win        -7 (rank ",
        "class      Player 0 draws",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn probes_settle_the_text_and_know_where_nobody_can_win() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    stdout(&["build", "--pits", "2", "--max-seeds", "10", "--out", &out]);
    // Player 0 cannot move: Player 1 is to move once that is settled, and leads by 3.
    let passed = json(&["probe", &out, "--position", "2,0/1,0 1 4 p0"]);
    assert_eq!((&passed["to_move"], &passed["lead"]), (&1.into(), &3.into()), "{passed}");
    assert_eq!(passed["position"], "2,0/1,0 1 4 p1");
    // 0cw is endless, a draw: no lead is small enough to lose.
    let endless = json(&["probe", &out, "--position", "5,0/0,5 100 0 p1"]);
    assert_eq!((&endless["win"], &endless["class"]), (&(-9).into(), &"draws".into()), "{endless}");
    assert!(endless["loss"].is_null() && endless["loss_rank"].is_null(), "{endless}");
    assert!(stdout(&["probe", &out, "--position", "5,0/0,5 100 0 p1"]).contains("loss       at no lead"));
    // With fewer seeds in play than the start of any game.
    assert!(json(&["probe", &out, "--position", "2,0/0,0 0 0 p1"])["win"].is_i64());
    let built = json(&["build", "--pits", "2", "--max-seeds", "7", "--out", &path(folder.path(), "b.tb")]);
    assert!(built["start"].is_null(), "2x2 has 8 seeds: {built}");
}

#[test]
fn json_tells_what_was_built() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    let arguments = ["build", "--pits", "3", "--seeds", "2", "--capture", "occupied", "--out", &out];
    let built = json(&arguments);
    assert_eq!(built["built"], true);
    assert_eq!(built["bytes"], fs::metadata(&out).unwrap().len());
    for (key, value) in [("pits", 3), ("max_seeds", 12), ("boards", 9576)] {
        assert_eq!(built[key], value, "{built}");
    }
    assert_eq!((&built["capture"], &built["tablebase"]), (&"occupied".into(), &out.as_str().into()));
    assert_eq!(built["start"]["game"], "giuthi-3x2?capture=occupied");
    let start = json(&["probe", &out, "--position", "2,2,2/2,2,2 0 0 p0"]);
    for key in ["win", "loss", "class"] {
        assert_eq!(built["start"][key], start[key]);
    }
    assert!(built["seconds"].as_f64().unwrap() > 0.0);
    #[cfg(target_os = "linux")]
    assert!(built["peak_memory"].as_u64().unwrap() > 1 << 20);
    let before = fs::read(&out).unwrap();
    let again = json(&arguments);
    assert_eq!((&again["built"], &again["start"]), (&false.into(), &built["start"]), "{again}");
    let larger = json(&["build", "--pits", "3", "--max-seeds", "13", "--out", &path(folder.path(), "b.tb")]);
    assert_eq!(larger["start"]["game"], "giuthi-3x2");
    assert!(fs::read(&out).unwrap() == before);
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    stdout(&["build", "--pits", "3", "--seeds", "2", "--out", &out]);
    let before = fs::read(&out).unwrap();
    for same in [["--seeds", "2"], ["--max-seeds", "12"]] {
        let text = stdout(&["build", "--pits", "3", same[0], same[1], "--out", &out]);
        assert!(text.starts_with(&format!("{out} is there already: ")), "{text}");
    }
    for (other, found) in [
        (["--pits", "3", "--seeds", "3", "--capture", "any"], "up to 18 seeds"),
        (["--pits", "3", "--max-seeds", "11", "--capture", "any"], "up to 11 seeds"),
        (["--pits", "4", "--max-seeds", "12", "--capture", "any"], "4 pits a row"),
        (["--pits", "3", "--seeds", "2", "--capture", "occupied"], "capture=occupied"),
    ] {
        let message = refused(2, &[&["build"], &other[..], &["--out", &out]].concat());
        let there =
            "a tablebase of giuthi with 3 pits a row and capture=any (rules version 1), up to 12 seeds";
        assert!(message.contains(there) && message.contains(found) && message.contains("a.tb"), "{message}");
        assert!(fs::read(&out).unwrap() == before);
    }
    for (bytes, problem) in [(&before[..before.len() - 9], "cut off"), (b"my notes", "not a tablebase")] {
        fs::write(&out, bytes).unwrap();
        let message = refused(2, &["build", "--pits", "3", "--seeds", "2", "--out", &out]);
        assert!(message.contains("a file already") && message.contains(problem), "{message}");
        assert!(fs::read(&out).unwrap() == bytes);
    }
    let message = refused(2, &["build", "--pits", "3", "--seeds", "2", "--out", &path(folder.path(), "")]);
    assert!(message.contains("a folder already"), "{message}");
    assert_eq!(names(folder.path()), ["a.tb"]);
}

#[test]
fn a_killed_build_goes_on_and_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["build", "--pits", "4", "--max-seeds", "21"];
    let straight = path(folder.path(), "straight.tb");
    stdout(&[&build[..], &["--out", &straight]].concat());
    let out = path(folder.path(), "killed.tb");
    let arguments = [&build[..], &["--out", &out, "--threads", "2"]].concat();
    // Each kill comes some milliseconds after a layer is done, which the next run must not build again. A layer may be safe on
    // the disk although the kill came before its line.
    let mut kept = 0;
    for (layers, delay) in [(1, 0), (4, 0), (10, 3), (14, 1), (16, 0), (17, 10), (17, 30), (18, 5)] {
        let mut building = Building::begin(&arguments);
        building.wait_for_layers(layers.max(kept));
        sleep(Duration::from_millis(delay));
        building.child.kill().unwrap();
        let (lines, code) = building.end();
        if code == Some(0) {
            // The machine was too fast for this kill.
            break;
        }
        assert_eq!(code, None, "killed: {lines:?}");
        assert!(!Path::new(&out).exists());
        kept = lines.iter().map(|line| layers_done(line)).max().unwrap_or(0).max(layers).max(kept);
    }
    assert!(kept >= 4, "killed too late");
    let (lines, code) = Building::begin(&arguments).end();
    assert_eq!(code, Some(0), "{lines:?}");
    let built = lines.iter().filter(|line| line.starts_with("seeds ")).count() as u32;
    assert!(built <= 22 - kept, "layers up to {kept} were there: {lines:?}");
    assert!(fs::read(&out).unwrap() == fs::read(&straight).unwrap());
    assert_eq!(names(folder.path()), ["killed.tb", "straight.tb"]);
}

#[test]
fn an_interrupted_build_keeps_its_layers() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    // Far too long to end by itself.
    let arguments =
        ["build", "--pits", "6", "--max-seeds", "22", "--out", &out, "--threads", "2", "--memory", "2GiB"];
    for (number, signal) in ["-INT", "-TERM"].into_iter().enumerate() {
        let mut building = Building::begin(&arguments);
        building.wait_for(&format!("seeds {} of 22: ", 6 + 2 * number));
        let asked = std::time::Instant::now();
        let kill = Command::new("kill").args([signal, &building.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let (lines, code) = building.end();
        assert!(asked.elapsed().as_secs() < 20);
        assert_eq!(code, Some(130), "{lines:?}");
        assert!(
            lines.iter().any(|line| line.starts_with("stopping; layers that are done are kept")),
            "{lines:?}"
        );
        let last = lines.last().unwrap();
        assert!(
            last.starts_with("stopped after ") && last.ends_with("the same command goes on from there"),
            "{last}"
        );
        assert_eq!(names(folder.path()), ["a.tb.part", "a.tb.part.json"]);
    }
    let other = refused(2, &["build", "--pits", "6", "--max-seeds", "4", "--out", &out]);
    assert!(other.contains("up to 22 seeds") && other.contains("up to 4"), "{other}");
    let unfinished = refused(1, &["verify", &path(folder.path(), "a.tb.part")]);
    assert!(unfinished.contains("not yet finished"), "{unfinished}");
}

#[test]
fn verify_finds_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    stdout(&["build", "--pits", "3", "--seeds", "2", "--out", &out]);
    let bytes = fs::read(&out).unwrap();
    let text = stdout(&["verify", &out, "--samples", "5000"]);
    for part in [
        &format!("({} bytes) by their checksums", bytes.len()),
        "5000 boards, drawn from 9576",
        "up to 12 seeds",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let checked = json(&["verify", &out]);
    assert_eq!((&checked["samples"], &checked["boards"]), (&100_000.into(), &9576.into()), "{checked}");
    assert_eq!(checked["bytes"], bytes.len());
    assert_eq!(json(&["verify", &out, "--samples", "0"])["samples"], 0);
    for at in (0..bytes.len()).step_by(bytes.len() / 23) {
        let mut altered = bytes.clone();
        altered[at] ^= 16;
        fs::write(&out, altered).unwrap();
        let message = refused(1, &["verify", &out, "--samples", "0"]);
        assert!(message.contains("a.tb"), "byte {at}: {message}");
    }
    for cut in [0, 20, 100, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&out, &bytes[..cut]).unwrap();
        let message = refused(1, &["verify", &out]);
        assert!(message.contains("cut off") || message.contains("not a tablebase"), "{cut}: {message}");
        refused(2, &["probe", &out, "--position", "2,2,2/2,2,2 0 0 p0"]);
    }
    fs::write(&out, "something else").unwrap();
    assert!(refused(1, &["verify", &out]).contains("not a tablebase"));
    let mut newer = bytes.clone();
    newer[16] = 9;
    let sum = crc32fast::hash(&newer[..20]);
    newer[20..24].copy_from_slice(&sum.to_le_bytes());
    fs::write(&out, newer).unwrap();
    assert!(refused(1, &["verify", &out]).contains("its format is 9, this version reads 1"));
    assert!(refused(2, &["verify", &path(folder.path(), "missing.tb")]).contains("missing.tb"));
    assert!(refused(2, &["verify", &path(folder.path(), "")]).contains("folder"));
    assert!(refused(2, &["verify", &out, "--samples", "-1"]).contains("-1"));
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    let build = |arguments: &[&str]| refused(2, &[&["build", "--out", &out], arguments].concat());
    for (bad, named) in [
        (["--pits", "11", "--seeds", "2"], "11"),
        (["--pits", "1", "--seeds", "2"], "'1'"),
        (["--pits", "x", "--seeds", "2"], "x"),
        (["--pits", "3", "--seeds", "10"], "10"),
        (["--pits", "3", "--seeds", "1"], "'1'"),
        (["--pits", "3", "--max-seeds", "-3"], "-3"),
        (["--pits", "2", "--max-seeds", "127"], "127 seeds"),
        (["--pits", "8", "--seeds", "8"], "128 seeds"),
    ] {
        assert!(build(&bad).contains(named), "{bad:?}");
    }
    assert!(build(&["--pits", "3"]).contains("--seeds"));
    assert!(build(&["--pits", "3", "--seeds", "2", "--max-seeds", "8"]).contains("--max-seeds"));
    for (flag, bad) in [
        ("--threads", "0"),
        ("--threads", "many"),
        ("--memory", "4GB"),
        ("--memory", "0"),
        ("--capture", "all"),
    ] {
        let message = build(&["--pits", "3", "--seeds", "2", flag, bad]);
        assert!(message.contains(flag) && message.contains(bad), "{message}");
    }
    let memory = build(&["--pits", "4", "--seeds", "2", "--memory", "1KiB"]);
    assert!(memory.contains("memory") && memory.contains("1024"), "{memory}");
    let nowhere = path(folder.path(), "nowhere/a.tb");
    assert!(
        refused(2, &["build", "--pits", "2", "--seeds", "2", "--out", &nowhere]).contains("nowhere/a.tb")
    );
    assert!(names(folder.path()).is_empty(), "nothing is left behind");

    stdout(&["build", "--pits", "3", "--seeds", "2", "--out", &out]);
    let probe = |position: &str| refused(2, &["probe", &out, "--position", position]);
    assert!(probe("x").contains("\"x\""));
    assert!(probe("2,2,2,2/2,2,2,2 0 0 p0").contains("2,2,2,2/2,2,2,2 0 0 p0"));
    let many = probe("2,2,2/2,2,3 0 0 p0");
    assert!(many.contains("2,2,2/2,2,3 0 0 p0: 13 seeds in play") && many.contains("at most 12"), "{many}");
    for over in ["1,1,1/1,1,1 0 0 p0", "0,0,0/0,0,0 6 6 p0 no-moves", "2,2,2/2,2,2 0 0 p0 repetition"] {
        let message = probe(over);
        assert!(message.contains(over) && message.contains("the game is over"), "{message}");
    }
    assert!(refused(2, &["probe", &out]).contains("--position"));
    let missing = path(folder.path(), "missing.tb");
    assert!(refused(2, &["probe", &missing, "--position", "x"]).contains("missing.tb"));
    assert!(refused(2, &["sow"]).contains("sow"));
    assert_eq!(run(&[]).status.code(), Some(2));
}

#[test]
fn an_agent_that_does_not_know_the_start_is_refused_before_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "a.tb");
    stdout(&["build", "--pits", "3", "--max-seeds", "9", "--out", &out]);
    let agent = format!("tablebase:{out}");
    for arguments in [
        &["play", "--game", "giuthi-3x3", "--against", &agent][..],
        &["match", "--game", "giuthi-3x3", "--a", &agent, "--b", "random", "--games", "2"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
        let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
        let message = refusal(&output, 2);
        assert!(message.contains("18 seeds in play") && message.contains("at most 9"), "{message}");
        assert!(output.stdout.is_empty());
    }
}
