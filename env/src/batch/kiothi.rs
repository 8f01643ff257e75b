//! Kiothi in lockstep: the sowing phase for 64 games at a time, the opening's small actions game by game.
//!
//! The high bit of a boma marks a nki. Seeds fall into it without touching the mark, and lifting clears both: the laps
//! need not know of marks but for the hand, which is without.

use super::block::{Block, Settled};
use super::chacha::Samplers;
use super::foretold::Legal;
use super::isa::Isa;
use super::kind::{self, Kind};
use super::kiothi_choice::{count_legal, draw_lift, draw_placement, empty_boma, legal_counts};
use super::kiothi_opening::{foretell_opening, opening_choices, play_opening};
use super::rows::MOST_ROWS;
use super::sow::Window;
use super::{LANES, Row, mask_of, next_lane};
use crate::features::ActionInfo;
use crate::game::{Action, Game, Player};
use crate::kiothi::{FIRST_LIFT, FIRST_PLACE, Kiothi, KiothiRules, Phase, ROW};

/// Kiothi.
#[derive(Clone, Copy, Debug)]
pub(super) struct KiothiKind;

/// The bit of a boma that marks a nki.
pub(super) const NKI: u8 = 0x80;

/// Values of [`Block::phase`].
pub(super) const SOW: u8 = 0;
pub(super) const LIFT: u8 = 1;
pub(super) const SECOND_LIFT: u8 = 2;
pub(super) const PLACE: u8 = 3;

/// Actions of one boma.
const COUNTS: usize = 60;
/// All actions.
const ACTIONS: usize = 630;

/// Of sowing actions: the boma, and the count less one.
#[inline(always)]
fn split_actions(actions: &Row<Action>) -> (Row<u8>, Row<u8>) {
    let (mut boma, mut count) = ([0; LANES], [0; LANES]);
    for i in 0..LANES {
        boma[i] = ((u32::from(actions[i]) * 1093) >> 16) as u8;
        count[i] = (actions[i] as u8).wrapping_sub(boma[i].wrapping_mul(COUNTS as u8));
    }
    (boma, count)
}

/// Writes the legal actions of a game.
#[inline(always)]
fn mask_row<I: Isa, const P: usize>(
    isa: I,
    block: &Block<P>,
    lane: usize,
    empty: u64,
    row: &mut [bool; ACTIONS + LANES],
) {
    let mut chunk = |at: usize, bits: u64| {
        isa.spread(bits, row[at..].first_chunk_mut().expect("64 cells to spare"));
    };
    let phase = block.phase[lane];
    for (k, row) in block.pits[..ROW].iter().enumerate() {
        let bits = if phase == SOW { legal_counts(k as u32, row[lane] & !NKI, empty) } else { 0 };
        chunk(COUNTS * k, bits);
    }
    let choices = if phase == SOW { 0 } else { opening_choices(phase, block.floor[lane], empty) };
    chunk(usize::from(FIRST_LIFT), choices);
}

impl<const P: usize> Kind<P> for KiothiKind {
    type Game = Kiothi;

    const TURNS: bool = false;

