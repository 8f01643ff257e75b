//! Alpha-beta: iterative deepening principal variation search on the final margin.

mod children;
pub mod evaluation;
mod opening;
mod ordering;
mod search;
mod selective;
mod table;
#[cfg(test)]
mod tests;
mod values;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mancala_env::{Action, Game, Position};

use crate::agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
use crate::simple::{draw, no_action, position_stream};
use crate::stop::Stop;
use crate::tablebase::Tablebase;
use children::Child;
use ordering::Refutations;
use search::{Budget, Search, Stopped};
use table::Table;
use values::{Found, INFINITY, Rests};

/// The deepest search there is, plies.
pub const MAX_DEPTH: u32 = search::MAX_DEPTH;

/// Limited by nodes or time, a search in Kiothi's opening must see its end within so many plies, or all is left to the plan.
const OPENING_REACH: u32 = 3;

/// A table for a search limited by time is made for so many positions a second.
const POSITIONS_A_SECOND: f64 = 8e6;

/// When alpha-beta stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaBetaLimit {
    /// After so many plies, 1..=[`MAX_DEPTH`]; every action counts, extra moves included.
    Depth(u32),
    /// Before it reaches more positions than this. One ply is always searched, at most 60 positions.
    Nodes(u64),
    /// After so many seconds a position; positive and finite. One ply is always searched.
    Time(f64),
}

/// How alpha-beta searches. None of the switches alters a value or a choice at a given
/// depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaBetaOptions {
    /// When it stops.
    pub limit: AlphaBetaLimit,
    /// Use a transposition table (up to 16 MiB an agent).
    pub table: bool,
    /// Try good actions first; else in ascending order.
    pub ordering: bool,
    /// Cut where the lead and the seeds in play leave no doubt, and stop where every line has been seen to its end.
    pub early_stop: bool,
}

impl AlphaBetaOptions {
    /// Whether values need not be those of plain minimax.
    fn is_free(&self) -> bool {
        !matches!(self.limit, AlphaBetaLimit::Depth(_))
    }

    /// Everything on.
    pub fn new(limit: AlphaBetaLimit) -> Self {
        Self { limit, table: true, ordering: true, early_stop: true }
    }
}

/// Iterative deepening alpha-beta. It plays for the greatest final margin; a draw by repetition or endless sowing is a
/// margin of 0, and where the search stops the lead counts, and what is likely to come. At a given depth its values are those
/// of plain minimax; limited by nodes or time, it looks less deep where little is to be expected.
///
/// Of actions with equal values it takes the lowest. In Kiothi's opening it draws among them with [`Game::random_weight`],
/// seeded, but where all are equal because the end of the opening is out of sight, it makes a plan for the whole
/// redistribution and plays the first action of it. With one legal action it does not search.
///
/// [`analyze`](Agent::analyze) searches every action with the full window. Within the same nodes or time it may so reach a
/// smaller depth than [`act`](Agent::act) does; at a given depth both choose the same action.
#[derive(Debug)]
pub struct AlphaBeta<G: Game> {
    options: AlphaBetaOptions,
    seed: u64,
    table: Table,
    refutations: Refutations,
    tablebase: Option<Arc<Tablebase>>,
    stop: Stop,
    /// Nodes searched to act.
    nodes: u64,
    game: PhantomData<G>,
}

/// The deepest search completed.
struct Deepest {
    depth: u32,
    value: i32,
    /// The actions known to have that value, each with the line that begins with it. The lowest such action is always among
    /// them, and in an opening all are.
    best: Vec<Vec<Action>>,
    /// The actions whose values are known exactly.
    values: Vec<(Action, i32)>,
    nodes: u64,
}

