//! A tree that goes on from where it stands: what was found of a position in the search of an earlier one is kept.

use std::num::NonZeroU32;

use mancala_env::{Game, Position};

use super::Selection;
use super::edge::{Node, sign};
use super::tree::Tree;

/// A position is looked for among so many nodes below the root.
const MOST_LOOKED_AT: usize = 10_000;
/// Where a node that is not kept has gone.
const GONE: u32 = u32::MAX;

impl<G: Game> Tree<G> {
    /// Begins a search of `position` with what the last search has found of it; false, and nothing is changed, if that has not come
    /// to it. For searches by PUCT, without noise.
    ///
    /// # Panics
    /// If the position is of other rules, or the search was another.
    pub fn go_on(&mut self, position: &Position<G>) -> bool {
        assert_eq!(*position.rules(), self.rules, "the rules of the tree");
        let is_plain = matches!(self.settings.selection, Selection::Puct { .. }) && self.noise.is_empty();
        assert!(is_plain && !self.has_mixed_priors(), "a search by PUCT, without noise");
        let draws_alike = self.draw_value == -self.settings.contempt * sign(position.to_move());
        if !draws_alike || !self.is_root_judged() || !self.walk_to(position) {
            return false;
        }
        self.kept = self.simulations();
        let Some(&last) = self.path.last() else { return true };
        let edge = self.edges[last];
        self.kept = edge.visits;
        self.bounds = edge.bounds;
        let root = edge.child().expect("the walk has come to a node");
        self.root_history.clear();
        self.root_history.extend_from_slice(position.history());
        self.path.clear();
        self.simulations = 1 + edge.visits;
        self.keep_below(root);
        true
    }

    /// Finds a position below the root, with the same history, judged and not over; the path is then the way to it.
    fn walk_to(&mut self, position: &Position<G>) -> bool {
        let is_there = |tree: &Self, node: usize| {
            let Node { state, is_judged, .. } = &tree.nodes[node];
            *is_judged && state == position.state()
        };
        self.path.clear();
        self.recall();
        if is_there(self, 0) && self.history == position.history() {
            return true;
        }
        // Breadth first: each with the way to it, as the one it comes from and the edge from there.
        let mut seen = vec![(0, None)];
        let mut next = 0;
        while next < seen.len() && seen.len() < MOST_LOOKED_AT {
            for edge in self.nodes[seen[next].0].edges.clone() {
                let Some(child) = self.edges[edge].child() else { continue };
                seen.push((child, Some((next, edge))));
                if is_there(self, child) {
                    self.path.clear();
                    let mut at = seen.len() - 1;
                    while let Some((from, edge)) = seen[at].1 {
                        self.path.push(edge);
                        at = from;
                    }
                    self.path.reverse();
                    self.recall();
                    if self.history == position.history() {
                        return true;
                    }
                }
            }
            next += 1;
        }
        false
    }

    /// Makes `root` the root, and gives up what is not below it. Children are younger than the node they come from, so that all can
    /// move down in one pass.
    fn keep_below(&mut self, root: usize) {
        let mut new_place = vec![GONE; self.nodes.len()];
        new_place[root] = 0;
        let (mut nodes, mut edges) = (0, 0);
        for old in root..self.nodes.len() {
            if new_place[old] == GONE {
                continue;
            }
            let from = self.nodes[old].edges.clone();
            let to = edges..edges + from.len();
            for (old_edge, edge) in from.zip(to.clone()) {
                self.edges[edge] = self.edges[old_edge];
                self.infos[edge] = self.infos[old_edge];
                self.afterstates[edge] = self.afterstates[old_edge];
                if let Some(child) = self.edges[edge].child() {
                    // Numbered when its own turn comes; until then it only counts as kept.
                    new_place[child] = 0;
                }
            }
            edges = to.end;
            let node = &self.nodes[old];
            self.nodes[nodes] =
                Node { state: node.state, edges: to, value: node.value, is_judged: node.is_judged };
            new_place[old] = nodes as u32;
            nodes += 1;
        }
        self.nodes.truncate(nodes);
        self.edges.truncate(edges);
        self.infos.truncate(edges);
        self.afterstates.truncate(edges);
        for edge in &mut self.edges {
            edge.child = edge.child.and_then(|child| NonZeroU32::new(new_place[child.get() as usize]));
        }
    }
}
