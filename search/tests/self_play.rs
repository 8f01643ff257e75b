//! Self-play games: pure in their arguments, whole, and fit for learning.

use mancala_env::{Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Stream, stream};
use mancala_search::UniformEvaluator;
use mancala_search::net::{NetConfig, NetEvaluator, NetHeader, Weights};
use mancala_search::self_play::{GameRecord, SelfPlayConfig, play_games};

fn config(lockstep: usize) -> SelfPlayConfig {
    SelfPlayConfig {
        lockstep,
        simulations: 8,
        considered: 4,
        sigma_scale: 0.25,
        opening_plies: 6,
        max_plies: 60,
        ..SelfPlayConfig::default()
    }
}

fn games<G: Game>(
    rules: &G::Rules,
    lockstep: usize,
    seed: u64,
    games: std::ops::Range<u64>,
) -> Vec<GameRecord> {
    play::<G>(rules, &config(lockstep), seed, games)
}

fn play<G: Game>(
    rules: &G::Rules,
    config: &SelfPlayConfig,
    seed: u64,
    games: std::ops::Range<u64>,
) -> Vec<GameRecord> {
    let mut seen = 0;
    let mut evaluator = UniformEvaluator;
    let mut records =
        play_games::<G>(rules, &mut evaluator, config, seed, games, &mut |_| seen += 1).unwrap().records;
    assert_eq!(seen, records.len());
    records.sort_by_key(|record| record.index);
    records
}

#[test]
fn a_game_depends_on_seed_and_number_alone() {
    let rules = GiuthiRules::new(4, 3).unwrap();
    let all = games::<Giuthi>(&rules, 16, 5, 0..40);
    assert_eq!(all.len(), 40);
    assert_eq!(games::<Giuthi>(&rules, 1, 5, 0..40), all);
    assert_eq!(games::<Giuthi>(&rules, 7, 5, 10..20), all[10..20]);
    assert_ne!(games::<Giuthi>(&rules, 16, 6, 0..40), all);
}

fn check_samples<G: Game>(rules: &G::Rules, records: &[GameRecord]) {
    for record in records {
        let samples = record.samples::<G>(rules).unwrap();
        assert_eq!(samples.len(), record.moves.len());
        for sample in samples {
            assert_eq!(sample.actions.len(), sample.state.legal_actions().len());
            if !sample.policy.is_empty() {
                assert_eq!(sample.policy.len(), sample.actions.len());
                assert!((sample.policy.iter().sum::<f32>() - 1.0).abs() < 1e-3);
            }
            let returned = record.returns[sample.state.to_move().index()];
            assert_eq!(sample.outcome, if returned == 0.0 { 0.0 } else { returned.signum() });
            assert!(sample.value.is_none_or(|value| (-1.0..=1.0).contains(&value)));
        }
    }
}

#[test]
fn games_come_back_as_samples() {
    let rules = GiuthiRules::new(3, 3).unwrap();
    check_samples::<Giuthi>(&rules, &games::<Giuthi>(&rules, 8, 1, 0..20));
    let rules = KiothiRules::new(3, 2).unwrap();
    check_samples::<Kiothi>(&rules, &games::<Kiothi>(&rules, 8, 1, 0..8));
}

#[test]
fn a_record_that_does_not_fit_is_refused() {
    let rules = GiuthiRules::new(3, 3).unwrap();
    let record = games::<Giuthi>(&rules, 1, 1, 0..1).remove(0);
    let mut altered = record.clone();
    altered.moves[0].action = 40;
    assert!(altered.samples::<Giuthi>(&rules).unwrap_err().contains("out of range"));
    let mut altered = record;
    altered.moves[0].policy.push(1);
    assert!(altered.samples::<Giuthi>(&rules).unwrap_err().contains("shares"));
}

#[test]
fn a_net_plays_both_games() {
    let sizes = NetConfig::plain(16, 1, 8, 8);
    let rules = GiuthiRules::new(4, 4).unwrap();
    let header = NetHeader::of::<Giuthi>(&rules, sizes);
    let weights = Weights::random(header, &mut stream(Stream::Learner, 0, 0, 0));
    let mut net = NetEvaluator::<Giuthi>::new(&rules, &weights).unwrap();
    let records = play_games::<Giuthi>(&rules, &mut net, &config(8), 0, 0..10, &mut |_| {}).unwrap().records;
    check_samples::<Giuthi>(&rules, &records);
    let rules = KiothiRules::new(4, 3).unwrap();
    let header = NetHeader::of::<Kiothi>(&rules, sizes);
    let weights = Weights::random(header, &mut stream(Stream::Learner, 0, 0, 0));
    let mut net = NetEvaluator::<Kiothi>::new(&rules, &weights).unwrap();
    let records = play_games::<Kiothi>(&rules, &mut net, &config(8), 0, 0..4, &mut |_| {}).unwrap().records;
    check_samples::<Kiothi>(&rules, &records);
}
