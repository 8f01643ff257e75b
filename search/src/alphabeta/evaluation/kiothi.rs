//! Kiothi: what stands in either boma of each column, nki or not, and where it stands.

use mancala_env::{Game, Kiothi, Phase, Player};

use super::weights::KIOTHI;
use super::{PHASES, Terms};

/// The fewest plies in which a player redistributes: two lifts, and a warrior at least from each.
const SHORTEST_REDISTRIBUTION: u32 = 4;

/// Warriors in a boma are told apart up to 4 and more, those in a nki apart from others.
const NUM_KINDS: usize = 9;
const COLUMNS: usize = NUM_KINDS * NUM_KINDS;
const ROW: usize = 10;
/// Warriors in play that make the board full.
const FULL: i32 = 60;

impl Terms for Kiothi {
    const LEN: usize = COLUMNS + 2 * ROW * NUM_KINDS;
    const WEIGHTS: &'static [[i16; 2]] = &KIOTHI;

    #[inline]
    fn for_each_term(&self, mut count: impl FnMut(usize)) -> (i32, i32) {
        let (own_left, other_left) = match self.to_move() {
            Player::Zero => (0, ROW),
            Player::One => (ROW, 0),
        };
        let kind = |boma: usize| {
            let warriors = usize::from(self.boma()[boma].min(4));
            if self.is_nki(boma) && warriors > 0 { warriors + 4 } else { warriors }
        };
        let mut in_play = 0;
        for k in 0..ROW {
            let (own_boma, other_boma) = (own_left + k, other_left + ROW - 1 - k);
            in_play += i32::from(self.boma()[own_boma]) + i32::from(self.boma()[other_boma]);
            let (own, other) = (kind(own_boma), kind(other_boma));
            count(NUM_KINDS * own + other);
            count(COLUMNS + NUM_KINDS * k + own);
            count(COLUMNS + NUM_KINDS * (2 * ROW - 1 - k) + other);
        }
        (in_play, (in_play * PHASES / FULL).min(PHASES))
    }
}

/// At least so many plies of the opening are left; the game may end at once with the last of them.
pub(super) fn opening_plies_left(kiothi: &Kiothi) -> u32 {
    let own = match kiothi.phase() {
        Phase::Lift => SHORTEST_REDISTRIBUTION,
        Phase::SecondLift { hand, .. } => u32::from(hand) + 2,
        Phase::Place { hand, .. } => hand.into(),
        Phase::Sow => return 0,
    };
    match kiothi.to_move() {
        Player::Zero => own + SHORTEST_REDISTRIBUTION,
        Player::One => own,
    }
}
