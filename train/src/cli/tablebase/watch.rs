//! What a build shows while it goes on.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use mancala_search::tablebase::{BuildObserver, BuildProgress, BuiltLayer};

use super::estimate::{Estimate, tell_left};
use crate::cli::interrupt;
use crate::run::Progress;

/// Shows a build on stderr, and stops it on Ctrl-C.
pub(super) struct Watch {
    progress: Progress,
    begun: Instant,
    seeds: u32,
    all: u64,
    state: Mutex<State>,
}

struct State {
    estimate: Estimate,
    /// Boards of finished layers.
    done: u64,
    /// Layers that an earlier run had finished.
    earlier: u32,
    /// The boards shown: threads may come in out of order.
    shown: u64,
}

impl Watch {
    /// Of a build whose layers have so many boards.
    pub(super) fn new(boards: Vec<u64>) -> Self {
        let (seeds, all) = (boards.len() as u32 - 1, boards.iter().sum());
        let progress = Progress::stderr();
        progress.begin(String::new(), all);
        let state = State { estimate: Estimate::new(boards), done: 0, earlier: 0, shown: 0 };
        Self { progress, begun: Instant::now(), seeds, all, state: Mutex::new(state) }
    }

    pub(super) fn finish(&self) {
        self.progress.finish();
    }

    fn now(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn left(&self, estimate: &Estimate) -> String {
        estimate.left(self.now()).map(|left| format!(", {}", tell_left(left))).unwrap_or_default()
    }
}

impl BuildObserver for Watch {
    fn on_progress(&self, progress: BuildProgress) -> bool {
        let BuildProgress { seeds, round, share, boards, .. } = progress;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.estimate.progress(self.now(), seeds as usize, round, share);
        state.shown = state.shown.max(boards);
        if matches!(self.progress, Progress::Bar(_)) {
            let left = self.left(&state.estimate);
            self.progress
                .show(format!("{seeds} of {} seeds, round {}{left}", self.seeds, round + 1), state.shown);
        }
        !interrupt::asked()
    }

    fn on_layer(&self, layer: BuiltLayer) {
        let BuiltLayer { seeds, boards, rounds, time } = layer;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.estimate.layer(self.now(), seeds as usize, time.as_secs_f64());
        state.done += boards;
        if time.is_zero() {
            state.earlier = seeds + 1;
            return;
        }
        if state.earlier == seeds && seeds > 0 {
            self.progress.line(&format!("going on: {seeds} of {} layers are there", self.seeds + 1));
        }
        if !matches!(self.progress, Progress::Lines) {
            return;
        }
        let share = 100.0 * state.done as f64 / self.all as f64;
        let left = if state.done < self.all { self.left(&state.estimate) } else { String::new() };
        let seconds = time.as_secs_f64();
        self.progress.line(&format!(
            "seeds {seeds} of {}: {boards} boards, {rounds} rounds, {seconds:.2} s; {share:.1}% of all boards{left}",
            self.seeds
        ));
    }
}
