//! Laps and captures of Kiothi.

use super::{BOMA, Kiothi, ROW};
use crate::giuthi::Direction;
use crate::trace::{Lap, Watch};

/// From this many laps on a move is watched for a cycle.
const WATCH_AFTER_LAPS: u32 = 32;

impl Kiothi {
    /// Sows lap after lap; the landing boma and the number of laps, or `None` if they would never end.
    ///
    /// Exact: a move that has run long is endless if its [classes](Self::is_plainly_endless) say so, which spares laps by
    /// the hundred million, or if a lap state (boma, landing boma) comes round again, found by Brent's algorithm: see
    /// `Giuthi::sow`.
    pub(super) fn sow(
        &mut self,
        from: usize,
        count: u8,
        watch: &mut impl Watch<Self>,
    ) -> Option<(usize, u16)> {
        let (mut boma, mut hand) = (from, count);
        self.boma[from] -= count;
        self.nki &= !(1 << from);
        let mut laps = 0u32;
        let (mut seen, mut seen_again_at) = ((self.boma, boma), WATCH_AFTER_LAPS);
        loop {
            let lifted = boma;
            for _ in 0..hand {
                boma = if boma + 1 == BOMA { 0 } else { boma + 1 };
                self.boma[boma] += 1;
            }
            laps += 1;
            watch.lap(|| Lap {
                from: lifted as u8,
                seeds: hand,
                direction: Direction::Ccw,
                landing: boma as u8,
                relays: self.boma[boma] > 1,
                board: *self,
            });
            if self.boma[boma] == 1 {
                return Some((boma, laps.min(u16::MAX.into()) as u16));
            }
            if laps >= WATCH_AFTER_LAPS {
                if laps == WATCH_AFTER_LAPS && self.is_plainly_endless(boma) {
                    return None;
                }
                if laps == seen_again_at {
                    seen = (self.boma, boma);
                    seen_again_at *= 2;
                } else if seen == (self.boma, boma) {
                    return None;
                }
            }
            hand = std::mem::take(&mut self.boma[boma]);
            self.nki &= !(1 << boma);
        }
    }

    /// Whether it is plain that no lap will ever end in an empty boma, with a lap just ended in the occupied `landing`.
    ///
    /// Count the places that sowing passes along an endless line: place p is boma p mod 20. For each boma take p + b mod 21,
    /// p the last place at which it was passed and b its warriors; add the place z of the landing itself. A warrior sown
    /// makes p + 20 and b + 1 of p and b: the class stays. A relay lifts the b warriors of the landing boma and lands at
    /// z + b: the boma's class becomes z, and the landing's z + b, so the two only change places. Thus the 21 classes stay the
    /// same for ever. A lap that ends in an empty boma makes one warrior of it, of class z + 1, beside the landing's z. Where
    /// no two classes are neighbours, that cannot be.
    fn is_plainly_endless(&self, landing: usize) -> bool {
        const CLASSES: usize = BOMA + 1;
        let class_of = |(boma, &warriors): (usize, &u8)| {
            // Boma beyond the landing were last passed one round before: 20 places less are one class more.
            (boma + usize::from(boma > landing) + usize::from(warriors)) % CLASSES
        };
        let boma_classes = self.boma.iter().enumerate().map(class_of);
        let classes = boma_classes.fold(1u32 << landing, |classes, class| classes | 1 << class);
        let neighbours = classes << 1 | classes >> (CLASSES - 1);
        classes & neighbours == 0
    }

    /// Takes what the last warrior captures from `landing`, which was empty; the count, and whether the bonus was in it.
    pub(super) fn capture_from(&mut self, landing: usize) -> (u8, bool) {
        let own_left = ROW * self.to_move.index();
        let opposite = BOMA - 1 - landing;
        let is_prey = |kiothi: &Self, boma: usize| kiothi.boma[boma] > 0 && !kiothi.is_nki(boma);
        if landing / ROW != self.to_move.index() || !is_prey(self, opposite) {
            return (0, false);
        }
        let mut taken = std::mem::take(&mut self.boma[landing]) + std::mem::take(&mut self.boma[opposite]);
        if landing != own_left {
            return (taken, false);
        }
        // From his seat the enemy row runs backwards: the three on the right of the last boma are those before it.
        let bonus = opposite - 3..opposite;
        let has_bonus = bonus.clone().all(|boma| is_prey(self, boma));
        if has_bonus {
            taken += bonus.map(|boma| std::mem::take(&mut self.boma[boma])).sum::<u8>();
        }
        (taken, has_bonus)
    }
}
