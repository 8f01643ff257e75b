//! Self-play: a pure function from (evaluator, config, seed range) to games.

mod config;
mod fork;
mod lane;
mod record;
mod shard;
mod stats;

use std::ops::Range;
use std::time::Instant;

use mancala_env::Game;

use crate::evaluator::{Evaluations, Evaluator, Leaf};
use crate::mcts::apply;

pub use config::{SearchKind, SelfPlayConfig};
pub use record::{GameRecord, MoveRecord, Sample};
pub use shard::{Shard, ShardHeader};
pub use stats::SelfPlayStats;

use lane::Lane;

/// What [`play_games`] has played.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayed {
    /// The games, in the order in which they ended.
    pub records: Vec<GameRecord>,
    /// What it took.
    pub stats: SelfPlayStats,
}

/// Plays the games numbered `games`, many in lockstep; `on_game` sees each as it ends.
///
/// A game depends on evaluator, config, `seed` and its number; a fork also on the games that had ended before it began, and so
/// on the whole call. (An evaluator whose floats differ in their last bits with the shape of its batch may carry that
/// difference into games; the whole call with the same arguments gives the same games.)
///
/// # Errors
/// If the evaluator fails.
pub fn play_games<G: Game>(
    rules: &G::Rules,
    evaluator: &mut dyn Evaluator<G>,
    config: &SelfPlayConfig,
    seed: u64,
    mut games: Range<u64>,
    on_game: &mut dyn FnMut(&GameRecord),
) -> Result<SelfPlayed, String> {
    let begun = Instant::now();
    let mut stats = SelfPlayStats::default();
    let mut records = Vec::new();
    let mut lanes: Vec<Lane<G>> = Vec::new();
    while lanes.len() < config.lockstep.max(1)
        && let Some(index) = games.next()
    {
        lanes.push(Lane::new(rules, config, seed, index));
    }
    let mut evaluations = Evaluations::default();
    loop {
        // A lane that needs no judgement has ended its game: it takes the next, or retires.
        lanes.retain_mut(|lane| {
            while !lane.advance(config) {
                let record = lane.take_record();
                on_game(&record);
                records.push(record);
                match games.next() {
                    Some(index) => lane.begin_game(config, seed, index, &records),
                    None => {
                        stats.add_lane(lane);
                        return false;
                    }
                }
            }
            true
        });
        if lanes.is_empty() {
            stats.seconds = begun.elapsed().as_secs_f64();
            // A sample of few leaves, taken on a busy machine, may be more than there was.
            stats.rules_seconds = stats.rules_seconds.min(stats.seconds - stats.inference_seconds);
            return Ok(SelfPlayed { records, stats });
        }
        let leaves: Vec<Leaf<'_, G>> = lanes.iter().map(|lane| lane.tree.leaf()).collect();
        let asked = Instant::now();
        evaluator.evaluate(&leaves, &mut evaluations)?;
        stats.inference_seconds += asked.elapsed().as_secs_f64();
        stats.calls += 1;
        stats.rows += leaves.len() as u64;
        apply(lanes.iter_mut().map(|lane| &mut lane.tree), &evaluations);
    }
}
