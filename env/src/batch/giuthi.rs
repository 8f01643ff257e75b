//! Giuthi in lockstep: choosing, checking, lifting, capturing, giving the turn on.

use super::block::{Block, Settled};
use super::chacha::Samplers;
use super::foretold::Legal;
use super::isa::Isa;
use super::kind::{self, Kind};
use super::rows::{MOST_ROWS, transpose};
use super::sow::Window;
use super::{LANES, Row, mask_of};
use crate::game::{Game, Player};
use crate::giuthi::{Capture, Giuthi, GiuthiRules, MAX_PITS};

/// Giuthi on `P` pits.
#[derive(Clone, Copy, Debug)]
pub(super) struct GiuthiKind;

impl<const P: usize> Kind<P> for GiuthiKind {
    type Game = Giuthi;

    const TURNS: bool = true;

    #[inline(always)]
    fn choose<I: Isa>(_: I, block: &Block<P>, samplers: &mut Samplers, actions: &mut Row<u16>) {
        let mut words = [0; LANES];
        samplers.draw(&block.live, &mut words);
        let own = block.pits.first_chunk::<P>().expect("all pits");
        let mut choices = [0u8; LANES];
        for i in 0..LANES {
            let mut playable = 0u8;
            for row in &own[..P / 2] {
                playable += u8::from(row[i] >= 2);
            }
            choices[i] = 2 * playable;
        }
        let index = kind::high_product(&words, &choices);
        let mut chosen = [0u8; LANES];
        for i in 0..LANES {
            let (mut before, mut pit) = (0u8, 0u8);
            for (k, row) in own[..P / 2].iter().enumerate() {
                let playable = row[i] >= 2;
                pit = if playable && before == index[i] >> 1 { k as u8 } else { pit };
                before += u8::from(playable);
            }
            chosen[i] = 2 * pit + (index[i] & 1);
        }
        for i in 0..LANES {
            actions[i] = chosen[i].into();
        }
    }

    #[inline(always)]
    fn check<I: Isa>(_: I, block: &mut Block<P>, actions: &Row<i64>) -> bool {
        let mut narrow = [0u8; LANES];
        for i in 0..LANES {
            narrow[i] = if (actions[i] as u64) < P as u64 { actions[i] as u8 } else { 255 };
        }
        let mut illegal = 0u8;
        for i in 0..LANES {
            let mut playable = 0u8;
            for (k, row) in block.pits[..P / 2].iter().enumerate() {
                playable |= mask_of(narrow[i] >> 1 == k as u8) & mask_of(row[i] >= 2) & 1;
            }
            illegal |= block.live[i] & !playable;
        }
        for i in 0..LANES {
            block.action[i] = narrow[i].into();
        }
        illegal & 1 == 0
    }

    #[inline(always)]
    fn list<I: Isa>(isa: I, block: &Block<P>, legal: &mut Legal) {
        let mut playable = [0u32; LANES];
        for (k, row) in block.pits[..P / 2].iter().enumerate() {
            for i in 0..LANES {
                playable[i] |= (3 * u32::from(row[i] >= 2)) << (2 * k);
            }
        }
        legal.clear();
        for i in 0..LANES {
            legal.add(isa, 0, playable[i].into());
            legal.end_game();
        }
    }

    #[inline(always)]
    fn lift(block: &Block<P>, window: &mut Window<P>) {
        let mut narrow = [0u8; LANES];
        for i in 0..LANES {
            narrow[i] = block.action[i] as u8;
        }
        let (mut pits, live) = (block.pits, block.live);
        let Window { pit, step, hand, entered, .. } = window;
        for i in 0..LANES {
            let from = if live[i] != 0 { narrow[i] >> 1 } else { 255 };
            let mut lifted = 0;
            for (k, row) in pits[..P / 2].iter_mut().enumerate() {
                let seeds = row[i];
                let here = mask_of(from == k as u8);
                lifted |= seeds & here;
                row[i] = seeds & !here;
            }
            hand[i] = lifted;
            pit[i] = if live[i] != 0 { from } else { 0 };
            step[i] = if narrow[i] & 1 == 0 { 1 } else { 255 };
        }
        *entered = [0; LANES];
        window.pits = pits;
    }