impl<G: Game> AlphaBeta<G> {
    /// An agent with these options.
    ///
    /// # Errors
    /// If the limit is out of its range.
    pub fn new(options: AlphaBetaOptions) -> Result<Self, AgentError> {
        let problem = match options.limit {
            AlphaBetaLimit::Depth(depth) if !(1..=MAX_DEPTH).contains(&depth) => {
                format!("depth {depth} is not in 1..={MAX_DEPTH}")
            }
            AlphaBetaLimit::Nodes(0) => "at least one node is needed".into(),
            AlphaBetaLimit::Time(time) if Duration::try_from_secs_f64(time).is_err() || time == 0.0 => {
                format!("{time} seconds are not a time to search")
            }
            limit => {
                let positions = match limit {
                    AlphaBetaLimit::Depth(_) => u64::MAX,
                    AlphaBetaLimit::Nodes(nodes) => nodes,
                    AlphaBetaLimit::Time(time) => (time * POSITIONS_A_SECOND) as u64,
                };
                return Ok(Self {
                    options,
                    seed: 0,
                    table: Table::for_positions(positions),
                    refutations: Refutations::default(),
                    tablebase: None,
                    stop: Stop::never(),
                    nodes: 0,
                    game: PhantomData,
                });
            }
        };
        Err(AgentError::Failed(format!("alphabeta: {problem}")))
    }

    /// The same agent, which looks up what a tablebase of its game knows of the positions that its search gets to.
    pub fn with_tablebase(mut self, tablebase: Option<Arc<Tablebase>>) -> Self {
        self.tablebase = tablebase;
        self
    }

    /// Searches deeper and deeper. `exact`: every action's value is wanted.
    ///
    /// Table and history start empty each time: what was asked before leaves no trace.
    fn search(&mut self, position: &Position<G>, exact: bool) -> Result<Deepest, AgentError> {
        let options = self.options;
        if options.table {
            self.table.clear();
        }
        self.refutations.clear(G::num_actions(position.rules()));
        let (max_depth, nodes, deadline) = match options.limit {
            AlphaBetaLimit::Depth(depth) => (depth, u64::MAX, None),
            AlphaBetaLimit::Nodes(nodes) => (MAX_DEPTH, nodes, None),
            AlphaBetaLimit::Time(time) => {
                (MAX_DEPTH, u64::MAX, Instant::now().checked_add(Duration::from_secs_f64(time)))
            }
        };
        let budget = Budget { nodes, deadline, stop: self.stop.clone() };
        let mut search = Search::new(
            *position.state(),
            position.history(),
            options.table.then_some(&mut self.table),
            options.ordering.then_some(&mut self.refutations),
            budget.clone(),
        );
        search.early_stop = options.early_stop;
        search.tablebase = self.tablebase.as_deref();
        search.keeps_lines = exact;
        // Only what was tried in a good order is likely to be bad when it comes late.
        search.is_selective = options.ordering && options.is_free();
        let wants_ties = !position.state().counts_for_repetition();
        let is_far = evaluation::is_settled_for(position.state(), OPENING_REACH);
        let max_depth = if is_far && options.is_free() { 1 } else { max_depth };
        let mut children = search.root_children();
        let mut deepest = Deepest { depth: 0, value: 0, best: Vec::new(), values: Vec::new(), nodes: 0 };
        for depth in 1..=max_depth {
            let iteration = Iteration { depth, exact, wants_ties };
            let Ok(is_complete) = iteration.run(&mut search, &children, &mut deepest) else { break };
            search.is_limited = true;
            if is_complete && options.early_stop {
                break;
            }
            if options.ordering {
                let first = deepest.best[0][0];
                children.sort_by_key(|child| child.action != first);
            }
        }
        deepest.nodes = search.nodes;
        if wants_ties && deepest.best.len() > 1 && deepest.best.len() == children.len() {
            self.plan(position, budget, &mut deepest);
        }
        match self.stop.is_asked() {
            true => Err(AgentError::Stopped),
            false => Ok(deepest),
        }
    }

    /// Where every action of Kiothi's opening is worth the same, looks for a good redistribution.
    fn plan(&self, position: &Position<G>, budget: Budget, deepest: &mut Deepest) {
        let Some(kiothi) = position.state().as_kiothi() else { return };
        let depth = match self.options.limit {
            AlphaBetaLimit::Depth(depth) => depth,
            AlphaBetaLimit::Nodes(_) | AlphaBetaLimit::Time(_) => MAX_DEPTH,
        };
        let budget = Budget { nodes: budget.nodes.saturating_sub(deepest.nodes), ..budget };
        let mut rng = position_stream(position, self.seed);
        let plan = opening::plan(kiothi, &mut rng, depth, budget);
        deepest.best = vec![plan.actions];
        deepest.nodes += plan.nodes;
    }

