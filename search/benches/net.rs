//! A net's judgement a leaf, with and without features of the replies, and those alone: found by the scalar rules, action by
//! action, and in lockstep.
//!
//!     cargo bench -p mancala-search --bench net

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use mancala_env::{
    ACTION_FEATURES, ActionInfo, Giuthi, GiuthiRules, Position, Stream, random_opening, stream,
};
use mancala_search::net::{
    NetConfig, NetEvaluator, NetHeader, REPLY_FEATURES, ReplyFinder, Weights, describe, describe_with,
};
use mancala_search::{Evaluations, Evaluator, Leaf};

/// Leaves of a batch: a search alone, and self-play.
const BATCHES: [usize; 3] = [1, 16, 128];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let rules = GiuthiRules::new(5, 4).expect("a board");
    let positions: Vec<Position<Giuthi>> = (0..BATCHES[2] as u64)
        .filter_map(|game| {
            let mut rng = stream(Stream::Arena, 1, game, 0);
            random_opening(&Position::initial(rules), 4 + game as u32 % 20, &mut rng)
        })
        .collect();
    let infos = |position: &Position<Giuthi>| -> Vec<ActionInfo> {
        position.legal_actions().iter().map(|&action| ActionInfo::of(position, action).0).collect()
    };
    let infos: Vec<Vec<ActionInfo>> = positions.iter().map(infos).collect();
    let leaves: Vec<Leaf<'_, Giuthi>> = positions
        .iter()
        .zip(&infos)
        .map(|(position, actions)| Leaf {
            rules: &rules,
            state: position.state(),
            history: position.history(),
            actions,
        })
        .collect();

    let mut group = criterion.benchmark_group("net");
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    let units = (4.0, 10);
    let mut finder = ReplyFinder::<Giuthi>::new(&rules);
    let nets = [false, true].map(|reply_features| {
        // The net of train/configs/giuthi-5x4.toml.
        let sizes = NetConfig { count_levels: 12, reply_features, ..NetConfig::plain(64, 2, 32, 64) };
        let header = NetHeader::of::<Giuthi>(&rules, sizes);
        Weights::random(header, &mut stream(Stream::Learner, 1, 0, 0))
    });
    for count in BATCHES {
        let leaves = &leaves[..count.min(leaves.len())];
        group.throughput(Throughput::Elements(leaves.len() as u64));
        let actions = || leaves.iter().flat_map(|leaf| leaf.actions.iter().map(|info| (leaf.state, info)));
        let mut features = [0.0; ACTION_FEATURES + REPLY_FEATURES];
        group.bench_function(BenchmarkId::new("replies, scalar", count), |bencher| {
            bencher.iter(|| {
                let describe = |(state, info)| {
                    describe(state, info, units, &mut features);
                    features[ACTION_FEATURES]
                };
                actions().map(describe).sum::<f32>()
            });
        });
        group.bench_function(BenchmarkId::new("replies, lockstep", count), |bencher| {
            bencher.iter(|| {
                let replies = finder.find(actions());
                let describe = |((_, info), replies)| {
                    describe_with(info, replies, units, &mut features);
                    features[ACTION_FEATURES]
                };
                actions().zip(replies).map(describe).sum::<f32>()
            });
        });
        for (name, weights) in ["evaluation without replies", "evaluation with replies"].iter().zip(&nets) {
            let mut evaluator = NetEvaluator::<Giuthi>::new(&rules, weights).expect("a net of this board");
            let mut evaluations = Evaluations::default();
            group.bench_function(BenchmarkId::new(*name, count), |bencher| {
                bencher.iter(|| {
                    evaluator.evaluate(leaves, &mut evaluations).expect("nets answer");
                    evaluations.values[0]
                });
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
