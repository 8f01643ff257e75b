//! Thousands of games stepped in lockstep: the engine under fast environments. See `docs/batch-engine.md`.
#![allow(
    clippy::needless_range_loop,
    reason = "kernels speak of lanes, and do the same in many rows of them"
)]

mod block;
mod chacha;
mod chunk;
mod endless;
mod engine;
mod giuthi;
mod isa;
mod kind;
mod kiothi;
mod kiothi_choice;
mod kiothi_opening;
mod lockstep;
mod long;
mod output;
mod rows;
mod sow;
mod step;
#[cfg(test)]
mod tests;
mod trail;

pub use engine::BatchEngine;
pub use lockstep::BatchGame;

/// Games of a block.
const LANES: usize = 64;

/// A cell for each game of a block.
type Row<T> = [T; LANES];
