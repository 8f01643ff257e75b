//! Self-play training with libtorch, and the `mancala` command.
//!
//! The loop of a [`run`]: self-play with the current net ([`mancala_search::self_play`]) -> [`replay`] buffer -> [`learner`]
//! -> [`checkpoint`]; at the end matches against other agents.

pub mod checkpoint;
pub mod cli;
pub mod config;
mod curves;
pub mod error;
mod files;
pub mod learner;
mod lines;
pub mod net;
pub mod replay;
pub mod report;
pub mod run;
mod show;
pub mod tensorboard;
