//! A run that was stopped goes on as if it had not been: the same bytes in every checkpoint and shard.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mancala_env::for_game;
use mancala_search::net::Weights;
use mancala_search::self_play::SearchKind;
use mancala_train::checkpoint::CheckpointError;
use mancala_train::config::Config;
use mancala_train::run::{ClosingMatch, Ending, Metrics, Progress, train};

const CONFIG: &str = "
game = 'giuthi-3x2'
seed = 5
iterations = 4
threads = 2
net = { channels = 16, blocks = 1, policy_hidden = 8, value_hidden = 8, count_levels = 6, reply_features = true }
self_play = { games = 12, lockstep = 4, simulations = 6, considered = 3, opening_plies = 2, max_plies = 40 }
replay = { window = 150, reuse = 2 }
learner = { batch = 16, warmup_steps = 5, decay_iterations = 4 }
checkpoint = { every = 1, keep = 3 }
evaluation = { games = 0 }
";

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::parse(CONFIG).unwrap();
    change(&mut config);
    config.validate().unwrap();
    config
}

/// Every choice that is off by default.
fn everything_on(config: &mut Config) {
    config.self_play.selection = SearchKind::Puct;
    config.self_play.full_share = 0.5;
    config.self_play.fast_simulations = 3;
    config.self_play.sampled_plies = 4;
    config.self_play.temperature = 0.8;
    config.self_play.fork_share = 0.5;
    config.self_play.games = 14;
    config.replay.growth_start = 20;
    config.replay.growth_slope = 0.5;
    config.learner.margin_weight = 0.5;
    config.learner.ema_decay = 0.9;
}

fn try_run(
    config: &Config,
    out: &Path,
    resume: bool,
    interrupted: &dyn Fn() -> bool,
) -> anyhow::Result<(Ending, Vec<ClosingMatch>)> {
    for_game!(config.spec(), |rules: G| train::<G>(
        rules,
        config,
        out,
        resume,
        &Progress::Hidden,
        interrupted
    ))
}

fn run(config: &Config, out: &Path, resume: bool) -> Ending {
    try_run(config, out, resume, &|| false).unwrap().0
}

/// All files of checkpoints and shards by their path in the run's folder.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![run.join("checkpoints"), run.join("replay")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
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

fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert!(one.keys().eq(other.keys()), "{:?} {:?}", one.keys(), other.keys());
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name} differs");
    }
}

fn iterations(run: &Path) -> Vec<u64> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let iteration =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["iteration"].as_u64();
    text.lines().map(|line| iteration(line).unwrap()).collect()
}

#[test]
fn a_stopped_and_resumed_run_is_the_straight_one() {
    let changes: [fn(&mut Config); 5] = [
        |_| (),
        |config| config.learner.ema_decay = 0.9,
        everything_on,
        |config| {
            everything_on(config);
            config.game = "kiothi-3x1".into();
            config.self_play.selection = SearchKind::Gumbel;
        },
        |config| {
            config.threads = 1;
            config.game = "kiothi-3x1".into();
        },
    ];
    for change in changes {
        let folder = tempfile::tempdir().unwrap();
        let (straight, stopped) = (folder.path().join("straight"), folder.path().join("stopped"));
        let whole = config(change);
        assert_eq!(run(&whole, &straight, false), Ending::Complete(4));
        for iterations in [1, 3, 4] {
            assert_eq!(
                run(&Config { iterations, ..whole.clone() }, &stopped, true),
                Ending::Complete(iterations)
            );
        }
        assert_same(&straight, &stopped);
        assert_eq!(iterations(&stopped), [1, 2, 3, 4]);
        let kept: Vec<_> =
            files(&straight).into_keys().filter(|name| name.ends_with("net.safetensors")).collect();
        assert_eq!(kept.len(), 4, "three checkpoints and the link to the newest: {kept:?}");
    }
}

#[test]
fn what_came_after_the_checkpoint_is_done_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (straight, killed) = (folder.path().join("straight"), folder.path().join("killed"));
    let config = config(|config| config.checkpoint.every = 2);
    run(&config, &straight, false);
    run(&Config { iterations: 3, ..config.clone() }, &killed, false);
    // As if killed in the third iteration, after its metrics and before its checkpoint.
    fs::remove_dir_all(killed.join("checkpoints/000003")).unwrap();
    let latest = killed.join("checkpoints/latest");
    fs::remove_file(&latest).unwrap();
    std::os::unix::fs::symlink("000002", &latest).unwrap();
    assert_eq!(iterations(&killed), [1, 2, 3]);
    run(&config, &killed, true);
    assert_same(&straight, &killed);
    assert_eq!(iterations(&killed), [1, 2, 3, 4]);
}

