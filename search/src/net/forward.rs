//! Inference: the net of [`NetConfig`](super::NetConfig) on batches, in plain f32 on the CPU.

use mancala_env::Game;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, s};

use super::weights::{AFTER_COUNTS, COUNTS, NetHeader, Weights, WeightsError};
use super::{Foreseen, ReplyFinder, count_row, describe_with, for_afterstate_rows};
use crate::evaluator::{Evaluations, Evaluator, Leaf};

/// A linear layer, its weight turned to `(inputs, outputs)`, so that rows of a batch run along memory.
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

impl Linear {
    fn of(weights: &Weights, name: &str) -> Result<Self, WeightsError> {
        let weight = matrix(weights, &format!("{name}.weight"))?;
        let bias = vector(weights, &format!("{name}.bias"))?;
        Ok(Self { weight: transposed(&weight), bias })
    }

    /// `out = x W + b`.
    fn apply(&self, x: ArrayView2<'_, f32>, mut out: ArrayViewMut2<'_, f32>) {
        for mut row in out.rows_mut() {
            row.assign(&self.bias);
        }
        self.add(x, out);
    }

    /// `out += x W`.
    fn add(&self, x: ArrayView2<'_, f32>, mut out: ArrayViewMut2<'_, f32>) {
        general_mat_mul(1.0, &x, &self.weight, 1.0, &mut out);
    }
}

fn missing(name: &str) -> WeightsError {
    WeightsError::Malformed(format!("tensor {name} is missing or has another shape"))
}

fn vector(weights: &Weights, name: &str) -> Result<Array1<f32>, WeightsError> {
    let tensor = weights.get(name).ok_or_else(|| missing(name))?;
    Ok(Array1::from_vec(tensor.data.clone()))
}

fn matrix(weights: &Weights, name: &str) -> Result<Array2<f32>, WeightsError> {
    let tensor = weights.get(name).ok_or_else(|| missing(name))?;
    let [rows, columns] = tensor.shape[..] else { return Err(missing(name)) };
    Array2::from_shape_vec((rows, columns), tensor.data.clone()).map_err(|_| missing(name))
}

fn transposed(matrix: &Array2<f32>) -> Array2<f32> {
    matrix.t().as_standard_layout().into_owned()
}

fn relu(x: f32) -> f32 {
    // Not `max`: this form compiles to one vector instruction.
    if x > 0.0 { x } else { 0.0 }
}

/// Buffers that grow to the largest batch seen.
#[derive(Default)]
struct Scratch {
    raw: Vec<u8>,
    observation: Vec<f32>,
    trunk: Vec<f32>,
    activated: Vec<f32>,
    hidden: Vec<f32>,
    policy: Vec<f32>,
    features: Vec<f32>,
    actions: Vec<f32>,
    value_input: Vec<f32>,
    value_hidden: Vec<f32>,
    value: Vec<f32>,
}

/// The first rows of a buffer, grown where it is too short. What stands in them is left over.
fn rows_of(buffer: &mut Vec<f32>, rows: usize, columns: usize) -> ArrayViewMut2<'_, f32> {
    if buffer.len() < rows * columns {
        buffer.resize(rows * columns, 0.0);
    }
    ArrayViewMut2::from_shape((rows, columns), &mut buffer[..rows * columns])
        .expect("the length was just cut")
}

/// A net ready to be run.
pub struct Net {
    header: NetHeader,
    input: Linear,
    /// The table of counts, shape `(pits * levels, channels)`.
    counts: Option<Array2<f32>>,
    blocks: Vec<(Linear, Linear)>,
    policy_trunk: Linear,
    /// Shape `(features, policy hidden)`.
    policy_features: Array2<f32>,
    /// Shape `(actions, policy hidden)`.
    policy_actions: Array2<f32>,
    /// The table of counts after actions, shape `(2 * pits * levels, policy hidden)`.
    after_counts: Option<Array2<f32>>,
    policy_blocks: Vec<(Linear, Linear)>,
    policy_output: Array1<f32>,
    value_hidden: Linear,
    value_output: Linear,
    scratch: Scratch,
}

impl Net {
    /// Takes the weights apart.
    ///
    /// # Errors
    /// If a tensor is missing or of another shape than the header tells.
    pub fn new(weights: &Weights) -> Result<Self, WeightsError> {
        let block = |of: &str, i: usize| {
            let linear = |part: &str| Linear::of(weights, &format!("{of}.{i}.{part}"));
            Ok((linear("first")?, linear("second")?))
        };
        let net = weights.header.net;
        Ok(Self {
            header: weights.header.clone(),
            input: Linear::of(weights, "input")?,
            counts: match net.count_levels {
                0 => None,
                _ => Some(matrix(weights, COUNTS)?),
            },
            blocks: (0..net.blocks).map(|i| block("block", i)).collect::<Result<_, WeightsError>>()?,
            policy_trunk: Linear::of(weights, "policy.trunk")?,
            policy_features: transposed(&matrix(weights, "policy.features.weight")?),
            policy_actions: matrix(weights, "policy.actions.weight")?,
            after_counts: match net.afterstates {
                false => None,
                true => Some(matrix(weights, AFTER_COUNTS)?),
            },
            policy_blocks: (0..net.policy_blocks)
                .map(|i| block("policy.block", i))
                .collect::<Result<_, WeightsError>>()?,
            policy_output: vector(weights, "policy.output.weight")?,
            value_hidden: Linear::of(weights, "value.hidden")?,
            value_output: Linear::of(weights, "value.output")?,
            scratch: Scratch::default(),
        })
    }

