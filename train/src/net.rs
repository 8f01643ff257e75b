//! The net in libtorch, for learning. [`NetConfig`] draws it; inference without libtorch is
//! [`NetEvaluator`](mancala_search::net::NetEvaluator)'s, and a test ties both.

use mancala_search::net::{AFTER_COUNTS, COUNTS, NetConfig, NetHeader, Tensor as Named, Weights};
use tch::{Kind, Tensor};

/// A batch of positions as tensors; B positions, K legal actions in all, M at most, D observation cells, F action features.
#[derive(Debug)]
pub struct Input {
    /// Observations, f32 `(B, D)`.
    pub observations: Tensor,
    /// Rows of the table of counts, i64 `(B, pits)`; `None` for a net without one.
    pub counts: Option<Tensor>,
    /// Rows of the table of counts after actions, i64 `(any,)`, and where those of each action begin, i64 `(K,)`; `None` for a net
    /// without it.
    pub after_counts: Option<(Tensor, Tensor)>,
    /// Numbers of the legal actions, position after position, i64 `(K,)`.
    pub actions: Tensor,
    /// Features of the actions, f32 `(K, F)`.
    pub features: Tensor,
    /// Which position each action belongs to, i64 `(K,)`, 0..B.
    pub rows: Tensor,
    /// Where each action stands in what is padded, i64 `(K,)`, 0..B * M.
    pub cells: Tensor,
    /// f32 `(B, M)`: 1 for a legal action, 0 for padding.
    pub legal: Tensor,
}

/// What the net says of a batch.
#[derive(Debug)]
pub struct Output {
    /// Logits of the actions, f32 `(B, M)`; padding has [`PADDING_LOGIT`].
    pub policy: Tensor,
    /// Logits of win, draw and loss for the player to move, f32 `(B, 3)`.
    pub outcome: Tensor,
    /// The margin at the end for the player to move, as a share of all seeds, f32 `(B,)`; `None` of a net without a head for it.
    pub margin: Option<Tensor>,
}

/// The logit of what is no action: small enough to have no probability, and finite, since infinity times a target of 0
/// would be no number.
pub const PADDING_LOGIT: f64 = -1e9;

/// All parameters of a net in one flat tensor, so that an optimizer step is a handful of operations and not a handful for
/// each layer.
#[derive(Debug)]
pub struct Parameters {
    header: NetHeader,
    /// f32 `(parameters,)`, in the order of [`NetHeader::tensors`].
    flat: Tensor,
}

impl Parameters {
    /// The weights as parameters.
    pub fn new(weights: &Weights) -> Self {
        let data: Vec<f32> = weights.tensors.iter().flat_map(|tensor| tensor.data.iter().copied()).collect();
        Self { header: weights.header.clone(), flat: Tensor::from_slice(&data) }
    }

    /// The parameters as weights.
    pub fn weights(&self) -> Weights {
        Weights { header: self.header.clone(), tensors: unflatten(&self.header, &self.flat) }
    }

    /// What the net is for.
    pub fn header(&self) -> &NetHeader {
        &self.header
    }

    /// The parameters, f32 `(parameters,)`.
    pub fn flat(&self) -> &Tensor {
        &self.flat
    }

    /// The same, to be changed in place.
    pub fn flat_mut(&mut self) -> &mut Tensor {
        &mut self.flat
    }

    /// A net whose layers are views of these parameters: it follows every change made to them in place. Each thread takes
    /// one of its own, and gradients are kept apart.
    pub fn net(&self) -> TorchNet {
        let mut start = 0;
        let layers = self.header.tensors().into_iter().map(|(_, shape)| {
            let shape: Vec<i64> = shape.into_iter().map(|size| size as i64).collect();
            let count = shape.iter().product();
            let layer = self.flat.narrow(0, start, count).view(shape.as_slice()).detach();
            start += count;
            layer.set_requires_grad(true)
        });
        let names = self.header.tensors().into_iter().map(|(name, _)| name).collect();
        TorchNet { layers: layers.collect(), names, config: self.header.net, has_margin: self.header.margin }
    }
}

/// A flat tensor cut into those of a net, in the order of [`NetHeader::tensors`].
pub fn unflatten(header: &NetHeader, flat: &Tensor) -> Vec<Named> {
    let mut all = vec![0.0; flat.numel()];
    let count = all.len();
    flat.copy_data(&mut all, count);
    let mut rest = all.as_slice();
    let tensors = header.tensors().into_iter().map(|(name, shape)| {
        let (data, tail) = rest.split_at(shape.iter().product());
        rest = tail;
        Named { name, shape, data: data.to_vec() }
    });
    tensors.collect()
}

