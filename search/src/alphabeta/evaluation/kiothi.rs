//! Kiothi: what stands in either boma of each column, nki or not, and where it stands.

use mancala_env::{Game, Kiothi, Phase, Player};

use super::weights::KIOTHI;
use super::{Foresight, PHASES, Terms};

/// The fewest plies in which a player redistributes: two lifts, and a warrior at least from each.
const SHORTEST_REDISTRIBUTION: u32 = 4;

/// Warriors in a boma are told apart up to 4 and more, those in a nki apart from others.
const NUM_KINDS: usize = 9;
const ROW: usize = 10;
/// Warriors in play that make the board full.
const FULL: i32 = 60;

impl Terms for Kiothi {
    const LEN: usize = ROW * NUM_KINDS * NUM_KINDS;
    const WEIGHTS: &'static [[i16; 2]] = &KIOTHI;
    const FORESIGHT: Foresight = Foresight { bias: 10, spread: 60, doubt: 133 };

    #[inline]
    fn for_each_term(&self, mut count: impl FnMut(usize)) -> (i32, i32) {
        let (own_left, other_left) = match self.to_move() {
            Player::Zero => (0, ROW),
            Player::One => (ROW, 0),
        };
        let boma = self.boma();
        // A nki is never empty.
        let kinds: [u8; 2 * ROW] = std::array::from_fn(|i| boma[i].min(4) + 4 * u8::from(self.is_nki(i)));
        for k in 0..ROW {
            let (own, other) = (kinds[own_left + k], kinds[other_left + ROW - 1 - k]);
            count((NUM_KINDS * k + usize::from(own)) * NUM_KINDS + usize::from(other));
        }
        let in_play = boma.iter().sum::<u8>().into();
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
