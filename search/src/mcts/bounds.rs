//! What a tree proves: Score Bounded Monte-Carlo Tree Search (Cazenave and Saffidine, 2010), here for wins, draws and losses.
//!
//! A position's value is not less than the best that one of its actions is sure of, and not more than the best that one may
//! still be worth. Ends of the game are exact, as a tree knows the whole history of each of its positions.

use mancala_env::Game;

use super::Selection;
use super::edge::{Edge, exact, seen_by, sign};
use super::tree::Tree;

impl<G: Game> Tree<G> {
    /// Carries what has come to be certain of the node at the end of the path towards the root.
    pub(super) fn tighten(&mut self) {
        for at in (0..=self.path.len()).rev() {
            let node = self.node_after(at);
            let bounds = seen_by(sign(self.nodes[node].state.to_move()), self.bounds_of(node));
            let known = match at {
                0 => &mut self.bounds,
                _ => &mut self.edges[self.path[at - 1]].bounds,
            };
            if *known == bounds {
                return;
            }
            *known = bounds;
        }
    }

    /// What is certain of a node's value, for its player to move.
    pub(super) fn bounds_of(&self, node: usize) -> (f32, f32) {
        let node = &self.nodes[node];
        let sign = sign(node.state.to_move());
        let edges = self.edges[node.edges.clone()].iter().map(|edge| edge.bounds_for(sign));
        edges.fold((-1.0, -1.0), |(low, high), edge| (edge.0.max(low), edge.1.max(high)))
    }

    /// Whether the value of the root is certain.
    pub fn is_proven(&self) -> bool {
        self.proven_value().is_some()
    }

    /// The value of the root for Player 0, if it is certain.
    pub fn proven_value(&self) -> Option<f32> {
        exact(self.bounds)
    }

    /// The root action to play where the search prefers `best`: not one that cannot be worth more than another is sure of, nor one
    /// that seems worth less than that.
    pub(super) fn certain(&self, best: usize) -> usize {
        let (low, _) = self.bounds_of(0);
        let root = &self.nodes[0];
        let sign = sign(root.state.to_move());
        let edges = &self.edges[root.edges.clone()];
        // The shortest way to a win.
        let wins = |edge: &Edge| edge.child.is_none() && edge.bounds_for(sign).0 == 1.0;
        if let Some(win) = edges.iter().position(wins) {
            return win;
        }
        let is_open = |at: &usize| edges[*at].bounds_for(sign).1 > low;
        // Where none has been visited, the likeliest; but PUCT goes by visits alone.
        let is_puct = matches!(self.settings.selection, Selection::Puct { .. });
        let most_visited = || {
            let open =
                (0..edges.len()).filter(|at| is_open(at) && !(is_puct && edges[*at].visits == 0)).rev();
            let by = |at: &usize| match edges[*at].visits {
                0 => (0, edges[*at].prior),
                visits => (visits, 0.0),
            };
            open.max_by(|one, other| by(one).partial_cmp(&by(other)).expect("priors are numbers"))
        };
        let best = if is_open(&best) { best } else { most_visited().unwrap_or(best) };
        let worth = match edges[best].visits {
            0 => edges[best].bounds_for(sign).0,
            _ => sign * edges[best].q(),
        };
        match is_open(&best) && worth >= low || edges[best].bounds_for(sign).0 == low {
            true => best,
            false => edges.iter().position(|edge| edge.bounds_for(sign).0 == low).unwrap_or(best),
        }
    }
}
