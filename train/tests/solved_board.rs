//! A net trained on a board that is solved plays and judges as the table does: the whole of learning, from self-play to the net
//! on disk, against the truth.

use std::collections::HashSet;
use std::path::Path;

use mancala_env::{Game, Giuthi, GiuthiRules, Position, Stream, random_action, stream};
use mancala_search::mcts::{MctsAgent, Settings};
use mancala_search::net::{self, NetEvaluator};
use mancala_search::self_play::SearchKind;
use mancala_search::tablebase::{
    BuildSettings, Evaluation, Tablebase, TestPosition, TestSet, build, evaluate,
};
use mancala_train::config::Config;
use mancala_train::run::{Progress, train};

const CONFIG: &str = "
seed = 1
threads = 2
net = { channels = 128, blocks = 1, policy_hidden = 32, value_hidden = 32 }
self_play = { lockstep = 64, simulations = 24, considered = 8, sigma_scale = 0.1, max_plies = 100 }
learner = { batch = 128, learning_rate = 3e-3, final_learning_rate = 3e-4, warmup_steps = 50 }
checkpoint = { every = 1000, keep = 1 }
evaluation = { games = 0 }
";

/// Every position of games of random play, each once and its history fresh, with what the table says of it.
fn positions(table: &Tablebase, rules: GiuthiRules, games: u64) -> TestSet {
    let mut seen = HashSet::new();
    let mut set = TestSet { positions: Vec::new(), any: Vec::new() };
    for game in 0..games {
        let mut rng = stream(Stream::Agent, 1, game, 0);
        let mut played = Position::<Giuthi>::initial(rules);
        while !played.is_over() {
            if seen.insert(played.state().write()) {
                let position = Position::from_state(rules, *played.state());
                let judgements = table.judge(&position).unwrap();
                let class = judgements.iter().map(|judgement| judgement.class).max().unwrap();
                set.any.push((position.clone(), class));
                if judgements.iter().any(|judgement| judgement.class < class) {
                    set.positions.push(TestPosition { position, judgements, class });
                }
            }
            let action = random_action(played.state(), &mut rng).unwrap();
            played.play_unchecked(action);
        }
    }
    set
}

/// Trains on a board and asks the net about all of `set`, with so many simulations.
fn learn(config: &Config, rules: GiuthiRules, out: &Path, set: &TestSet, simulations: u32) -> Evaluation {
    if !out.join("config.toml").is_file() {
        train::<Giuthi>(rules, config, out, false, &Progress::Hidden, &|| false).unwrap();
    }
    let weights = net::read(out.to_str().unwrap()).unwrap();
    let evaluator = NetEvaluator::<Giuthi>::new(&rules, &weights).unwrap();
    evaluate(&mut MctsAgent::new(&rules, evaluator, Settings::gumbel(simulations)), set).unwrap()
}

fn check(rules: GiuthiRules, change: impl FnOnce(&mut Config), least: [f64; 2], most_error: f64) {
    let folder = tempfile::tempdir().unwrap();
    let (path, seeds) = (folder.path().join("solved.tb"), Giuthi::total_seeds(&rules));
    build(&path, &rules, seeds.into(), &BuildSettings::default(), &()).unwrap();
    let set = positions(&Tablebase::open(path).unwrap(), rules, 400);
    assert!(set.positions.len() > 50, "{} positions in which an action loses value", set.positions.len());
    let text = format!("game = '{}'\niterations = 1\n{CONFIG}", Giuthi::id(&rules));
    let mut config = Config::parse(&text).unwrap();
    change(&mut config);
    config.validate().unwrap();
    let run = folder.path().join("run");
    for (simulations, least) in [0, 64].into_iter().zip(least) {
        let found = learn(&config, rules, &run, &set, simulations);
        println!("{simulations} simulations: {found:?}");
        assert!(found.preserving >= least, "{simulations} simulations: {found:?}");
        assert!(found.preserving > found.preserving_random, "{found:?}");
        let error = found.calibration.unwrap().mean_squared_error;
        assert!(error <= most_error, "{simulations} simulations: {error}");
    }
}

#[test]
fn a_net_trained_on_a_solved_board_reproduces_the_table() {
    let change = |config: &mut Config| {
        config.iterations = 60;
        config.self_play.games = 256;
        config.learner.decay_iterations = 60;
    };
    check(GiuthiRules::new(3, 2).unwrap(), change, [0.84, 0.98], 0.25);
}

#[test]
fn so_does_one_with_every_other_choice() {
    let change = |config: &mut Config| {
        config.iterations = 40;
        let play = &mut config.self_play;
        (play.selection, play.exploration) = (SearchKind::Puct, 1.25);
        (play.full_share, play.fast_simulations, play.simulations) = (0.5, 8, 48);
        (play.games, play.sampled_plies, play.fork_share) = (256, 4, 0.2);
        (config.replay.growth_start, config.replay.window) = (4_000, 20_000);
        (config.learner.margin_weight, config.learner.ema_decay) = (0.5, 0.99);
        config.learner.decay_iterations = 40;
    };
    check(GiuthiRules::new(3, 2).unwrap(), change, [0.75, 0.97], 0.3);
}

#[test]
#[ignore = "long"]
fn a_net_trained_for_longer_reproduces_more_of_a_larger_board() {
    let change = |config: &mut Config| {
        config.iterations = 40;
        config.self_play.games = 512;
        config.learner.batch = 256;
        config.learner.decay_iterations = 40;
    };
    check(GiuthiRules::new(3, 3).unwrap(), change, [0.85, 0.97], 0.25);
}
