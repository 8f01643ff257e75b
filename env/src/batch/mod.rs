//! Thousands of games stepped in lockstep: the engine under fast environments. See `docs/batch-engine.md`.

mod block;
mod chacha;
mod chunk;
mod endless;
mod engine;
mod giuthi;
mod isa;
mod kind;
mod kiothi;
mod long;
mod output;
mod rows;
mod sow;
#[cfg(test)]
mod tests;
mod trail;

pub use engine::{BatchEngine, BatchGame};

/// Games of a block.
const LANES: usize = 64;

/// A cell for each game of a block.
type Row<T> = [T; LANES];
