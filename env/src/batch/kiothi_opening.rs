//! Kiothi's opening, action by action.

use super::block::Block;
use super::kiothi::{LIFT, NKI, PLACE, SECOND_LIFT, SOW};
use crate::features::ActionInfo;
use crate::game::Action;
use crate::kiothi::{BOMA, FIRST_LIFT, FIRST_PLACE, ROW};

/// Plays a small action of the opening; whether the game is over.
#[inline(always)]
pub(super) fn play_opening<const P: usize>(block: &mut Block<P>, lane: usize) -> bool {
    let action = block.action[lane];
    if action < FIRST_PLACE {
        let k = usize::from(action - FIRST_LIFT) % ROW;
        block.hand[lane] += std::mem::take(&mut block.pits[k][lane]);
        (block.phase[lane], block.floor[lane]) =
            if block.phase[lane] == LIFT { (SECOND_LIFT, k as u8 + 1) } else { (PLACE, 0) };
        return false;
    }
    let j = usize::from(action - FIRST_PLACE) % BOMA;
    block.pits[j][lane] += 1;
    block.hand[lane] -= 1;
    block.floor[lane] = j as u8;
    if block.hand[lane] > 0 {
        return false;
    }
    let mut pits = block.column(lane);
    pits.rotate_left(ROW);
    block.floor[lane] = 0;
    block.mover[lane] ^= 1;
    let (own, enemy) = (block.scores[0][lane], block.scores[1][lane]);
    (block.scores[0][lane], block.scores[1][lane]) = (enemy, own);
    let first = block.mover[lane] == 1;
    block.phase[lane] = if first { LIFT } else { SOW };
    if !first {
        pits = pits.map(|seeds| if seeds > 0 { seeds | NKI } else { 0 });
    }
    block.set_column(lane, &pits);
    !first && pits[..ROW].iter().all(|&seeds| seeds == 0)
}

/// What may be lifted or placed, as bits from [`FIRST_LIFT`] on. Bit `j` of `empty`: own boma `j` holds none.
#[inline(always)]
pub(super) fn opening_choices(phase: u8, floor: u8, empty: u64) -> u64 {
    if phase == PLACE {
        return (0xf_ffff & !0 << floor) << ROW;
    }
    let occupied = !empty & 0x3ff;
    let last = if phase == LIFT { 1 << (63 - (occupied | 1).leading_zeros()) } else { 0 };
    occupied & !last & !0 << floor
}

/// What a small action of the opening does.
pub(super) fn foretell_opening<const P: usize>(block: &Block<P>, lane: usize, action: Action) -> ActionInfo {
    let places = action >= FIRST_PLACE;
    let landing = action - if places { FIRST_PLACE } else { FIRST_LIFT };
    let entered = places && usize::from(landing) >= ROW;
    // Player 1's last placement begins the sowing, with Player 0, who may have nothing left.
    let is_last = places && block.hand[lane] == 1 && block.mover[lane] == 1;
    let ends_game = is_last && !entered && block.pits[ROW..].iter().all(|row| row[lane] == 0);
    ActionInfo {
        action,
        captured: 0,
        laps: 0,
        landing: landing as u8,
        extra_move: false,
        entered,
        repeats: false,
        endless: false,
        ends_game,
    }
}
