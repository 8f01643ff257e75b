//! Samples as tensors.

use mancala_env::Game;
use mancala_search::net::{
    NetConfig, action_features, afterstates, count_row, describe, describe_with, for_afterstate_rows,
};
use mancala_search::self_play::Sample;
use tch::Tensor;

use super::mirrored;
use crate::net::Input;

/// A batch with its targets; B positions, M legal actions at most.
#[derive(Debug)]
pub struct Batch {
    /// What the net reads.
    pub input: Input,
    /// The search's policies, f32 `(B, M)`; rows of moves that were not searched in full are all 0 and so have no part in a
    /// cross-entropy.
    pub policy: Tensor,
    /// One-hot win, draw, loss for the player to move, f32 `(B, 3)`.
    pub outcome: Tensor,
    /// The margins at the end for the player to move, f32 `(B,)`, -1..=1.
    pub margin: Tensor,
    /// The search's values for the player to move, f32 `(B,)`, -1..=1; 0 for a forced move.
    pub value: Tensor,
    /// 1 where there is such a value, 0 for a forced move, f32 `(B,)`.
    pub has_value: Tensor,
    /// 1 where there is a policy, 0 for a move that was not searched in full, f32 `(B,)`.
    pub has_policy: Tensor,
}

/// Writes samples, each mirrored or not, into tensors, for a net of these sizes.
pub fn encode<'a, G: Game>(
    rules: &G::Rules,
    net: NetConfig,
    samples: impl Iterator<Item = (&'a Sample<G>, bool)> + Clone,
) -> Batch {
    let rows = samples.clone().count();
    let width = samples.clone().map(|(sample, _)| sample.actions.len()).max().unwrap_or(0);
    let (cells, unit, pits) = (G::observation_len(rules), G::seed_unit(rules), G::num_pits(rules));
    let (described, levels) = (action_features(net), net.count_levels);
    let mut counts = vec![0i64; if levels > 0 { rows * pits } else { 0 }];
    let (mut after_counts, mut after_begins) = (Vec::new(), Vec::new());
    let mut raw = vec![0u8; cells];
    let mut observations = vec![0.0f32; rows * cells];
    let (mut actions, mut of_rows, mut of_cells) = (Vec::new(), Vec::new(), Vec::new());
    let mut features: Vec<f32> = Vec::new();
    let mut legal = vec![0.0f32; rows * width];
    let mut policy = vec![0.0f32; rows * width];
    let mut outcome = vec![0.0f32; rows * 3];
    let mut margin = vec![0.0f32; rows];
    let mut value = vec![0.0f32; rows];
    let mut has_value = vec![0.0f32; rows];
    let mut has_policy = vec![0.0f32; rows];
    for (row, (sample, in_mirror)) in samples.enumerate() {
        let image;
        let sample = match in_mirror {
            true => {
                image = mirrored(rules, sample);
                &image
            }
            false => sample,
        };
        sample.state.observe(rules, &mut observations[row * cells..][..cells]);
        if levels > 0 {
            sample.state.observe_raw(rules, &mut raw);
            for (pit, out) in counts[row * pits..][..pits].iter_mut().enumerate() {
                *out = count_row(pit, raw[pit], levels) as i64;
            }
        }
        if net.afterstates {
            for (info, after) in sample.actions.iter().zip(afterstates(&sample.state, &sample.actions)) {
                after_begins.push(after_counts.len() as i64);
                let add = |row| after_counts.push(row as i64);
                for_afterstate_rows(rules, &sample.state, info, &after, levels, &mut raw, add);
            }
        }
        for (i, info) in sample.actions.iter().enumerate() {
            let cell = row * width + i;
            actions.push(i64::from(info.action));
            of_rows.push(row as i64);
            of_cells.push(cell as i64);
            legal[cell] = 1.0;
            let from = features.len();
            features.resize(from + described, 0.0);
            let out = &mut features[from..];
            match sample.foreseen.get(i) {
                Some(foreseen) => describe_with(info, foreseen, net, (unit, pits), out),
                None => describe(&sample.state, info, net, (unit, pits), out),
            }
        }
        policy[row * width..][..sample.policy.len()].copy_from_slice(&sample.policy);
        let column = match sample.outcome {
            outcome if outcome > 0.0 => 0,
            outcome if outcome < 0.0 => 2,
            _ => 1,
        };
        outcome[row * 3 + column] = 1.0;
        margin[row] = sample.margin;
        if let Some(known) = sample.value {
            (value[row], has_value[row]) = (known, 1.0);
        }
        has_policy[row] = f32::from(u8::from(!sample.policy.is_empty()));
    }
    let (rows, width) = (rows as i64, width as i64);
    Batch {
        input: Input {
            observations: Tensor::from_slice(&observations).view([rows, cells as i64]),
            counts: (levels > 0).then(|| Tensor::from_slice(&counts).view([rows, pits as i64])),
            after_counts: net
                .afterstates
                .then(|| (Tensor::from_slice(&after_counts), Tensor::from_slice(&after_begins))),
            actions: Tensor::from_slice(&actions),
            features: Tensor::from_slice(&features).view([-1, described as i64]),
            rows: Tensor::from_slice(&of_rows),
            cells: Tensor::from_slice(&of_cells),
            legal: Tensor::from_slice(&legal).view([rows, width]),
        },
        policy: Tensor::from_slice(&policy).view([rows, width]),
        outcome: Tensor::from_slice(&outcome).view([rows, 3]),
        margin: Tensor::from_slice(&margin),
        value: Tensor::from_slice(&value),
        has_value: Tensor::from_slice(&has_value),
        has_policy: Tensor::from_slice(&has_policy),
    }
}
