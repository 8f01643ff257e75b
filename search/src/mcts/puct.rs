//! PUCT selection, as AlphaZero has it.

use super::edge::Choice as Seen;

/// What selection sees of an action, in the view of the player who chooses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) visits: u32,
    pub(super) q: f32,
    pub(super) prior: f32,
    /// It cannot be worth more than another is sure of.
    pub(super) is_cut: bool,
}

/// The action with the highest q + c * prior * sqrt(visits of the node) / (1 + visits) of those that are not cut, or of all if all
/// are. `value` is that of the node before any visit.
#[inline]
pub(super) fn select(
    choices: impl Iterator<Item = Choice> + Clone,
    value: f32,
    exploration: f32,
    first_play_reduction: f32,
) -> usize {
    let (mut total, mut sum) = (0, 0.0);
    for Choice { visits, q, .. } in choices.clone() {
        total += visits;
        sum += q * visits as f32;
    }
    let unvisited = (value + sum) / (1.0 + total as f32) - first_play_reduction;
    let bonus = exploration * (total.max(1) as f32).sqrt();
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (index, Choice { visits, q, prior, is_cut }) in choices.enumerate() {
        let q = if visits > 0 { q } else { unvisited };
        let score = q + bonus * prior / (1.0 + visits as f32);
        // What is cut comes behind everything else.
        let score = if is_cut { f32::MIN } else { score };
        if score > most {
            (best, most) = (index, score);
        }
    }
    best
}

/// The most visited action; among equals the one with the higher value, then the lower number.
pub(super) fn best(choices: &[Seen]) -> usize {
    let mut best = 0;
    for (index, choice) in choices.iter().enumerate() {
        if (choice.visits, choice.q) > (choices[best].visits, choices[best].q) {
            best = index;
        }
    }
    best
}
