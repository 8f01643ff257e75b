//! Wins with a history that may stand in their way, decided exactly.

use std::collections::{HashMap, HashSet};

use mancala_env::{Game, Giuthi, Player};

use super::Tablebase;
use super::judge::{Class, progress};

/// Whether `winner` wins in `state` although the positions of `history` have stood (since the last capture, so of as many
/// seeds); of a fresh history he does, and `state` is not among them.
pub(super) fn wins_despite(tablebase: &Tablebase, state: &Giuthi, winner: Player, history: &[u128]) -> bool {
    let history: HashSet<u128> = history.iter().copied().collect();
    best_line_is_free(tablebase, state, winner, &history)
        || any_line_is_free(tablebase, state, winner, &history)
}

/// A state that an action leads to without an end or a capture; `None`: it leads to a win of the winner for good.
fn next(state: &Giuthi, action: u16) -> Option<Giuthi> {
    let mut child = *state;
    let played = child.play_unchecked(action);
    (played.captured == 0 && !child.is_over()).then_some(child)
}

/// Whether the winner wins there, of a fresh history.
fn keeps_win(tablebase: &Tablebase, state: &Giuthi, action: u16, winner: Player) -> bool {
    let mut child = *state;
    let played = child.play_unchecked(action);
    !played.endless && tablebase.class_for(&child, winner) == Class::Win
}

/// Whether following the ranks, whatever the other player does, never meets the history.
fn best_line_is_free(tablebase: &Tablebase, state: &Giuthi, winner: Player, history: &HashSet<u128>) -> bool {
    let (mut seen, mut open) = (HashSet::from([state.fingerprint()]), vec![*state]);
    while let Some(state) = open.pop() {
        let mut actions = state.legal_actions();
        if state.to_move() == winner {
            // One that ends or captures, else the one that leads on: nothing else has to be free.
            let best = actions
                .iter()
                .copied()
                .filter(|&action| keeps_win(tablebase, &state, action, winner))
                .max_by_key(|&action| match next(&state, action) {
                    None => (true, None),
                    Some(child) => (false, progress(tablebase, &child, winner)),
                });
            actions.clear();
            actions.extend(best);
        }
        for child in actions.into_iter().filter_map(|action| next(&state, action)) {
            let fingerprint = child.fingerprint();
            if history.contains(&fingerprint) {
                return false;
            }
            if seen.insert(fingerprint) {
                open.push(child);
            }
        }
    }
    true
}

/// A state of the region in which the winner wins of a fresh history.
#[derive(Default)]
struct Node {
    /// The winner is to move: one way is enough.
    chooses: bool,
    /// The winner's way to a win for good.
    wins_at_once: bool,
    /// The other player's way into the history.
    escapes: bool,
    /// The other states it leads to.
    ways: Vec<usize>,
}

/// Whether any line at all is free: the least fixpoint over all states that the winner can be kept in or keep to, without those
/// of the history.
fn any_line_is_free(tablebase: &Tablebase, state: &Giuthi, winner: Player, history: &HashSet<u128>) -> bool {
    let mut numbers = HashMap::from([(state.fingerprint(), 0)]);
    let mut states = vec![*state];
    let mut nodes: Vec<Node> = Vec::new();
    while nodes.len() < states.len() {
        let state = states[nodes.len()];
        let mut node = Node { chooses: state.to_move() == winner, ..Node::default() };
        for action in state.legal_actions() {
            if node.chooses && !keeps_win(tablebase, &state, action, winner) {
                continue;
            }
            let Some(child) = next(&state, action) else {
                node.wins_at_once |= node.chooses;
                continue;
            };
            let fingerprint = child.fingerprint();
            if history.contains(&fingerprint) {
                node.escapes |= !node.chooses;
                continue;
            }
            let number = *numbers.entry(fingerprint).or_insert_with(|| {
                states.push(child);
                states.len() - 1
            });
            node.ways.push(number);
        }
        nodes.push(node);
    }
    let mut wins = vec![false; nodes.len()];
    loop {
        let mut has_changed = false;
        // Later states are further from the first, so that wins are handed on within one pass.
        for (number, node) in nodes.iter().enumerate().rev() {
            let holds = match node.chooses {
                true => node.wins_at_once || node.ways.iter().any(|&way| wins[way]),
                false => !node.escapes && node.ways.iter().all(|&way| wins[way]),
            };
            has_changed |= holds != wins[number];
            wins[number] = holds;
        }
        if !has_changed || wins[0] {
            return wins[0];
        }
    }
}