/// A net to run forward and backward.
#[derive(Debug)]
pub struct TorchNet {
    /// In the order of [`NetHeader::tensors`].
    layers: Vec<Tensor>,
    names: Vec<String>,
    config: NetConfig,
    has_margin: bool,
}

impl TorchNet {
    /// The sizes.
    pub fn config(&self) -> NetConfig {
        self.config
    }

    fn layer(&self, name: &str) -> &Tensor {
        let at = self.names.iter().position(|found| found == name);
        &self.layers[at.expect("the net has such a layer")]
    }

    /// Judges a batch.
    pub fn forward(&self, input: &Input) -> Output {
        let mut layers = self.layers.iter();
        let mut next = || layers.next().expect("a layer for each name");
        let mut linear = |x: &Tensor| {
            let (weight, bias) = (next(), next());
            x.linear(weight, Some(bias))
        };
        let mut x = linear(&input.observations);
        if let Some(counts) = &input.counts {
            let rows = Tensor::embedding(self.layer(COUNTS), counts, -1, false, false);
            x += rows.sum_dim_intlist(1, false, Kind::Float);
        }
        for _ in 0..self.config.blocks {
            let first = linear(&x.relu()).relu();
            x = linear(&first) + x;
        }
        let trunk = x.relu();
        let hidden = linear(&trunk).index_select(0, &input.rows);
        let value_hidden = [next(), next()];
        let value_output = [next(), next()];
        let [features, actions, output] = [next(), next(), next()];

        let described = input.features.linear(features, None::<&Tensor>);
        let embedded = Tensor::embedding(actions, &input.actions, -1, false, false);
        let mut hidden = hidden + described + embedded;
        if let Some((rows, begins)) = &input.after_counts {
            let table = self.layer(AFTER_COUNTS);
            let (sums, ..) =
                Tensor::embedding_bag(table, rows, begins, false, 0, false, None::<&Tensor>, false);
            hidden += sums;
        }
        for block in 0..self.config.policy_blocks {
            let linear = |part: &str, x: &Tensor| {
                let layer = |kind: &str| self.layer(&format!("policy.block.{block}.{part}.{kind}"));
                x.linear(layer("weight"), Some(layer("bias")))
            };
            let first = linear("first", &hidden.relu()).relu();
            hidden = linear("second", &first) + hidden;
        }
        let hidden = hidden.relu();
        let padded = |x: &Tensor, of: f64| {
            let [rows, width] = input.legal.size()[..] else { unreachable!("a matrix") };
            let inner = &x.size()[1..];
            let padding = Tensor::full([&[rows * width], inner].concat(), of, (Kind::Float, x.device()));
            padding.index_copy(0, &input.cells, x).view([&[rows, width], inner].concat().as_slice())
        };
        let policy = padded(&hidden.matmul(output), PADDING_LOGIT);

        // Hidden units are never negative: padding with 0 changes neither their sum nor their maximum.
        let hidden = padded(&hidden, 0.0);
        let count = input.legal.sum_dim_intlist(1, true, Kind::Float);
        let mean = hidden.sum_dim_intlist(1, false, Kind::Float) / count;
        let max = hidden.amax(1, false);
        let value = Tensor::cat(&[trunk, mean, max], 1);
        let value = value.linear(value_hidden[0], Some(value_hidden[1])).relu();
        let value = value.linear(value_output[0], Some(value_output[1]));
        let margin = self.has_margin.then(|| value.select(1, 3));
        Output { policy, outcome: value.narrow(1, 0, 3), margin }
    }

