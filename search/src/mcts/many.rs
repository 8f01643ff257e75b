//! Many leaves of one tree at once, for an evaluator that is faster the more it is given.

use mancala_env::Game;

use super::tree::{Descent, Gathered, MOST_WITHOUT_LEAF, Tree};
use crate::evaluator::{Evaluations, Leaf};

/// A leaf that waits among others.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    node: usize,
    /// The edges from the root to it, each with the loss that stands in for its value (virtual loss, Chaslot et al. 2008), so that
    /// the next walk goes elsewhere.
    path: Vec<(usize, f32)>,
    history: Vec<u128>,
}

impl<G: Game> Tree<G> {
    /// As [`gather`](Tree::gather), but up to `most` leaves; none where the walk meets one that waits, nor when the root is proven.
    /// The root is gathered alone. For searches by PUCT.
    pub fn gather_many(&mut self, most: usize) -> Gathered {
        self.waiting_count = 0;
        for _ in 0..MOST_WITHOUT_LEAF {
            if self.has_no_more() || self.waiting_count == most {
                break;
            }
            match self.descend() {
                Descent::Ended(value) => self.back_up(value),
                Descent::Leaf => self.wait(),
                Descent::Waiting => break,
            }
        }
        match self.waiting_count {
            0 if self.has_no_more() => Gathered::Done,
            0 => Gathered::Pause,
            _ => Gathered::Leaf,
        }
    }

    /// Whether there is nothing more to find out. In a proven tree all actions are cut, and visits would only pile up on the first.
    fn has_no_more(&self) -> bool {
        self.is_done() || self.is_proven()
    }

    /// Has the newest leaf wait.
    fn wait(&mut self) {
        if self.waiting.len() == self.waiting_count {
            self.waiting.push(Waiting::default());
        }
        let mut waiting = std::mem::take(&mut self.waiting[self.waiting_count]);
        waiting.node = self.newest();
        waiting.history.clear();
        waiting.history.extend_from_slice(&self.history);
        waiting.path.clear();
        for at in 0..self.path.len() {
            let (edge, loss) = (self.path[at], self.loss_at(at));
            self.edges[edge].visits += 1;
            self.edges[edge].value_sum += loss;
            waiting.path.push((edge, loss));
        }
        self.waiting[self.waiting_count] = waiting;
        self.waiting_count += 1;
        self.simulations += 1;
    }

    /// The leaves that wait, in their order.
    pub fn leaves(&self) -> impl Iterator<Item = Leaf<'_, G>> {
        let waiting = &self.waiting[..self.waiting_count];
        waiting.iter().map(|waiting| self.leaf_of(waiting.node, &waiting.history))
    }

    /// Takes the judgements of the leaves that wait.
    ///
    /// # Panics
    /// If they are of other leaves.
    pub fn apply_many(&mut self, evaluations: &Evaluations) {
        assert_eq!(evaluations.values.len(), self.waiting_count, "one value a leaf");
        let mut logits = &evaluations.logits[..];
        for (row, &value) in evaluations.values.iter().enumerate() {
            let waiting = std::mem::take(&mut self.waiting[row]);
            let (own, rest) = logits.split_at(self.leaf_of(waiting.node, &[]).actions.len());
            logits = rest;
            let draw = evaluations.draws.get(row).copied().unwrap_or(0.0);
            let mut value = self.judge(waiting.node, value, draw, own);
            for &(edge, loss) in waiting.path.iter().rev() {
                value = self.edges[edge].within(value);
                self.edges[edge].value_sum += value - loss;
            }
            self.waiting[row] = waiting;
        }
        self.waiting_count = 0;
    }
}
