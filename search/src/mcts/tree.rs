//! The tree: nodes and edges in two vectors, kept and reused from search to search.

use std::cmp::Ordering;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use mancala_env::{ActionInfo, Game, Position};

use super::edge::{Choice, Edge, Node, sign};
use super::many::Waiting;
use super::{Selection, Settings, gumbel, puct};
use crate::evaluator::Leaf;

/// Where a tree stands, as [`Tree::gather`] leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// A leaf waits to be judged.
    Leaf,
    /// All simulations have been run.
    Done,
    /// Neither: so far they have all met ends of the game. To be asked again, by who has the time.
    Pause,
}

/// Near the end of a game all lines may end within the tree: a search that is limited by time must come to look at the clock.
pub(super) const MOST_WITHOUT_LEAF: u32 = 256;

/// Where a walk from the root has come to.
pub(super) enum Descent {
    /// To an end of the game, or a line that is proven; its value for Player 0.
    Ended(f32),
    /// To a new leaf.
    Leaf,
    /// To a leaf that waits to be judged.
    Waiting,
}

/// A search tree over one root position.
pub struct Tree<G: Game> {
    pub(super) settings: Settings,
    pub(super) rules: G::Rules,
    pub(super) root_history: Vec<u128>,
    pub(super) nodes: Vec<Node<G>>,
    pub(super) edges: Vec<Edge>,
    /// What each edge's action does, beside `edges` so that a leaf's are one slice.
    pub(super) infos: Vec<ActionInfo>,
    /// The board after each, likewise.
    pub(super) afterstates: Vec<G>,
    pub(super) simulations: u32,
    /// Those of an earlier search that this one has gone on from.
    pub(super) kept: u32,
    /// What is certain of the root's value, in the view of Player 0.
    pub(super) bounds: (f32, f32),
    /// What a draw is worth, in the view of Player 0.
    pub(super) draw_value: f32,
    /// Gumbel noise of the root actions; empty for none.
    pub(super) noise: Vec<f32>,
    /// What the root's priors will be mixed with, and its part in the mixture; empty for nothing.
    mixed_in: (Vec<f32>, f32),
    /// For each simulation, how many visits the root action to be chosen already has.
    schedule: Vec<u32>,
    /// The edges from the root to the leaf that waits, and the history there.
    pub(super) path: Vec<usize>,
    pub(super) history: Vec<u128>,
    pub(super) choices: Vec<Choice>,
    scores: Vec<f32>,
    /// Leaves that wait together: the first so many.
    pub(super) waiting: Vec<Waiting>,
    pub(super) waiting_count: usize,
    /// Nodes expanded, in all searches.
    expansions: u64,
    /// Those whose time was taken, and what they took.
    sampled: (u32, Duration),
}

/// The clock is read for one expansion in so many: reading it at each would cost a percent of the search. A prime, so that it is not
/// always the same node of a search.
const CLOCK_EVERY: u64 = 31;
/// An expansion takes microseconds: one that took this long waited for a core, and would count for many.
const NOT_RUNNING: Duration = Duration::from_millis(1);

impl<G: Game> Tree<G> {
    /// An empty tree; [`begin`](Self::begin) gives it a root.
    pub fn new(rules: G::Rules, settings: Settings) -> Self {
        Self {
            settings,
            rules,
            root_history: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            infos: Vec::new(),
            afterstates: Vec::new(),
            simulations: 0,
            kept: 0,
            bounds: (-1.0, 1.0),
            draw_value: 0.0,
            noise: Vec::new(),
            mixed_in: (Vec::new(), 0.0),
            schedule: Vec::new(),
            path: Vec::new(),
            history: Vec::new(),
            choices: Vec::new(),
            scores: Vec::new(),
            expansions: 0,
            waiting: Vec::new(),
            waiting_count: 0,
            sampled: (0, Duration::ZERO),
        }
    }

    /// Begins a search. `noise` has a Gumbel variate for each legal action, in their order, or is empty for a search without
    /// noise (PUCT takes none).
    ///
    /// # Panics
    /// If the position is over, or the noise has another length.
    pub fn begin(&mut self, root: &Position<G>, noise: &[f32]) {
        assert!(!root.is_over(), "a finished game cannot be searched");
        self.nodes.clear();
        self.edges.clear();
        self.infos.clear();
        self.afterstates.clear();
        self.path.clear();
        self.simulations = 0;
        self.kept = 0;
        self.bounds = (-1.0, 1.0);
        self.draw_value = -self.settings.contempt * sign(root.to_move());
        self.root_history.clear();
        self.root_history.extend_from_slice(root.history());
        self.history.clear();
        self.history.extend_from_slice(root.history());
        self.expand(*root.state());
        self.tighten();
        assert!(noise.is_empty() || noise.len() == self.edges.len(), "one noise value a legal action");
        self.noise.clear();
        self.noise.extend_from_slice(noise);
        self.mixed_in.0.clear();
        self.schedule.clear();
        if let Selection::Gumbel { considered } = self.settings.selection {
            let considered = considered.min(self.edges.len());
            gumbel::schedule(considered, self.settings.simulations, &mut self.schedule);
        }
    }

