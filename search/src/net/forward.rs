//! Inference: the net of [`NetConfig`](super::NetConfig) on batches, in plain f32 on the CPU.

use mancala_env::Game;
use ndarray::{Array2, ArrayView2};

use super::linear::{Linear, Table};
use super::weights::{AFTER_COUNTS, COUNTS, NetHeader, Weights, WeightsError};
use super::{Foreseen, ReplyFinder, count_row, describe_with, for_afterstate_rows};
use crate::evaluator::{Evaluations, Evaluator, Leaf};

/// The table of embeddings of this name.
fn table(weights: &Weights, name: &str) -> Result<Table, WeightsError> {
    let tensor = matrix(weights, name)?;
    let columns = tensor.ncols();
    Ok(Table::new(tensor.into_raw_vec_and_offset().0, columns))
}

/// The layer of this name, with or without a bias.
fn layer(weights: &Weights, name: &str, has_bias: bool) -> Result<Linear, WeightsError> {
    let weight = matrix(weights, &format!("{name}.weight"))?;
    let bias = if has_bias { vector(weights, &format!("{name}.bias"))? } else { Vec::new() };
    let (outputs, inputs) = weight.dim();
    if has_bias && bias.len() != outputs {
        return Err(missing(&format!("{name}.bias")));
    }
    let weight = weight.as_slice().expect("it was just made of a vector");
    Ok(Linear::new(weight, &bias, inputs, outputs))
}

fn missing(name: &str) -> WeightsError {
    WeightsError::Malformed(format!("tensor {name} is missing or has another shape"))
}

fn vector(weights: &Weights, name: &str) -> Result<Vec<f32>, WeightsError> {
    let tensor = weights.get(name).ok_or_else(|| missing(name))?;
    Ok(tensor.data.clone())
}

fn matrix(weights: &Weights, name: &str) -> Result<Array2<f32>, WeightsError> {
    let tensor = weights.get(name).ok_or_else(|| missing(name))?;
    let [rows, columns] = tensor.shape[..] else { return Err(missing(name)) };
    Array2::from_shape_vec((rows, columns), tensor.data.clone()).map_err(|_| missing(name))
}

fn relu(x: f32) -> f32 {
    // Not `max`: this form compiles to one vector instruction.
    if x > 0.0 { x } else { 0.0 }
}

