//! Building a tablebase: layer after layer from few seeds up, each kept as soon as it is done.

mod layer;
mod partial;

use std::path::Path;
use std::time::{Duration, Instant};

use mancala_env::GiuthiRules;

use super::error::TablebaseError;
use super::file::{LayerEntry, Subject};
use super::index::{BoardIndex, MAX_SEEDS, unfolded_boards};
use super::moves::Mover;
use layer::{Layer, LayerBuilder, Unfinished};
use partial::Partial;

/// How a tablebase is built. The file is the same whatever the threads and the memory.
#[derive(Clone, Copy, Debug)]
pub struct BuildSettings {
    /// At least 1.
    pub threads: usize,
    /// Bytes that a layer may take while it is built, at least 6 for each of its boards; what is more is used to keep moves
    /// that would otherwise be played again every round.
    pub memory: u64,
}

impl Default for BuildSettings {
    /// One thread, 4 GiB.
    fn default() -> Self {
        Self { threads: 1, memory: 4 << 30 }
    }
}

/// How far a build is.
#[derive(Clone, Copy, Debug)]
pub struct BuildProgress {
    /// The seeds of the layer being built.
    pub seeds: u32,
    /// Its round, from 0. In round 0 all moves are played, so it costs most; how many there will be nobody knows.
    pub round: u32,
    /// The share of the layer's boards that have been looked at in this round.
    pub share: f64,
    /// Boards done, folded, with the share of this layer whose moves have been played.
    pub boards: u64,
    /// Boards there are, folded.
    pub all: u64,
}

/// A layer that is done.
#[derive(Clone, Copy, Debug)]
pub struct BuiltLayer {
    /// Its seeds.
    pub seeds: u32,
    /// Its boards, folded.
    pub boards: u64,
    /// Rounds that changed something.
    pub rounds: u32,
    /// How long it took; zero if it was there from an earlier run.
    pub time: Duration,
}

/// Told how a build goes on.
pub trait BuildObserver: Sync {
    /// Some more has been done; says whether to go on.
    fn on_progress(&self, _progress: BuildProgress) -> bool {
        true
    }
    /// A layer is done and safe on disk.
    fn on_layer(&self, _layer: BuiltLayer) {}
}

impl BuildObserver for () {}

/// Bytes a board takes while its layer is built: margins, and two ranks.
const BOARD_MEMORY: u64 = 6;

/// Boards of each layer, by seeds, folded; `None` if there are too many for a tablebase.
pub fn layer_boards(pits: u8, seeds: u32) -> Option<Vec<u64>> {
    let index = BoardIndex::new(pits, seeds)?;
    Some((0..=seeds as usize).map(|seeds| index.boards(seeds)).collect())
}

/// Builds the tablebase of all boards of a kind with at most `seeds` seeds into the file `path`. Layers that an earlier, stopped
/// or killed run has finished are taken over; until all are done they are in `path` with `.part` after its name.
///
/// # Errors
/// If `path` is there already, the table is too large for the format or a layer for the memory, another build is running or
/// was another one, or the disk fails; [`TablebaseError::Stopped`] if the observer says so.
pub fn build(
    path: &Path,
    rules: &GiuthiRules,
    seeds: u32,
    settings: &BuildSettings,
    observer: &dyn BuildObserver,
) -> Result<(), TablebaseError> {
    let unbuildable = |problem: String| TablebaseError::Unbuildable(problem);
    let Some(index) = BoardIndex::new(rules.pits(), seeds) else {
        let boards =
            unfolded_boards(rules.pits(), seeds).map_or("too many".into(), |boards| boards.to_string());
        return Err(unbuildable(format!(
            "a tablebase of {} pits a row and {seeds} seeds has {boards} boards; a layer has room for 4294967296, a board for {MAX_SEEDS} seeds",
            rules.pits()
        )));
    };
    let largest = index.boards(seeds as usize);
    if BOARD_MEMORY * largest > settings.memory {
        return Err(unbuildable(format!(
            "memory: {} bytes, and the largest layer needs {} at least",
            settings.memory,
            BOARD_MEMORY * largest
        )));
    }
    if path.exists() {
        return Err(unbuildable(format!("{} is there already", path.display())));
    }
    let subject = Subject::new(rules, seeds);
    let all = (0..=seeds as usize).map(|seeds| index.boards(seeds)).sum();
    let mover = Mover::new(*rules);
    let mut partial = Partial::open(path, subject, &index)?;
    let mut done = 0;
    for (seeds, layer) in partial.layers().iter().enumerate() {
        done += layer.boards;
        let LayerEntry { boards, rounds, .. } = *layer;
        observer.on_layer(BuiltLayer { seeds: seeds as u32, boards, rounds, time: Duration::ZERO });
    }
    for seeds in partial.layers().len()..=seeds as usize {
        let start = Instant::now();
        let boards = index.boards(seeds);
        let lower = partial.lower()?;
        let builder = LayerBuilder {
            index: &index,
            mover: &mover,
            seeds,
            threads: settings.threads,
            moves_memory: settings.memory - BOARD_MEMORY * boards,
            lower: &|seeds, number| lower.margins(seeds, number),
            go_on: &|round, share| {
                let played = if round == 0 { share } else { 1.0 };
                let boards = done + (played * boards as f64) as u64;
                observer.on_progress(BuildProgress { seeds: seeds as u32, round, share, boards, all })
            },
        };
        let layer = builder.run().map_err(|unfinished| match unfinished {
            Unfinished::Stopped => {
                TablebaseError::Stopped { layers: seeds as u32, all: index.max_seeds() + 1 }
            }
            Unfinished::TooManyRounds => {
                TablebaseError::Unbuildable(format!("the layer of {seeds} seeds takes over 65536 rounds"))
            }
        })?;
        drop(lower);
        let Layer { margins, ranks, rounds } = layer;
        partial.push(&margins, &ranks, rounds)?;
        done += boards;
        observer.on_layer(BuiltLayer { seeds: seeds as u32, boards, rounds, time: start.elapsed() });
    }
    partial.finish(path)
}