    /// The line to play: see the tie rule.
    fn choose(&self, position: &Position<G>, deepest: &Deepest) -> Vec<Action> {
        let mut actions: Vec<Action> = deepest.best.iter().map(|line| line[0]).collect();
        // Whatever the order they were found in.
        actions.sort_unstable();
        let action = if position.state().counts_for_repetition() {
            actions.first().copied()
        } else {
            draw(position, self.seed, &actions)
        };
        deepest.best.iter().find(|line| line.first().copied() == action).cloned().unwrap_or_default()
    }
}

/// A value of the search in seeds.
fn in_seeds(value: i32) -> f64 {
    f64::from(value) / f64::from(evaluation::PARTS)
}

/// One iteration at the root.
#[derive(Clone, Copy)]
struct Iteration {
    depth: u32,
    exact: bool,
    wants_ties: bool,
}

impl Iteration {
    /// Searches every child and, if not stopped, overwrites what is known. Whether every line was seen to its end.
    fn run<G: Game>(
        self,
        search: &mut Search<'_, G>,
        children: &[Child<G>],
        deepest: &mut Deepest,
    ) -> Result<bool, Stopped> {
        let mut value = -INFINITY;
        let mut best: Vec<Vec<Action>> = Vec::new();
        let mut values = Vec::new();
        let mut rests = Rests::default();
        for child in children {
            let lowest = best.iter().map(|line| line[0]).min();
            // An action as good as the best matters only if it would be chosen instead.
            let matters_if_equal =
                self.exact || self.wants_ties || lowest.is_none_or(|best| child.action < best);
            let floor = if self.exact { -INFINITY } else { value - i32::from(matters_if_equal) };
            let floor = floor.max(-INFINITY);
            let is_first = best.is_empty();
            let ceiling = if is_first || self.exact { INFINITY } else { floor + 1 };
            let mut found = search.root_child(child, self.depth, floor, ceiling);
            if let Ok(Found { value, .. }) = found
                && value > floor
                && ceiling < INFINITY
            {
                found = search.root_child(child, self.depth, floor, INFINITY);
            }
            let found = match found {
                Ok(found) => found,
                Err(stopped) => {
                    // What has beaten the best of the last iteration is better, if that came first: unordered, it need not.
                    let came_first = deepest.best.first().is_some_and(|line| line[0] == children[0].action);
                    if !self.exact && came_first && !best.is_empty() {
                        deepest.best = best;
                    }
                    return Err(stopped);
                }
            };
            rests = rests | found.rests;
            if found.value > floor {
                values.push((child.action, found.value));
            }
            if found.value > value {
                value = found.value;
                best.clear();
            }
            if found.value == value && found.value > floor {
                let line = std::iter::once(child.action).chain(search.line_below_root().iter().copied());
                best.push(line.collect());
            }
        }
        *deepest = Deepest { depth: self.depth, value, best, values, nodes: search.nodes };
        Ok(!rests.on_horizon)
    }
}

impl<G: Game> Agent<G> for AlphaBeta<G> {
    fn stop_when(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        AgentError::check(positions)?;
        let act = |position: &&Position<G>| match position.legal_actions()[..] {
            [] => Err(no_action(position)),
            [only] => Ok(only),
            _ => {
                let deepest = self.search(position, false)?;
                self.nodes += deepest.nodes;
                Ok(self.choose(position, &deepest)[0])
            }
        };
        positions.iter().map(act).collect()
    }

    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        AgentError::check(&[position])?;
        if position.legal_actions().is_empty() {
            return Err(no_action(position));
        }
        let deepest = self.search(position, true)?;
        let mut actions: Vec<_> = deepest
            .values
            .iter()
            .map(|&(action, value)| ActionValue { action, value: Some(in_seeds(value)), policy: None })
            .collect();
        actions.sort_by_key(|action| action.action);
        Ok(Analysis {
            unit: ValueUnit::Margin,
            value: in_seeds(deepest.value),
            line: self.choose(position, &deepest),
            actions,
            nodes: deepest.nodes,
            depth: Some(deepest.depth),
        })
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.nodes)
    }
}
