//! Agents that search, and know the positions of a tablebase.

use std::sync::Arc;

use mancala_env::{Action, Game, Position};

use super::{Class, Tablebase, TablebaseAgent};
use crate::agent::{Agent, AgentError, Analysis};
use crate::evaluator::{Evaluations, Evaluator, Leaf};
use crate::stop::Stop;

/// Plays perfectly where the tablebase knows the position, and as another agent elsewhere.
pub struct WithTablebase<G: Game> {
    perfect: TablebaseAgent,
    inner: Box<dyn Agent<G>>,
}

impl<G: Game> WithTablebase<G> {
    /// `inner` is asked about the positions that `perfect` does not know.
    pub fn new(perfect: TablebaseAgent, inner: Box<dyn Agent<G>>) -> Self {
        Self { perfect, inner }
    }
}

impl<G: Game> Agent<G> for WithTablebase<G> {
    fn stop_when(&mut self, stop: &Stop) {
        self.inner.stop_when(stop);
    }

    fn new_game(&mut self, seed: u64) {
        self.inner.new_game(seed);
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        AgentError::check(positions)?;
        let (known, others): (Vec<_>, Vec<_>) =
            positions.iter().copied().partition(|position| self.perfect.knows(position));
        let mut known = self.perfect.act_many(&known)?.into_iter();
        let mut others = self.inner.act_many(&others)?.into_iter();
        let next = |position| if self.perfect.knows(position) { known.next() } else { others.next() };
        Ok(positions.iter().copied().filter_map(next).collect())
    }

    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        match self.perfect.knows(position) {
            true => self.perfect.analyze(position),
            false => self.inner.analyze(position),
        }
    }

    fn nodes(&self) -> Option<u64> {
        self.inner.nodes()
    }
}

/// Judges leaves that a tablebase knows by it, of a fresh history, and leaves the others, and all priors, to another evaluator.
pub struct TablebaseEvaluator<E> {
    inner: E,
    tablebase: Option<Arc<Tablebase>>,
}

impl<E> TablebaseEvaluator<E> {
    /// The tablebase is of the game that the leaves are of.
    pub fn new(inner: E, tablebase: Option<Arc<Tablebase>>) -> Self {
        Self { inner, tablebase }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for TablebaseEvaluator<E> {
    fn new_game(&mut self, seed: u64) {
        self.inner.new_game(seed);
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        self.inner.evaluate(leaves, out)?;
        let Some(tablebase) = &self.tablebase else { return Ok(()) };
        for (row, leaf) in leaves.iter().enumerate() {
            let Some(state) = leaf.state.as_giuthi().filter(|state| tablebase.covers(state)) else {
                continue;
            };
            let class = tablebase.class_for(state, state.to_move());
            out.values[row] = class.outcome() as f32;
            if let Some(draw) = out.draws.get_mut(row) {
                *draw = if class == Class::Draw { 1.0 } else { 0.0 };
            }
        }
        Ok(())
    }
}
