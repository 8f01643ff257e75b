//! Monte-Carlo tree search over an [`Evaluator`]: gather a leaf from each of many trees, evaluate them in one batch, apply.
//!
//! Values are kept in the view of Player 0 and turned to a player only where they are read, since in these games the same
//! player may move many times in a row.

mod agent;
mod bounds;
mod edge;
mod gumbel;
mod many;
mod noise;
mod outcome;
mod puct;
mod reuse;
mod tree;

use mancala_env::Game;

pub use agent::MctsAgent;
pub use noise::{dirichlet, gumbel};
pub use outcome::Outcome;
pub use tree::{Gathered, Tree};

use crate::evaluator::{Evaluations, Evaluator, Leaf};

/// More simulations a search, and its tree would not fit into memory.
pub const MAX_SIMULATIONS: u32 = 10_000_000;

/// How long a tree search may run, a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchLimit {
    /// So many simulations.
    Simulations(u32),
    /// So many seconds.
    Time(f64),
}

/// How actions are selected in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving at the root among `considered` actions, below it the
    /// improved policy.
    Gumbel {
        /// Root actions that sequential halving starts with; never more than are legal or there are simulations.
        considered: usize,
    },
    /// PUCT (AlphaZero) throughout, the most visited root action wins.
    Puct {
        /// Weight of the prior's exploration term.
        exploration: f32,
        /// Unvisited actions are taken to be this much worse than their node.
        first_play_reduction: f32,
        /// Actions that cannot be worth more than another is sure of are not visited any more. What is learned from visits wants
        /// none of it.
        cuts: bool,
    },
}

/// How a tree is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Simulations a search, at most; the caller may stop it before.
    pub simulations: u32,
    /// How actions are selected.
    pub selection: Selection,
    /// `c_scale` of sigma(q) = (c_visit + most visits of an action) * c_scale * q, q in -1..=1: how much a difference of
    /// values weighs against a difference of log-probabilities in the improved policy.
    pub sigma_scale: f32,
    /// A draw is worth this much less than 0 to the player who is to move at the root (and as much more to the other): 0 in
    /// self-play, where both sides are equals.
    pub contempt: f32,
}

/// `c_visit` of sigma.
const SIGMA_VISITS: f32 = 50.0;

impl Settings {
    /// Gumbel search as agents play it.
    pub fn gumbel(simulations: u32) -> Self {
        Self {
            simulations,
            selection: Selection::Gumbel { considered: 16 },
            sigma_scale: 0.25,
            contempt: 0.0,
        }
    }

    /// PUCT search by time, for [`MAX_SIMULATIONS`] at most. On giuthi-6x6, with some 20,000 of them a move, this exploration scored 0.53 against
    /// alphabeta at equal time (0.05 s) where that of [`puct`](Self::puct) scored 0.44: what decides is a surprising reply, and there
    /// is time to look at all.
    pub fn timed() -> Self {
        let selection = Selection::Puct { exploration: 2.5, first_play_reduction: 0.0, cuts: true };
        Self { selection, ..Self::puct(MAX_SIMULATIONS) }
    }

    /// PUCT search.
    pub fn puct(simulations: u32) -> Self {
        Self {
            simulations,
            selection: Selection::Puct {
                exploration: 1.25,
                first_play_reduction: FIRST_PLAY_REDUCTION,
                cuts: false,
            },
            sigma_scale: 0.25,
            contempt: 0.0,
        }
    }
}

/// [`Selection::Puct`]'s where nothing else is said.
pub(crate) const FIRST_PLAY_REDUCTION: f32 = 0.2;

/// Runs simulations in all trees until each has had its own, one batch of leaves after another; `go_on` is asked before each
/// batch.
///
/// # Errors
/// If the evaluator fails.
pub fn search<G: Game>(
    trees: &mut [Tree<G>],
    evaluator: &mut dyn Evaluator<G>,
    mut go_on: impl FnMut() -> bool,
) -> Result<(), String> {
    let mut evaluations = Evaluations::default();
    let mut waiting = Vec::with_capacity(trees.len());
    while go_on() {
        waiting.clear();
        let mut is_done = true;
        for (index, tree) in trees.iter_mut().enumerate() {
            let gathered = tree.gather();
            is_done &= gathered == Gathered::Done;
            if gathered == Gathered::Leaf {
                waiting.push(index);
            }
        }
        if is_done {
            return Ok(());
        }
        if waiting.is_empty() {
            continue;
        }
        let leaves: Vec<Leaf<'_, G>> = waiting.iter().map(|&index| trees[index].leaf()).collect();
        evaluator.evaluate(&leaves, &mut evaluations)?;
        let mut waiting = waiting.iter().copied().peekable();
        let trees = trees.iter_mut().enumerate();
        apply(trees.filter_map(|(index, tree)| waiting.next_if_eq(&index).map(|_| tree)), &evaluations);
    }
    Ok(())
}

/// Runs simulations in one tree, up to `width` leaves a batch; for PUCT. `go_on` is asked before each batch.
///
/// # Errors
/// If the evaluator fails.
pub fn search_one<G: Game>(
    tree: &mut Tree<G>,
    evaluator: &mut dyn Evaluator<G>,
    width: usize,
    mut go_on: impl FnMut() -> bool,
) -> Result<(), String> {
    let mut evaluations = Evaluations::default();
    if !tree.is_root_judged() {
        evaluator.evaluate(&[tree.leaf()], &mut evaluations)?;
        apply(std::iter::once(&mut *tree), &evaluations);
    }
    while go_on() {
        match tree.gather_many(width) {
            Gathered::Done => break,
            Gathered::Pause => continue,
            Gathered::Leaf => {}
        }
        let leaves: Vec<Leaf<'_, G>> = tree.leaves().collect();
        evaluator.evaluate(&leaves, &mut evaluations)?;
        tree.apply_many(&evaluations);
    }
    Ok(())
}

/// Hands a batch of evaluations to the trees that wait for them, in their order.
pub(crate) fn apply<'a, G: Game>(waiting: impl Iterator<Item = &'a mut Tree<G>>, evaluations: &Evaluations) {
    let mut logits = &evaluations.logits[..];
    for (row, (tree, &value)) in waiting.zip(&evaluations.values).enumerate() {
        let (own, rest) = logits.split_at(tree.leaf().actions.len());
        tree.apply(value, evaluations.draws.get(row).copied().unwrap_or(0.0), own);
        logits = rest;
    }
}
