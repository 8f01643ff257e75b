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
    NetConfig, NetEvaluator, NetHeader, REPLY_FEATURES, ReplyFinder, Weights, afterstates, describe,
    describe_with,
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
    let afterstates: Vec<Vec<Giuthi>> = positions
        .iter()
        .zip(&infos)
        .map(|(position, actions)| afterstates(position.state(), actions))
        .collect();
    let leaves: Vec<Leaf<'_, Giuthi>> = positions
        .iter()
        .zip(&infos)
        .zip(&afterstates)
        .map(|((position, actions), afterstates)| Leaf {
            rules: &rules,
            state: position.state(),
            history: position.history(),
            actions,
            afterstates,
        })
        .collect();

    let mut group = criterion.benchmark_group("net");
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    let units = (4.0, 10);
    let plain = NetConfig { count_levels: 12, ..NetConfig::plain(64, 2, 32, 64) };
    let replies = NetConfig { reply_features: true, ..plain };
    let mut finder = ReplyFinder::<Giuthi>::new(&rules, replies).expect("it reads of replies");
    let full = NetConfig { capture_search: true, afterstates: true, policy_blocks: 1, ..replies };
    let nets = [plain, replies, full].map(|sizes| {
        let header = NetHeader::of::<Giuthi>(&rules, sizes);
        Weights::random(header, &mut stream(Stream::Learner, 1, 0, 0))
    });
    for count in BATCHES {
        let leaves = &leaves[..count.min(leaves.len())];
        group.throughput(Throughput::Elements(leaves.len() as u64));
        let actions = || {
            leaves.iter().flat_map(|leaf| {
                let boards = leaf.actions.iter().zip(leaf.afterstates);
                boards.map(|(info, after)| (leaf.state, info, after))
            })
        };
        let mut features = [0.0; ACTION_FEATURES + REPLY_FEATURES];
        group.bench_function(BenchmarkId::new("replies, scalar", count), |bencher| {
            bencher.iter(|| {
                let describe = |(state, info, _)| {
                    describe(state, info, replies, units, &mut features);
                    features[ACTION_FEATURES]
                };
                actions().map(describe).sum::<f32>()
            });
        });
        group.bench_function(BenchmarkId::new("replies, lockstep", count), |bencher| {
            bencher.iter(|| {
                let foreseen = finder.find(actions());
                let describe = |((_, info, _), found)| {
                    describe_with(info, found, replies, units, &mut features);
                    features[ACTION_FEATURES]
                };
                actions().zip(foreseen).map(describe).sum::<f32>()
            });
        });
        for (name, weights) in [
            "evaluation without replies",
            "evaluation with replies",
            "evaluation with replies and afterstates",
        ]
        .iter()
        .zip(&nets)
        {
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
