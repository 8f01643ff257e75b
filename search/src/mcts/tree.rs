//! The tree: nodes and edges in two vectors, kept and reused from search to search.

use std::cmp::Ordering;
use std::ops::Range;
use std::time::{Duration, Instant};

use mancala_env::{Action, ActionInfo, Game, Player, Position};

use super::{Selection, Settings, gumbel, puct};
use crate::evaluator::Leaf;

/// A position that goes on and has been judged (or, the newest one, waits for it).
struct Node<G: Game> {
    state: G,
    edges: Range<usize>,
    /// The evaluator's value for the player to move here.
    value: f32,
}

/// An action of a node. Children are indexed by position among the legal actions, never by action number.
struct Edge<G: Game> {
    child: Option<usize>,
    visits: u32,
    /// Sum of the values backed up, in the view of Player 0.
    value_sum: f32,
    logit: f32,
    /// The game's value in the view of Player 0, if the action ends it.
    ended: Option<f32>,
    after: G,
}

/// What selection sees of an action, in the view of the player who chooses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) visits: u32,
    /// Mean value, meaningless without visits.
    pub(super) q: f32,
    pub(super) logit: f32,
}

fn sign(player: Player) -> f32 {
    match player {
        Player::Zero => 1.0,
        Player::One => -1.0,
    }
}

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
const MOST_WITHOUT_LEAF: u32 = 256;