    #[inline(always)]
    fn choose<I: Isa>(isa: I, block: &Block<P>, samplers: &mut Samplers, actions: &mut Row<u16>) {
        let (mut words, mut more) = ([0; LANES], [0; LANES]);
        samplers.draw(&block.live, &mut words);
        let (mut weighted, mut opening) = ([0; LANES], [0; LANES]);
        for i in 0..LANES {
            let phase = block.phase[i];
            weighted[i] = block.live[i] & (mask_of(phase == LIFT) | mask_of(phase == PLACE));
            opening[i] = block.live[i] & mask_of(phase != SOW);
        }
        samplers.draw(&weighted, &mut more);
        let (counts, empty) = (count_legal(block), empty_boma(block));
        let mut choices = [0; LANES];
        for row in &counts {
            for i in 0..LANES {
                choices[i] += row[i];
            }
        }
        let index = kind::high_product(&words, &choices);
        // The boma in whose share of the choices the index falls, what it holds, and how far into its share.
        let (mut before, mut chosen, mut held, mut rest) =
            ([0u8; LANES], [0u8; LANES], [0u8; LANES], [0u8; LANES]);
        for (k, (row, pits)) in counts.iter().zip(&block.pits).enumerate() {
            for i in 0..LANES {
                let into = index[i].wrapping_sub(before[i]);
                let here = mask_of(into < row[i]);
                chosen[i] |= here & k as u8;
                held[i] |= here & pits[i] & !NKI;
                rest[i] |= here & into;
                before[i] += row[i];
            }
        }
        let mut legal = [0; LANES];
        for i in 0..LANES {
            legal[i] = legal_counts(chosen[i].into(), held[i], empty[i].into());
        }
        for i in 0..LANES {
            actions[i] = COUNTS as Action * Action::from(chosen[i]) + isa.select(legal[i], rest[i]) as Action;
        }
        let mut lanes = isa.nonzero(&opening);
        while let Some(i) = next_lane(&mut lanes) {
            actions[i] = if block.phase[i] == PLACE {
                let word = u64::from(words[i]) | u64::from(more[i]) << 32;
                FIRST_PLACE + Action::from(draw_placement(block.hand[i], block.floor[i], word))
            } else {
                let occupied = u64::from(!empty[i]) & 0x3ff & (!0 << block.floor[i]);
                FIRST_LIFT + draw_lift(isa, block.phase[i], occupied, words[i], more[i])
            };
        }
    }

    #[inline(always)]
    fn check<I: Isa>(isa: I, block: &mut Block<P>, actions: &Row<i64>) -> bool {
        let empty = empty_boma(block);
        let mut action = [0u16; LANES];
        for i in 0..LANES {
            action[i] = if (actions[i] as u64) < 630 { actions[i] as Action } else { 630 };
        }
        let (boma, count) = split_actions(&action);
        let mut held = [0u8; LANES];
        for (k, pits) in block.pits[..ROW].iter().enumerate() {
            for i in 0..LANES {
                held[i] |= mask_of(boma[i] == k as u8) & pits[i] & !NKI;
            }
        }
        let (mut illegal, mut opening) = ([0u8; LANES], [0u8; LANES]);
        let mut legal = [0; LANES];
        for i in 0..LANES {
            legal[i] = legal_counts(boma[i].into(), held[i], empty[i].into()) >> count[i] & 1;
        }
        for i in 0..LANES {
            let sows = mask_of(block.phase[i] == SOW);
            illegal[i] = block.live[i] & sows & mask_of(legal[i] == 0);
            opening[i] = block.live[i] & !sows;
        }
        block.action = action;
        let mut all_legal = isa.nonzero(&illegal) == 0;
        let mut lanes = isa.nonzero(&opening);
        while let Some(i) = next_lane(&mut lanes) {
            let action = action[i];
            all_legal &= match block.phase[i] {
                PLACE => (FIRST_PLACE + u16::from(block.floor[i])..630).contains(&action),
                LIFT | SECOND_LIFT if (FIRST_LIFT..FIRST_PLACE).contains(&action) => {
                    let k = action - FIRST_LIFT;
                    let occupied = u64::from(!empty[i]) & 0x3ff;
                    occupied >> k & 1 != 0
                        && k >= block.floor[i].into()
                        && (block.phase[i] == SECOND_LIFT || occupied >> k > 1)
                }
                _ => false,
            };
        }
        all_legal
    }

    #[inline(always)]
    fn list<I: Isa>(isa: I, block: &Block<P>, legal: &mut Legal) {
        let empty = empty_boma(block);
        legal.clear();
        for i in 0..LANES {
            let (phase, empty) = (block.phase[i], u64::from(empty[i]));
            if phase != SOW {
                legal.add(isa, FIRST_LIFT, opening_choices(phase, block.floor[i], empty));
            } else {
                for (k, row) in block.pits[..ROW].iter().enumerate() {
                    let counts = legal_counts(k as u32, row[i] & !NKI, empty);
                    legal.add(isa, (COUNTS * k) as Action, counts);
                }
            }
            legal.end_game();
        }
    }

