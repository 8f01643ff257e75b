//! What every legal action of many games would do, found by playing them all in lockstep on copies.
//!
//! A lane is one (game, action), and what comes of them is in the order that is told. Sowing and capturing are those of a
//! step; what sows for very long is played by the scalar rules.

use std::ops::Range;

use super::block::{Block, Settled};
use super::chunk::{Chunk, Lot};
use super::foretold::{Foretold, Legal, RawFeatures};
use super::isa::{Isa, Kernel};
use super::kind::Kind;
use super::kiothi::SOW;
use super::lanes::{Lanes, ROOM, live, part, part_mut};
use super::lockstep::Lockstep;
use super::sow::Window;
use super::trail::add_prints;
use super::{LANES, Row, mask_of, next_lane};
use crate::features::{ActionInfo, ENDS_GAME, REPEATS};
use crate::game::{Action, Game};

/// A game on the tray.
#[derive(Clone, Copy, Debug)]
struct Entry {
    game: usize,
    /// The lane of its first action.
    start: usize,
    count: usize,
}

/// The actions of some games being played: a lane an action.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Tray<const P: usize> {
    /// Before and, once played, after the action.
    lanes: Lanes<P>,
    features: [RawFeatures; ROOM],
    /// The fingerprints, without salt, of the positions that come about.
    prints: [u16; ROOM],
    /// Not 0: the position that comes about may have stood before, for nothing was captured.
    quiet: [u8; ROOM],
    games: Vec<Entry>,
    /// Small actions of openings, which are not sown, each with the lanes taken before it.
    small: Vec<(usize, Action, RawFeatures)>,
    /// Lanes that the scalar rules have to play.
    apart: Vec<usize>,
    /// The legal actions of the lot that the next game is in.
    legal: Legal,
    /// Where a window is finished.
    block: Block<P>,
}

/// Finds out what the legal actions of some games would do.
pub(super) struct Foretell<'a, 'b, K: Kind<P>, const P: usize> {
    pub(super) chunk: &'a mut Chunk<K, P>,
    /// They begin with a lot.
    pub(super) games: Range<usize>,
    pub(super) foretold: &'b mut Foretold,
}

impl<K: Kind<P>, const P: usize> Kernel for Foretell<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { chunk, games, foretold } = self;
        let mut tray = chunk.tray.take().unwrap_or_else(Tray::new);
        let mut next = games.start;
        while next < games.end {
            next = tray.fill::<I, K>(isa, &chunk.lots, next..games.end, foretold);
            tray.play(isa, chunk);
            tray.look_back(isa, chunk);
            tray.play_apart(chunk);
            tray.hand_over(foretold);
        }
        chunk.tray = Some(tray);
    }
}

impl<const P: usize> Tray<P> {
    #[inline(never)]
    fn new() -> Box<Self> {
        Box::new(Self {
            lanes: Lanes::new(),
            features: [[0; _]; ROOM],
            prints: [0; ROOM],
            quiet: [0; ROOM],
            games: Vec::new(),
            small: Vec::new(),
            apart: Vec::new(),
            legal: Legal::new(),
            block: Block::new(),
        })
    }

    /// Takes games until the next one finds no room; which that is.
    #[inline(always)]
    fn fill<I: Isa, K: Kind<P>>(
        &mut self,
        isa: I,
        lots: &[Lot<P>],
        games: Range<usize>,
        foretold: &mut Foretold,
    ) -> usize {
        self.lanes.len = 0;
        self.games.clear();
        self.small.clear();
        for game in games.clone() {
            let (block, lane) = (&lots[game / LANES].block, game % LANES);
            if lane == 0 {
                K::list(isa, block, &mut self.legal);
            }
            let (start, count) = (self.lanes.len, self.legal.count(lane));
            if block.phase[lane] != SOW {
                let actions = &self.legal.of::<LANES>(lane)[..count];
                let tell = |&action| (start, action, K::foretell_opening(block, lane, action).raw());
                self.small.extend(actions.iter().map(tell));
            } else if self.lanes.add(block, lane, &self.legal) {
                self.games.push(Entry { game, start, count });
            } else {
                return game;
            }
            foretold.counts.push(count as u8);
        }
        games.end
    }

    /// Plays all actions.
    #[inline(always)]
    fn play<I: Isa, K: Kind<P>>(&mut self, isa: I, chunk: &mut Chunk<K, P>) {
        let count = self.lanes.lift::<K>(&mut self.block, &mut chunk.field.windows);
        for window in &mut chunk.field.windows[..count] {
            window.laps = [0; LANES];
        }
        if K::TURNS {
            chunk.field.sow::<I, true, true>(isa, count, |_| ());
        } else {
            chunk.field.sow::<I, false, true>(isa, count, |_| ());
        }
        self.apart.clear();
        for (i, window) in chunk.field.windows[..count].iter().enumerate() {
            let block = &mut self.block;
            block.live = live(self.lanes.len - LANES * i);
            block.mover = *part(&self.lanes.mover, LANES * i);
            block.scores = [[0; LANES]; 2];
            let mut settled = Settled { fresh: [0; LANES], over: [0; LANES] };
            K::finish(&chunk.rules, block, window, &mut settled);
            self.take_down::<K>(LANES * i, window, &settled);
            let mut moving = isa.nonzero(&window.hand);
            while let Some(lane) = next_lane(&mut moving) {
                self.apart.push(LANES * i + lane);
            }
        }
    }

