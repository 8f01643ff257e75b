//! Samples as tensors.

use mancala_env::Game;
use mancala_search::net::{Encoded, NetConfig, action_features};
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
    let mut encoded = Encoded::default();
    let mut of_cells = Vec::new();
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
        encoded.push(rules, net, &sample.state, &sample.actions, &sample.foreseen);
        let cells = row * width..row * width + sample.actions.len();
        legal[cells.clone()].fill(1.0);
        of_cells.extend(cells.map(|cell| cell as i64));
        policy[row * width..][..sample.policy.len()].copy_from_slice(&sample.policy);
        outcome[row * 3 + sample.outcome_column()] = 1.0;
        margin[row] = sample.margin;
        if let Some(known) = sample.value {
            (value[row], has_value[row]) = (known, 1.0);
        }
        has_policy[row] = f32::from(u8::from(!sample.policy.is_empty()));
    }
    let (cells, pits) = (G::observation_len(rules) as i64, G::num_pits(rules) as i64);
    let described = action_features(net) as i64;
    let (rows, width) = (rows as i64, width as i64);
    Batch {
        input: Input {
            observations: Tensor::from_slice(&encoded.observations).view([rows, cells]),
            counts: (net.count_levels > 0).then(|| Tensor::from_slice(&encoded.counts).view([rows, pits])),
            after_counts: net.afterstates.then(|| {
                (Tensor::from_slice(&encoded.after_counts), Tensor::from_slice(&encoded.after_offsets))
            }),
            actions: Tensor::from_slice(&encoded.actions),
            features: Tensor::from_slice(&encoded.features).view([-1, described]),
            rows: Tensor::from_slice(&encoded.rows),
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