    #[inline(always)]
    fn lift(block: &Block<P>, window: &mut Window<P>) {
        let (mut from, mut count) = split_actions(&block.action);
        for count in &mut count {
            *count += 1;
        }
        let (mut pits, live, phase) = (block.pits, block.live, block.phase);
        for i in 0..LANES {
            let sows = mask_of(live[i] != 0) & mask_of(phase[i] == SOW);
            from[i] &= sows;
            count[i] &= sows;
            for (k, row) in pits[..ROW].iter_mut().enumerate() {
                let seeds = row[i];
                let here = sows & mask_of(from[i] == k as u8);
                row[i] = seeds & !here | (seeds & !NKI).wrapping_sub(count[i]) & here;
            }
        }
        window.pits = pits;
        (window.pit, window.hand) = (from, count);
        // A relay can only begin in the enemy row, so the first lap alone tells whether it was entered.
        for i in 0..LANES {
            window.entered[i] = (from[i] + count[i] >= ROW as u8).into();
        }
        window.step = [1; LANES];
    }

    #[inline(always)]
    fn finish(_: &KiothiRules, block: &mut Block<P>, window: &Window<P>, settled: &mut Settled) {
        let mut pits = window.pits;
        let (pit, hand) = (window.pit, window.hand);
        let (live, phase, mut mover) = (block.live, block.phase, block.mover);
        let [mut own_score, mut enemy_score] = block.scores;
        let (mut fresh, mut finished) = ([0u8; LANES], [0u8; LANES]);
        block.actor = mover;
        for i in 0..LANES {
            let playing = mask_of(live[i] != 0) & mask_of(phase[i] == SOW) & mask_of(hand[i] == 0);
            let landing = pit[i] | !playing;
            // Two loops of ten: one of twenty would not be unrolled, and lanes then taken one by one.
            for k in 0..ROW {
                pits[k][i] += mask_of(landing == k as u8) & 1;
            }
            for k in ROW..P {
                pits[k][i] += mask_of(landing == k as u8) & 1;
            }
            // The captured boma is occupied and no nki: as a number it is neither 0 nor 128 or more.
            let is_prey = |seeds: u8| mask_of(seeds.wrapping_sub(1) < NKI - 1);
            let (first, second, third) = (pits[P - 2][i], pits[P - 3][i], pits[P - 4][i]);
            let bonus = mask_of(landing == 0)
                & is_prey(pits[P - 1][i])
                & is_prey(first)
                & is_prey(second)
                & is_prey(third);
            let mut taken = bonus & first.wrapping_add(second).wrapping_add(third);
            for k in 0..ROW {
                let opposite = pits[P - 1 - k][i];
                let captures = mask_of(landing == k as u8) & is_prey(opposite);
                taken = taken.wrapping_add(captures & opposite.wrapping_add(1));
                pits[k][i] &= !captures;
                pits[P - 1 - k][i] = opposite & !captures;
            }
            pits[P - 2][i] &= !bonus;
            pits[P - 3][i] &= !bonus;
            pits[P - 4][i] &= !bonus;
            let mut enemy_any = 0u8;
            for k in 0..ROW {
                let (own, enemy) = (pits[k][i], pits[ROW + k][i]);
                enemy_any |= enemy;
                let change = (own ^ enemy) & playing;
                pits[k][i] = own ^ change;
                pits[ROW + k][i] = enemy ^ change;
            }
            let own = own_score[i].wrapping_add(taken);
            let change = (own ^ enemy_score[i]) & playing;
            own_score[i] = own ^ change;
            enemy_score[i] ^= change;
            mover[i] ^= playing & 1;
            fresh[i] = (mask_of(taken != 0) | mask_of(live[i] == 0) | mask_of(phase[i] != SOW)) & 1;
            finished[i] = playing & mask_of(enemy_any == 0) & 1;
        }
        block.pits = pits;
        block.scores = [own_score, enemy_score];
        block.mover = mover;
        (settled.fresh, settled.over) = (fresh, finished);
        let mut opening = 0;
        for i in 0..LANES {
            opening |= phase[i] & live[i].wrapping_neg();
        }
        if opening != 0 {
            for i in 0..LANES {
                if live[i] != 0 && phase[i] != SOW {
                    settled.over[i] = play_opening(block, i).into();
                }
            }
        }
    }