    /// What the net is for.
    pub fn header(&self) -> &NetHeader {
        &self.header
    }

    /// Runs the net on leaves. Fills the logits of their actions, leaf after leaf, and returns the outputs of the value head in
    /// the view of the player to move, shape `(leaves, 3 or 4)`: the probabilities of win, draw and loss, and the margin where
    /// there is a head for it. `foreseen` is what can follow their actions, or empty if the net does not read them.
    fn run<G: Game>(
        &mut self,
        rules: &G::Rules,
        leaves: &[Leaf<'_, G>],
        foreseen: &[Foreseen],
        logits: &mut Vec<f32>,
    ) -> ArrayView2<'_, f32> {
        let rows = leaves.len();
        let units = (G::seed_unit(rules), G::num_pits(rules));
        let config = self.header.net;
        let (channels, width) = (config.channels, config.policy_hidden);
        let total: usize = leaves.iter().map(|leaf| leaf.actions.len()).sum();
        let scratch = &mut self.scratch;
        let mut observation = rows_of(&mut scratch.observation, rows, self.header.observation);
        for (leaf, mut cells) in leaves.iter().zip(observation.rows_mut()) {
            leaf.state.observe(rules, cells.as_slice_mut().expect("rows are contiguous"));
        }
        let mut trunk = rows_of(&mut scratch.trunk, rows, channels);
        let mut activated = rows_of(&mut scratch.activated, rows, channels);
        let mut hidden = rows_of(&mut scratch.hidden, rows, channels);
        match &self.counts {
            None => self.input.apply(observation.view(), trunk.view_mut()),
            Some(table) => {
                let bias = self.input.bias.as_slice().expect("a vector is contiguous");
                scratch.raw.resize(self.header.observation, 0);
                for (leaf, mut out) in leaves.iter().zip(trunk.rows_mut()) {
                    leaf.state.observe_raw(rules, &mut scratch.raw);
                    let out = out.as_slice_mut().expect("rows are contiguous");
                    out.copy_from_slice(bias);
                    for (pit, &count) in scratch.raw[..self.header.pits].iter().enumerate() {
                        let row = table.row(count_row(pit, count, config.count_levels));
                        let row = row.as_slice().expect("rows are contiguous");
                        out.iter_mut().zip(row).for_each(|(out, cell)| *out += cell);
                    }
                }
                self.input.add(observation.view(), trunk.view_mut());
            }
        }
        for (first, second) in &self.blocks {
            activated.zip_mut_with(&trunk, |out, &x| *out = relu(x));
            first.apply(activated.view(), hidden.view_mut());
            hidden.mapv_inplace(relu);
            second.apply(hidden.view(), activated.view_mut());
            trunk += &activated;
        }
        trunk.mapv_inplace(relu);

        let mut policy = rows_of(&mut scratch.policy, rows, width);
        self.policy_trunk.apply(trunk.view(), policy.view_mut());
        let mut features = rows_of(&mut scratch.features, total, self.header.features);
        let mut foreseen = foreseen.iter();
        let actions = leaves.iter().flat_map(|leaf| leaf.actions);
        for (info, mut cells) in actions.zip(features.rows_mut()) {
            let foreseen = foreseen.next().copied().unwrap_or_default();
            describe_with(info, &foreseen, config, units, cells.as_slice_mut().expect("rows are contiguous"));
        }
        let mut per_action = rows_of(&mut scratch.actions, total, width);
        general_mat_mul(1.0, &features, &self.policy_features, 0.0, &mut per_action);

        let mut at = 0;
        scratch.raw.resize(self.header.observation, 0);
        for (row, leaf) in leaves.iter().enumerate() {
            let policy = policy.row(row);
            let policy = policy.as_slice().expect("rows are contiguous");
            for (info, after) in leaf.actions.iter().zip(leaf.afterstates) {
                let embedding = self.policy_actions.row(info.action.into());
                let embedding = embedding.as_slice().expect("rows are contiguous");
                let mut cells = per_action.row_mut(at);
                let cells = cells.as_slice_mut().expect("rows are contiguous");
                for i in 0..width {
                    cells[i] += policy[i] + embedding[i];
                }
                if let Some(table) = &self.after_counts {
                    let add = |row| {
                        let row = table.row(row);
                        let row = row.as_slice().expect("rows are contiguous");
                        cells.iter_mut().zip(row).for_each(|(cell, add)| *cell += add);
                    };
                    let levels = config.count_levels;
                    for_afterstate_rows(rules, leaf.state, info, after, levels, &mut scratch.raw, add);
                }
                at += 1;
            }
        }
        for (first, second) in &self.policy_blocks {
            let mut activated = rows_of(&mut scratch.activated, total, width);
            let mut hidden = rows_of(&mut scratch.hidden, total, width);
            activated.zip_mut_with(&per_action, |out, &x| *out = relu(x));
            first.apply(activated.view(), hidden.view_mut());
            hidden.mapv_inplace(relu);
            second.apply(hidden.view(), activated.view_mut());
            per_action += &activated;
        }

        let mut value_input = rows_of(&mut scratch.value_input, rows, channels + 2 * width);
        let output = self.policy_output.as_slice().expect("a vector is contiguous");
        logits.clear();
        let mut at = 0;
        for (row, leaf) in leaves.iter().enumerate() {
            let mut value_row = value_input.row_mut(row);
            let value_row = value_row.as_slice_mut().expect("rows are contiguous");
            value_row[..channels].copy_from_slice(trunk.row(row).as_slice().expect("rows are contiguous"));
            let (mean, max) = value_row[channels..].split_at_mut(width);
            mean.fill(0.0);
            max.fill(0.0);
            let legal = leaf.actions;
            for _ in legal {
                let mut cells = per_action.row_mut(at);
                let cells = cells.as_slice_mut().expect("rows are contiguous");
                for i in 0..width {
                    let unit = relu(cells[i]);
                    cells[i] = unit;
                    mean[i] += unit;
                    max[i] = if unit > max[i] { unit } else { max[i] };
                }
                logits.push(dot(cells, output));
                at += 1;
            }
            let share = 1.0 / legal.len().max(1) as f32;
            mean.iter_mut().for_each(|unit| *unit *= share);
        }
        let mut value_hidden = rows_of(&mut scratch.value_hidden, rows, config.value_hidden);
        self.value_hidden.apply(value_input.view(), value_hidden.view_mut());
        value_hidden.mapv_inplace(relu);
        let outputs = self.header.value_outputs();
        let mut value = rows_of(&mut scratch.value, rows, outputs);
        self.value_output.apply(value_hidden.view(), value.view_mut());
        for mut row in value.slice_mut(s![.., ..3]).rows_mut() {
            let most = row.fold(f32::NEG_INFINITY, |most, &x| most.max(x));
            row.mapv_inplace(|x| (x - most).exp());
            let sum = row.sum();
            row /= sum;
        }
        ArrayView2::from_shape((rows, outputs), &scratch.value[..outputs * rows])
            .expect("the length was just cut")
    }
}