    /// Makes the root's priors `(1 - part) * prior + part * share` once they are known: how PUCT explores, with
    /// [`dirichlet`](super::dirichlet) shares. To be called when a search has begun.
    ///
    /// # Panics
    /// If there is not one share a legal action.
    pub fn mix_priors(&mut self, shares: &[f32], part: f32) {
        assert_eq!(shares.len(), self.edges.len(), "one share a legal action");
        self.mixed_in.0.extend_from_slice(shares);
        self.mixed_in.1 = part;
    }

    /// Whether [`mix_priors`](Self::mix_priors) has been called since the search began.
    pub(super) fn has_mixed_priors(&self) -> bool {
        !self.mixed_in.0.is_empty()
    }

    /// Changes the [`Settings::contempt`] of the next search.
    pub fn set_contempt(&mut self, contempt: f32) {
        self.settings.contempt = contempt;
    }

    /// Changes the [`Settings::simulations`] of the next search.
    pub fn set_simulations(&mut self, simulations: u32) {
        self.settings.simulations = simulations;
    }

    /// Seconds in which all searches so far have asked the rules what actions do, scaled up from those measured.
    pub fn rules_seconds(&self) -> f64 {
        let (count, time) = self.sampled;
        time.as_secs_f64() * self.expansions as f64 / f64::from(count.max(1))
    }

    /// Adds a node for `state`, whose history is `self.history`; it then waits to be judged.
    fn expand(&mut self, state: G) -> usize {
        let clock = self.expansions.is_multiple_of(CLOCK_EVERY).then(Instant::now);
        let node = self.add_node(state);
        self.expansions += 1;
        if let Some(time) = clock.map(|clock| clock.elapsed()).filter(|&time| time < NOT_RUNNING) {
            self.sampled = (self.sampled.0 + 1, self.sampled.1 + time);
        }
        node
    }

    fn add_node(&mut self, state: G) -> usize {
        let first = self.edges.len();
        let draw_value = self.draw_value;
        for action in state.legal_actions() {
            let history = &self.history;
            let (info, after) =
                ActionInfo::probe(&state, action, |fingerprint| history.contains(&fingerprint));
            let ended = info.ends_game.then(|| {
                let [zero, one] = after.scores();
                match zero.cmp(&one) {
                    Ordering::Greater if !(info.repeats || info.endless) => 1.0,
                    Ordering::Less if !(info.repeats || info.endless) => -1.0,
                    _ => draw_value,
                }
            });
            self.infos.push(info);
            self.afterstates.push(after);
            self.edges.push(Edge::new(ended));
        }
        self.nodes.push(Node { state, edges: first..self.edges.len(), value: 0.0, is_judged: false });
        self.newest()
    }

    /// Whether the root has been judged.
    pub(super) fn is_root_judged(&self) -> bool {
        self.simulations > 0
    }

    /// Runs simulations until one needs a leaf judged, all have been run, or many in a row have needed none. The root itself is
    /// the first leaf and does not count as a simulation.
    pub fn gather(&mut self) -> Gathered {
        if !self.is_root_judged() {
            return Gathered::Leaf;
        }
        for _ in 0..MOST_WITHOUT_LEAF {
            if self.is_done() {
                return Gathered::Done;
            }
            match self.descend() {
                Descent::Ended(value) => self.back_up(value),
                Descent::Leaf | Descent::Waiting => return Gathered::Leaf,
            }
        }
        Gathered::Pause
    }

    /// Whether all simulations have been run.
    pub(super) fn is_done(&self) -> bool {
        self.simulations() >= self.settings.simulations
    }

    /// Walks from the root to an end of the game or a leaf; a new one then waits.
    pub(super) fn descend(&mut self) -> Descent {
        self.path.clear();
        let mut node = 0;
        loop {
            let edge = self.nodes[node].edges.start + self.select(node);
            self.path.push(edge);
            if let Some(value) = self.edges[edge].proven() {
                return Descent::Ended(value);
            }
            match self.edges[edge].child() {
                Some(child) if self.nodes[child].is_judged => node = child,
                Some(_) => return Descent::Waiting,
                None => {
                    self.recall();
                    let child = self.expand(self.afterstates[edge]);
                    self.edges[edge].child = NonZeroU32::new(child as u32);
                    // The rules may have told an end of the game.
                    self.tighten();
                    return Descent::Leaf;
                }
            }
        }
    }

    /// Makes `history` that of the position at the end of the path.
    pub(super) fn recall(&mut self) {
        self.history.clear();
        self.history.extend_from_slice(&self.root_history);
        for &edge in &self.path {
            let after = self.afterstates[edge];
            if after.counts_for_repetition() {
                if self.infos[edge].captured > 0 {
                    self.history.clear();
                }
                self.history.push(after.fingerprint());
            }
        }
    }

