//! Configs that are read, and those that are refused.

use std::path::Path;

use super::load::ADDED;
use super::{Config, ConfigError, Learner, Replay};

const SMALL: &str = "game = 'giuthi-2x2'\niterations = 1\n\
    [net]\nchannels = 8\nblocks = 1\npolicy_hidden = 4\nvalue_hidden = 4\n\
    [evaluation]\ngames = 4\n";

fn load(overrides: &[&str]) -> Result<Config, ConfigError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), SMALL).unwrap();
    Config::load(file.path(), &overrides.iter().map(|&text| text.into()).collect::<Vec<_>>())
}

#[test]
fn overrides_take_values_and_bare_strings() {
    let config = load(&["game=kiothi-3x2?one_warrior_multiplier=2", "learner.batch = 7", "seed=5"]).unwrap();
    assert_eq!(config.game, "kiothi-3x2?one_warrior_multiplier=2");
    assert_eq!((config.learner.batch, config.seed), (7, 5));
    let config = load(&["evaluation.opponents=['random']"]).unwrap();
    assert_eq!(config.evaluation.opponents, ["random"]);
}

#[test]
fn errors_name_the_key_in_one_line() {
    let table = [
        ("colour=1", "colour"),
        ("learner.colour=1", "learner.colour"),
        ("net.colour=1", "net.colour"),
        ("colour.learner=1", "colour"),
        ("seed.x=1", "seed"),
        ("seed=x", "seed"),
        ("seed=-1", "seed"),
        ("seed=1.5", "seed"),
        ("game=chess", "game"),
        ("game=giuthi-99x1", "game"),
        ("iterations=0", "iterations"),
        ("minutes=0", "minutes"),
        ("minutes=nan", "minutes"),
        ("threads=0", "threads"),
        ("net.channels=0", "net.channels"),
        ("net.channels=true", "net.channels"),
        ("net.policy_hidden=0", "net.policy_hidden"),
        ("self_play.games=0", "self_play.games"),
        ("self_play.lockstep=0", "self_play.lockstep"),
        ("self_play.simulations=0", "self_play.simulations"),
        ("self_play.considered=0", "self_play.considered"),
        ("self_play.selection=uct", "self_play.selection"),
        ("self_play.full_share=0", "self_play.full_share"),
        ("self_play.full_share=1.5", "self_play.full_share"),
        ("self_play.full_share=nan", "self_play.full_share"),
        ("self_play.fast_simulations=0", "self_play.fast_simulations"),
        ("self_play.exploration=0", "self_play.exploration"),
        ("self_play.noise_part=1.1", "self_play.noise_part"),
        ("self_play.noise_alpha=0", "self_play.noise_alpha"),
        ("self_play.sampled_plies=-1", "self_play.sampled_plies"),
        ("self_play.temperature=0", "self_play.temperature"),
        ("self_play.fork_share=1", "self_play.fork_share"),
        ("self_play.fork_share=-0.1", "self_play.fork_share"),
        ("self_play.resign=0.9", "self_play.resign"),
        ("self_play.reuse_tree=true", "self_play.reuse_tree"),
        ("evaluation.gating=true", "evaluation.gating"),
        ("self_play.max_plies=0", "self_play.max_plies"),
        ("self_play.opening_plies=400", "self_play.opening_plies"),
        ("replay.window=0", "replay.window"),
        ("replay.window=511", "learner.batch"),
        ("replay.growth_start=200001", "replay.growth_start"),
        ("replay.growth_exponent=0", "replay.growth_exponent"),
        ("replay.growth_exponent=1.1", "replay.growth_exponent"),
        ("replay.growth_slope=0", "replay.growth_slope"),
        ("replay.growth_slope=nan", "replay.growth_slope"),
        ("replay.reuse=0", "replay.reuse"),
        ("replay.reuse=inf", "replay.reuse"),
        ("replay.reuse=1e300", "replay.reuse"),
        ("replay.reuse=1000.1", "replay.reuse"),
        ("self_play.games=9223372036854775807", "self_play.games"),
        ("self_play.simulations=4294967295", "self_play.simulations"),
        ("replay.window=9223372036854775807", "replay.window"),
        ("evaluation.simulations=4294967295", "evaluation.simulations"),
        ("replay.mirror=1", "replay.mirror"),
        ("learner.batch=0", "learner.batch"),
        ("learner.learning_rate=-1", "learner.learning_rate"),
        ("learner.learning_rate=nan", "learner.learning_rate"),
        ("learner.final_learning_rate=1", "learner.final_learning_rate"),
        ("learner.gradient_clip=0", "learner.gradient_clip"),
        ("learner.margin_weight=-1", "learner.margin_weight"),
        ("learner.value_blend=1.5", "learner.value_blend"),
        ("learner.ema_decay=1", "learner.ema_decay"),
        ("checkpoint.every=0", "checkpoint.every"),
        ("checkpoint.keep=0", "checkpoint.keep"),
        ("evaluation.games=3", "evaluation.games"),
        ("evaluation.games=20000", "evaluation.games"),
        ("evaluation.opponents=['chess']", "evaluation.opponents"),
        ("evaluation.opponents='random'", "evaluation.opponents"),
    ];
    for (text, key) in table {
        let error = load(&[text]).expect_err(text).to_string();
        assert!(error.starts_with(&format!("config key {key}")), "{text}: {error}");
        assert!(!error.contains('\n'), "{text}: {error}");
    }
    for text in ["", "seed", "=1", "learner.=1"] {
        assert!(matches!(load(&[text]), Err(ConfigError::Override(_))), "{text}");
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for (texts, key) in [
        (&["self_play.full_share=0.5", "self_play.fast_simulations=33"][..], "self_play.fast_simulations"),
        (&["self_play.fork_share=0.1", "self_play.games=256"], "self_play.fork_share"),
        // Two games of eight plies never fill a batch of 17.
        (
            &["learner.batch=17", "self_play.opening_plies=0", "self_play.games=2", "self_play.max_plies=8"],
            "learner.batch",
        ),
        (&["learner.batch=101", "replay.growth_start=100", "replay.growth_slope=1e-9"], "learner.batch"),
    ] {
        let error = load(texts).expect_err(key).to_string();
        assert!(error.starts_with(&format!("config key {key}: ")) && !error.contains('\n'), "{error}");
        // The last is what contradicts.
        load(&texts[..texts.len() - 1]).unwrap();
    }
}

#[test]
fn a_run_begun_without_the_newer_keys_goes_on() {
    let known = "game = \"giuthi-2x2\"\nlearner.batch = 512\nlearner.decay_iterations = 0\nlearner.ema_decay = 0.0\n\
        learner.final_learning_rate = 0.0002\nlearner.gradient_clip = 1.0\nlearner.learning_rate = 0.002\n\
        learner.value_blend = 0.0\nlearner.value_weight = 1.0\nlearner.warmup_steps = 100\n\
        learner.weight_decay = 0.001\nnet.blocks = 1\nnet.channels = 8\nnet.policy_hidden = 4\n\
        net.value_hidden = 4\nreplay.mirror = true\nreplay.reuse = 4.0\nreplay.window = 200000\nseed = 0\n\
        self_play.considered = 10\nself_play.games = 512\nself_play.lockstep = 128\nself_play.max_plies = 400\n\
        self_play.opening_plies = 8\nself_play.sigma_scale = 0.25\nself_play.simulations = 32\n";
    let config = load(&[]).unwrap();
    assert_eq!(config.learning_part(), known);
    assert!(ADDED.iter().all(|key| config.leaves().iter().any(|(name, _)| name == key)));
    let puct = load(&["self_play.selection=puct"]).unwrap();
    assert_eq!(
        puct.learning_part(),
        known.replace("self_play.sigma", "self_play.selection = \"puct\"\nself_play.sigma")
    );
}

#[test]
fn the_window_grows_by_a_power_law_and_never_faster_than_the_positions() {
    let replay = Replay { window: 3_000, growth_start: 500, ..Default::default() };
    assert_eq!([0, 499, 500].map(|positions| replay.window_after(positions)), [500; 3]);
    // 500 * (1 + 0.4 * (16^0.75 - 1) / 0.75)
    assert_eq!(replay.window_after(8_000), 2_366);
    assert_eq!(replay.window_after(1_000_000), 3_000);
    let steepest = Replay { growth_slope: 1.0, growth_exponent: 1.0, ..replay.clone() };
    for replay in [replay, steepest] {
        for positions in 0..5_000 {
            let (now, next) = (replay.window_after(positions), replay.window_after(positions + 1));
            assert!(next >= now && next <= now + 1 && now as u64 <= positions.max(500));
        }
    }
    assert_eq!(Replay::default().window_after(1), 200_000);
}

#[test]
fn a_missing_key_is_named() {
    let text = SMALL.replace("channels = 8\n", "");
    assert!(Config::parse(&text).unwrap_err().to_string().starts_with("config key net.channels: missing"));
    let text = SMALL.replace("game = 'giuthi-2x2'\n", "");
    assert!(Config::parse(&text).unwrap_err().to_string().starts_with("config key game: missing"));
}

#[test]
fn a_syntax_error_names_file_and_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "seed = 1\ngame = \n").unwrap();
    let error = Config::load(file.path(), &[]).unwrap_err().to_string();
    assert!(error.contains(", line 2: ") && !error.contains('\n'), "{error}");
    let error = Config::load(Path::new("/nowhere.toml"), &[]).unwrap_err().to_string();
    assert!(error.starts_with("config /nowhere.toml: "), "{error}");
}

#[test]
fn what_is_written_reads_back() {
    let config = load(&["minutes=2.5", "learner.ema_decay=0.99"]).unwrap();
    assert_eq!(Config::parse(&config.to_toml()).unwrap(), config);
}

#[test]
fn only_learning_keys_bind_a_run() {
    let begun = load(&[]).unwrap();
    let changeable = ["iterations=9", "minutes=1", "threads=1", "checkpoint.keep=1", "evaluation.games=2"];
    load(&changeable).unwrap().check_continues(&begun).unwrap();
    let error = load(&["learner.batch=64"]).unwrap().check_continues(&begun).unwrap_err().to_string();
    assert_eq!(error, "config key learner.batch: the run was begun with 512, now it is 64");
}

#[test]
fn the_learning_rate_warms_up_and_falls() {
    let learner = Learner { decay_iterations: 10, ..Default::default() };
    assert!((learner.rate(1, 0) - 2e-5).abs() < 1e-12);
    assert!((learner.rate(1, 99) - 2e-3).abs() < 1e-12);
    assert!((learner.rate(6, 1000) - 1.1e-3).abs() < 1e-12);
    assert!((learner.rate(99, 1000) - 2e-4).abs() < 1e-12);
}
