//! The policy-value net: its shape, its weights in safetensors files, and inference without libtorch.

mod agent;
mod described;
mod encoded;
mod forward;
mod linear;
mod shipped;
mod weights;

pub use agent::{LATEST_CHECKPOINT, NET_FILE, NetOptions, agent, locate, read};
pub use described::{
    CAPTURE_FEATURES, Foreseen, REPLY_FEATURES, ReplyFinder, action_features, afterstates, count_row,
    describe, describe_with, for_afterstate_rows,
};
pub use encoded::Encoded;
pub use forward::{Net, NetEvaluator};
pub use shipped::shipped;
pub use weights::{
    AFTER_COUNTS, COUNTS, MAX_BLOCKS, MAX_LEVELS, MAX_WIDTH, NetConfig, NetHeader, Tensor, Weights,
    WeightsError,
};