/// Buffers that grow to the largest batch seen.
#[derive(Default)]
struct Scratch {
    raw: Vec<u8>,
    /// Rows of a table that are summed up.
    rows: Vec<usize>,
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

/// The first cells of a buffer, grown where it is too short. What stands in them is left over.
fn cells_of(buffer: &mut Vec<f32>, rows: usize, columns: usize) -> &mut [f32] {
    if buffer.len() < rows * columns {
        buffer.resize(rows * columns, 0.0);
    }
    &mut buffer[..rows * columns]
}

/// A net ready to be run.
pub struct Net {
    header: NetHeader,
    input: Linear,
    /// The table of counts, shape `(pits * levels, channels)`.
    counts: Option<Table>,
    blocks: Vec<(Linear, Linear)>,
    policy_trunk: Linear,
    policy_features: Linear,
    /// Shape `(actions, policy hidden)`.
    policy_actions: Table,
    /// The table of counts after actions, shape `(2 * pits * levels, policy hidden)`.
    after_counts: Option<Table>,
    policy_blocks: Vec<(Linear, Linear)>,
    policy_output: Vec<f32>,
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
        weights.check()?;
        let block = |of: &str, i: usize| {
            let linear = |part: &str| layer(weights, &format!("{of}.{i}.{part}"), true);
            Ok((linear("first")?, linear("second")?))
        };
        let net = weights.header.net;
        Ok(Self {
            header: weights.header.clone(),
            input: layer(weights, "input", true)?,
            counts: match net.count_levels {
                0 => None,
                _ => Some(table(weights, COUNTS)?),
            },
            blocks: (0..net.blocks).map(|i| block("block", i)).collect::<Result<_, WeightsError>>()?,
            policy_trunk: layer(weights, "policy.trunk", true)?,
            policy_features: layer(weights, "policy.features", false)?,
            policy_actions: table(weights, "policy.actions.weight")?,
            after_counts: match net.afterstates {
                false => None,
                true => Some(table(weights, AFTER_COUNTS)?),
            },
            policy_blocks: (0..net.policy_blocks)
                .map(|i| block("policy.block", i))
                .collect::<Result<_, WeightsError>>()?,
            policy_output: vector(weights, "policy.output.weight")?,
            value_hidden: layer(weights, "value.hidden", true)?,
            value_output: layer(weights, "value.output", true)?,
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
        let observed = self.header.observation;
        let scratch = &mut self.scratch;
        scratch.raw.resize(observed, 0);
        let observation = cells_of(&mut scratch.observation, rows, observed);
        for (leaf, cells) in leaves.iter().zip(observation.chunks_exact_mut(observed)) {
            leaf.state.observe(rules, cells);
        }
        let trunk = cells_of(&mut scratch.trunk, rows, channels);
        match &self.counts {
            None => self.input.apply(observation, trunk),
            Some(table) => {
                for (leaf, out) in leaves.iter().zip(trunk.chunks_exact_mut(channels)) {
                    leaf.state.observe_raw(rules, &mut scratch.raw);
                    out.copy_from_slice(self.input.bias());
                    let counts = scratch.raw[..self.header.pits].iter().enumerate();
                    scratch.rows.clear();
                    scratch
                        .rows
                        .extend(counts.map(|(pit, &count)| count_row(pit, count, config.count_levels)));
                    table.add(&scratch.rows, out);
                }
                self.input.add(observation, trunk);
            }
        }
        for block in &self.blocks {
            through(block, trunk, &mut scratch.activated, &mut scratch.hidden);
        }
        rectify(trunk);

        let policy = cells_of(&mut scratch.policy, rows, width);
        self.policy_trunk.apply(trunk, policy);
        let described = self.header.features;
        let features = cells_of(&mut scratch.features, total, described);
        let mut foreseen = foreseen.iter();
        let actions = leaves.iter().flat_map(|leaf| leaf.actions);
        for (info, cells) in actions.zip(features.chunks_exact_mut(described)) {
            let foreseen = foreseen.next().copied().unwrap_or_default();
            describe_with(info, &foreseen, config, units, cells);
        }
        let per_action = cells_of(&mut scratch.actions, total, width);
        let mut actions = per_action.chunks_exact_mut(width);
        for (leaf, policy) in leaves.iter().zip(policy.chunks_exact(width)) {
            for (info, after) in leaf.actions.iter().zip(leaf.afterstates) {
                let cells = actions.next().expect("as many rows as actions");
                cells.copy_from_slice(policy);
                self.policy_actions.add(&[info.action.into()], cells);
                if let Some(table) = &self.after_counts {
                    scratch.rows.clear();
                    let (levels, note) = (config.count_levels, |row| scratch.rows.push(row));
                    for_afterstate_rows(rules, leaf.state, info, after, levels, &mut scratch.raw, note);
                    table.add(&scratch.rows, cells);
                }
            }
        }
        self.policy_features.add(features, per_action);
        for block in &self.policy_blocks {
            through(block, per_action, &mut scratch.activated, &mut scratch.hidden);
        }
        rectify(per_action);

        let value_input = cells_of(&mut scratch.value_input, rows, channels + 2 * width);
        logits.clear();
        let mut actions = per_action.chunks_exact(width);
        let inputs = trunk.chunks_exact(channels).zip(value_input.chunks_exact_mut(channels + 2 * width));
        for (leaf, (trunk, value_row)) in leaves.iter().zip(inputs) {
            let (of_trunk, of_actions) = value_row.split_at_mut(channels);
            of_trunk.copy_from_slice(trunk);
            let (mean, max) = of_actions.split_at_mut(width);
            mean.fill(0.0);
            max.fill(0.0);
            for _ in leaf.actions {
                let units = actions.next().expect("as many rows as actions");
                for ((mean, max), &unit) in mean.iter_mut().zip(&mut *max).zip(units) {
                    *mean += unit;
                    *max = if unit > *max { unit } else { *max };
                }
                logits.push(dot(units, &self.policy_output));
            }
            let share = 1.0 / leaf.actions.len().max(1) as f32;
            mean.iter_mut().for_each(|unit| *unit *= share);
        }
        let value_hidden = cells_of(&mut scratch.value_hidden, rows, config.value_hidden);
        self.value_hidden.apply(value_input, value_hidden);
        rectify(value_hidden);
        let outputs = self.header.value_outputs();
        let value = cells_of(&mut scratch.value, rows, outputs);
        self.value_output.apply(value_hidden, value);
        for row in value.chunks_exact_mut(outputs) {
            let chances = &mut row[..3];
            let most = chances.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            chances.iter_mut().for_each(|x| *x = (*x - most).exp());
            let sum: f32 = chances.iter().sum();
            chances.iter_mut().for_each(|x| *x /= sum);
        }
        ArrayView2::from_shape((rows, outputs), &*value).expect("so many cells were cut")
    }
}

fn rectify(cells: &mut [f32]) {
    cells.iter_mut().for_each(|cell| *cell = relu(*cell));
}

/// Passes rows through a residual block: `x + second(relu(first(relu(x))))`.
fn through(
    (first, second): &(Linear, Linear),
    cells: &mut [f32],
    activated: &mut Vec<f32>,
    hidden: &mut Vec<f32>,
) {
    let activated = cells_of(activated, 1, cells.len());
    let hidden = cells_of(hidden, 1, cells.len());
    activated.iter_mut().zip(&*cells).for_each(|(out, &x)| *out = relu(x));
    first.apply(activated, hidden);
    rectify(hidden);
    second.apply(hidden, activated);
    cells.iter_mut().zip(activated).for_each(|(cell, add)| *cell += *add);
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
