//! A run that is killed again and again, at whatever moment, and resumed ends as one that was left alone.

mod event_file;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mancala_env::{Giuthi, GiuthiRules};
use mancala_train::replay::Shards;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

const KILLS: u32 = 30;
const GAMES: u64 = 4;
const SEED: u64 = 11;
/// The window is so wide that no shard is removed: all games can be counted.
const CONFIG: &str = "
game = 'giuthi-2x2'
seed = 11
iterations = 70
threads = 2
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4, count_levels = 6, reply_features = true }
self_play = { games = 4, lockstep = 2, simulations = 4, considered = 2, opening_plies = 1, max_plies = 30 }
replay = { window = 1000000, reuse = 2 }
learner = { batch = 8, warmup_steps = 5, decay_iterations = 70 }
checkpoint = { every = 2, keep = 3 }
evaluation = { games = 4, simulations = 2, opening_plies = 1, opponents = ['random'] }
";

fn train(config: &Path, run: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala"));
    command.args(["train", "--resume", "--config"]).arg(config).arg("--out").arg(run).stdout(Stdio::null());
    command
}

/// How long this machine takes to the first line that a run prints, and from line to line.
struct Pace {
    start: Duration,
    line: Duration,
}

/// Lets a run go on to its end, and measures its pace.
fn run_straight(config: &Path, run: &Path) -> Pace {
    let began = Instant::now();
    let mut child = train(config, run).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let start = began.elapsed();
    let count = lines.map(Result::unwrap).count();
    assert!(child.wait().unwrap().success());
    Pace { start, line: (began.elapsed() - start) / u32::try_from(count).unwrap() }
}

/// Lets a run go on up to a moment, kills it, and tells whether it was still at work.
fn kill_at_random(config: &Path, run: &Path, pace: &Pace, rng: &mut SmallRng) -> bool {
    let mut child = train(config, run).stderr(Stdio::piped()).spawn().unwrap();
    // Counted from the lines that the run prints, so that a slow machine does not kill each start at its start.
    let lines = rng.random_range(0..=4);
    let wait = match lines {
        0 => pace.start * 2,
        _ => pace.line * 2,
    };
    let stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.lines().map_while(Result::ok).take(lines).for_each(drop);
    std::thread::sleep(wait.mul_f64(rng.random()));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    // By a signal it has no code; whatever else is not an end of its own accord.
    assert!(status.code().is_none() || status.success(), "{status}");
    !status.success()
}

/// Every file of the checkpoints and shards by its path.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![run.join("checkpoints"), run.join("replay")]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(run).unwrap().display().to_string();
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
    }
    files
}

#[test]
fn thirty_kills_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let straight = folder.path().join("straight");
    let config = folder.path().join("config.toml");
    fs::write(&config, CONFIG).unwrap();
    let pace = run_straight(&config, &straight);

    event_file::check_whole(&straight);
    let rounds = std::env::var("MANCALA_SOAK").map_or(1, |times| times.parse().unwrap());
    for round in 0..rounds {
        let mut rng = SmallRng::seed_from_u64(2024 + round);
        // However fast the machine, thirty kills meet a run at work: where a run ends before them, the next begins.
        let (mut kills, mut runs) = (0, 0);
        while kills < KILLS {
            let killed = folder.path().join(format!("killed-{round}-{runs}"));
            kills += kill_until_it_ends(&config, &killed, &pace, KILLS - kills, &mut rng);
            finish_and_compare(&config, &straight, &killed);
            runs += 1;
            assert!(runs <= KILLS, "{kills} kills met {runs} runs at work");
        }
    }
}

/// Kills a run at random moments until it has met so many kills or has ended; answers how many it met.
fn kill_until_it_ends(config: &Path, killed: &Path, pace: &Pace, most: u32, rng: &mut SmallRng) -> u32 {
    let mut kills = 0;
    while kills < most && kill_at_random(config, killed, pace, rng) {
        kills += 1;
        if killed.join("metrics.jsonl").exists() && killed.join("checkpoints/latest").exists() {
            event_file::check_readable(killed);
            if kills % 5 == 0 {
                mancala_train::report::report(killed).unwrap();
            }
        }
    }
    kills
}

/// Lets a run go on to its end, and compares it with one that was left alone.
fn finish_and_compare(config: &Path, straight: &Path, killed: &Path) {
    let output = train(config, killed).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (straight_files, killed_files) = (files(straight), files(killed));
    assert!(straight_files.keys().eq(killed_files.keys()), "{:?}", killed_files.keys());
    for (name, bytes) in &straight_files {
        assert!(*bytes == killed_files[name], "{name} differs");
    }
    let metrics = fs::read_to_string(killed.join("metrics.jsonl")).unwrap();
    let metrics: Vec<serde_json::Value> =
        metrics.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let iterations = metrics.len() as u64;
    assert!(metrics.iter().map(|line| line["iteration"].as_u64().unwrap()).eq(1..=iterations));
    assert_eq!((iterations, metrics[69]["total_games"].as_u64()), (70, Some(70 * GAMES)));

    let (rules, shards) = (GiuthiRules::new(2, 2).unwrap(), Shards::new(killed.join("replay")));
    let games = (1..=iterations).flat_map(|iteration| {
        let shard = shards.read::<Giuthi>(&rules, SEED, iteration).unwrap();
        shard.games.into_iter().map(|game| game.index)
    });
    assert!(games.eq(0..iterations * GAMES), "every game once");
    event_file::check_whole(killed);
    let names = fs::read_dir(killed).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.starts_with('.')).collect();
    assert!(left.is_empty(), "nothing temporary stays: {left:?}");
}
