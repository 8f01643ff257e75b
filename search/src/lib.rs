//! Whatever plays Giuthi and Kiothi and needs no libtorch: classical search, tablebases, MCTS, learned nets, self-play
//! games, arena.

mod agent;
mod alphabeta;
mod evaluator;
mod simple;
mod spec;
mod stop;

pub use agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
#[doc(hidden)]
pub use alphabeta::evaluation;
pub use alphabeta::{AlphaBeta, AlphaBetaLimit, AlphaBetaOptions, MAX_DEPTH};
pub use evaluator::{Evaluations, Evaluator, Leaf, RolloutEvaluator, UniformEvaluator};
pub use mcts::SearchLimit;
pub use simple::{GreedyAgent, RandomAgent};
pub use spec::{AgentSpec, AgentSpecError};
pub use stop::Stop;

pub mod arena;
pub mod mcts;
pub mod net;
pub mod self_play;
pub mod tablebase;
