//! Giuthi in lockstep: choosing, checking, lifting, capturing, giving the turn on.

use super::block::{Block, Settled};
use super::chacha::Samplers;
use super::kind::Kind;
use super::sow::Window;
use super::{LANES, Row};
use crate::game::{Game, Player};
use crate::giuthi::{Capture, Giuthi, GiuthiRules, MAX_PITS};

/// Giuthi on `P` pits.
#[derive(Clone, Copy, Debug)]
pub(super) struct GiuthiKind;

impl<const P: usize> Kind<P> for GiuthiKind {
    type Game = Giuthi;

    const TURNS: bool = true;

    #[inline(always)]
    fn choose(block: &Block<P>, samplers: &mut Samplers, actions: &mut Row<u16>) {
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
        let mut index = [0u8; LANES];
        for i in 0..LANES {
            // The high half of word * choices, in 32 bits.
            let (high, low, choices) = (words[i] >> 16, words[i] & 0xffff, u32::from(choices[i]));
            index[i] = ((high * choices + (low * choices >> 16)) >> 16) as u8;
        }
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
    fn check(block: &mut Block<P>, actions: &Row<i64>) -> bool {
        let mut narrow = [0u8; LANES];
        for i in 0..LANES {
            narrow[i] = if (actions[i] as u64) < P as u64 { actions[i] as u8 } else { 255 };
        }
        let mut illegal = 0u8;
        for i in 0..LANES {
            let mut playable = 0u8;
            for (k, row) in block.pits[..P / 2].iter().enumerate() {
                playable |= u8::from(narrow[i] >> 1 == k as u8 && row[i] >= 2);
            }
            illegal |= block.live[i] & !playable;
        }
        for i in 0..LANES {
            block.action[i] = narrow[i].into();
        }
        illegal & 1 == 0
    }

    #[inline(always)]
    fn lift(block: &Block<P>, window: &mut Window<P>) {
        let mut narrow = [0u8; LANES];
        for i in 0..LANES {
            narrow[i] = block.action[i] as u8;
        }
        for i in 0..LANES {
            let pit = narrow[i] >> 1;
            let live = block.live[i] != 0;
            let mut hand = 0;
            for (p, (row, to)) in block.pits.iter().zip(&mut window.pits).enumerate() {
                if p < P / 2 {
                    let lifted = live && pit == p as u8;
                    hand = if lifted { row[i] } else { hand };
                    to[i] = if lifted { 0 } else { row[i] };
                } else {
                    to[i] = row[i];
                }
            }
            window.pit[i] = pit;
            window.step[i] = if narrow[i] & 1 == 0 { 1 } else { 255 };
            window.hand[i] = hand;
            window.entered[i] = 0;
        }
    }

    #[inline(always)]
    fn finish(rules: &GiuthiRules, block: &mut Block<P>, window: &Window<P>, settled: &mut Settled) {
        let any = rules.capture() == Capture::Any;
        let own_row = P as u8 / 2;
        for i in 0..LANES {
            let playing = block.live[i] != 0 && window.hand[i] == 0;
            let pit = window.pit[i];
            let own = playing && pit < own_row;
            let (captures, extra) = (own && window.entered[i] != 0, own && window.entered[i] == 0);
            let (up, down) = (captures && window.step[i] == 1, captures && window.step[i] != 1);
            let mut pits = [0u8; P];
            for (p, (seeds, row)) in pits.iter_mut().zip(&window.pits).enumerate() {
                *seeds = if playing && pit == p as u8 { 1 } else { row[i] };
            }
            // The chain runs along the own row, in the direction of the last lap, as long as there are links.
            let mut taken = 0u8;
            let mut linked = false;
            for k in 0..P / 2 {
                let opposite = pits[P - 1 - k];
                let begins = up && pit == k as u8;
                linked = (begins || (linked && pits[k] == 0)) && (any || opposite > 0);
                taken = taken.wrapping_add(if linked { opposite } else { 0 });
                pits[P - 1 - k] = if linked { 0 } else { opposite };
                taken = taken.wrapping_add((begins && linked).into());
                pits[k] = if begins && linked { 0 } else { pits[k] };
            }
            linked = false;
            for k in (0..P / 2).rev() {
                let opposite = pits[P - 1 - k];
                let begins = down && pit == k as u8;
                linked = (begins || (linked && pits[k] == 0)) && (any || opposite > 0);
                taken = taken.wrapping_add(if linked { opposite } else { 0 });
                pits[P - 1 - k] = if linked { 0 } else { opposite };
                taken = taken.wrapping_add((begins && linked).into());
                pits[k] = if begins && linked { 0 } else { pits[k] };
            }
            let (mut own_moves, mut enemy_moves) = (false, false);
            for k in 0..P / 2 {
                own_moves |= pits[k] >= 2;
                enemy_moves |= pits[P / 2 + k] >= 2;
            }
            let over = playing && !own_moves && !enemy_moves;
            // Who should move, and who does.
            let (expected, turns) =
                (playing && !extra, playing && if extra { !own_moves && enemy_moves } else { enemy_moves || !own_moves });
            let passed = expected != turns;
            for k in 0..P / 2 {
                let (own, enemy) = (pits[k], pits[P / 2 + k]);
                block.pits[k][i] = if turns { enemy } else { own };
                block.pits[P / 2 + k][i] = if turns { own } else { enemy };
            }
            let (own, enemy) = (block.scores[0][i].wrapping_add(taken), block.scores[1][i]);
            block.scores[0][i] = if turns { enemy } else { own };
            block.scores[1][i] = if turns { own } else { enemy };
            let mover = block.mover[i];
            block.actor[i] = mover;
            block.mover[i] = mover ^ u8::from(turns);
            block.extra[i] = (extra && !passed && !over).into();
            block.passed[i] = passed.into();
            settled.fresh[i] = (taken > 0 || block.live[i] == 0).into();
            settled.over[i] = over.into();
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
        state.scores = super::kind::by_player(block, lane);
        state.extra_move = block.extra[lane] != 0;
        state.plies_since_capture = block.since[lane];
        state
    }

    fn sweep(state: &mut Giuthi) {
        state.settle(state.to_move);
    }

    fn write(block: &mut Block<P>, lane: usize, state: &Giuthi) {
        block.set_column(lane, &<Self as Kind<P>>::column(state));
        super::kind::set_mover_and_scores(block, lane, state);
        block.extra[lane] = state.extra_move.into();
        block.since[lane] = state.plies_since_capture;
    }
}
