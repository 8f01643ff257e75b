//! AdamW on one flat tensor, its moments in tensors of our own, so that they can be saved.

use mancala_search::net::NetHeader;
use tch::{Kind, Tensor};

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// AdamW with decoupled weight decay (Loshchilov and Hutter, 2019).
#[derive(Debug)]
pub(super) struct AdamW {
    /// Running mean of the gradient, f32 `(parameters,)`.
    pub(super) moment1: Tensor,
    /// Running mean of its square, f32 `(parameters,)`.
    pub(super) moment2: Tensor,
    /// 1 for weights, 0 for biases, f32 `(parameters,)`.
    decays: Tensor,
    /// Steps made.
    pub(super) steps: u64,
}

impl AdamW {
    /// Before the first step.
    pub(super) fn new(header: &NetHeader) -> Self {
        let decays = header.tensors().into_iter().flat_map(|(name, shape)| {
            let decays = if name.ends_with(".bias") { 0.0f32 } else { 1.0 };
            std::iter::repeat_n(decays, shape.iter().product())
        });
        let decays = Tensor::from_slice(&decays.collect::<Vec<_>>());
        Self { moment1: decays.zeros_like(), moment2: decays.zeros_like(), decays, steps: 0 }
    }

    /// Makes one step. A gradient longer than `clip` is cut to it. Returns the gradient's length before.
    pub(super) fn step(
        &mut self,
        parameters: &mut Tensor,
        gradient: &Tensor,
        rate: f64,
        weight_decay: f64,
        clip: f64,
    ) -> f64 {
        tch::no_grad(|| {
            self.steps += 1;
            let length = (gradient * gradient).sum(Kind::Double).double_value(&[]).sqrt();
            let gradient = gradient * (clip / (length + 1e-6)).min(1.0);
            let _ = self.moment1.lerp_(&gradient, 1.0 - BETA1);
            let _ = self.moment2.lerp_(&(&gradient * &gradient), 1.0 - BETA2);
            let steps = self.steps.min(i32::MAX as u64) as i32;
            let (unbias1, unbias2) = (1.0 - BETA1.powi(steps), 1.0 - BETA2.powi(steps));
            let scale = (&self.moment2 / unbias2).sqrt() + EPSILON;
            let change = &self.moment1 / scale * (rate / unbias1);
            let decay = &*parameters * &self.decays * (rate * weight_decay);
            *parameters -= change + decay;
            length
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_search::net::NetConfig;

    fn header() -> NetHeader {
        NetHeader {
            game: "giuthi-2x2".into(),
            rules_version: 1,
            observation_version: 1,
            observation: 1,
            actions: 1,
            features: 1,
            pits: 0,
            net: NetConfig::plain(1, 0, 1, 1),
            margin: false,
        }
    }

    #[test]
    fn steps_are_those_of_the_paper() {
        let header = header();
        let count: usize = header.tensors().iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
        let mut parameters = Tensor::from_slice(&vec![1.0f32; count]);
        let mut optimizer = AdamW::new(&header);
        let (mut m, mut v, mut weight, mut bias) = (0.0, 0.0, 1.0, 1.0);
        for (i, g) in [0.1f64, -0.2, 0.05].into_iter().enumerate() {
            let gradient = Tensor::from_slice(&vec![g as f32; count]);
            let length = optimizer.step(&mut parameters, &gradient, 0.01, 0.1, 100.0);
            assert!((length - g.abs() * (count as f64).sqrt()).abs() < 1e-6);
            m = BETA1 * m + (1.0 - BETA1) * g;
            v = BETA2 * v + (1.0 - BETA2) * g * g;
            let t = i as i32 + 1;
            let change = 0.01 * (m / (1.0 - BETA1.powi(t))) / ((v / (1.0 - BETA2.powi(t))).sqrt() + EPSILON);
            weight -= change + 0.01 * 0.1 * weight;
            bias -= change;
        }
        // The first tensor is a layer's weight, the second its bias.
        assert!((parameters.double_value(&[0]) - weight).abs() < 1e-6);
        assert!((parameters.double_value(&[1]) - bias).abs() < 1e-6);
    }

    #[test]
    fn long_gradients_are_cut() {
        let header = header();
        let mut cut = AdamW::new(&header);
        let gradient = cut.moment1.ones_like() * 100.0;
        let mut parameters = gradient.zeros_like();
        let length = cut.step(&mut parameters, &gradient, 0.01, 0.0, 1.0);
        let moment = (&cut.moment1 * &cut.moment1).sum(Kind::Double).double_value(&[]).sqrt();
        assert!(length > 100.0 && (moment - 0.1).abs() < 1e-4, "{length} {moment}");
    }
}