    #[inline(always)]
    fn finish(rules: &GiuthiRules, block: &mut Block<P>, window: &Window<P>, settled: &mut Settled) {
        let any = mask_of(rules.capture() == Capture::Any);
        let own_row = P as u8 / 2;
        let mut pits = window.pits;
        let (pit, step, hand, entered) = (window.pit, window.step, window.hand, window.entered);
        let (live, mut mover, [mut own_score, mut enemy_score]) = (block.live, block.mover, block.scores);
        let row = [0u8; LANES];
        let (mut extra_move, mut passed_over, mut fresh, mut finished) = (row, row, row, row);
        block.actor = mover;
        // Truth is a byte, 255 or 0, so that every step is one on bytes: of booleans the compiler makes bits one by one.
        for i in 0..LANES {
            let playing = mask_of(live[i] != 0) & mask_of(hand[i] == 0);
            let landing = pit[i] | !playing;
            let own = mask_of(landing < own_row);
            let (captures, extra) = (own & mask_of(entered[i] != 0), own & mask_of(entered[i] == 0));
            let ccw = mask_of(step[i] == 1);
            // 255, which is no pit, where nothing is captured in that direction.
            let (up, down) = (landing | !(captures & ccw), landing | !(captures & !ccw));
            for (p, row) in pits.iter_mut().enumerate() {
                row[i] += mask_of(landing == p as u8) & 1;
            }
            // The chain runs along the own row, in the direction of the last lap, as long as there are links.
            let mut taken = 0u8;
            let mut linked = 0u8;
            for k in 0..P / 2 {
                let (seeds, opposite) = (pits[k][i], pits[P - 1 - k][i]);
                let begins = mask_of(up == k as u8);
                linked = (begins | (linked & mask_of(seeds == 0))) & (any | mask_of(opposite != 0));
                taken = taken.wrapping_add(linked & opposite).wrapping_add(begins & linked & 1);
                pits[P - 1 - k][i] = opposite & !linked;
                pits[k][i] = seeds & !(begins & linked);
            }
            linked = 0;
            for k in (0..P / 2).rev() {
                let (seeds, opposite) = (pits[k][i], pits[P - 1 - k][i]);
                let begins = mask_of(down == k as u8);
                linked = (begins | (linked & mask_of(seeds == 0))) & (any | mask_of(opposite != 0));
                taken = taken.wrapping_add(linked & opposite).wrapping_add(begins & linked & 1);
                pits[P - 1 - k][i] = opposite & !linked;
                pits[k][i] = seeds & !(begins & linked);
            }
            let (mut own_most, mut enemy_most) = (0u8, 0u8);
            for k in 0..P / 2 {
                own_most = own_most.max(pits[k][i]);
                enemy_most = enemy_most.max(pits[P / 2 + k][i]);
            }
            let (own_moves, enemy_moves) = (mask_of(own_most >= 2), mask_of(enemy_most >= 2));
            let over = playing & !own_moves & !enemy_moves;
            // Whether the turn should go over, and whether it does.
            let expected = playing & !extra;
            let turns =
                playing & ((extra & !own_moves & enemy_moves) | (!extra & (enemy_moves | !own_moves)));
            let passed = expected ^ turns;
            for k in 0..P / 2 {
                let change = (pits[k][i] ^ pits[P / 2 + k][i]) & turns;
                pits[k][i] ^= change;
                pits[P / 2 + k][i] ^= change;
            }
            let own = own_score[i].wrapping_add(taken);
            let change = (own ^ enemy_score[i]) & turns;
            own_score[i] = own ^ change;
            enemy_score[i] ^= change;
            mover[i] ^= turns & 1;
            extra_move[i] = extra & !passed & !over & 1;
            passed_over[i] = passed & 1;
            fresh[i] = (mask_of(taken != 0) | mask_of(live[i] == 0)) & 1;
            finished[i] = over & 1;
        }
        block.pits = pits;
        block.scores = [own_score, enemy_score];
        (block.mover, block.extra, block.passed) = (mover, extra_move, passed_over);
        (settled.fresh, settled.over) = (fresh, finished);
    }

    #[inline(always)]
    fn observe(block: &Block<P>, rows: &mut [Row<u8>; MOST_ROWS]) -> usize {
        let mut in_play = [0; LANES];
        for (to, from) in rows.iter_mut().zip(&block.pits) {
            *to = *from;
            for i in 0..LANES {
                in_play[i] += from[i];
            }
        }
        let mut plies = [0; LANES];
        for i in 0..LANES {
            plies[i] = block.since[i].min(255) as u8;
        }
        [rows[P], rows[P + 1]] = block.scores;
        (rows[P + 2], rows[P + 3], rows[P + 4]) = (in_play, plies, block.extra);
        P + 5
    }

    #[inline(always)]
    fn mask<I: Isa>(_: I, block: &Block<P>, out: &mut [bool]) {
        let mut rows = [[0; LANES]; MOST_ROWS];
        for (k, row) in block.pits[..P / 2].iter().enumerate() {
            let mut playable = [0; LANES];
            for i in 0..LANES {
                playable[i] = (row[i] >= 2).into();
            }
            (rows[2 * k], rows[2 * k + 1]) = (playable, playable);
        }
        let mut bytes = [0; LANES * MAX_PITS];
        transpose(&rows, P, &mut bytes);
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = byte != 0;
        }
    }

    fn state(rules: &GiuthiRules, pits: &[u8; P], mover: u8) -> Giuthi {
        let mut state = Giuthi::initial(rules);
        state.to_move = Player::from_index(mover.into());
        state.pits = [0; MAX_PITS];
        state.pits[..P].copy_from_slice(pits);
        if state.to_move == Player::Zero {
            state.pits[..P].rotate_left(P / 2);
        }
        state
    }

    fn column(state: &Giuthi) -> [u8; P] {
        let mut pits = *state.pits.first_chunk::<P>().expect("no board is larger");
        if state.to_move == Player::Zero {
            pits.rotate_left(P / 2);
        }
        pits
    }

    fn read(rules: &GiuthiRules, block: &Block<P>, lane: usize) -> Giuthi {
        let mut state = <Self as Kind<P>>::state(rules, &block.column(lane), block.mover[lane]);
        state.scores = kind::by_player(block, lane);
        state.extra_move = block.extra[lane] != 0;
        state.plies_since_capture = block.since[lane];
        state
    }

    fn sweep(state: &mut Giuthi) {
        state.settle(state.to_move);
    }

    fn write(block: &mut Block<P>, lane: usize, state: &Giuthi) {
        block.set_column(lane, &<Self as Kind<P>>::column(state));
        kind::set_mover_and_scores(block, lane, state);
        block.extra[lane] = state.extra_move.into();
        block.since[lane] = state.plies_since_capture;
    }
}
