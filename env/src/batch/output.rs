//! What a step or a reset writes into the caller's arrays.

use super::chunk::Ended;
use super::isa::{Isa, Kernel};
use super::rows::Raw;
use super::{LANES, Row};
use crate::game::Game;
use crate::position::Position;
use crate::vec_env::{Buffers, Cell};

/// By what raw counts are divided to make an observation, for 64 games.
#[derive(Clone, Debug)]
pub(super) struct Units {
    units: Vec<f32>,
    /// Multiplying by these gives the same, bit for bit; empty if there is a count for which it does not.
    factors: Vec<f32>,
    /// Cells for which only division will do, where all the others can be multiplied.
    divided: Vec<usize>,
    cells: usize,
}

impl Units {
    pub(super) fn new(units: &[f32]) -> Self {
        let exact =
            |&unit: &f32| (0..=255u8).all(|raw| f32::from(raw) * unit.recip() == f32::from(raw) / unit);
        let divided: Vec<_> = (0..units.len()).filter(|&i| !exact(&units[i])).collect();
        let factors =
            if divided.len() <= 2 { units.iter().map(|unit| unit.recip()).collect() } else { Vec::new() };
        Self { units: units.repeat(LANES), factors: factors.repeat(LANES), divided, cells: units.len() }
    }

    /// Normalizes whole observations.
    #[inline(always)]
    pub(super) fn normalize(&self, raw: &[u8], out: &mut [f32]) {
        let len = out.len();
        let raw = &raw[..len];
        if self.factors.is_empty() {
            for ((out, &raw), unit) in out.iter_mut().zip(raw).zip(&self.units[..len]) {
                *out = f32::from(raw) / unit;
            }
            return;
        }
        for ((out, &raw), factor) in out.iter_mut().zip(raw).zip(&self.factors[..len]) {
            *out = f32::from(raw) * factor;
        }
        for &cell in &self.divided {
            for i in (cell..len).step_by(self.cells) {
                out[i] = f32::from(raw[i]) / self.units[cell];
            }
        }
    }
}

/// Writes what the games of a block show: `buffers` are the rows of its games, `raw` what they look like.
pub(super) struct Write<'a, 'b, 'c, T> {
    pub(super) raw: &'a Raw,
    pub(super) units: &'a Units,
    pub(super) buffers: &'b mut Buffers<'c, T>,
}

impl<T: Cell> Kernel for Write<'_, '_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { raw, units, buffers } = self;
        let normalize = |raw: &[u8], out: &mut [f32]| units.normalize(raw, out);
        T::convert(&raw.observations, normalize, buffers.observations);
        for (out, &mover) in buffers.to_move.iter_mut().zip(&raw.mover) {
            *out = mover as i8;
        }
        let [own, enemy] = &raw.scores;
        let (mut zero, mut one): (Row<u8>, Row<u8>) = ([0; LANES], [0; LANES]);
        for i in 0..LANES {
            let turned = 0u8.wrapping_sub(raw.mover[i]);
            zero[i] = own[i] & !turned | enemy[i] & turned;
            one[i] = enemy[i] & !turned | own[i] & turned;
        }
        for (out, (&zero, &one)) in
            buffers.scores.as_chunks_mut::<2>().0.iter_mut().zip(zero.iter().zip(&one))
        {
            *out = [zero.into(), one.into()];
        }
        for (out, &passed) in buffers.passed.iter_mut().zip(&raw.passed) {
            *out = passed != 0;
        }
        buffers.rewards.fill(0.0);
        buffers.returns.fill(0.0);
        buffers.terminated.fill(false);
        buffers.truncated.fill(false);
        let games = buffers.final_mask.len();
        if *buffers.final_mask == [true; LANES] {
            T::clear(buffers.final_observations);
            buffers.final_mask.fill(false);
            buffers.final_scores.fill(0);
            buffers.final_to_move.fill(0);
            buffers.final_results.fill(0);
            buffers.final_plies.fill(0);
            return;
        }
        // Eight at a time: mostly there is nothing to clear.
        for first in (0..games).step_by(8) {
            let some = first..games.min(first + 8);
            if buffers.final_mask[some.clone()].contains(&true) {
                some.for_each(|i| buffers.clear_final(i, units.cells));
            }
        }
    }
}

/// Writes that a game has ended, in row `i`.
pub(super) fn write_end<G: Game, T: Cell>(
    rules: &G::Rules,
    ended: &Ended<G>,
    i: usize,
    buffers: &mut Buffers<'_, T>,
) {
    let position = Position::ended(*rules, ended.state, ended.end);
    let returns = position.returns();
    buffers.rewards[i] = returns[usize::from(ended.actor)];
    buffers.returns[2 * i..][..2].copy_from_slice(&returns);
    buffers.terminated[i] = ended.end.is_some();
    buffers.truncated[i] = ended.end.is_none();
    buffers.write_final(i, &position, ended.plies);
}
