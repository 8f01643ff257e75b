//! The event file of a run is what its metrics and matches are.

mod event_file;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const CONFIG: &str = "
game = 'giuthi-2x2'
iterations = 2
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4 }
self_play = { games = 4, lockstep = 2, simulations = 4, considered = 2, opening_plies = 1, max_plies = 30 }
learner = { batch = 8 }
evaluation = { games = 4, simulations = 2, opening_plies = 1, opponents = ['random', 'greedy'] }
";

fn train(folder: &Path, more: &[&str]) {
    let (config, run) = (folder.join("config.toml"), folder.join("run"));
    fs::write(&config, CONFIG).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
    command.args(["train", "--resume", "--config"]).arg(config).arg("--out").arg(run).args(more);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_event_file_follows_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    train(folder.path(), &[]);
    event_file::check_whole(&run);
    event_file::check_readable(&run);
    let first = event_file::path(&run);

    // As if killed in the midst of a write of each of the files.
    for (path, half) in [
        (first.clone(), &b"\x20\0\0\0\0\0"[..]),
        (run.join("metrics.jsonl"), b"{\"iteration\":3,"),
        (run.join("arena.jsonl"), b"{\"game\":\"giuthi-"),
    ] {
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(half).unwrap();
    }
    event_file::check_readable(&run);
    train(folder.path(), &["--iterations", "3"]);
    event_file::check_whole(&run);
    assert!(event_file::path(&run) > first, "the name is a later one");
    let arena = fs::read_to_string(run.join("arena.jsonl")).unwrap();
    assert_eq!(arena.lines().count(), 4, "two matches each of two nets: {arena}");

    // A file that is lost comes back; one that has been copied does not stay.
    fs::copy(event_file::path(&run), run.join("events.out.tfevents.0000000001.mancala")).unwrap();
    train(folder.path(), &["--iterations", "3"]);
    event_file::check_whole(&run);
    fs::remove_file(event_file::path(&run)).unwrap();
    train(folder.path(), &["--iterations", "3"]);
    event_file::check_whole(&run);
}
