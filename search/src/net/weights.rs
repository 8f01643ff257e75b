//! Shape and weights of a net, and the safetensors files that hold them.

use std::collections::HashMap;

use mancala_env::Game;
use rand::{Rng, RngExt};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::described::action_features;

/// The free sizes of a net, as configs give them.
///
/// The net is a residual MLP. With B rows, C channels, P and V hidden units of the policy and value heads:
///
/// ```text
/// x (B, C)  = input(observation) + sum over the pits p of input.counts[p * levels + min(seeds of p, levels - 1)]
/// x         = x + second(relu(first(relu(x))))           for each block
/// t         = relu(x)
/// y (K, P)  = policy.trunk(t) + policy.features(action features) + policy.actions[action]        for each legal action
///             + sum over the pits p of policy.counts[side][p * levels + min(seeds of p after the action, levels - 1)]
/// y         = y + second(relu(first(relu(y))))           for each policy block
/// h         = relu(y)
/// logit (K) = policy.output . h
/// v (B, V)  = relu(value.hidden([t, mean of h, max of h over the legal actions]))
/// o (B, 3)  = value.output(v)                            logits of win, draw, loss for the player to move
/// ```
///
/// The second part of x is there with `count_levels` alone: sowing turns on single seeds, and a table for each pit tells 4 from
/// 5 where a line through the counts cannot.
///
/// The second part of y is there with `afterstates` alone, for actions that do not end the game. The afterstate is seen by who is
/// to move in it, and `side` is 0 if that is the player who acted and 1 if it is the other.
///
/// A net with a margin head has a fourth output, (B, 4): the seeds that the player to move is expected to have at the end more
/// than the other, as a share of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
    /// Width of the trunk (C).
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Hidden units of the policy head (P).
    pub policy_hidden: usize,
    /// Hidden units of the value head (V).
    pub value_hidden: usize,
    /// Levels of the table of counts; 0: there is none. Pits (boma) with more seeds (warriors) count as the last level.
    #[serde(default)]
    pub count_levels: usize,
    /// Whether actions are described by the replies to them too: see [`describe`](super::describe).
    #[serde(default)]
    pub reply_features: bool,
    /// Whether actions are described by the captures of the two plies after them too. Only with `reply_features`.
    #[serde(default)]
    pub capture_search: bool,
    /// Whether the policy head reads the board after each action, by another table of counts.
    #[serde(default)]
    pub afterstates: bool,
    /// Residual blocks that judge each action.
    #[serde(default)]
    pub policy_blocks: usize,
}

impl NetConfig {
    /// These sizes, and nothing that is off by default.
    pub const fn plain(channels: usize, blocks: usize, policy_hidden: usize, value_hidden: usize) -> Self {
        Self {
            channels,
            blocks,
            policy_hidden,
            value_hidden,
            count_levels: 0,
            reply_features: false,
            capture_search: false,
            afterstates: false,
            policy_blocks: 0,
        }
    }

    /// Refuses sizes that make no net, or one so large that it must be a mistake.
    ///
    /// # Errors
    /// Names the size.
    pub fn check(&self) -> Result<(), String> {
        let widths = [
            ("channels", self.channels),
            ("policy_hidden", self.policy_hidden),
            ("value_hidden", self.value_hidden),
        ];
        for (name, width) in widths {
            in_range(name, width, 1, MAX_WIDTH)?;
        }
        in_range("blocks", self.blocks, 0, MAX_BLOCKS)?;
        in_range("policy_blocks", self.policy_blocks, 0, MAX_BLOCKS)?;
        in_range("count_levels", self.count_levels, 0, MAX_LEVELS)?;
        if self.capture_search && !self.reply_features {
            return Err("capture_search is false without reply_features".into());
        }
        if self.afterstates && self.count_levels == 0 {
            return Err("count_levels is above 0 with afterstates".into());
        }
        Ok(())
    }
}

/// Wider nets are a mistake.
pub const MAX_WIDTH: usize = 1 << 14;
/// More blocks are one.
pub const MAX_BLOCKS: usize = 1000;
/// No pit's count has more levels.
pub const MAX_LEVELS: usize = 256;

fn in_range(name: &str, size: usize, low: usize, high: usize) -> Result<(), String> {
    match (low..=high).contains(&size) {
        true => Ok(()),
        false => Err(format!("{name} is at least {low} and at most {high}, not {size}")),
    }
}

