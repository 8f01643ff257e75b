//! The policy-value net: its shape, its weights in safetensors files, and inference without libtorch.

mod agent;
mod described;
mod forward;
mod weights;

pub use agent::{LATEST_CHECKPOINT, NET_FILE, NetOptions, agent, locate, read};
pub use described::{REPLY_FEATURES, ReplyFinder, action_features, count_row, describe, describe_with};
pub use forward::{Net, NetEvaluator};
pub use weights::{NetConfig, NetHeader, Tensor, Weights, WeightsError};
