//! Whatever plays Giuthi and Kiothi and needs no libtorch: classical search, MCTS, learned nets, self-play games, arena.

mod agent;
mod evaluator;

pub use agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
pub use evaluator::{Evaluations, Evaluator, Leaf, RolloutEvaluator, UniformEvaluator};

pub mod mcts;
pub mod net;
pub mod self_play;
