//! A run whose folder fails it ends with an error that says how, and leaves a checkpoint to go on from.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const CONFIG: &str = "
game = 'giuthi-2x2'
iterations = 25
threads = 1
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4 }
self_play = { games = 4, lockstep = 2, simulations = 4, considered = 2, opening_plies = 1, max_plies = 30 }
learner = { batch = 8 }
evaluation = { games = 0 }
";

/// A config in a folder, and the folder of a run beside it.
fn setting(folder: &Path) -> (PathBuf, PathBuf) {
    let config = folder.join("config.toml");
    fs::write(&config, CONFIG).unwrap();
    (config, folder.join("run"))
}

/// `mancala train`, begun by a shell after other commands.
fn train(before: &str, config: &Path, run: &Path, more: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{before} exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_mancala"), "train", "--resume", "--config"]);
    command.arg(config).arg("--out").arg(run).args(more);
    command
}

/// The last line of stderr of a command that must fail with this code: the error.
fn error(output: &Output, code: i32) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{message}");
    let line = message.lines().last().unwrap_or_default();
    assert!(line.starts_with("error: "), "{message}");
    line.into()
}

fn succeed(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn net(run: &Path) -> Vec<u8> {
    fs::read(run.join("checkpoints/000025/net.safetensors")).unwrap()
}

/// A limit on the size of files fails writes halfway, as a full disk does.
#[test]
fn a_write_that_fails_halfway_leaves_a_run_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (config, straight) = setting(folder.path());
    succeed(train("", &config, &straight, &[]));
    // In units of 512 bytes: the first checkpoint does not fit, or the metrics of the 15th iteration or so do not.
    for (limit, named) in [(8, "checkpoints/000000"), (24, "")] {
        let run = folder.path().join(limit.to_string());
        let limited = format!("trap '' XFSZ; ulimit -f {limit};");
        let message = error(&train(&limited, &config, &run, &[]).output().unwrap(), 1);
        assert!(message.contains("File too large") && message.contains(named), "{message}");
        if limit == 24 {
            assert!(message.contains("metrics.jsonl") || message.contains("TensorBoard"), "{message}");
            assert!(run.join("checkpoints/latest/manifest.json").is_file());
        }
        succeed(train("", &config, &run, &[]));
        assert!(net(&run) == net(&straight), "limit {limit}");
        let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        assert_eq!(metrics.lines().count(), 25);
    }
}

#[test]
fn a_folder_that_vanishes_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (config, run) = setting(folder.path());
    let mut at_work = train("", &config, &run, &["--iterations", "1000000"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(at_work.stderr.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.starts_with("iteration")).unwrap();
    let second = error(&train("", &config, &run, &[]).output().unwrap(), 2);
    assert!(second.contains("another process is at work on this run"), "{second}");

    let moved = folder.path().join("moved");
    fs::rename(&run, &moved).unwrap();
    let last = lines.last().unwrap();
    assert_eq!(at_work.wait().unwrap().code(), Some(1), "{last}");
    assert!(last.starts_with("error: ") && last.contains(&run.display().to_string()), "{last}");
    assert!(!run.exists(), "nothing is made in its place");
    let iterations = fs::read_to_string(moved.join("metrics.jsonl")).unwrap().lines().count();
    succeed(train("", &config, &moved, &["--iterations", &(iterations + 2).to_string()]));
}

#[test]
fn a_read_only_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (config, run) = setting(folder.path());
    succeed(train("", &config, &run, &["--iterations", "1"]));
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let closed = ["", "checkpoints", "replay"].map(|name| run.join(name));
    closed.iter().for_each(|path| mode(path, 0o555));
    // To root nothing is read-only.
    if fs::write(run.join("probe"), "").is_err() {
        let message = error(&train("", &config, &run, &[]).output().unwrap(), 1);
        assert!(message.contains(&run.display().to_string()) && message.contains("denied"), "{message}");
        let report =
            Command::new(env!("CARGO_BIN_EXE_mancala")).arg("report").arg("--run").arg(&run).output();
        assert!(error(&report.unwrap(), 1).contains("report.html"));
    }
    closed.iter().for_each(|path| mode(path, 0o755));
    succeed(train("", &config, &run, &["--iterations", "2"]));
}
