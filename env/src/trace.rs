//! A move lap by lap, for eyes: told by the sowing that plays it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::game::{Game, Played};
use crate::giuthi::Direction;

/// No more laps are kept of a move; [`Played::laps`] counts as far.
const MOST_LAPS: usize = u16::MAX as usize;

/// One sowing of a move, until the hand is empty. Pits are numbered as on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lap<G> {
    /// The pit it was lifted from.
    pub from: u8,
    /// The seeds sown.
    pub seeds: u8,
    /// Which way (in Kiothi always counter-clockwise).
    pub direction: Direction,
    /// Where the last seed fell.
    pub landing: u8,
    /// That pit was occupied: all its seeds go on in the next lap. False in the last lap of a move that ends, and there alone.
    pub relays: bool,
    /// The board when the last seed had fallen, before a capture and with the mover still to move.
    pub board: G,
}

/// A move lap by lap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<G> {
    /// The laps; none in Kiothi's opening. There are as many as [`Played::laps`] tells, but for an endless sowing, whose laps
    /// end where all stands as it stood after an earlier one (see `comes_back_to`) or where it is plain that none will ever end.
    pub laps: Vec<Lap<G>>,
    /// Of an endless sowing: the index of the lap after which everything stood as after the last one here. `None` where the
    /// sowing ends, or was proven endless before it came round.
    pub comes_back_to: Option<usize>,
    /// The board when what was captured had gone to the score, before the turn is given on and before a sweep at the end; `None`
    /// where nothing was captured.
    pub captured: Option<G>,
    /// What playing the action tells.
    pub played: Played,
    /// The state after the action: captured, the turn given on, swept at the end.
    pub after: G,
}

/// Whoever wants to be told of every lap while a move is sown, and of its capture.
pub(crate) trait Watch<G> {
    fn lap(&mut self, lap: impl FnOnce() -> Lap<G>);
    fn captured(&mut self, board: impl FnOnce() -> G);
}

/// Nobody: playing costs nothing more.
impl<G> Watch<G> for () {
    #[inline(always)]
    fn lap(&mut self, _: impl FnOnce() -> Lap<G>) {}
    #[inline(always)]
    fn captured(&mut self, _: impl FnOnce() -> G) {}
}

/// Writes laps down until they come round.
pub(crate) struct Recorder<G> {
    laps: Vec<Lap<G>>,
    /// After which lap a lap state (board, landing, direction) first stood.
    seen: HashMap<(G, u8, Direction), usize>,
    comes_back_to: Option<usize>,
    captured: Option<G>,
}

impl<G: Game> Recorder<G> {
    pub(crate) fn new() -> Self {
        Self { laps: Vec::new(), seen: HashMap::new(), comes_back_to: None, captured: None }
    }

    /// The trace of the move that has been watched.
    pub(crate) fn finish(self, played: Played, after: G) -> Trace<G> {
        let Self { laps, comes_back_to, captured, .. } = self;
        Trace { laps, comes_back_to, captured, played, after }
    }
}

impl<G: Game> Watch<G> for Recorder<G> {
    fn lap(&mut self, lap: impl FnOnce() -> Lap<G>) {
        // An endless sowing is found out only some rounds after it has come round.
        if self.comes_back_to.is_some() || self.laps.len() == MOST_LAPS {
            return;
        }
        let lap = lap();
        match self.seen.entry((lap.board, lap.landing, lap.direction)) {
            Entry::Occupied(earlier) => self.comes_back_to = Some(*earlier.get()),
            Entry::Vacant(place) => {
                place.insert(self.laps.len());
            }
        }
        self.laps.push(lap);
    }

    fn captured(&mut self, board: impl FnOnce() -> G) {
        self.captured = Some(board());
    }
}
