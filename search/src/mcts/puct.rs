//! PUCT selection, as AlphaZero has it.

use mancala_env::MAX_LEGAL_ACTIONS;

use super::edge::{Choice, Edge};

/// The action with the highest q + c * prior * sqrt(visits of the node) / (1 + visits), for the player of this sign. With `cuts`,
/// actions that cannot be worth more than another is sure of come behind all others. `value` is that of the node before any visit.
#[inline]
pub(super) fn select(
    edges: &[Edge],
    sign: f32,
    value: f32,
    exploration: f32,
    first_play_reduction: f32,
    cuts: bool,
) -> usize {
    let mut qs = [0.0; MAX_LEGAL_ACTIONS];
    let (mut total, mut sum, mut least) = (0, 0.0, f32::NEG_INFINITY);
    for (edge, q) in edges.iter().zip(&mut qs) {
        *q = sign * edge.q();
        total += edge.visits;
        sum += *q * edge.visits as f32;
        least = least.max(edge.bounds_for(sign).0);
    }
    let unvisited = (value + sum) / (1.0 + total as f32) - first_play_reduction;
    let bonus = exploration * (total.max(1) as f32).sqrt();
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (index, (edge, &q)) in edges.iter().zip(&qs).enumerate() {
        let q = if edge.visits > 0 { q } else { unvisited };
        let is_cut = cuts && edge.bounds_for(sign).1 <= least;
        let score = if is_cut { f32::MIN } else { q + bonus * edge.prior / (1.0 + edge.visits as f32) };
        if score > most {
            (best, most) = (index, score);
        }
    }
    best
}

/// The most visited action; among equals the one with the higher value, then the lower number.
pub(super) fn best(choices: &[Choice]) -> usize {
    let mut best = 0;
    for (index, choice) in choices.iter().enumerate() {
        if (choice.visits, choice.q) > (choices[best].visits, choices[best].q) {
            best = index;
        }
    }
    best
}
