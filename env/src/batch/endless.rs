//! Kiothi's endless sowing, found fast.
//!
//! A relay always goes the same way round, so that a move is a walk from boma to boma with a hand: drop one; if the hand is
//! empty, lift what lies here. Run backwards the walk is as certain as forwards (take one up; where nothing lies, put
//! the hand down and go on with one), so no two walks ever meet, and one that never ends comes round to where it began. Brent's
//! algorithm, which allows for a way into the circle, is not needed: the walk is compared with one state of its own, once a
//! round of the board, and the first return decides. Some circles are a hundred million laps long.

use crate::kiothi::BOMA;

/// Rounds after which the first lap, which need not empty its boma, is over for certain: 60 warriors, 20 boma.
const FIRST_LAP_ROUNDS: u32 = 4;

/// One round of the board; whether the walk has ended in it.
#[inline]
fn round(boma: &mut [u8; BOMA], hand: &mut u8) -> bool {
    let mut ended = false;
    for seeds in boma {
        let here = *seeds + 1;
        *hand = hand.wrapping_sub(1);
        let lifts = *hand == 0;
        ended |= lifts & (here == 1);
        *hand = if lifts { here } else { *hand };
        *seeds = if lifts { 0 } else { here };
    }
    ended
}

/// Whether sowing `count` warriors from boma `from` would never end. `boma` without marks.
pub(super) fn is_endless(mut boma: [u8; BOMA], from: usize, count: u8) -> bool {
    boma[from] -= count;
    // Numbered from the boma after the origin, so that rounds are whole.
    boma.rotate_left((from + 1) % BOMA);
    let mut hand = count;
    for _ in 0..FIRST_LAP_ROUNDS {
        if round(&mut boma, &mut hand) {
            return false;
        }
    }
    let begin = (boma, hand);
    loop {
        if round(&mut boma, &mut hand) {
            return false;
        }
        if hand == begin.1 && boma == begin.0 {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::kiothi::{Kiothi, KiothiRules};
    use crate::opening::{Stream, random_action, stream};

    #[test]
    fn long_circles_are_found() {
        let rules = KiothiRules::new(6, 5).unwrap();
        for (text, from, count) in [
            ("4,3,0,3,4,3,2,1,2,8/7,0,3,2,3,2,6,0,1,0 0 6 p0 sow ..........x.........", 9, 5),
            ("3,4,1,2,1,0,5,4,3,10/2,4,3,0,7,0,1,0,1,6 3 0 p0 sow ......x..x.x..x....x", 8, 3),
            ("4,5,4,1,2,1,4,9,1,0/2,1,4,1,0,1,0,1,3,11 2 3 p0 sow .x.....x...........x", 7, 8),
        ] {
            let (state, _) = Kiothi::read(&rules, text).unwrap();
            assert!(is_endless(state.boma, from, count), "{text}");
        }
    }

    #[test]
    fn the_scalar_rules_agree() {
        let rules = KiothiRules::new(3, 2).unwrap();
        let mut rng = stream(Stream::Sample, 1, 0, 0);
        let mut state = Kiothi::initial(&rules);
        for _ in 0..200_000 {
            let action = random_action(&state, &mut rng).unwrap();
            let before = state;
            let played = state.play_unchecked(action);
            if before.counts_for_repetition() {
                let (k, count) = (usize::from(action / 60), (action % 60 + 1) as u8);
                assert_eq!(
                    is_endless(before.boma, before.absolute(k), count),
                    played.endless,
                    "{}",
                    before.write()
                );
            }
            if state.is_over() || played.endless {
                state = Kiothi::initial(&rules);
            }
        }
    }
}
