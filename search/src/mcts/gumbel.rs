//! Gumbel AlphaZero: Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by planning with Gumbel" (ICLR 2022).

use super::SIGMA_VISITS;
use super::edge::Choice;

/// Sequential halving as a list: for each simulation, how many visits the root action that it goes to already has. Each phase
/// visits its actions equally often, and the better half goes on; equally many simulations are meant for each phase.
pub(super) fn schedule(considered: usize, simulations: u32, out: &mut Vec<u32>) {
    out.clear();
    let simulations = simulations as usize;
    let mut remaining = considered.min(simulations).max(1);
    if remaining == 1 {
        out.extend(0..simulations as u32);
        return;
    }
    let phases = usize::BITS as usize - (remaining - 1).leading_zeros() as usize;
    let mut visits = 0;
    while out.len() < simulations {
        let rounds = (simulations / (phases * remaining)).max(1);
        for _ in 0..rounds {
            out.extend(std::iter::repeat_n(visits, remaining));
            visits += 1;
        }
        remaining = (remaining / 2).max(2);
    }
    out.truncate(simulations);
}

/// Writes logit + sigma(completed q) of each action. Actions without visits are given the mix of the node's own value and the
/// visited actions' values, so that nothing pulls towards or away from them.
fn completed(choices: &[Choice], value: f32, sigma_scale: f32, out: &mut Vec<f32>) -> f32 {
    let most = choices.iter().map(|choice| choice.visits).max().unwrap_or(0);
    let total: u32 = choices.iter().map(|choice| choice.visits).sum();
    let visited = choices.iter().filter(|choice| choice.visits > 0);
    let (weight, weighted) = visited.fold((0.0, 0.0), |(weight, weighted), choice| {
        // A floor, so that a prior of nothing cannot make 0 / 0.
        let prior = choice.prior.max(1e-6);
        (weight + prior, weighted + prior * choice.q)
    });
    let mixed = match total {
        0 => value,
        _ => (value + total as f32 * weighted / weight) / (1.0 + total as f32),
    };
    let scale = (SIGMA_VISITS + most as f32) * sigma_scale;
    out.clear();
    out.extend(choices.iter().map(|choice| {
        let q = if choice.visits > 0 { choice.q } else { mixed };
        choice.logit + scale * q
    }));
    mixed
}

fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in &mut *scores {
        *score = (*score - most).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// The first index with the highest score.
fn argmax(scores: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (index, score) in scores.enumerate() {
        if score > most {
            (best, most) = (index, score);
        }
    }
    best
}

/// The improved policy: softmax of logit + sigma(completed q). Returns the value of following it.
pub(super) fn improved_policy(choices: &[Choice], value: f32, sigma_scale: f32, out: &mut Vec<f32>) -> f32 {
    let mixed = completed(choices, value, sigma_scale, out);
    softmax(out);
    let q = |choice: &Choice| if choice.visits > 0 { choice.q } else { mixed };
    out.iter().zip(choices).map(|(share, choice)| share * q(choice)).sum()
}

/// Below the root: the action whose share of visits lags most behind the improved policy.
pub(super) fn select(choices: &[Choice], value: f32, sigma_scale: f32, scores: &mut Vec<f32>) -> usize {
    completed(choices, value, sigma_scale, scores);
    softmax(scores);
    let total: u32 = choices.iter().map(|choice| choice.visits).sum();
    let visits = 1.0 / (1.0 + total as f32);
    argmax(scores.iter().zip(choices).map(|(share, choice)| share - choice.visits as f32 * visits))
}

/// At the root: among the actions with so many visits the one with the highest noise + logit + sigma(q).
pub(super) fn select_root(
    choices: &[Choice],
    value: f32,
    sigma_scale: f32,
    noise: &[f32],
    visits: u32,
    scores: &mut Vec<f32>,
) -> usize {
    completed(choices, value, sigma_scale, scores);
    add_noise(scores, noise);
    argmax(scores.iter().zip(choices).map(|(&score, choice)| match choice.visits == visits {
        true => score,
        false => f32::NEG_INFINITY,
    }))
}

/// The action to play: among the most visited the one with the highest noise + logit + sigma(q).
pub(super) fn best(choices: &[Choice], value: f32, sigma_scale: f32, noise: &[f32]) -> usize {
    let most = choices.iter().map(|choice| choice.visits).max().unwrap_or(0);
    select_root(choices, value, sigma_scale, noise, most, &mut Vec::new())
}

fn add_noise(scores: &mut [f32], noise: &[f32]) {
    for (score, noise) in scores.iter_mut().zip(noise) {
        *score += noise;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule_of(considered: usize, simulations: u32) -> Vec<u32> {
        let mut out = Vec::new();
        schedule(considered, simulations, &mut out);
        out
    }

    #[test]
    fn halving_visits_every_action_once_and_then_the_better_half() {
        let schedule = schedule_of(4, 16);
        assert_eq!(schedule, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn one_action_takes_all_simulations() {
        assert_eq!(schedule_of(1, 4), [0, 1, 2, 3]);
    }

    #[test]
    fn never_more_actions_than_simulations() {
        assert_eq!(schedule_of(16, 3), [0, 0, 0]);
        assert_eq!(schedule_of(10, 1), [0]);
    }

    #[test]
    fn every_schedule_can_be_followed() {
        // A simulation that wants an action with v visits finds one.
        for considered in 1..=20 {
            for simulations in 1..=200 {
                let mut visits = vec![0; considered];
                for wanted in schedule_of(considered, simulations) {
                    let action = visits.iter().position(|&visits| visits == wanted);
                    visits[action.unwrap_or_else(|| panic!("{considered} {simulations} {wanted}"))] += 1;
                }
            }
        }
    }

    #[test]
    fn without_visits_the_improved_policy_is_the_prior() {
        let choices = [0.5f32, 0.3, 0.2].map(|prior| Choice { visits: 0, q: 9.0, logit: prior.ln(), prior });
        let mut policy = Vec::new();
        let value = improved_policy(&choices, 0.25, 1.0, &mut policy);
        assert!((value - 0.25).abs() < 1e-6);
        for (found, expected) in policy.iter().zip([0.5, 0.3, 0.2]) {
            assert!((found - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_better_action_gains_and_an_unvisited_one_is_mixed() {
        let third = (1.0f32 / 3.0).ln();
        let choices = [
            Choice { visits: 2, q: 0.5, logit: third, prior: 1.0 / 3.0 },
            Choice { visits: 2, q: -0.5, logit: third, prior: 1.0 / 3.0 },
            Choice { visits: 0, q: 0.0, logit: third, prior: 1.0 / 3.0 },
        ];
        let mut policy = Vec::new();
        improved_policy(&choices, 0.0, 0.1, &mut policy);
        assert!(policy[0] > policy[2] && policy[2] > policy[1]);
    }
}
