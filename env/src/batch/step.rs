//! The kernels: what is done to whole chunks, compiled for every instruction set.

use super::ahead::{Ahead, fetch_history, is_far};
use super::block::Settled;
use super::chunk::{Chunk, Ended, Lot};
use super::isa::{Isa, Kernel};
use super::kind::Kind;
use super::rows::{MOST_ROWS, Raw, transpose};
use super::sow::GROUP;
use super::trail::{REACH, Rings};
use super::{LANES, next_lane};
use crate::game::{End, Game};

/// Draws a legal action in every game.
pub(super) struct Sample<'a, 'b, K: Kind<P>, const P: usize> {
    pub(super) chunk: &'a mut Chunk<K, P>,
    pub(super) out: &'b mut [i64],
}

impl<K: Kind<P>, const P: usize> Kernel for Sample<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let lots = &mut self.chunk.lots;
        let far = is_far(lots.len());
        for (i, out) in self.out.chunks_mut(LANES).enumerate() {
            if far {
                if let Some(next) = lots.get(i + 4) {
                    next.samplers.fetch_next(isa);
                }
                if let Some(next) = lots.get(i + 2) {
                    isa.fetch(&next.block.pits[..P / 2]);
                    next.samplers.fetch_words(isa);
                }
            }
            let lot = &mut lots[i];
            let mut actions = [0; LANES];
            K::choose(isa, &lot.block, &mut lot.samplers, &mut actions);
            match out.first_chunk_mut::<LANES>() {
                Some(out) => {
                    for i in 0..LANES {
                        out[i] = actions[i].into();
                    }
                }
                None => out.iter_mut().zip(actions).for_each(|(out, action)| *out = action.into()),
            }
        }
    }
}

/// Whether all actions are legal; takes them over.
pub(super) struct Check<'a, 'b, K: Kind<P>, const P: usize> {
    pub(super) chunk: &'a mut Chunk<K, P>,
    pub(super) actions: &'b [i64],
}

impl<K: Kind<P>, const P: usize> Kernel for Check<'_, '_, K, P> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        let mut legal = true;
        let lots = &mut self.chunk.lots;
        let far = is_far(lots.len());
        for (i, actions) in self.actions.chunks(LANES).enumerate() {
            if far && let Some(next) = lots.get(i + 2) {
                isa.fetch(&next.block.pits[..P / 2]);
                isa.fetch(&next.block.action);
            }
            let lot = &mut lots[i];
            legal &= match actions.first_chunk::<LANES>() {
                Some(actions) => K::check(isa, &mut lot.block, actions),
                None => {
                    let mut row = [0; LANES];
                    row[..actions.len()].copy_from_slice(actions);
                    K::check(isa, &mut lot.block, &row)
                }
            };
        }
        legal
    }
}

/// Makes games of the pits of a lot.
pub(super) struct Show<'a, 'b, K: Kind<P>, const P: usize> {
    pub(super) chunk: &'a Chunk<K, P>,
    pub(super) lot: usize,
    pub(super) raw: &'b mut Raw,
    /// Shape `(games, A)`.
    pub(super) mask: &'b mut [bool],
}

impl<K: Kind<P>, const P: usize> Kernel for Show<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { chunk, lot, raw, mask } = self;
        if is_far(chunk.lots.len()) {
            fetch_history(isa, &chunk.lots, lot + GROUP, &chunk.rings, &chunk.long);
        }
        let block = &chunk.lots[lot].block;
        let mut rows = [[0; LANES]; MOST_ROWS];
        let cells = K::observe(block, &mut rows);
        transpose(&rows, cells, &mut raw.observations);
        K::mask(isa, block, mask);
        (raw.mover, raw.scores, raw.passed) = (block.mover, block.scores, block.passed);
    }
}

/// Plays the actions taken over in a group of lots.
pub(super) struct Advance<'a, 'b, K: Kind<P>, const P: usize> {
    pub(super) chunk: &'a mut Chunk<K, P>,
    pub(super) group: usize,
    pub(super) ahead: &'b Ahead,
}

