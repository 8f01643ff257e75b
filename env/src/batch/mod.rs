//! Thousands of games stepped in lockstep: the engine under fast environments. See `docs/batch-engine.md`.
#![allow(
    clippy::needless_range_loop,
    reason = "kernels speak of lanes, and do the same in many rows of them"
)]

mod ahead;
mod block;
mod chacha;
mod chunk;
mod engine;
mod engine_features;
mod foretell;
#[cfg(test)]
mod foretell_tests;
mod foretold;
mod giuthi;
#[cfg(test)]
mod histories_tests;
#[cfg(test)]
mod interleaved_tests;
mod isa;
#[cfg(test)]
mod isa_tests;
mod kind;
mod kiothi;
mod kiothi_choice;
mod kiothi_opening;
mod lanes;
mod lockstep;
mod long;
mod output;
mod pool;
mod replies;
#[cfg(test)]
mod replies_tests;
mod rows;
mod sow;
mod step;
#[cfg(test)]
mod tests;
mod trail;

pub use engine::BatchEngine;
pub use lockstep::BatchGame;
pub use replies::Foreteller;
pub(crate) use replies::{ForetellReplies, giuthi_replies, kiothi_replies};

/// Games of a block.
const LANES: usize = 64;

/// A cell for each game of a block.
type Row<T> = [T; LANES];

/// 255 for true, 0 for false. Kernels compute with truth as bytes: of booleans the compiler makes bits one by one, and of a
/// choice between a new value and the one that stands there a store on condition, which is no vector operation.
#[inline(always)]
fn mask_of(truth: bool) -> u8 {
    u8::from(truth).wrapping_neg()
}

/// Takes the lowest lane out of a mask.
#[inline(always)]
fn next_lane(mask: &mut u64) -> Option<usize> {
    let lane = mask.trailing_zeros() as usize;
    *mask &= mask.wrapping_sub(1);
    (lane < LANES).then_some(lane)
}
