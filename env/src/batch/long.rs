//! Histories that reach back further than a trail: a side table.

use super::LANES;
use super::chunk::Lot;
use super::kind::Kind;
use super::trail::{REACH, Rings};
use crate::game::Game;

/// The fingerprints of the positions since a game's last capture, 128 bits each, the present one last: what
/// [`Position`](crate::Position) keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Long {
    game: usize,
    pub(super) prints: Vec<u128>,
}

/// The histories of the few games without a capture for [`REACH`] plies and more, in no order.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTable {
    pub(super) kept: Vec<Long>,
    /// Empty ones, to use again.
    spare: Vec<Long>,
}

impl LongTable {
    /// Where a game is in the table.
    pub(super) fn find(&self, game: usize) -> usize {
        self.kept.iter().position(|long| long.game == game).expect("a long history is kept")
    }

    /// Begins to keep the history of a game.
    pub(super) fn keep<const P: usize>(&mut self, lot: &mut Lot<P>, game: usize) -> &mut Vec<u128> {
        lot.trail.long |= 1 << (game % LANES);
        self.kept.push(Long { game, ..self.spare.pop().unwrap_or_default() });
        &mut self.kept.last_mut().expect("just pushed").prints
    }

    /// Drops the history of a game, if it is kept.
    pub(super) fn forget<const P: usize>(&mut self, lot: &mut Lot<P>, game: usize) {
        if lot.trail.long >> (game % LANES) & 1 != 0 {
            lot.trail.long &= !(1 << (game % LANES));
            let mut long = self.kept.swap_remove(self.find(game));
            long.prints.clear();
            self.spare.push(long);
        }
    }

    /// Takes down where the games of a lot stand whose trail is too short; the lanes whose position has stood before.
    /// `overlong`: the lanes without a capture for [`REACH`] plies; `first`: the game in lane 0.
    pub(super) fn look_up<K: Kind<P>, const P: usize>(
        &mut self,
        rules: &<K::Game as Game>::Rules,
        rings: &Rings,
        lot: &mut Lot<P>,
        first: usize,
        overlong: u64,
    ) -> u64 {
        let mut repeated = 0;
        let mut lanes = overlong | lot.trail.long;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let game = first + lane;
            if overlong >> lane & 1 == 0 {
                if usize::from(lot.block.since[lane]) < REACH {
                    self.forget(lot, game);
                }
            } else if lot.trail.long >> lane & 1 != 0 {
                let at = self.find(game);
                let print = K::read(rules, &lot.block, lane).fingerprint();
                if self.kept[at].prints.contains(&print) {
                    repeated |= 1 << lane;
                } else {
                    self.kept[at].prints.push(print);
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
