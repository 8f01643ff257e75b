//! What the learner brings down.

use tch::{Kind, Tensor};

use crate::config::Learner as LearnerConfig;
use crate::net::Output;
use crate::replay::Batch;

/// Sums over the positions of one batch or many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Positions.
    pub positions: f64,
    /// Those of them that were searched in full, and so have a policy.
    pub searched: f64,
    /// Cross-entropy of the net's policy against the search's, in nats.
    pub policy: f64,
    /// Entropy of the search's policy: what the cross-entropy cannot fall below.
    pub target_entropy: f64,
    /// Entropy of the net's policy.
    pub policy_entropy: f64,
    /// Cross-entropy of win, draw and loss against the value target.
    pub value: f64,
    /// Squared error of the margin as a share of all seeds; 0 of a net without a head for it.
    pub margin: f64,
}

impl Sums {
    /// Adds those of another batch.
    pub fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.searched += other.searched;
        self.policy += other.policy;
        self.target_entropy += other.target_entropy;
        self.policy_entropy += other.policy_entropy;
        self.value += other.value;
        self.margin += other.margin;
    }
}

/// The loss of part of a batch of `total` positions: the losses of all parts add up to the mean over the batch.
pub(super) fn loss(output: &Output, batch: &Batch, total: usize, config: &LearnerConfig) -> (Tensor, Sums) {
    let log_policy = output.policy.log_softmax(-1, Kind::Float);
    let policy = -(&batch.policy * &log_policy).sum(Kind::Float);
    let target = value_target(batch, config.value_blend);
    let value = -(target * output.outcome.log_softmax(-1, Kind::Float)).sum(Kind::Float);
    let margin = match &output.margin {
        Some(margin) => (margin - &batch.margin).square().sum(Kind::Float),
        None => value.zeros_like(),
    };
    let loss = (&policy + config.value_weight * &value + config.margin_weight * &margin) / total as f64;
    (loss, tch::no_grad(|| sums(batch, &log_policy, [&policy, &value, &margin])))
}

/// Win, draw and loss as the game ended, blended with the search's value where there is one: `blend` of the value `v` as
/// a win with probability (1 + v) / 2 and a loss otherwise. Shape `(B, 3)`.
fn value_target(batch: &Batch, blend: f64) -> Tensor {
    let win = (&batch.value + 1.0) * 0.5;
    let searched = Tensor::stack(&[win.shallow_clone(), win.zeros_like(), 1.0 - win], 1);
    let share = (&batch.has_value * blend).unsqueeze(1);
    &batch.outcome * (1.0 - &share) + searched * share
}

fn sums(batch: &Batch, log_policy: &Tensor, [policy, value, margin]: [&Tensor; 3]) -> Sums {
    let has_policy = batch.has_policy.unsqueeze(1);
    let policy_entropy = -(log_policy.exp() * log_policy * &batch.input.legal * has_policy).sum(Kind::Float);
    // The smallest float keeps 0 ln 0 at 0.
    let target_entropy =
        -(&batch.policy * batch.policy.clamp_min(f64::from(f32::MIN_POSITIVE)).log()).sum(Kind::Float);
    let counted = batch.has_policy.sum(Kind::Float);
    let parts = [counted, policy.detach(), target_entropy, policy_entropy, value.detach(), margin.detach()];
    let mut read = [0.0f32; 6];
    Tensor::stack(&parts, 0).copy_data(&mut read, 6);
    let [searched, policy, target_entropy, policy_entropy, value, margin] = read.map(f64::from);
    let positions = batch.value.numel() as f64;
    Sums { positions, searched, policy, target_entropy, policy_entropy, value, margin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Input, PADDING_LOGIT};

    /// Three positions: one searched in full, with three actions; one forced; one searched fast.
    fn batch() -> (Batch, Output) {
        let floats = |data: &[f32], shape: &[i64]| Tensor::from_slice(data).view(shape);
        let padding = PADDING_LOGIT as f32;
        let batch = Batch {
            input: Input {
                observations: floats(&[0.0; 3], &[3, 1]),
                counts: None,
                after_counts: None,
                actions: Tensor::from_slice(&[0i64, 1, 2, 4, 1, 2]),
                features: floats(&[0.0; 6], &[6, 1]),
                rows: Tensor::from_slice(&[0i64, 0, 0, 1, 2, 2]),
                cells: Tensor::from_slice(&[0i64, 1, 2, 3, 6, 7]),
                legal: floats(&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0], &[3, 3]),
            },
            policy: floats(&[0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[3, 3]),
            outcome: floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0], &[3, 3]),
            margin: floats(&[0.5, -0.25, 0.0], &[3]),
            value: floats(&[0.5, 0.0, -1.0], &[3]),
            has_value: floats(&[1.0, 0.0, 1.0], &[3]),
            has_policy: floats(&[1.0, 0.0, 0.0], &[3]),
        };
        let policy = floats(&[0.0, 0.0, 0.0, 2.0, padding, padding, 5.0, -5.0, padding], &[3, 3]);
        let outcome = floats(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[3, 3]);
        (batch, Output { policy, outcome, margin: None })
    }

    #[test]
    fn losses_are_as_worked_out_by_hand() {
        let (batch, output) = batch();
        let config = LearnerConfig { value_weight: 2.0, value_blend: 0.5, ..Default::default() };
        let (whole, sums) = loss(&output, &batch, 3, &config);
        let ln3 = 3.0f64.ln();
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        near(sums.policy, ln3);
        near(sums.policy_entropy, ln3);
        near(sums.target_entropy, 2.0f64.ln());
        near(sums.value, 3.0 * ln3);
        near(whole.double_value(&[]), (ln3 + 6.0 * ln3) / 3.0);
        assert_eq!((sums.positions, sums.searched, sums.margin), (3.0, 1.0, 0.0));

        let config = LearnerConfig { margin_weight: 3.0, ..config };
        let output = Output { margin: Some(Tensor::from_slice(&[0.0f32, 0.25, 1.0])), ..output };
        let (whole, sums) = loss(&output, &batch, 3, &config);
        near(sums.margin, 1.5);
        near(whole.double_value(&[]), (ln3 + 6.0 * ln3 + 4.5) / 3.0);
    }

    #[test]
    fn what_is_no_action_has_no_part_in_the_policy() {
        let (batch, output) = batch();
        let gradient = |legal: i64| {
            let policy = output.policy.detach().set_requires_grad(true);
            let output =
                Output { policy: policy.shallow_clone(), outcome: output.outcome.copy(), margin: None };
            let (loss, _) = loss(&output, &batch, 3, &LearnerConfig::default());
            let gradient = Tensor::run_backward(&[loss], &[policy], false, false);
            gradient[0].get(legal).abs().sum(Kind::Float).double_value(&[])
        };
        assert!(gradient(0) > 0.1);
        // Rows without a policy teach nothing, padded or not.
        assert_eq!((gradient(1), gradient(2)), (0.0, 0.0));
    }

    #[test]
    fn the_value_target_blends_only_what_was_searched() {
        let target = value_target(&batch().0, 0.5);
        let mut found = [0.0f32; 9];
        target.copy_data(&mut found, 9);
        assert_eq!(found, [0.875, 0.0, 0.125, 0.0, 0.0, 1.0, 0.0, 0.5, 0.5]);
    }
}
