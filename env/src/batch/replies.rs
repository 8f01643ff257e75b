//! What the replies to many moves capture: the moves are played in lockstep, and then all replies to them.
//!
//! Sowing and capturing are those of a step; what sows for very long is played by the scalar rules.

use std::fmt;

use super::LANES;
use super::block::{Block, Settled};
use super::foretold::Legal;
use super::isa::{Isa, Kernel, Level};
use super::kind::Kind;
use super::kiothi::SOW;
use super::lanes::{Lanes, ROOM, live, part, part_mut};
use super::lockstep::{Make, make_giuthi, make_kiothi};
use super::sow::{Field, GROUP};
use super::{mask_of, next_lane};
use crate::game::{Action, Game};
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::replies::Replies;

/// Finds out what the replies to many moves are, as [`Replies::of`] does for one, with the vector instructions of the
/// processor. Slowest for a move alone: give it all that there are.
pub struct Foreteller<G: Game> {
    /// `None`: a game that cannot be played in lockstep.
    lockstep: Option<Box<dyn ForetellReplies<G>>>,
}

impl<G: Game> Foreteller<G> {
    /// For positions of these rules.
    pub fn new(rules: &G::Rules) -> Self {
        Self { lockstep: G::lockstep_replies(rules) }
    }

    /// Appends the replies to each move, an action with the state in which it is played, in their order.
    ///
    /// # Panics
    /// May panic, or tell nonsense, if an action is not legal or a state of another board.
    pub fn replies(&mut self, moves: &[(G, Action)], out: &mut Vec<Replies>) {
        match &mut self.lockstep {
            Some(lockstep) => lockstep.foretell(moves, out),
            None => out.extend(moves.iter().map(|(state, action)| Replies::of(state, *action))),
        }
    }
}

impl<G: Game> fmt::Debug for Foreteller<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreteller").finish_non_exhaustive()
    }
}

/// Whatever the size of the board.
pub trait ForetellReplies<G>: Send + Sync {
    /// As [`Foreteller::replies`].
    fn foretell(&mut self, moves: &[(G, Action)], out: &mut Vec<Replies>);
}

pub(super) struct MakeReplies<R> {
    pub(super) rules: R,
    pub(super) level: Level,
}

impl<G: Game> Make<G> for MakeReplies<G::Rules> {
    type Made = Box<dyn ForetellReplies<G>>;

    fn make<K: Kind<P, Game = G>, const P: usize>(&self) -> Self::Made {
        Box::new(Plies::<K, P>::new(self.rules, self.level))
    }
}

pub(crate) fn giuthi_replies(rules: &GiuthiRules) -> Box<dyn ForetellReplies<Giuthi>> {
    make_giuthi(rules, &MakeReplies { rules: *rules, level: Level::detect() })
}

pub(crate) fn kiothi_replies(rules: &KiothiRules) -> Box<dyn ForetellReplies<Kiothi>> {
    make_kiothi(&MakeReplies { rules: *rules, level: Level::detect() })
}

/// The replies to a move among the lanes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Which move.
    index: usize,
    /// The lane of the first reply.
    start: usize,
}

/// Two plies of a board of `P` pits.
struct Plies<K: Kind<P>, const P: usize> {
    rules: <K::Game as Game>::Rules,
    level: Level,
    field: Field<P>,
    /// The positions after the moves, 64 to a block.
    after: Vec<Block<P>>,
    /// The legal actions of the block that the next position is in.
    legal: Legal,
    /// The replies being played, and the moves they belong to.
    lanes: Box<Lanes<P>>,
    entries: Vec<Entry>,
    /// What replies capture, and 1 where they earn an extra move.
    captured: [u8; ROOM],
    extra: [u8; ROOM],
    /// Where 64 replies are finished.
    block: Block<P>,
}

impl<K: Kind<P>, const P: usize> ForetellReplies<K::Game> for Plies<K, P> {
    fn foretell(&mut self, moves: &[(K::Game, Action)], out: &mut Vec<Replies>) {
        for moves in moves.chunks(GROUP * LANES) {
            let from = out.len();
            out.resize(from + moves.len(), Replies::default());
            self.level.run(Foretell { plies: self, moves, out: &mut out[from..] });
        }
    }
}

/// Finds out what the replies to the moves of a group are.
struct Foretell<'a, 'b, K: Kind<P>, const P: usize> {
    plies: &'a mut Plies<K, P>,
    moves: &'b [(K::Game, Action)],
    out: &'a mut [Replies],
}

impl<K: Kind<P>, const P: usize> Kernel for Foretell<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { plies, moves, out } = self;
        plies.play(isa, moves, out);
        let mut next = 0;
        while next < moves.len() {
            next = plies.fill(isa, next, out);
            plies.reply(isa);
            plies.sum_up(out);
        }
    }
}

impl<K: Kind<P>, const P: usize> Plies<K, P> {
    fn new(rules: <K::Game as Game>::Rules, level: Level) -> Self {
        Self {
            rules,
            level,
            field: Field::new(),
            after: vec![Block::new(); GROUP],
            legal: Legal::new(),
            lanes: Box::new(Lanes::new()),
            entries: Vec::new(),
            captured: [0; ROOM],
            extra: [0; ROOM],
            block: Block::new(),
        }
    }