/// A search tree over one root position.
pub struct Tree<G: Game> {
    settings: Settings,
    rules: G::Rules,
    root_history: Vec<u128>,
    nodes: Vec<Node<G>>,
    edges: Vec<Edge<G>>,
    /// What each edge's action does, beside `edges` so that a leaf's are one slice.
    infos: Vec<ActionInfo>,
    simulations: u32,
    /// What a draw is worth, in the view of Player 0.
    draw_value: f32,
    /// Gumbel noise of the root actions; empty for none.
    noise: Vec<f32>,
    /// What the root's priors will be mixed with, and its part in the mixture; empty for nothing.
    mixed_in: (Vec<f32>, f32),
    /// For each simulation, how many visits the root action to be chosen already has.
    schedule: Vec<u32>,
    /// The edges from the root to the leaf that waits, and the history there.
    path: Vec<usize>,
    history: Vec<u128>,
    choices: Vec<Choice>,
    scores: Vec<f32>,
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
            simulations: 0,
            draw_value: 0.0,
            noise: Vec::new(),
            mixed_in: (Vec::new(), 0.0),
            schedule: Vec::new(),
            path: Vec::new(),
            history: Vec::new(),
            choices: Vec::new(),
            scores: Vec::new(),
            expansions: 0,
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
        self.path.clear();
        self.simulations = 0;
        self.draw_value = -self.settings.contempt * sign(root.to_move());
        self.root_history.clear();
        self.root_history.extend_from_slice(root.history());
        self.history.clear();
        self.history.extend_from_slice(root.history());
        self.expand(*root.state());
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
            self.edges.push(Edge { child: None, visits: 0, value_sum: 0.0, logit: 0.0, ended, after });
        }
        self.nodes.push(Node { state, edges: first..self.edges.len(), value: 0.0 });
        self.nodes.len() - 1
    }

    /// Whether the root has been judged.
    fn is_root_judged(&self) -> bool {
        self.simulations > 0
    }

    /// Runs simulations until one needs a leaf judged, all have been run, or many in a row have needed none. The root itself is
    /// the first leaf and does not count as a simulation.
    pub fn gather(&mut self) -> Gathered {
        if !self.is_root_judged() {
            return Gathered::Leaf;
        }
        for _ in 0..MOST_WITHOUT_LEAF {
            if self.simulations() >= self.settings.simulations {
                return Gathered::Done;
            }
            match self.descend() {
                Some(value) => self.back_up(value),
                None => return Gathered::Leaf,
            }
        }
        Gathered::Pause
    }

    /// Walks from the root to a new leaf, which then waits, or to an end of the game, whose value for Player 0 it returns.
    fn descend(&mut self) -> Option<f32> {
        self.path.clear();
        self.history.clear();
        self.history.extend_from_slice(&self.root_history);
        let mut node = 0;
        loop {
            let edge = self.nodes[node].edges.start + self.select(node);
            self.path.push(edge);
            let Edge { child, ended, after, .. } = self.edges[edge];
            if ended.is_some() {
                return ended;
            }
            if after.counts_for_repetition() {
                if self.infos[edge].captured > 0 {
                    self.history.clear();
                }
                self.history.push(after.fingerprint());
            }
            match child {
                Some(child) => node = child,
                None => {
                    self.edges[edge].child = Some(self.expand(after));
                    return None;
                }
            }
        }
    }

    /// Selects an action of a judged node; its index among the legal actions.
    fn select(&mut self, node: usize) -> usize {
        self.look_at(node);
        let value = self.nodes[node].value;
        let (choices, scores) = (&self.choices, &mut self.scores);
        match self.settings.selection {
            Selection::Puct { exploration } => puct::select(choices, value, exploration, scores),
            Selection::Gumbel { .. } if node == 0 => {
                let visits = self.schedule[self.simulations as usize - 1];
                gumbel::select_root(choices, value, self.settings.sigma_scale, &self.noise, visits, scores)
            }
            Selection::Gumbel { .. } => gumbel::select(choices, value, self.settings.sigma_scale, scores),
        }
    }

    /// Fills `choices` with the actions of a node, in the view of its player to move.
    fn look_at(&mut self, node: usize) {
        let Node { state, ref edges, .. } = self.nodes[node];
        let sign = sign(state.to_move());
        self.choices.clear();
        self.choices.extend(self.edges[edges.clone()].iter().map(|edge| Choice {
            visits: edge.visits,
            q: sign * edge.value_sum / edge.visits.max(1) as f32,
            logit: edge.logit,
        }));
    }

    fn back_up(&mut self, value: f32) {
        for &edge in &self.path {
            self.edges[edge].visits += 1;
            self.edges[edge].value_sum += value;
        }
        self.simulations += 1;
    }

    /// The leaf that waits.
    ///
    /// # Panics
    /// If there is none.
    pub fn leaf(&self) -> Leaf<'_, G> {
        let node = self.nodes.last().expect("a search has begun");
        let actions = &self.infos[node.edges.clone()];
        Leaf { rules: &self.rules, state: &node.state, history: &self.history, actions }
    }

    /// Takes the judgement of the leaf that waits: its value for the player to move there (a draw counted as 0), the
    /// probability of a draw, and a logit for each legal action.
    ///
    /// # Panics
    /// If no leaf waits, or the logits have another length.
    pub fn apply(&mut self, value: f32, draw: f32, logits: &[f32]) {
        let node = self.nodes.last_mut().expect("a search has begun");
        assert_eq!(logits.len(), node.edges.len(), "one logit a legal action");
        let sign = sign(node.state.to_move());
        node.value = value + draw * sign * self.draw_value;
        let value = sign * node.value;
        // Log-probabilities, so that sigma's scale means the same whatever the evaluator's offset.
        let log_sum = log_sum_exp(logits);
        for (edge, logit) in self.edges[node.edges.clone()].iter_mut().zip(logits) {
            edge.logit = logit - log_sum;
        }
        if !self.path.is_empty() {
            self.back_up(value);
            return;
        }
        self.simulations = 1;
        let (shares, part) = &self.mixed_in;
        for (edge, share) in self.edges.iter_mut().zip(shares) {
            edge.logit = ((1.0 - part) * edge.logit.exp() + part * share).ln();
        }
    }

    /// What the search has found. Before the root is judged all is nothing.
    pub fn outcome(&mut self) -> Outcome {
        self.look_at(0);
        let (choices, value) = (&self.choices, self.nodes[0].value);
        let actions: Vec<Action> =
            self.infos[self.nodes[0].edges.clone()].iter().map(|info| info.action).collect();
        let mut improved = Vec::new();
        let value_of_policy =
            gumbel::improved_policy(choices, value, self.settings.sigma_scale, &mut improved);
        let visits = choices.iter().map(|choice| choice.visits).collect::<Vec<_>>();
        let total = visits.iter().sum::<u32>();
        let (best, policy, value) = match self.settings.selection {
            _ if total == 0 => {
                (gumbel::best(choices, value, self.settings.sigma_scale, &self.noise), improved, value)
            }
            Selection::Gumbel { .. } => (
                gumbel::best(choices, value, self.settings.sigma_scale, &self.noise),
                improved,
                value_of_policy,
            ),
            Selection::Puct { .. } => {
                let mean =
                    choices.iter().map(|choice| choice.q * choice.visits as f32).sum::<f32>() / total as f32;
                (puct::best(choices), visits.iter().map(|&n| n as f32 / total as f32).collect(), mean)
            }
        };
        let values = choices.iter().map(|choice| (choice.visits > 0).then_some(choice.q)).collect();
        Outcome { action: actions[best], actions, values, visits, policy, value }
    }

    /// The line of most visited actions from the root, beginning with `first`.
    pub fn line(&self, first: Action) -> Vec<Action> {
        let mut line = Vec::new();
        let mut node = Some(0);
        while let Some(at) = node {
            let edges = self.nodes[at].edges.clone();
            let edge = if line.is_empty() {
                edges.clone().find(|&edge| self.infos[edge].action == first)
            } else {
                edges.clone().rev().max_by_key(|&edge| self.edges[edge].visits)
            };
            let Some(edge) = edge.filter(|&edge| line.is_empty() || self.edges[edge].visits > 0) else {
                break;
            };
            line.push(self.infos[edge].action);
            node = self.edges[edge].child;
        }
        line
    }

    /// Simulations run.
    pub fn simulations(&self) -> u32 {
        self.simulations.saturating_sub(1)
    }
}

/// What a search has found, in the view of the player to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The action to play.
    pub action: Action,
    /// The legal actions, ascending.
    pub actions: Vec<Action>,
    /// Mean value of each, where it was visited, -1..=1.
    pub values: Vec<Option<f32>>,
    /// Visits of each.
    pub visits: Vec<u32>,
    /// The improved policy over them (PUCT: shares of visits), summing to 1.
    pub policy: Vec<f32>,
    /// The value of the root, -1..=1.
    pub value: f32,
}

pub(super) fn log_sum_exp(logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    most + logits.iter().map(|logit| (logit - most).exp()).sum::<f32>().ln()
}