/// Files do not mention what their net has not.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a net is for and how it is built; kept in its file and checked whenever it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetHeader {
    /// The game with its options, as `giuthi-5x4`.
    pub game: String,
    /// The rules it learned.
    pub rules_version: u32,
    /// The observation it reads.
    pub observation_version: u32,
    /// Length of an observation (D).
    pub observation: usize,
    /// Size of the action space (A).
    pub actions: usize,
    /// Features of an action (F).
    pub features: usize,
    /// Pits (boma) that the table of counts has rows for; 0 without one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pits: usize,
    /// The free sizes.
    pub net: NetConfig,
    /// Whether there is a margin head.
    #[serde(default, skip_serializing_if = "is_default")]
    pub margin: bool,
}

/// The table of counts.
pub const COUNTS: &str = "input.counts.weight";
/// That of the boards after actions.
pub const AFTER_COUNTS: &str = "policy.counts.weight";

impl NetHeader {
    /// A net of these sizes for this game, as its rules and observations are now, without a margin head.
    pub fn of<G: Game>(rules: &G::Rules, net: NetConfig) -> Self {
        Self {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            observation_version: G::OBSERVATION_VERSION,
            observation: G::observation_len(rules),
            actions: G::num_actions(rules),
            features: action_features(net),
            pits: if net.count_levels > 0 { G::num_pits(rules) } else { 0 },
            net,
            margin: false,
        }
    }

    /// The same net with a margin head or without.
    pub fn with_margin(self, margin: bool) -> Self {
        Self { margin, ..self }
    }

    /// Outputs of the value head: win, draw, loss, and the margin if there is one.
    pub fn value_outputs(&self) -> usize {
        if self.margin { 4 } else { 3 }
    }

    /// Names and shapes of all tensors, in the order in which they are kept. A linear layer from `m` to `n` has weight
    /// `(n, m)` and bias `(n,)`.
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let NetConfig { channels, blocks, policy_hidden, value_hidden, count_levels, .. } = self.net;
        let NetConfig { afterstates, policy_blocks, .. } = self.net;
        let mut tensors = Vec::new();
        let mut linear = |name: &str, from: usize, to: usize| {
            tensors.push((format!("{name}.weight"), vec![to, from]));
            tensors.push((format!("{name}.bias"), vec![to]));
        };
        linear("input", self.observation, channels);
        for block in 0..blocks {
            linear(&format!("block.{block}.first"), channels, channels);
            linear(&format!("block.{block}.second"), channels, channels);
        }
        linear("policy.trunk", channels, policy_hidden);
        linear("value.hidden", channels + 2 * policy_hidden, value_hidden);
        linear("value.output", value_hidden, self.value_outputs());
        tensors.push(("policy.features.weight".into(), vec![policy_hidden, self.features]));
        tensors.push(("policy.actions.weight".into(), vec![self.actions, policy_hidden]));
        tensors.push(("policy.output.weight".into(), vec![policy_hidden]));
        if count_levels > 0 {
            tensors.push((COUNTS.into(), vec![self.pits * count_levels, channels]));
        }
        if afterstates {
            tensors.push((AFTER_COUNTS.into(), vec![2 * self.pits * count_levels, policy_hidden]));
        }
        for block in 0..policy_blocks {
            for part in ["first", "second"] {
                let name = format!("policy.block.{block}.{part}");
                tensors.push((format!("{name}.weight"), vec![policy_hidden, policy_hidden]));
                tensors.push((format!("{name}.bias"), vec![policy_hidden]));
            }
        }
        tensors
    }

    /// Refuses sizes of which no tensors can be made.
    fn check_sizes(&self) -> Result<(), String> {
        let sizes = [
            ("observation", self.observation),
            ("actions", self.actions),
            ("features", self.features),
            ("pits", self.pits),
        ];
        sizes.into_iter().try_for_each(|(name, size)| in_range(name, size, 0, MAX_WIDTH))?;
        self.net.check()
    }

    /// Refuses a net of another game, rules version, observation version or shape.
    ///
    /// # Errors
    /// Names both.
    pub fn check(&self, expected: &Self) -> Result<(), WeightsError> {
        let of = |header: &Self| {
            format!(
                "{} (rules version {}, observation version {}, observation {}, actions {}, features {}, counted pits {})",
                header.game,
                header.rules_version,
                header.observation_version,
                header.observation,
                header.actions,
                header.features,
                header.pits
            )
        };
        match of(self) == of(expected) {
            true => Ok(()),
            false => Err(WeightsError::Mismatch { found: of(self), expected: of(expected) }),
        }
    }
}

/// Why weights cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file is cut off, altered or no net.
    #[error("not a whole net: {0}")]
    Malformed(String),
    /// A net for something else.
    #[error("the net is for {found}; this is {expected}")]
    Mismatch {
        /// What the file holds.
        found: String,
        /// What was asked for.
        expected: String,
    },
}

/// A named tensor, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its values.
    pub data: Vec<f32>,
}

/// The weights of a net.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What they are for.
    pub header: NetHeader,
    /// In the order of [`NetHeader::tensors`].
    pub tensors: Vec<Tensor>,
}

