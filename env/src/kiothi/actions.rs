//! Kiothi's actions: numbers, and which of them the rules forbid.

use std::cmp::Ordering;

use super::{BOMA, Kiothi, Phase, ROW};
use crate::game::Action;

/// The first action that lifts a boma in the opening.
pub(crate) const FIRST_LIFT: Action = 600;
/// The first action that places a warrior in the opening.
pub(crate) const FIRST_PLACE: Action = 610;

/// An action number taken apart; all numbers relative to the player to move.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Sow { k: usize, count: u8 },
    Lift { k: usize },
    Place { j: usize },
}

impl Kind {
    pub(crate) fn of(action: Action) -> Self {
        match action {
            0..FIRST_LIFT => Self::Sow { k: usize::from(action / 60), count: (action % 60) as u8 + 1 },
            FIRST_LIFT..FIRST_PLACE => Self::Lift { k: usize::from(action - FIRST_LIFT) },
            _ => Self::Place { j: usize::from(action - FIRST_PLACE) },
        }
    }
}

/// The number of ways to place `hand` warriors in order into boma `floor..20`: multisets, C(hand + 19 - floor, hand).
pub(crate) const fn placements(hand: u8, floor: usize) -> u64 {
    let boma_above = (BOMA - 1 - floor) as u128;
    let (mut ways, mut i) = (1u128, 1);
    while i <= boma_above {
        ways = ways * (hand as u128 + i) / i;
        i += 1;
    }
    ways as u64
}

impl Kiothi {
    /// Whether the first lap of `count` warriors, which own boma `k` holds, ends where it may.
    #[inline]
    pub(super) fn may_sow(&self, k: usize, count: u8) -> bool {
        let landing = k + usize::from(count);
        // A first lap that has been round falls on what it sowed itself; one of exactly twenty on what was left behind.
        landing % BOMA >= ROW
            || match landing.cmp(&(k + BOMA)) {
                Ordering::Less => self.boma[self.absolute(landing % BOMA)] == 0,
                Ordering::Equal => self.boma[self.absolute(k)] == count,
                Ordering::Greater => false,
            }
    }

    /// Why `count` warriors of own boma `k` may not be sown; `None` if they may.
    fn sowing_obstacle(&self, k: usize, count: u8) -> Option<String> {
        let from = self.absolute(k);
        if count > self.boma[from] {
            return Some(format!("boma {from} holds {}, not {count}", self.boma[from]));
        }
        (!self.may_sow(k, count)).then(|| {
            let landing = self.absolute((k + usize::from(count)) % BOMA);
            format!("the first lap would end in the occupied boma {landing} of the player's own row")
        })
    }

    pub(super) fn lift_obstacle(&self, k: usize) -> Option<String> {
        let boma = self.absolute(k);
        let row = self.row(self.to_move);
        match self.phase {
            _ if row[k] == 0 => Some(format!("boma {boma} is empty")),
            Phase::Lift if row[k + 1..].iter().all(|&warriors| warriors == 0) => {
                Some(format!("boma {boma} is the last occupied one, and the second lift must come after it"))
            }
            Phase::SecondLift { first, .. } if k <= first.into() => {
                Some(format!("the second lift must come after boma {}", self.absolute(first.into())))
            }
            _ => None,
        }
    }

    pub(super) fn obstacle(&self, action: Action) -> Option<String> {
        match (self.phase, Kind::of(action)) {
            (Phase::Sow, Kind::Sow { k, count }) => self.sowing_obstacle(k, count),
            (Phase::Lift | Phase::SecondLift { .. }, Kind::Lift { k }) => self.lift_obstacle(k),
            (Phase::Place { floor, .. }, Kind::Place { j }) => (j < floor.into()).then(|| {
                let floor = self.absolute(floor.into());
                format!("warriors are placed in order, and the last went to boma {floor}")
            }),
            (Phase::Sow, _) => Some("the opening is over: the player must sow".into()),
            (Phase::Lift | Phase::SecondLift { .. }, _) => {
                Some("the opening is not over: the player must lift a boma".into())
            }
            (Phase::Place { hand, .. }, _) => {
                Some(format!("the opening is not over: {hand} warriors in hand must be placed"))
            }
        }
    }
}