    /// Takes down what has come of the actions from lane `at` on.
    #[inline(always)]
    fn take_down<K: Kind<P>>(&mut self, at: usize, window: &Window<P>, settled: &Settled) {
        let Window { pit, hand, entered, laps, .. } = window;
        let row = [0u8; LANES];
        let (mut captured, mut extra, mut quiet) = (row, row, row);
        let [own, enemy] = &self.block.scores;
        for i in 0..LANES {
            // Only where relays turn round, in Giuthi, are there extra moves.
            let played = mask_of(hand[i] == 0) & mask_of(self.block.live[i] != 0);
            let stays = mask_of(pit[i] < P as u8 / 2) & mask_of(entered[i] == 0);
            captured[i] = own[i] + enemy[i];
            extra[i] = if K::TURNS { played & stays & 1 } else { 0 };
            quiet[i] = played & mask_of(captured[i] == 0) & mask_of(settled.over[i] == 0);
        }
        let (mut low, mut high) = ([0u32; LANES], [0u32; LANES]);
        for i in 0..LANES {
            low[i] = u32::from_le_bytes([captured[i], extra[i], laps[i], pit[i]]);
            high[i] = u32::from_le_bytes([entered[i], 0, 0, settled.over[i]]);
        }
        let features: &mut [RawFeatures; LANES] = part_mut(&mut self.features, at);
        for i in 0..LANES {
            features[i] = (u64::from(low[i]) | u64::from(high[i]) << 32).to_le_bytes();
        }
        for (to, from) in self.lanes.pits.iter_mut().zip(&self.block.pits) {
            *part_mut(to, at) = *from;
        }
        *part_mut(&mut self.lanes.mover, at) = self.block.mover;
        *part_mut(&mut self.prints, at) = add_prints(&[0; LANES], &self.block);
        *part_mut(&mut self.quiet, at) = quiet;
    }

    /// Finds the actions that lead back to where the game has stood.
    #[inline(always)]
    fn look_back<I: Isa, K: Kind<P>>(&mut self, isa: I, chunk: &Chunk<K, P>) {
        for i in 0..self.games.len() {
            let Entry { game, start, .. } = self.games[i];
            let (lot, lane) = (&chunk.lots[game / LANES], game % LANES);
            if lot.block.long >> lane & 1 != 0 {
                self.confirm(chunk, i, !0);
                continue;
            }
            let prints: &Row<u16> = part(&self.prints, start);
            let mut differ = [u16::MAX; LANES];
            for stood in lot.trail.bare_prints(&chunk.rings, lot.block.since[lane].into(), lane) {
                for j in 0..LANES {
                    differ[j] = differ[j].min(prints[j] ^ stood);
                }
            }
            let seen = isa.equal(&differ, &[0; LANES]);
            if seen != 0 {
                self.confirm(chunk, i, seen);
            }
        }
    }

    /// Finds out which actions of a game repeat a position, of those in `seen`, by bits.
    fn confirm<K: Kind<P>>(&mut self, chunk: &Chunk<K, P>, entry: usize, seen: u64) {
        let Entry { game, start, count } = self.games[entry];
        let (lot, lane) = (&chunk.lots[game / LANES], game % LANES);
        for at in (start..start + count).filter(|&at| seen >> (at - start) & 1 != 0) {
            if self.quiet[at] == 0 {
                continue;
            }
            let (pits, mover) = (self.lanes.pits.each_ref().map(|row| row[at]), self.lanes.mover[at]);
            let repeats = if lot.block.long >> lane & 1 != 0 {
                let print = K::state(&chunk.rules, &pits, mover).fingerprint();
                chunk.long.get(game).contains(&print)
            } else {
                let mut found = false;
                lot.trail.replay::<K>(&chunk.rules, &chunk.rings, &lot.block, lane, |state, _| {
                    found |= state.to_move().index() as u8 == mover && K::column(state) == pits;
                });
                found
            };
            self.features[at][REPEATS] = repeats.into();
            self.features[at][ENDS_GAME] = repeats.into();
        }
    }

    /// Plays what is left to the scalar rules.
    fn play_apart<K: Kind<P>>(&mut self, chunk: &Chunk<K, P>) {
        for &at in &self.apart {
            let entry = self.games[self.games.partition_point(|entry| entry.start <= at) - 1];
            let (info, _) = ActionInfo::of(&chunk.position(entry.game), self.lanes.action[at]);
            self.features[at] = info.raw();
        }
    }

    /// Hands everything over, in the order of the games.
    fn hand_over(&self, foretold: &mut Foretold) {
        let mut from = 0;
        let add = |foretold: &mut Foretold, lanes: Range<usize>| {
            foretold.actions.extend_from_slice(&self.lanes.action[lanes.clone()]);
            foretold.features.extend_from_slice(&self.features[lanes]);
        };
        for &(before, action, features) in &self.small {
            if before > from {
                add(foretold, from..before);
                from = before;
            }
            foretold.actions.push(action);
            foretold.features.push(features);
        }
        add(foretold, from..self.lanes.len);
    }
}
