//! What self-play takes.

use mancala_env::Game;

use super::lane::Lane;

/// What some games took; those of other threads may be added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SelfPlayStats {
    /// Seconds from begin to end.
    pub seconds: f64,
    /// Seconds of them in the evaluator.
    pub inference_seconds: f64,
    /// Seconds in which the rules told what the actions of leaves do, scaled up from a sample of them.
    pub rules_seconds: f64,
    /// Calls of the evaluator.
    pub calls: u64,
    /// Leaves judged in them.
    pub rows: u64,
    /// Moves that were searched.
    pub searched: u64,
    /// Simulations of them.
    pub simulations: u64,
    /// Games that began as forks.
    pub forks: u64,
}

impl SelfPlayStats {
    /// Adds what a lane that retires has counted.
    pub(super) fn add_lane<G: Game>(&mut self, lane: &Lane<G>) {
        self.rules_seconds += lane.tree.rules_seconds();
        self.searched += lane.searched;
        self.simulations += lane.simulations;
        self.forks += lane.forks;
    }

    /// Adds what another thread took.
    pub fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.inference_seconds += other.inference_seconds;
        self.rules_seconds += other.rules_seconds;
        self.calls += other.calls;
        self.rows += other.rows;
        self.searched += other.searched;
        self.simulations += other.simulations;
        self.forks += other.forks;
    }

    /// Seconds that were spent neither in the evaluator nor in the rules: the tree's own.
    pub fn search_seconds(&self) -> f64 {
        (self.seconds - self.inference_seconds - self.rules_seconds).max(0.0)
    }
}
