//! Nets without a framework: what they read of states, what they say of them, and the positions that they learn from.

mod config;
mod inputs;
mod native;
mod replay;

pub(crate) use self::config::NetConfig;
pub(crate) use self::inputs::NetInputs;
pub(crate) use self::native::{NativeNet, NetOutputs};
pub(crate) use self::replay::{ReplayBatch, ReplayPositions};
