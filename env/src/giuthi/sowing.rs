//! Laps and captures of Giuthi.

use super::{Capture, Giuthi};
use crate::trace::{Lap, Watch};

/// From this many laps on a move is watched for a cycle. Most moves never get there.
const WATCH_AFTER_LAPS: u32 = 32;

/// Which way a lap goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Counter-clockwise, from low pit numbers to high.
    Ccw,
    /// Clockwise.
    Cw,
}

impl Direction {
    const fn turned(self) -> Self {
        match self {
            Self::Ccw => Self::Cw,
            Self::Cw => Self::Ccw,
        }
    }

    /// `ccw` or `cw`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ccw => "ccw",
            Self::Cw => "cw",
        }
    }
}

/// How the laps of a move went.
pub(super) enum Sown {
    Landed { pit: usize, direction: Direction, laps: u16, entered: bool },
    Endless { entered: bool },
}

impl Giuthi {
    /// Sows one lap from `pit`; returns the landing pit and whether `enemy` rows were entered.
    #[inline]
    fn sow_lap(&mut self, mut pit: usize, direction: Direction, enemy_left: usize) -> (usize, bool) {
        let (row, len) = (self.row_len(), 2 * self.row_len());
        let mut hand = std::mem::take(&mut self.pits[pit]);
        let mut entered = false;
        while hand > 0 {
            pit = match direction {
                Direction::Ccw => {
                    if pit + 1 == len {
                        0
                    } else {
                        pit + 1
                    }
                }
                Direction::Cw => {
                    if pit == 0 {
                        len - 1
                    } else {
                        pit - 1
                    }
                }
            };
            self.pits[pit] += 1;
            entered |= pit.wrapping_sub(enemy_left) < row;
            hand -= 1;
        }
        (pit, entered)
    }

    /// Sows lap after lap until the last seed falls into an empty pit.
    ///
    /// Whether that ever happens is decided exactly: once a move has run long, Brent's algorithm looks for a lap state
    /// (pits, landing pit, direction) that comes round again.
    pub(super) fn sow(
        &mut self,
        mut pit: usize,
        mut direction: Direction,
        watch: &mut impl Watch<Self>,
    ) -> Sown {
        let enemy_left = self.own_left(self.to_move.other());
        let mut entered = false;
        let mut laps = 0u32;
        let (mut seen, mut seen_again_at) = ((self.pits, pit, direction), WATCH_AFTER_LAPS);
        loop {
            let (from, seeds) = (pit, self.pits[pit]);
            let (landing, lap_entered) = self.sow_lap(pit, direction, enemy_left);
            pit = landing;
            watch.lap(|| Lap {
                from: from as u8,
                seeds,
                direction,
                landing: landing as u8,
                relays: self.pits[landing] > 1,
                board: *self,
            });
            entered |= lap_entered;
            laps += 1;
            if self.pits[pit] == 1 {
                let laps = laps.min(u16::MAX.into()) as u16;
                return Sown::Landed { pit, direction, laps, entered };
            }
            direction = direction.turned();
            if laps >= WATCH_AFTER_LAPS {
                if laps == seen_again_at {
                    seen = (self.pits, pit, direction);
                    seen_again_at *= 2;
                } else if seen == (self.pits, pit, direction) {
                    return Sown::Endless { entered };
                }
            }
        }
    }

    /// Takes what the last seed in `pit`, an own pit that was empty, captures.
    pub(super) fn capture_from(&mut self, pit: usize, direction: Direction) -> u8 {
        let len = 2 * self.row_len();
        let left = self.own_left(self.to_move);
        let own = left..left + self.row_len();
        if self.capture == Capture::Occupied && self.pits[len - 1 - pit] == 0 {
            return 0;
        }
        let mut taken = std::mem::take(&mut self.pits[pit]);
        let mut link = Some(pit);
        while let Some(pit) = link {
            let opposite = std::mem::take(&mut self.pits[len - 1 - pit]);
            if self.capture == Capture::Occupied && opposite == 0 {
                break;
            }
            taken += opposite;
            link = match direction {
                Direction::Ccw => Some(pit + 1),
                Direction::Cw => pit.checked_sub(1),
            }
            .filter(|next| own.contains(next) && self.pits[*next] == 0);
        }
        taken
    }
}