#[test]
fn an_interrupted_run_leaves_a_checkpoint_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (straight, stopped) = (folder.path().join("straight"), folder.path().join("stopped"));
    let whole = config(|config| config.checkpoint.every = 4);
    run(&whole, &straight, false);
    let asked = Cell::new(0);
    let interrupted = || asked.replace(asked.get() + 1) == 2;
    let (ending, matches) = try_run(&whole, &stopped, false, &interrupted).unwrap();
    assert_eq!((ending, matches.len()), (Ending::Interrupted, 0));
    assert!(stopped.join("checkpoints/latest/net.safetensors").is_file());
    assert_eq!(iterations(&stopped), [1, 2]);
    assert_eq!(run(&whole, &stopped, true), Ending::Complete(4));
    let read = |run: &Path| fs::read(run.join("checkpoints/000004/net.safetensors")).unwrap();
    assert_eq!(read(&straight), read(&stopped));
}

#[test]
fn another_seed_learns_another_net() {
    let folder = tempfile::tempdir().unwrap();
    let net = |seed: u64| {
        let out = folder.path().join(seed.to_string());
        run(&config(|config| (config.seed, config.iterations) = (seed, 1)), &out, false);
        fs::read(out.join("checkpoints/latest/net.safetensors")).unwrap()
    };
    assert_ne!(net(1), net(2));
}

#[test]
fn time_runs_out_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(|config| config.minutes = Some(1e-9));
    assert_eq!(run(&config, folder.path(), false), Ending::TimeUp);
    assert!(folder.path().join("checkpoints/latest/manifest.json").is_file());
}

#[test]
fn closing_matches_are_played_once() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(|config| {
        config.iterations = 1;
        config.evaluation.games = 4;
        config.evaluation.simulations = 4;
    });
    let play = |config: &Config| try_run(config, folder.path(), true, &|| false).unwrap().1;
    let first = play(&config);
    let opponents: Vec<_> = first.iter().map(|played| played.opponent.as_str()).collect();
    assert_eq!(opponents, ["random", "alphabeta:depth=2"]);
    let arena = || fs::read_to_string(folder.path().join("arena.jsonl")).unwrap();
    let lines = arena();
    assert_eq!((play(&config), arena()), (first, lines));
    play(&Config { iterations: 2, ..config.clone() });
    assert_eq!(arena().lines().count(), 4, "the net of another iteration plays anew");
}

#[test]
fn a_damaged_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(|config| config.iterations = 2);
    run(&config, folder.path(), false);
    let refused = || {
        let error = try_run(&config, folder.path(), true, &|| false).unwrap_err();
        assert_eq!(mancala_train::error::exit_code(&error), 2, "{error:#}");
        error
    };
    let shard = folder.path().join("replay/000002.shard");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    let error = format!("{:#}", refused());
    assert!(error.contains("000002.shard is damaged") && error.contains("checkpoints/000001"), "{error}");
    fs::write(&shard, &bytes).unwrap();

    let net = folder.path().join("checkpoints/000002/net.safetensors");
    let bytes = fs::read(&net).unwrap();
    fs::write(&net, &bytes[..bytes.len() / 2]).unwrap();
    let error = refused();
    assert!(matches!(error.downcast_ref(), Some(CheckpointError::Damaged { .. })), "{error:#}");
    assert!(error.to_string().contains("checkpoints/000001"), "names the whole one: {error:#}");
}

#[test]
fn a_run_without_its_link_goes_on_from_the_newest_whole_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let straight = folder.path().join("straight");
    let whole = config(|_| ());
    run(&whole, &straight, false);
    for how in ["missing", "folder", "dangling", "newest damaged"] {
        let lost = folder.path().join(how);
        run(&Config { iterations: 3, ..whole.clone() }, &lost, false);
        let latest = lost.join("checkpoints/latest");
        fs::remove_file(&latest).unwrap();
        match how {
            "folder" => fs::create_dir(&latest).unwrap(),
            "dangling" => std::os::unix::fs::symlink("000009", &latest).unwrap(),
            "newest damaged" => fs::remove_file(lost.join("checkpoints/000003/manifest.json")).unwrap(),
            _ => {}
        }
        assert_eq!(run(&whole, &lost, true), Ending::Complete(4), "{how}");
        assert_same(&straight, &lost);
        assert_eq!(iterations(&lost), [1, 2, 3, 4], "{how}");
    }
}

