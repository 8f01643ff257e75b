//! The config of `make train`.

use std::path::Path;

use mancala_env::{Giuthi, GiuthiRules, Stream, stream};
use mancala_search::net::{NetEvaluator, NetHeader, Weights};
use mancala_search::self_play::play_games;

use super::Config;

fn shipped() -> Config {
    Config::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/giuthi-5x4.toml"), &[]).unwrap()
}

/// The entropy of the policies that a fresh net would learn from, as a share of that of no preference: 0 knows all, 1 nothing.
fn softness(config: &Config) -> f64 {
    let rules = GiuthiRules::new(5, 4).unwrap();
    let header = NetHeader::of::<Giuthi>(&rules, config.net);
    let weights = Weights::random(header, &mut stream(Stream::Learner, config.seed, 0, 0));
    let mut net = NetEvaluator::<Giuthi>::new(&rules, &weights).unwrap();
    let play = config.self_play.search_config();
    let games = play_games::<Giuthi>(&rules, &mut net, &play, 1, 0..12, &mut |_| {}).unwrap().records;
    let samples = games.iter().flat_map(|game| game.samples::<Giuthi>(&rules).unwrap());
    let (mut sum, mut count) = (0.0, 0.0);
    for policy in samples.map(|sample| sample.policy).filter(|policy| !policy.is_empty()) {
        let entropy: f32 = policy.iter().filter(|&&share| share > 0.0).map(|share| -share * share.ln()).sum();
        sum += f64::from(entropy) / (policy.len() as f64).ln();
        count += 1.0;
    }
    sum / count
}

#[test]
fn a_fresh_net_is_not_taught_certainty() {
    // Its values are noise. At the paper's scale, meant for a net that knows something, they would decide.
    let mut config = shipped();
    let soft = softness(&config);
    config.self_play.sigma_scale = 1.0;
    let hard = softness(&config);
    assert!(soft > 0.6 && soft > hard + 0.1, "{soft} {hard}");
}

#[test]
fn it_takes_ten_minutes_at_most() {
    assert!(shipped().minutes.is_some_and(|minutes| minutes < 10.0));
}