    /// The gradient of a loss, flat, in the order of the parameters.
    pub fn gradient(&self, loss: &Tensor) -> Tensor {
        let gradients = Tensor::run_backward(&[loss], &self.layers, false, false);
        let flat: Vec<Tensor> = gradients.iter().map(|gradient| gradient.reshape([-1])).collect();
        Tensor::cat(&flat, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{encode, tests::random_samples};
    use mancala_env::{Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Stream, stream};
    use mancala_search::net::{NetConfig, NetEvaluator, afterstates};
    use mancala_search::{Evaluations, Evaluator, Leaf};
    use rand::RngExt;

    const PLAIN: NetConfig = NetConfig::plain(32, 2, 16, 24);
    const TABLES: NetConfig = NetConfig { count_levels: 6, reply_features: true, ..PLAIN };
    const FULL: NetConfig = NetConfig { capture_search: true, afterstates: true, policy_blocks: 2, ..TABLES };

    /// Weights that are not near 0 anywhere, so that every layer matters.
    fn weights<G: Game>(rules: &G::Rules, sizes: NetConfig, margin: bool) -> Weights {
        let mut rng = stream(Stream::Learner, 1, 2, 3);
        let header = NetHeader::of::<G>(rules, sizes).with_margin(margin);
        let mut weights = Weights::random(header, &mut rng);
        for tensor in &mut weights.tensors {
            tensor.data.iter_mut().for_each(|value| *value += 0.2 * (rng.random::<f32>() - 0.5));
        }
        weights
    }

    fn agree<G: Game>(rules: G::Rules, sizes: NetConfig, margin: bool) {
        let weights = weights::<G>(&rules, sizes, margin);
        let samples = random_samples::<G>(rules, 500, 5);
        let batch = encode(&rules, sizes, samples.iter().map(|sample| (sample, false)));
        let output = tch::no_grad(|| Parameters::new(&weights).net().forward(&batch.input));
        let outcome = output.outcome.softmax(-1, Kind::Float);

        let mut evaluator = NetEvaluator::<G>::new(&rules, &weights).unwrap();
        let afterstates: Vec<Vec<G>> =
            samples.iter().map(|sample| afterstates(&sample.state, &sample.actions)).collect();
        let leaves: Vec<_> = samples
            .iter()
            .zip(&afterstates)
            .map(|(sample, afterstates)| Leaf {
                rules: &rules,
                state: &sample.state,
                history: &[],
                actions: &sample.actions,
                afterstates,
            })
            .collect();
        let mut native = Evaluations::default();
        evaluator.evaluate(&leaves, &mut native).unwrap();
        let mut logits = native.logits.iter();
        for (row, sample) in samples.iter().enumerate() {
            let row = row as i64;
            let value = outcome.double_value(&[row, 0]) - outcome.double_value(&[row, 2]);
            assert!((value - f64::from(native.values[row as usize])).abs() < 1e-5);
            for i in 0..sample.actions.len() {
                let logit = f64::from(*logits.next().unwrap());
                assert!((output.policy.double_value(&[row, i as i64]) - logit).abs() < 1e-5);
            }
        }
        assert!(logits.next().is_none());
        let judged = evaluator.judge(&leaves, &mut Vec::new());
        assert_eq!((judged.ncols(), output.margin.is_some()), (if margin { 4 } else { 3 }, margin));
        if let Some(margins) = output.margin {
            for (row, found) in judged.column(3).iter().enumerate() {
                assert!((margins.double_value(&[row as i64]) - f64::from(*found)).abs() < 1e-5);
            }
        }
        let spread =
            native.values.iter().fold(0.0f32, |spread, value| spread.max((value - native.values[0]).abs()));
        assert!(spread > 1e-2, "values differ: {spread}");
    }

    #[test]
    fn libtorch_and_native_inference_agree() {
        for (sizes, margin) in [(PLAIN, false), (PLAIN, true), (TABLES, false), (FULL, false), (FULL, true)] {
            agree::<Giuthi>(GiuthiRules::new(5, 4).unwrap(), sizes, margin);
            agree::<Giuthi>(GiuthiRules::new(2, 2).unwrap(), sizes, margin);
            agree::<Kiothi>(KiothiRules::new(6, 5).unwrap(), sizes, margin);
        }
    }

    #[test]
    fn weights_survive_the_way_through_parameters() {
        let weights = weights::<Giuthi>(&GiuthiRules::new(3, 2).unwrap(), FULL, true);
        assert_eq!(Parameters::new(&weights).weights(), weights);
    }

    #[test]
    fn a_net_follows_its_parameters() {
        let rules = GiuthiRules::new(3, 2).unwrap();
        let mut parameters = Parameters::new(&weights::<Giuthi>(&rules, FULL, false));
        let (net, samples) = (parameters.net(), random_samples::<Giuthi>(rules, 10, 1));
        let batch = encode(&rules, FULL, samples.iter().map(|sample| (sample, false)));
        let value = |net: &TorchNet| tch::no_grad(|| net.forward(&batch.input).outcome.double_value(&[3, 0]));
        let before = value(&net);
        let _ = tch::no_grad(|| parameters.flat_mut().fill_(0.0));
        assert_eq!((before != 0.0, value(&net)), (true, 0.0));
    }
}
