//! What may be played in Kiothi, and drawing from it.

use super::block::Block;
use super::isa::Isa;
use super::kiothi::{NKI, SECOND_LIFT};
use super::{LANES, Row};
use crate::game::Action;
use crate::kiothi::{BOMA, ROW, placements};

/// Bit `m - 1`: `m` warriors may be sown from own boma `k`, which holds `warriors`. Bit `j` of `empty`: own boma `j` holds none.
///
/// Laid out by landing place (bit `l`: `l` boma from the own left, round and round): own boma that are empty, all of
/// the enemy's, after one round own boma below `k` that are empty, `k` itself if it is emptied, the enemy's again, ...
#[inline(always)]
pub(super) fn legal_counts(k: u32, warriors: u8, empty: u64) -> u64 {
    const ENEMY: u64 = 0x3ff << 10 | 0x3ff << 30 | 0x3ff << 50;
    let below = (1u64 << k) - 1;
    let landings =
        ENEMY | empty | (empty & below) << BOMA | u64::from(warriors == BOMA as u8) << (BOMA as u32 + k);
    landings >> (k + 1) & ((1 << warriors) - 1)
}

/// Own boma that are empty, as bits.
#[inline(always)]
pub(super) fn empty_boma<const P: usize>(block: &Block<P>) -> Row<u16> {
    let mut empty = [0; LANES];
    for (k, row) in block.pits[..ROW].iter().enumerate() {
        for i in 0..LANES {
            empty[i] |= u16::from(row[i] == 0) << k;
        }
    }
    empty
}

/// Ways to place what is in hand: `PLACEMENTS[hand][floor]`, see [`placements`].
static PLACEMENTS: [[u64; BOMA + 1]; 61] = {
    let mut table = [[0; BOMA + 1]; 61];
    let mut hand = 0;
    while hand <= 60 {
        let mut floor = 0;
        while floor < BOMA {
            table[hand][floor] = placements(hand as u8, floor);
            floor += 1;
        }
        hand += 1;
    }
    table
};

/// The relative boma of a placement, drawn by `word` so that all redistributions are equally likely.
///
/// The weights of boma `j` and above add up to the ways from `j`, so that the sums need not be formed.
#[inline(always)]
pub(super) fn draw_placement(hand: u8, floor: u8, word: u64) -> u8 {
    let ways = &PLACEMENTS[usize::from(hand) % 61];
    let total = ways[usize::from(floor) % BOMA];
    let rest = ((u128::from(word) * u128::from(total)) >> 64) as u64;
    let mut boma = floor;
    for j in 0..BOMA as u8 {
        boma += u8::from(j >= floor && total - ways[usize::from(j) + 1] <= rest);
    }
    boma
}

/// How many counts are legal from each own boma in the sowing phase: what [`legal_counts`] has bits for, summed up by rows.
#[inline(always)]
pub(super) fn count_legal<const P: usize>(block: &Block<P>) -> [Row<u8>; ROW] {
    let mut counts = [[0u8; LANES]; ROW];
    for (k, counts) in counts.iter_mut().enumerate() {
        let mut warriors = block.pits[k];
        let mut count = [0; LANES];
        for i in 0..LANES {
            let hand = warriors[i] & !NKI;
            warriors[i] = hand;
            // Enemy boma, on each round that gets so far; and the origin itself, if it is emptied by one whole round.
            let before = (ROW - 1 - k) as u8;
            let first = hand.saturating_sub(before).min(10);
            let second = hand.saturating_sub(before + 20).min(10);
            let third = hand.saturating_sub(before + 40).min(10);
            count[i] = first + second + third + u8::from(hand == BOMA as u8);
        }
        for (j, own) in block.pits[..ROW].iter().enumerate() {
            // Empty own boma above are within reach on the first round, those below on the second.
            let needed = if j > k { j - k } else { j + BOMA - k } as u8;
            if j != k {
                for i in 0..LANES {
                    count[i] += u8::from((own[i] == 0) & (warriors[i] >= needed));
                }
            }
        }
        *counts = count;
    }
    counts
}

/// The boma of a lift. On the first one each weighs as much as there are second ones.
#[inline(always)]
pub(super) fn draw_lift<I: Isa>(isa: I, phase: u8, occupied: u64, low: u32, high: u32) -> Action {
    let count = occupied.count_ones();
    if phase == SECOND_LIFT {
        let index = (u64::from(low) * u64::from(count)) >> 32;
        return isa.select(occupied, index as u8) as Action;
    }
    let total = count * count.wrapping_sub(1) / 2;
    let word = u64::from(low) | u64::from(high) << 32;
    let mut rest = ((u128::from(word) * u128::from(total)) >> 64) as u32;
    let mut bits = occupied;
    for weight in (1..count).rev() {
        if rest < weight {
            break;
        }
        rest -= weight;
        bits &= bits - 1;
    }
    bits.trailing_zeros() as Action
}