    /// Selects an action of a judged node; its index among the legal actions.
    fn select(&mut self, node: usize) -> usize {
        let sigma_scale = self.settings.sigma_scale;
        match self.settings.selection {
            Selection::Puct { exploration, first_play_reduction, cuts } => {
                let Node { state, ref edges, value, .. } = self.nodes[node];
                let edges = &self.edges[edges.clone()];
                puct::select(edges, sign(state.to_move()), value, exploration, first_play_reduction, cuts)
            }
            Selection::Gumbel { .. } => {
                self.look_at(node);
                let (choices, value, scores) = (&self.choices, self.nodes[node].value, &mut self.scores);
                if node > 0 {
                    return gumbel::select(choices, value, sigma_scale, scores);
                }
                let visits = self.schedule[self.simulations as usize - 1];
                gumbel::select_root(choices, value, sigma_scale, &self.noise, visits, scores)
            }
        }
    }

    /// Fills `choices` with the actions of a node, in the view of its player to move.
    pub(super) fn look_at(&mut self, node: usize) {
        let Node { state, ref edges, .. } = self.nodes[node];
        let sign = sign(state.to_move());
        self.choices.clear();
        self.choices.extend(self.edges[edges.clone()].iter().map(|edge| Choice {
            visits: edge.visits,
            q: sign * edge.q(),
            logit: edge.logit,
            prior: edge.prior,
        }));
    }

    /// The newest node.
    pub(super) fn newest(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The node that so many edges of the path lead to.
    pub(super) fn node_after(&self, edges: usize) -> usize {
        match edges {
            0 => 0,
            _ => self.edges[self.path[edges - 1]].child().expect("the path goes on"),
        }
    }

    /// The value for Player 0 of a loss for who chose the edge at this place of the path.
    pub(super) fn loss_at(&self, at: usize) -> f32 {
        -sign(self.nodes[self.node_after(at)].state.to_move())
    }

    pub(super) fn back_up(&mut self, mut value: f32) {
        for &edge in self.path.iter().rev() {
            let edge = &mut self.edges[edge];
            value = edge.within(value);
            edge.visits += 1;
            edge.value_sum += value;
        }
        self.simulations += 1;
    }

    /// The leaf that waits.
    ///
    /// # Panics
    /// If there is none.
    pub fn leaf(&self) -> Leaf<'_, G> {
        assert!(!self.nodes.is_empty(), "a search has begun");
        self.leaf_of(self.newest(), &self.history)
    }

    /// A node as a leaf.
    pub(super) fn leaf_of<'a>(&'a self, node: usize, history: &'a [u128]) -> Leaf<'a, G> {
        let Node { state, edges, .. } = &self.nodes[node];
        Leaf {
            rules: &self.rules,
            state,
            history,
            actions: &self.infos[edges.clone()],
            afterstates: &self.afterstates[edges.clone()],
        }
    }

    /// Takes the judgement of the leaf that waits: its value for the player to move there (a draw counted as 0), the
    /// probability of a draw, and a logit for each legal action.
    ///
    /// # Panics
    /// If no leaf waits, or the logits have another length.
    pub fn apply(&mut self, value: f32, draw: f32, logits: &[f32]) {
        assert!(!self.nodes.is_empty(), "a search has begun");
        let value = self.judge(self.newest(), value, draw, logits);
        if !self.path.is_empty() {
            self.back_up(value);
            return;
        }
        self.simulations = 1;
        let (shares, part) = &self.mixed_in;
        for (edge, share) in self.edges.iter_mut().zip(shares) {
            edge.prior = (1.0 - part) * edge.prior + part * share;
            edge.logit = edge.prior.ln();
        }
    }

    /// Writes a judgement into a node; its value for Player 0.
    pub(super) fn judge(&mut self, node: usize, value: f32, draw: f32, logits: &[f32]) -> f32 {
        let node = &mut self.nodes[node];
        assert_eq!(logits.len(), node.edges.len(), "one logit a legal action");
        let sign = sign(node.state.to_move());
        node.value = value + draw * sign * self.draw_value;
        node.is_judged = true;
        // Log-probabilities, so that sigma's scale means the same whatever the evaluator's offset.
        let log_sum = log_sum_exp(logits);
        for (edge, logit) in self.edges[node.edges.clone()].iter_mut().zip(logits) {
            edge.logit = logit - log_sum;
            edge.prior = edge.logit.exp();
        }
        sign * node.value
    }

    /// Simulations run, those included that were kept of an earlier search.
    pub fn simulations(&self) -> u32 {
        self.simulations.saturating_sub(1)
    }

    /// Simulations run since the search began or went on.
    pub fn new_simulations(&self) -> u32 {
        self.simulations().saturating_sub(self.kept)
    }
}

pub(super) fn log_sum_exp(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + logits.iter().map(|logit| (logit - most).exp()).sum::<f32>().ln()
}