    /// Sows what has been lifted into the first `count` windows.
    #[inline(always)]
    fn sow<I: Isa>(&mut self, isa: I, count: usize) {
        if K::TURNS {
            self.field.sow::<I, true, false>(isa, count, |_| ());
        } else {
            self.field.sow::<I, false, false>(isa, count, |_| ());
        }
    }

    /// Plays all moves.
    #[inline(always)]
    fn play<I: Isa>(&mut self, isa: I, moves: &[(K::Game, Action)], out: &mut [Replies]) {
        for ((block, window), moves) in
            self.after.iter_mut().zip(&mut self.field.windows).zip(moves.chunks(LANES))
        {
            block.live = live(moves.len());
            for (lane, (state, action)) in moves.iter().enumerate() {
                K::write(block, lane, state);
                block.action[lane] = *action;
            }
            K::lift(block, window);
        }
        self.sow(isa, moves.len().div_ceil(LANES));
        let played = self.after.iter_mut().zip(&self.field.windows);
        for ((block, window), (moves, out)) in played.zip(moves.chunks(LANES).zip(out.chunks_mut(LANES))) {
            let mut settled = Settled { fresh: [0; LANES], over: [0; LANES] };
            block.scores = [[0; LANES]; 2];
            K::finish(&self.rules, block, window, &mut settled);
            for (lane, out) in out.iter_mut().enumerate() {
                out.captured = block.scores[0][lane] + block.scores[1][lane];
            }
            let mut moving = isa.nonzero(&window.hand);
            while let Some(lane) = next_lane(&mut moving) {
                let (mut state, action) = moves[lane];
                out[lane].captured = state.play_unchecked(action).captured;
                K::write(block, lane, &state);
            }
            for (lane, ((state, _), out)) in moves.iter().zip(out).enumerate() {
                out.is_own = usize::from(block.mover[lane]) == state.to_move().index();
            }
        }
    }

    /// Lists replies from a move on until those of the next one find no room; which that is.
    #[inline(always)]
    fn fill<I: Isa>(&mut self, isa: I, from: usize, out: &mut [Replies]) -> usize {
        self.lanes.len = 0;
        self.entries.clear();
        for index in from..out.len() {
            let (block, lane) = (&self.after[index / LANES], index % LANES);
            if lane == 0 {
                K::list(isa, block, &mut self.legal);
            }
            let start = self.lanes.len;
            // In openings nothing is sown.
            if block.phase[lane] == SOW {
                if !self.lanes.add(block, lane, &self.legal) {
                    return index;
                }
                self.entries.push(Entry { index, start });
            }
            out[index].count = self.legal.count(lane) as u8;
        }
        out.len()
    }

    /// Plays the replies.
    #[inline(always)]
    fn reply<I: Isa>(&mut self, isa: I) {
        let count = self.lanes.lift::<K>(&mut self.block, &mut self.field.windows);
        self.sow(isa, count);
        for (i, window) in self.field.windows[..count].iter().enumerate() {
            let (block, at) = (&mut self.block, LANES * i);
            block.live = live(self.lanes.len - at);
            block.scores = [[0; LANES]; 2];
            let mut settled = Settled { fresh: [0; LANES], over: [0; LANES] };
            K::finish(&self.rules, block, window, &mut settled);
            let [own, enemy] = &block.scores;
            let (mut captured, mut extra) = ([0; LANES], [0; LANES]);
            for i in 0..LANES {
                captured[i] = own[i] + enemy[i];
                // Only where relays turn round, in Giuthi, are there extra moves.
                let stays = mask_of(window.pit[i] < P as u8 / 2) & mask_of(window.entered[i] == 0);
                extra[i] = if K::TURNS { stays & 1 } else { 0 };
            }
            *part_mut(&mut self.captured, at) = captured;
            *part_mut(&mut self.extra, at) = extra;
            let mut moving = isa.nonzero(&window.hand);
            while let Some(lane) = next_lane(&mut moving) {
                let pits = self.lanes.pits.each_ref().map(|row| row[at + lane]);
                let mut state = K::state(&self.rules, &pits, self.lanes.mover[at + lane]);
                let played = state.play_unchecked(self.lanes.action[at + lane]);
                self.captured[at + lane] = played.captured;
                self.extra[at + lane] = played.extra_move.into();
            }
        }
    }

    /// Writes what all replies to each move come to.
    #[inline(always)]
    fn sum_up(&self, out: &mut [Replies]) {
        for &Entry { index, start } in &self.entries {
            let out = &mut out[index];
            match out.count {
                0..=16 => self.sum_up_lanes::<16>(start, out),
                17..=32 => self.sum_up_lanes::<32>(start, out),
                _ => self.sum_up_lanes::<LANES>(start, out),
            }
        }
    }

    #[inline(always)]
    fn sum_up_lanes<const N: usize>(&self, start: usize, out: &mut Replies) {
        let captured: &[u8; N] = part(&self.captured, start);
        let extra: &[u8; N] = part(&self.extra, start);
        let (mut most, mut sum, mut any) = (0u8, 0u16, 0u8);
        for i in 0..N {
            let is_reply = mask_of((i as u8) < out.count);
            most = most.max(captured[i] & is_reply);
            sum += u16::from(captured[i] & is_reply);
            any |= extra[i] & is_reply;
        }
        (out.most, out.sum, out.earns_move) = (most, sum, any != 0);
    }
}