impl<K: Kind<P>, const P: usize> Kernel for Advance<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { chunk, group, ahead } = self;
        chunk.ended.clear();
        if group == 0 {
            chunk.rings.tick = chunk.rings.tick.wrapping_add(1);
        }
        let first = group * GROUP;
        let count = GROUP.min(chunk.lots.len() - first);
        for (lot, window) in chunk.lots[first..].iter().zip(&mut chunk.field.windows[..count]) {
            K::lift(&lot.block, window);
        }
        let far = is_far(chunk.lots.len());
        let (lots, rings, long) = (&chunk.lots, &chunk.rings, &chunk.long);
        let fetch = |i: usize| {
            if far {
                if group == 0 || ahead.is_none() {
                    fetch_history(isa, lots, first + i, rings, long);
                }
                ahead.fetch_observations(isa, i);
            }
        };
        if K::TURNS {
            chunk.field.sow::<I, true, false>(isa, count, fetch);
        } else {
            chunk.field.sow::<I, false, false>(isa, count, fetch);
        }
        for i in 0..count {
            if far {
                ahead.fetch_rows(isa, i);
                if let Some(next) = chunk.lots.get(first + GROUP + i) {
                    isa.fetch(&next.block);
                }
            }
            finish_lot(isa, chunk, first + i, i, ahead);
        }
    }
}

/// Captures, gives turns on, looks for repetitions and lists the games that have ended, in lot `at`, number `in_group` of its group.
#[inline(always)]
fn finish_lot<I: Isa, K: Kind<P>, const P: usize>(
    isa: I,
    chunk: &mut Chunk<K, P>,
    at: usize,
    in_group: usize,
    ahead: &Ahead,
) {
    let Chunk { rules, max_plies, lots, field, rings, long, ended, apart, .. } = chunk;
    let (lot, window) = (&mut lots[at], &field.windows[in_group]);
    let first = at * LANES;
    let mut lanes = isa.nonzero(&window.hand);
    while let Some(lane) = next_lane(&mut lanes) {
        let mut state = K::read(rules, &lot.block, lane);
        let played = state.play_unchecked(lot.block.action[lane]);
        apart.push((lane, state, played));
    }
    let mut settled = Settled { fresh: [0; LANES], over: [0; LANES] };
    K::finish(rules, &mut lot.block, window, &mut settled);
    let mut endless = 0;
    for (lane, state, played) in apart.drain(..) {
        // `record` counts the ply for these as for all others.
        let since = lot.block.since[lane];
        K::write(&mut lot.block, lane, &state);
        lot.block.since[lane] = since;
        lot.block.passed[lane] = played.passed.into();
        settled.fresh[lane] = (played.captured > 0).into();
        settled.over[lane] = state.is_over().into();
        if played.endless {
            endless |= 1 << lane;
            ended.push(end_of(lot, rings, first, lane, state, Some(End::Endless)));
        }
    }
    let mut seen = lot.trail.record(isa, rings, &mut lot.block, &settled.fresh);
    let over = isa.nonzero(&settled.over);
    if seen != 0 {
        seen &= isa.nonzero(&lot.block.live) & !(over | endless | lot.block.long);
    }
    let mut repeated = 0;
    while let Some(lane) = next_lane(&mut seen) {
        rings.fetch_actions(isa, at, lane, lot.block.since[lane].into());
        repeated |= u64::from(lot.trail.confirm::<K>(rules, rings, &lot.block, lane)) << lane;
    }
    let mut overlong = [0; LANES];
    for i in 0..LANES {
        overlong[i] = u16::from(lot.block.since[i] >= REACH as u16);
    }
    let overlong = isa.equal(&overlong, &[1; LANES]);
    if overlong | lot.block.long != 0 {
        let on = !(over | endless | repeated);
        repeated |= long.look_up::<K, P>(rules, rings, lot, first, overlong, on);
    }
    let mut done = over | repeated;
    if let Some(most) = *max_plies {
        for i in 0..LANES {
            let plies = rings.tick.wrapping_sub(lot.episodes.began[i]);
            done |= u64::from(plies >= most && lot.block.live[i] != 0) << i;
        }
    }
    done &= !endless;
    while let Some(lane) = next_lane(&mut done) {
        isa.fetch(&lot.episodes.which[lane]);
        ahead.fetch_end(isa, in_group * LANES + lane);
        let mut state = K::read(rules, &lot.block, lane);
        let end = if over >> lane & 1 != 0 {
            K::sweep(&mut state);
            Some(End::NoMoves)
        } else if repeated >> lane & 1 != 0 {
            lot.block.passed[lane] = 0;
            Some(End::Repetition)
        } else {
            None
        };
        ended.push(end_of(lot, rings, first, lane, state, end));
    }
    lot.block.untouched = 0;
}

fn end_of<G, const P: usize>(
    lot: &Lot<P>,
    rings: &Rings,
    first: usize,
    lane: usize,
    state: G,
    end: Option<End>,
) -> Ended<G> {
    let plies = rings.tick.wrapping_sub(lot.episodes.began[lane]);
    Ended { game: first + lane, state, end, plies, actor: lot.block.actor[lane] }
}
