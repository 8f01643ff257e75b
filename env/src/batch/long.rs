//! Histories that reach back further than a trail: a side table.

use super::chunk::Lot;
use super::isa::Isa;
use super::kind::Kind;
use super::trail::Rings;
use super::{LANES, next_lane};
use crate::game::Game;

/// The fingerprints of the positions since a game's last capture, 128 bits each, the present one last: what
/// [`Position`](crate::Position) keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Long {
    game: usize,
    prints: Vec<u128>,
}

/// The histories of the few games without a capture for [`REACH`](super::trail::REACH) plies and more, and of restored games up to
/// their next capture, in no order.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTable {
    kept: Vec<Long>,
    /// Where each game of the chunk is among them, if it is.
    places: Vec<u32>,
    /// Empty ones, to use again.
    spare: Vec<Long>,
}

impl LongTable {
    pub(super) fn new(games: usize) -> Self {
        Self { places: vec![0; games], ..Self::default() }
    }

    /// Asks for the history of a game that is kept.
    #[inline(always)]
    pub(super) fn fetch<I: Isa>(&self, isa: I, game: usize) {
        isa.fetch(self.get(game));
    }

    /// The history of a game that is kept.
    pub(super) fn get(&self, game: usize) -> &[u128] {
        &self.kept[self.places[game] as usize].prints
    }

    /// Begins to keep the history of a game: empty so far.
    pub(super) fn keep<const P: usize>(&mut self, lot: &mut Lot<P>, game: usize) -> &mut Vec<u128> {
        lot.block.long |= 1 << (game % LANES);
        self.places[game] = self.kept.len() as u32;
        self.kept.push(Long { game, ..self.spare.pop().unwrap_or_default() });
        &mut self.kept.last_mut().expect("just pushed").prints
    }

    /// Drops the history of a game, if it is kept.
    pub(super) fn forget<const P: usize>(&mut self, lot: &mut Lot<P>, game: usize) {
        if lot.block.long >> (game % LANES) & 1 != 0 {
            lot.block.long &= !(1 << (game % LANES));
            let place = self.places[game];
            let mut long = self.kept.swap_remove(place as usize);
            if let Some(moved) = self.kept.get(place as usize) {
                self.places[moved.game] = place;
            }
            long.prints.clear();
            self.spare.push(long);
        }
    }

    /// Takes down where the games of a lot stand whose trail is too short; the lanes whose position has stood before.
    /// `overlong`: the lanes without a capture for [`REACH`](super::trail::REACH) plies; `on`: those whose game goes on; `first`: the
    /// game in lane 0.
    pub(super) fn look_up<K: Kind<P>, const P: usize>(
        &mut self,
        rules: &<K::Game as Game>::Rules,
        rings: &Rings,
        lot: &mut Lot<P>,
        first: usize,
        overlong: u64,
        on: u64,
    ) -> u64 {
        let mut repeated = 0;
        let mut lanes = (overlong | lot.block.long) & on;
        while let Some(lane) = next_lane(&mut lanes) {
            let game = first + lane;
            if lot.block.since[lane] == 0 {
                self.forget(lot, game);
            } else if lot.block.long >> lane & 1 != 0 {
                let prints = &mut self.kept[self.places[game] as usize].prints;
                let print = K::read(rules, &lot.block, lane).fingerprint();
                if prints.contains(&print) {
                    repeated |= 1 << lane;
                } else {
                    prints.push(print);
                }
            } else {
                let prints = self.keep(lot, game);
                lot.trail
                    .replay::<K>(rules, rings, &lot.block, lane, |state, _| prints.push(state.fingerprint()));
            }
        }
        repeated
    }
}