/// Sums in eight strands, which compile to vector instructions; the order is fixed.
fn dot(one: &[f32], two: &[f32]) -> f32 {
    let (chunks_one, rest_one) = one.as_chunks::<8>();
    let (chunks_two, rest_two) = two.as_chunks::<8>();
    let mut strands = [0.0; 8];
    for (a, b) in chunks_one.iter().zip(chunks_two) {
        for i in 0..8 {
            strands[i] += a[i] * b[i];
        }
    }
    let rest: f32 = rest_one.iter().zip(rest_two).map(|(a, b)| a * b).sum();
    strands.iter().sum::<f32>() + rest
}

/// A net as an evaluator for one game.
pub struct NetEvaluator<G: Game> {
    rules: G::Rules,
    net: Net,
    /// `None`: the net does not read of replies.
    finder: Option<ReplyFinder<G>>,
}

impl<G: Game> NetEvaluator<G> {
    /// The net of these weights, to judge positions of this game.
    ///
    /// # Errors
    /// If the weights are for another game, rules or observation version, or not whole.
    pub fn new(rules: &G::Rules, weights: &Weights) -> Result<Self, WeightsError> {
        weights.header.check(&NetHeader::of::<G>(rules, weights.header.net))?;
        let finder = ReplyFinder::new(rules, weights.header.net);
        Ok(Self { rules: *rules, net: Net::new(weights)?, finder })
    }

    /// What the value head says of each leaf in the view of its player to move, shape `(leaves, 3 or 4)`: the probabilities of
    /// win, draw and loss, and the margin at the end as a share of all seeds where the net has a head for it. `logits` gets
    /// those of the legal actions, leaf after leaf.
    pub fn judge(&mut self, leaves: &[Leaf<'_, G>], logits: &mut Vec<f32>) -> ArrayView2<'_, f32> {
        let actions = leaves.iter().flat_map(|leaf| {
            leaf.actions.iter().zip(leaf.afterstates).map(|(info, after)| (leaf.state, info, after))
        });
        let foreseen = self.finder.as_mut().map_or(&[][..], |finder| finder.find(actions));
        self.net.run(&self.rules, leaves, foreseen, logits)
    }
}

impl<G: Game> Evaluator<G> for NetEvaluator<G> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        let mut logits = std::mem::take(&mut out.logits);
        let judged = self.judge(leaves, &mut logits);
        out.values.clear();
        out.values.extend(judged.rows().into_iter().map(|row| row[0] - row[2]));
        out.draws.clear();
        out.draws.extend(judged.rows().into_iter().map(|row| row[1]));
        out.logits = logits;
        Ok(())
    }
}