/// The metadata key under which the header stands in a file.
const HEADER_KEY: &str = "mancala";

impl Weights {
    /// Fresh weights: uniform in +-sqrt(3 / inputs) (variance 1 / inputs) for layers and embeddings, biases 0. The second
    /// layer of each block and the output layers start at a tenth of that, so that a fresh net is near the identity and its
    /// policy near uniform.
    pub fn random(header: NetHeader, rng: &mut impl Rng) -> Self {
        let tensors = header.tensors().into_iter().map(|(name, shape)| {
            let inputs = *shape.last().expect("tensors have a shape");
            // Of a table a row a pit is added, whatever its width.
            let inputs = if name == COUNTS || name == AFTER_COUNTS { header.pits } else { inputs };
            let gain = match name.as_str() {
                name if name.ends_with(".bias") => 0.0,
                "policy.actions.weight" => 0.3,
                "policy.output.weight" | "value.output.weight" => 0.1,
                name if name.ends_with("second.weight") => 0.1,
                _ => 1.0,
            };
            let bound = gain * (3.0 / inputs as f32).sqrt();
            let data =
                (0..shape.iter().product()).map(|_| bound * (2.0 * rng.random::<f32>() - 1.0)).collect();
            Tensor { name, shape, data }
        });
        let tensors = tensors.collect();
        Self { header, tensors }
    }

    /// The tensor of this name.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// As a safetensors file: f32, the header as JSON in its metadata.
    pub fn to_bytes(&self) -> Vec<u8> {
        let data: Vec<Vec<u8>> = self.tensors.iter().map(|tensor| le_bytes(&tensor.data)).collect();
        let views = self.tensors.iter().zip(&data).map(|(tensor, data)| {
            let view = TensorView::new(Dtype::F32, tensor.shape.clone(), data);
            (tensor.name.as_str(), view.expect("shapes agree with data"))
        });
        let header = serde_json::to_string(&self.header).expect("a header is JSON");
        let metadata = HashMap::from([(HEADER_KEY.to_owned(), header)]);
        safetensors::serialize(views, Some(metadata)).expect("names are unique")
    }

    /// Reads what [`to_bytes`](Self::to_bytes) writes.
    ///
    /// # Errors
    /// If the bytes are cut off, no net, or hold other tensors than their header tells.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let malformed = |error: &dyn std::fmt::Display| WeightsError::Malformed(error.to_string());
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| malformed(&error))?;
        let header = metadata.metadata().as_ref().and_then(|metadata| metadata.get(HEADER_KEY));
        let header = header.ok_or_else(|| malformed(&"no header of a mancala net in its metadata"))?;
        let header: NetHeader = serde_json::from_str(header).map_err(|error| malformed(&error))?;
        header.check_sizes().map_err(|error| malformed(&error))?;
        let file = SafeTensors::deserialize(bytes).map_err(|error| malformed(&error))?;
        let mut tensors = Vec::new();
        for (name, shape) in header.tensors() {
            let view = file.tensor(&name).map_err(|_| malformed(&format!("tensor {name} is missing")))?;
            if view.dtype() != Dtype::F32 || view.shape() != shape {
                let (dtype, found) = (view.dtype(), view.shape());
                return Err(malformed(&format!("tensor {name} is {dtype:?} {found:?}, not F32 {shape:?}")));
            }
            let (chunks, _) = view.data().as_chunks::<4>();
            let data: Vec<f32> = chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect();
            if let Some(value) = data.iter().find(|value| !value.is_finite()) {
                return Err(malformed(&format!("tensor {name} holds {value}")));
            }
            tensors.push(Tensor { name, shape, data });
        }
        Ok(Self { header, tensors })
    }

    /// Refuses weights of which a tensor is missing or has another shape than the header tells.
    ///
    /// # Errors
    /// Names the tensor.
    pub fn check(&self) -> Result<(), WeightsError> {
        self.header.check_sizes().map_err(WeightsError::Malformed)?;
        for (name, shape) in self.header.tensors() {
            let tensor = self.tensors.iter().find(|tensor| tensor.name == name);
            let tensor =
                tensor.ok_or_else(|| WeightsError::Malformed(format!("tensor {name} is missing")))?;
            if tensor.shape != shape || tensor.data.len() != shape.iter().product::<usize>() {
                let (found, len) = (&tensor.shape, tensor.data.len());
                let message = format!("tensor {name} is {found:?} with {len} values, not {shape:?}");
                return Err(WeightsError::Malformed(message));
            }
        }
        Ok(())
    }
}

fn le_bytes(data: &[f32]) -> Vec<u8> {
    data.iter().flat_map(|value| value.to_le_bytes()).collect()
}
