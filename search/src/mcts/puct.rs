//! PUCT selection, as AlphaZero has it.

use super::tree::Choice;

/// Unvisited actions are taken to be this much worse than their node.
const FIRST_PLAY_REDUCTION: f32 = 0.2;

/// The action with the highest q + c * prior * sqrt(visits of the node) / (1 + visits).
pub(super) fn select(choices: &[Choice], value: f32, exploration: f32, scores: &mut Vec<f32>) -> usize {
    let total: u32 = choices.iter().map(|choice| choice.visits).sum();
    let sum: f32 = choices.iter().map(|choice| choice.q * choice.visits as f32).sum();
    let mean = (value + sum) / (1.0 + total as f32);
    let bonus = exploration * (total.max(1) as f32).sqrt();
    scores.clear();
    scores.extend(choices.iter().map(|choice| {
        let q = if choice.visits > 0 { choice.q } else { mean - FIRST_PLAY_REDUCTION };
        q + bonus * choice.logit.exp() / (1.0 + choice.visits as f32)
    }));
    let mut best = 0;
    for (index, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = index;
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
