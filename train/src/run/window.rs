//! The window of positions that are learned from, filled from the shards on disk.

use std::collections::BTreeMap;

use anyhow::anyhow;
use mancala_env::Game;
use mancala_search::self_play::GameRecord;

use super::Folder;
use crate::checkpoint::{Checkpoints, State};
use crate::config::Config;
use crate::replay::{Replay, ShardError};

/// Fills the window as it was when the run stood like this, from the newest shards.
pub(super) fn refill<G: Game>(
    replay: &mut Replay<G>,
    config: &Config,
    folder: &Folder,
    state: &State,
) -> anyhow::Result<()> {
    let (shards, rules) = (folder.shards(), *replay.rules());
    replay.set_window(config.replay.window_after(state.positions));
    let (mut newest_first, mut positions) = (Vec::new(), 0);
    for iteration in (1..=state.iteration).rev() {
        if positions >= replay.window() as u64 {
            break;
        }
        let shard = shards
            .read::<G>(&rules, config.seed, iteration)
            .map_err(|error| with_way_out(error, &folder.checkpoints(), iteration))?;
        positions += shard.header.positions;
        newest_first.push(shard);
    }
    newest_first.iter().rev().try_for_each(|shard| extend_window(replay, &shard.games))
}

/// The error of the shard of an iteration, with the newest checkpoint before it, which can be gone on from without it.
fn with_way_out(error: ShardError, checkpoints: &Checkpoints, iteration: u64) -> ShardError {
    match error {
        ShardError::Damaged { path, problem } => {
            let problem = format!("{problem}{}", checkpoints.advice_before(iteration));
            ShardError::Damaged { path, problem }
        }
        error => error,
    }
}

/// Adds the positions of games to the window.
pub(super) fn extend_window<G: Game>(replay: &mut Replay<G>, games: &[GameRecord]) -> anyhow::Result<()> {
    for game in games {
        let samples = game.samples::<G>(replay.rules()).map_err(|error| anyhow!("self-play: {error}"))?;
        replay.extend(samples);
    }
    Ok(())
}

/// The positions of games that are learned from.
pub(super) fn count_positions(games: &[GameRecord]) -> u64 {
    games.iter().map(|game| game.moves.len() as u64).sum()
}

/// The first iteration whose games are in the window after iteration `last`; 0 where that is not known.
pub(super) fn first_needed(held: &BTreeMap<u64, u64>, last: u64, window: u64) -> u64 {
    let mut positions = 0;
    for (&iteration, &count) in held.range(..=last).rev() {
        positions += count;
        if positions >= window {
            return iteration;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_of_the_window_are_needed() {
        let held = BTreeMap::from([(3, 10), (4, 20), (5, 30)]);
        assert_eq!(first_needed(&held, 5, 30), 5);
        assert_eq!(first_needed(&held, 5, 31), 4);
        assert_eq!(first_needed(&held, 4, 30), 3);
        assert_eq!(first_needed(&held, 4, 31), 0);
    }
}