#[test]
fn a_run_killed_before_its_first_link_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (straight, killed) = (folder.path().join("straight"), folder.path().join("killed"));
    let whole = config(|_| ());
    run(&whole, &straight, false);
    run(&Config { minutes: Some(1e-9), ..whole.clone() }, &killed, false);
    fs::remove_file(killed.join("checkpoints/latest")).unwrap();
    assert_eq!(run(&whole, &killed, true), Ending::Complete(4));
    assert_same(&straight, &killed);
}

#[test]
fn a_run_without_a_whole_checkpoint_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let whole = config(|config| config.iterations = 2);
    run(&whole, folder.path(), false);
    let refused = || {
        let shards = || fs::read_dir(folder.path().join("replay")).unwrap().count();
        let before = shards();
        let error = try_run(&whole, folder.path(), true, &|| false).unwrap_err();
        assert_eq!(mancala_train::error::exit_code(&error), 2, "{error:#}");
        assert_eq!((shards(), iterations(folder.path())), (before, vec![1, 2]));
        format!("{error:#}")
    };
    let checkpoints = folder.path().join("checkpoints");
    fs::remove_file(checkpoints.join("latest")).unwrap();
    for number in 0..=2 {
        fs::remove_file(checkpoints.join(format!("{number:06}/manifest.json"))).unwrap();
    }
    let error = refused();
    assert!(error.contains("no numbered checkpoint is whole"), "{error}");
    assert!(checkpoints.join("000002/net.safetensors").is_file());
    fs::remove_dir_all(&checkpoints).unwrap();
    assert!(refused().contains("no checkpoint to go on from"));
}

#[test]
fn metrics_tell_what_was_done_and_what_it_took() {
    let folder = tempfile::tempdir().unwrap();
    run(&config(everything_on), folder.path(), false);
    let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
    let lines: Vec<Metrics> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut window = 0;
    for line in &lines {
        let parts = [line.inference_seconds, line.search_seconds, line.rules_seconds];
        assert!(parts[0] > 0.0 && parts.iter().all(|&seconds| seconds >= 0.0), "{line:?}");
        assert!(parts.iter().sum::<f64>() <= 1.01 * line.self_play_seconds, "{line:?}");
        assert!(line.simulations_per_move > 3.0 && line.simulations_per_move < 6.0, "{line:?}");
        assert!(line.batch_rows > 1.0 && line.batch_rows <= 4.0, "{line:?}");
        assert!(line.policy_positions > 0 && line.policy_positions < line.positions, "{line:?}");
        assert!(line.games_per_second > 0.0 && line.margin_loss > 0.0, "{line:?}");
        assert!(line.busy_share.is_none_or(|share| (0.0..100.0).contains(&share)), "{line:?}");
        assert!(line.window >= window.max(20) && line.buffer <= line.window, "{line:?}");
        window = line.window;
    }
    assert!(window > 20 && lines.iter().any(|line| line.fork_rate > 0.0), "{lines:?}");
    let net = fs::read(folder.path().join("checkpoints/latest/net.safetensors")).unwrap();
    assert!(Weights::from_bytes(&net).unwrap().header.margin);
}

/// A run of two iterations, begun when there was no choice of search, no forks, no margin head and no growing window.
#[test]
fn a_run_of_an_older_program_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (old, run_folder) = (Path::new("tests/data/run-format-1"), folder.path());
    copy(old, run_folder);
    let mut begun = Config::load(&run_folder.join("config.toml"), &[]).unwrap();
    begun.iterations = 3;
    assert_eq!(run(&begun, run_folder, true), Ending::Complete(3));
    assert_eq!(iterations(run_folder), [1, 2, 3]);
    // With something on it is another run.
    begun.learner.margin_weight = 1.0;
    let error = format!("{:#}", try_run(&begun, run_folder, true, &|| false).unwrap_err());
    assert!(error.contains("config key learner.margin_weight: the run was begun with 0.0"), "{error}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}
