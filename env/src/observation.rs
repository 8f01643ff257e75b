//! What the player to move sees. The tables stand in `docs/giuthi.md` and `docs/kiothi.md`.

use crate::game::{Game, Player};
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::{BOMA, Kiothi, KiothiRules, Phase, ROW};

/// Cells of a Kiothi observation: 20 boma, 2 prisons, in play, plies, 20 marks, 4 phases, hand, floor.
pub(crate) const KIOTHI_LEN: usize = 50;

/// Plies since the last capture are counted in this unit.
const PLIES_UNIT: f32 = 100.0;

fn saturate(plies: u16) -> u8 {
    plies.min(255) as u8
}

/// Layout: own pits (n), the opponent's pits in ring order (n), own score, the opponent's, seeds in play, plies since the
/// last capture, extra move.
pub(crate) fn observe_giuthi_raw(giuthi: &Giuthi, out: &mut [u8]) {
    let row = giuthi.row_len();
    assert_eq!(out.len(), 2 * row + 5, "length of a Giuthi observation");
    let (one, zero) = giuthi.pits().split_at(row);
    let (own, enemy) = match giuthi.to_move {
        Player::Zero => (zero, one),
        Player::One => (one, zero),
    };
    out[..row].copy_from_slice(own);
    out[row..2 * row].copy_from_slice(enemy);
    let mover = giuthi.to_move.index();
    out[2 * row] = giuthi.scores[mover];
    out[2 * row + 1] = giuthi.scores[1 - mover];
    out[2 * row + 2] = giuthi.seeds_in_play();
    out[2 * row + 3] = saturate(giuthi.plies_since_capture);
    out[2 * row + 4] = giuthi.extra_move.into();
}

/// By what a cell of a Giuthi observation is divided.
pub(crate) fn giuthi_unit(rules: &GiuthiRules, cell: usize) -> f32 {
    match cell.checked_sub(Giuthi::num_pits(rules)) {
        None => Giuthi::seed_unit(rules),
        Some(0..=2) => f32::from(Giuthi::total_seeds(rules)),
        Some(3) => PLIES_UNIT,
        Some(_) => 1.0,
    }
}

pub(crate) fn observe_giuthi(giuthi: &Giuthi, rules: &GiuthiRules, out: &mut [f32]) {
    let len = 2 * giuthi.row_len();
    let mut raw = [0; 25];
    let raw = &mut raw[..len + 5];
    observe_giuthi_raw(giuthi, raw);
    assert_eq!(out.len(), raw.len(), "length of a Giuthi observation");
    for (i, (cell, &count)) in out.iter_mut().zip(raw.iter()).enumerate() {
        *cell = f32::from(count) / giuthi_unit(rules, i);
    }
}

/// Layout: own boma (10), the enemy's in ring order (10), own prison, the enemy's, warriors in play (hand included), plies
/// since the last capture, own nki (10), the enemy's (10), phase as one of four (lift, second lift, place, sow), warriors
/// in hand, floor (the lowest boma that the next lift or placement may name).
pub(crate) fn observe_kiothi_raw(kiothi: &Kiothi, out: &mut [u8]) {
    assert_eq!(out.len(), KIOTHI_LEN, "length of a Kiothi observation");
    for relative in 0..BOMA {
        let boma = kiothi.absolute(relative);
        out[relative] = kiothi.boma[boma];
        out[24 + relative] = kiothi.is_nki(boma).into();
    }
    let mover = kiothi.to_move.index();
    out[20] = kiothi.prisons[mover];
    out[21] = kiothi.prisons[1 - mover];
    out[22] = kiothi.seeds_in_play();
    out[23] = saturate(kiothi.plies_since_capture);
    let (phase, floor) = match kiothi.phase {
        Phase::Lift => (0, 0),
        Phase::SecondLift { first, .. } => (1, first + 1),
        Phase::Place { floor, .. } => (2, floor),
        Phase::Sow => (3, 0),
    };
    out[44..48].fill(0);
    out[44 + phase] = 1;
    out[48] = kiothi.in_hand();
    out[49] = floor;
}

/// By what a cell of a Kiothi observation is divided.
pub(crate) fn kiothi_unit(rules: &KiothiRules, cell: usize) -> f32 {
    match cell {
        0..20 => Kiothi::seed_unit(rules),
        20..23 | 48 => f32::from(Kiothi::total_seeds(rules)),
        23 => PLIES_UNIT,
        24..48 => 1.0,
        _ => 2.0 * ROW as f32,
    }
}

pub(crate) fn observe_kiothi(kiothi: &Kiothi, rules: &KiothiRules, out: &mut [f32]) {
    let mut raw = [0; KIOTHI_LEN];
    observe_kiothi_raw(kiothi, &mut raw);
    assert_eq!(out.len(), KIOTHI_LEN, "length of a Kiothi observation");
    for (i, (cell, count)) in out.iter_mut().zip(raw).enumerate() {
        *cell = f32::from(count) / kiothi_unit(rules, i);
    }
}