    #[inline(always)]
    fn observe(block: &Block<P>, rows: &mut [Row<u8>; MOST_ROWS]) -> usize {
        let mut in_play = block.hand;
        for (p, from) in block.pits.iter().enumerate() {
            for i in 0..LANES {
                rows[p][i] = from[i] & !NKI;
                rows[24 + p][i] = from[i] >> 7;
                in_play[i] += from[i] & !NKI;
            }
        }
        [rows[20], rows[21]] = block.scores;
        rows[22] = in_play;
        for i in 0..LANES {
            rows[23][i] = block.since[i].min(255) as u8;
        }
        for (row, phase) in rows[44..48].iter_mut().zip([LIFT, SECOND_LIFT, PLACE, SOW]) {
            for i in 0..LANES {
                row[i] = (block.phase[i] == phase).into();
            }
        }
        (rows[48], rows[49]) = (block.hand, block.floor);
        50
    }

    #[inline(always)]
    fn mask<I: Isa>(isa: I, block: &Block<P>, out: &mut [bool]) {
        let empty = empty_boma(block);
        for (i, start) in (0..out.len()).step_by(ACTIONS).enumerate() {
            // Truth is stored 64 cells at a time: the next game's, to be written yet, or to spare.
            let mut spare = [false; ACTIONS + LANES];
            let row = match out[start..].first_chunk_mut() {
                Some(row) => row,
                None => &mut spare,
            };
            mask_row(isa, block, i, empty[i].into(), row);
            if out.len() - start < ACTIONS + LANES {
                out[start..].copy_from_slice(&spare[..ACTIONS]);
            }
        }
    }

    fn state(rules: &KiothiRules, pits: &[u8; P], mover: u8) -> Kiothi {
        let mut state = Kiothi::initial(rules);
        (state.to_move, state.phase, state.nki) = (Player::from_index(mover.into()), Phase::Sow, 0);
        for (relative, &seeds) in pits.iter().enumerate() {
            let boma = state.absolute(relative);
            state.boma[boma] = seeds & !NKI;
            state.nki |= u32::from(seeds >> 7) << boma;
        }
        state
    }

    fn column(state: &Kiothi) -> [u8; P] {
        std::array::from_fn(|relative| {
            let boma = state.absolute(relative);
            state.boma[boma] | u8::from(state.is_nki(boma)) << 7
        })
    }

    fn read(rules: &KiothiRules, block: &Block<P>, lane: usize) -> Kiothi {
        let mut state = <Self as Kind<P>>::state(rules, &block.column(lane), block.mover[lane]);
        state.prisons = kind::by_player(block, lane);
        state.plies_since_capture = block.since[lane];
        let (hand, floor) = (block.hand[lane], block.floor[lane]);
        state.phase = match block.phase[lane] {
            SOW => Phase::Sow,
            LIFT => Phase::Lift,
            SECOND_LIFT => Phase::SecondLift { first: floor - 1, hand },
            _ => Phase::Place { hand, floor },
        };
        state
    }

    fn foretell_opening(block: &Block<P>, lane: usize, action: Action) -> ActionInfo {
        foretell_opening(block, lane, action)
    }

    fn sweep(state: &mut Kiothi) {
        state.settle();
    }

    fn write(block: &mut Block<P>, lane: usize, state: &Kiothi) {
        block.set_column(lane, &<Self as Kind<P>>::column(state));
        kind::set_mover_and_scores(block, lane, state);
        block.since[lane] = state.plies_since_capture;
        block.hand[lane] = state.in_hand();
        (block.phase[lane], block.floor[lane]) = match state.phase {
            Phase::Sow => (SOW, 0),
            Phase::Lift => (LIFT, 0),
            Phase::SecondLift { first, .. } => (SECOND_LIFT, first + 1),
            Phase::Place { floor, .. } => (PLACE, floor),
        };
    }
}
