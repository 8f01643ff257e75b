//! Asking memory for what will be wanted soon.
//!
//! Beyond some ten thousand games a step goes through more memory than the nearer caches hold. The processor sees by itself
//! neither what the next lot will read nor where the last one's rows go, so it is told while laps are sown.

use super::chunk::Lot;
use super::isa::Isa;
use super::long::LongTable;
use super::trail::Rings;
use super::{LANES, next_lane};
use crate::game::Game;
use crate::vec_env::{Buffers, Cell};

/// Whether so many lots are more than the nearer caches hold.
pub(super) fn is_far(lots: usize) -> bool {
    lots >= 256
}

/// Where the rows of a group are in one of the caller's arrays; `len` bytes a game.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    address: usize,
    len: usize,
}

/// Where the rows of a group are in the caller's arrays. None, if nothing is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead {
    /// Of arrays of which every row is written.
    rows: [Span; 10],
    /// Of those of which some are.
    ends: [Span; 5],
}

impl Ahead {
    /// The rows of the first games in `buffers`.
    pub(super) fn of<G: Game, T: Cell>(rules: &G::Rules, buffers: &Buffers<'_, T>) -> Self {
        fn span<C>(array: &[C], cells: usize) -> Span {
            Span { address: array.as_ptr().addr(), len: cells * size_of::<C>() }
        }
        let cells = G::observation_len(rules);
        Self {
            rows: [
                span(buffers.observations, cells),
                span(buffers.action_mask, G::num_actions(rules)),
                span(buffers.to_move, 1),
                span(buffers.scores, 2),
                span(buffers.rewards, 1),
                span(buffers.returns, 2),
                span(buffers.terminated, 1),
                span(buffers.truncated, 1),
                span(buffers.passed, 1),
                span(buffers.final_mask, 1),
            ],
            ends: [
                span(buffers.final_observations, cells),
                span(buffers.final_scores, 2),
                span(buffers.final_to_move, 1),
                span(buffers.final_results, 1),
                span(buffers.final_plies, 1),
            ],
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.rows[0].len == 0
    }

    /// Asks for the observations of lot `i` of the group.
    #[inline(always)]
    pub(super) fn fetch_observations<I: Isa>(&self, isa: I, i: usize) {
        let span = &self.rows[0];
        isa.fetch_span(span.address + i * LANES * span.len, LANES * span.len);
    }

    /// Asks for the other rows of lot `i` of the group.
    #[inline(always)]
    pub(super) fn fetch_rows<I: Isa>(&self, isa: I, i: usize) {
        for span in &self.rows[1..] {
            isa.fetch_span(span.address + i * LANES * span.len, LANES * span.len);
        }
    }

    /// Asks for the rows of a game of the group that has ended.
    #[inline(always)]
    pub(super) fn fetch_end<I: Isa>(&self, isa: I, game: usize) {
        for span in &self.ends {
            isa.fetch_span(span.address + game * span.len, span.len);
        }
    }
}

/// Asks for what a lot needs after its laps.
#[inline(always)]
pub(super) fn fetch_history<I: Isa, const P: usize>(
    isa: I,
    lots: &[Lot<P>],
    at: usize,
    rings: &Rings,
    long: &LongTable,
) {
    let Some(lot) = lots.get(at) else { return };
    isa.fetch(&lot.trail);
    isa.fetch(&lot.episodes.began);
    rings.fetch(isa, at, 1 + usize::from(lot.block.longest));
    let mut lanes = lot.block.long;
    while let Some(lane) = next_lane(&mut lanes) {
        long.fetch(isa, at * LANES + lane);
    }
}
