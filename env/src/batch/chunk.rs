//! A run of consecutive games stepped by one thread.

use std::marker::PhantomData;

use super::block::{Block, Settled};
use super::chacha::Samplers;
use super::isa::{Isa, Kernel, Level};
use super::kind::Kind;
use super::sow::{Field, GROUP};
use super::long::LongTable;
use super::trail::{REACH, Rings, Trail};
use super::rows::{MOST_ROWS, Raw, transpose};
use super::{LANES, Row};
use crate::game::{Action, End, Game, Played};
use crate::position::Position;
use crate::vec_env::{Episode, Starts};

/// Which episode each of 64 games is in.
#[derive(Clone, Debug)]
struct Episodes {
    seed: Row<u64>,
    number: Row<u64>,
    /// The tick at which the episode began.
    began: Row<u32>,
    /// Plies of its opening.
    opening: Row<u32>,
    /// 1: neither reset nor stepped yet.
    untouched: Row<u8>,
}

/// All that belongs to 64 games.
#[derive(Clone, Debug)]
pub(super) struct Lot<const P: usize> {
    pub(super) block: Block<P>,
    pub(super) trail: Trail<P>,
    episodes: Episodes,
    samplers: Samplers,
}

/// Where an episode begins: at `start`, after `actions`.
#[derive(Clone, Debug)]
pub struct Beginning<G> {
    pub(super) episode: Episode,
    pub(super) start: G,
    pub(super) actions: Vec<Action>,
}

/// A game that has ended in the step just made.
#[derive(Clone, Debug)]
pub struct Ended<G> {
    /// Counted from the first game of the chunk.
    pub(super) game: usize,
    /// Its last position.
    pub(super) state: G,
    /// `None`: it was broken off.
    pub(super) end: Option<End>,
    /// Plies of the episode, those of its opening not counted.
    pub(super) plies: u32,
    /// The index of the player who acted last.
    pub(super) actor: u8,
}

/// Consecutive games, 64 to a lot.
#[derive(Clone, Debug)]
pub(super) struct Chunk<K: Kind<P>, const P: usize> {
    rules: <K::Game as Game>::Rules,
    level: Level,
    starts: Starts<K::Game>,
    max_plies: Option<u32>,
    first_game: usize,
    pub(super) games: usize,
    pub(super) lots: Vec<Lot<P>>,
    field: Field<P>,
    pub(super) ended: Vec<Ended<K::Game>>,
    rings: Rings,
    long: LongTable,
    /// Moves played by the scalar rules: lane, state and what came of it.
    apart: Vec<(usize, K::Game, Played)>,
}

impl<K: Kind<P>, const P: usize> Chunk<K, P> {
    pub(super) fn new(
        rules: <K::Game as Game>::Rules,
        level: Level,
        starts: &Starts<K::Game>,
        max_plies: Option<u32>,
        seed: u64,
        first_game: usize,
        games: usize,
    ) -> Self {
        let lot = |first: usize| {
            let mut block = Block::new();
            for lane in 0..LANES.min(games - first) {
                block.live[lane] = 1;
            }
            Lot {
                block,
                trail: Trail::new(first / LANES),
                episodes: Episodes {
                    seed: [seed; LANES],
                    number: [0; LANES],
                    began: [0; LANES],
                    opening: [0; LANES],
                    untouched: [1; LANES],
                },
                samplers: Samplers::new((first_game + first) as u64, seed),
            }
        };
        Self {
            rules,
            level,
            starts: starts.clone(),
            max_plies,
            first_game,
            games,
            lots: (0..games).step_by(LANES).map(lot).collect(),
            field: Field::new(),
            ended: Vec::new(),
            rings: Rings::new(games.div_ceil(LANES)),
            long: LongTable::default(),
            apart: Vec::new(),
        }
    }

    /// Which episode a game is in.
    pub(super) fn episode(&self, game: usize) -> Episode {
        let (episodes, lane) = (&self.lots[game / LANES].episodes, game % LANES);
        Episode {
            seed: episodes.seed[lane],
            game: (self.first_game + game) as u64,
            number: episodes.number[lane],
        }
    }

    /// Whether a game has been neither reset nor stepped yet.
    pub(super) fn is_untouched(&self, game: usize) -> bool {
        self.lots[game / LANES].episodes.untouched[game % LANES] != 0
    }

    /// All games are as new.
    pub(super) fn set_untouched(&mut self) {
        self.lots.iter_mut().for_each(|lot| lot.episodes.untouched = [1; LANES]);
    }

    /// A reset: begins an episode, and its sampler anew if `resample`.
    pub(super) fn reset(&mut self, game: usize, beginning: &Beginning<K::Game>, resample: bool) {
        let lot = &mut self.lots[game / LANES];
        begin::<K, P>(lot, &mut self.rings, &mut self.long, game, beginning.episode, beginning.start, &beginning.actions);
        lot.episodes.untouched[game % LANES] = 0;
        if resample {
            lot.samplers.restart(game % LANES, beginning.episode.seed);
        }
    }

    /// Begins an episode as the options say.
    fn start(&mut self, game: usize, episode: Episode) {
        let (start, actions) = self.starts.draw_recorded(episode);
        let lot = &mut self.lots[game / LANES];
        begin::<K, P>(lot, &mut self.rings, &mut self.long, game, episode, *start.state(), &actions);
    }

    /// Draws a legal action in every game.
    pub(super) fn sample(&mut self, out: &mut [i64]) {
        self.level.run(Sample { chunk: self, out });
    }

    /// Whether all actions are legal. If so they are taken over for [`advance`](Self::advance).
    pub(super) fn check(&mut self, actions: &[i64]) -> bool {
        self.level.run(Check { chunk: self, actions })
    }

    /// Plays the actions taken over in a group of games; those that end, listed in `ended`, begin anew.
    pub(super) fn advance(&mut self, group: usize) {
        self.level.run(Advance { chunk: self, group });
        for i in 0..self.ended.len() {
            let game = self.ended[i].game;
            let last = self.episode(game);
            self.start(game, Episode { number: last.number + 1, ..last });
        }
    }

    /// Shows the games of a lot.
    pub(super) fn show(&self, lot: usize, raw: &mut Raw) {
        self.level.run(Show { kind: PhantomData::<K>, block: &self.lots[lot].block, raw });
    }

    /// The position of a game with its history.
    pub(super) fn position(&self, game: usize) -> Position<K::Game> {
        let (lot, lane) = (&self.lots[game / LANES], game % LANES);
        let state = K::read(&self.rules, &lot.block, lane);
        let plies = self.rings.tick.wrapping_sub(lot.episodes.began[lane]) + lot.episodes.opening[lane];
        if lot.trail.long >> lane & 1 != 0 {
            return Position::resumed(self.rules, state, plies, &self.long.kept[self.long.find(game)].prints);
        }
        let mut prints = Vec::with_capacity(REACH);
        if state.counts_for_repetition() {
            lot.trail.replay::<K>(&self.rules, &self.rings, &lot.block, lane, |state, _| prints.push(state.fingerprint()));
        }
        Position::resumed(self.rules, state, plies, &prints)
    }
}

struct Sample<'a, 'b, K: Kind<P>, const P: usize> {
    chunk: &'a mut Chunk<K, P>,
    out: &'b mut [i64],
}

impl<K: Kind<P>, const P: usize> Kernel for Sample<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        for (lot, out) in self.chunk.lots.iter_mut().zip(self.out.chunks_mut(LANES)) {
            let mut actions = [0; LANES];
            K::choose(&lot.block, &mut lot.samplers, &mut actions);
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

struct Check<'a, 'b, K: Kind<P>, const P: usize> {
    chunk: &'a mut Chunk<K, P>,
    actions: &'b [i64],
}

impl<K: Kind<P>, const P: usize> Kernel for Check<'_, '_, K, P> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> bool {
        let mut legal = true;
        for (lot, actions) in self.chunk.lots.iter_mut().zip(self.actions.chunks(LANES)) {
            legal &= match actions.first_chunk::<LANES>() {
                Some(actions) => K::check(&mut lot.block, actions),
                None => {
                    let mut row = [0; LANES];
                    row[..actions.len()].copy_from_slice(actions);
                    K::check(&mut lot.block, &row)
                }
            };
        }
        legal
    }
}

struct Show<'a, 'b, K, const P: usize> {
    kind: PhantomData<K>,
    block: &'a Block<P>,
    raw: &'b mut Raw,
}

impl<K: Kind<P>, const P: usize> Kernel for Show<'_, '_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { block, raw, .. } = self;
        let mut rows = [[0; LANES]; MOST_ROWS];
        let cells = K::observe(block, &mut rows);
        transpose(&rows, cells, &mut raw.observations);
        K::mask(isa, block, &mut raw.mask);
        (raw.mover, raw.scores, raw.passed) = (block.mover, block.scores, block.passed);
    }
}

struct Advance<'a, K: Kind<P>, const P: usize> {
    chunk: &'a mut Chunk<K, P>,
    group: usize,
}

impl<K: Kind<P>, const P: usize> Kernel for Advance<'_, K, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Chunk { rules, max_plies, lots, field, ended, rings, long, apart, .. } = self.chunk;
        ended.clear();
        if self.group == 0 {
            rings.tick = rings.tick.wrapping_add(1);
        }
        let first_lot = self.group * GROUP;
        let count = GROUP.min(lots.len() - first_lot);
        let lots = &mut lots[first_lot..first_lot + count];
        {
            for (lot, window) in lots.iter().zip(&mut field.windows) {
                K::lift(&lot.block, window);
            }
            if K::TURNS {
                field.sow::<I, true>(isa, lots.len());
            } else {
                field.sow::<I, false>(isa, lots.len());
            }
            for (l, (lot, window)) in lots.iter_mut().zip(&field.windows).enumerate() {
                let first = (first_lot + l) * LANES;
                let mut lanes = isa.nonzero(&window.hand);
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let mut state = K::read(rules, &lot.block, lane);
                    let played = K::play_long(&mut state, lot.block.action[lane]);
                    apart.push((lane, state, played));
                }
                let mut settled = Settled { fresh: [0; LANES], over: [0; LANES] };
                K::finish(rules, &mut lot.block, window, &mut settled);
                let mut endless = 0;
                for (lane, state, played) in apart.drain(..) {
                    if played.endless {
                        endless |= 1 << lane;
                        let plies = rings.tick.wrapping_sub(lot.episodes.began[lane]);
                        let actor = lot.block.actor[lane];
                        ended.push(Ended { game: first + lane, state, end: Some(End::Endless), plies, actor });
                    }
                    let since = lot.block.since[lane];
                    K::write(&mut lot.block, lane, &state);
                    lot.block.since[lane] = since;
                    lot.block.passed[lane] = played.passed.into();
                    settled.fresh[lane] = (played.captured > 0).into();
                    settled.over[lane] = state.is_over().into();
                }
                let mut seen = lot.trail.record(isa, rings, &mut lot.block, &settled.fresh) & !endless;
                let over = isa.nonzero(&settled.over);
                let mut repeated = 0;
                if seen != 0 {
                    seen &= !(over | lot.trail.long) & isa.nonzero(&lot.block.live);
                }
                while seen != 0 {
                    let lane = seen.trailing_zeros() as usize;
                    seen &= seen - 1;
                    repeated |= u64::from(lot.trail.confirm::<K>(rules, rings, &lot.block, lane)) << lane;
                }
                let mut overlong = [0; LANES];
                for i in 0..LANES {
                    overlong[i] = u16::from(lot.block.since[i] >= REACH as u16);
                }
                let overlong = isa.equal(&overlong, &[1; LANES]) & !(over | endless | repeated);
                if overlong | lot.trail.long != 0 {
                    repeated |= long.look_up::<K, P>(rules, rings, lot, first, overlong);
                    repeated &= !(over | endless);
                }
                let mut done = over | repeated;
                if let Some(most) = max_plies {
                    for i in 0..LANES {
                        let plies = rings.tick.wrapping_sub(lot.episodes.began[i]);
                        done |= u64::from(plies >= *most && lot.block.live[i] != 0) << i;
                    }
                }
                done &= !endless;
                while done != 0 {
                    let lane = done.trailing_zeros() as usize;
                    done &= done - 1;
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
                    let plies = rings.tick.wrapping_sub(lot.episodes.began[lane]);
                    let actor = lot.block.actor[lane];
                    ended.push(Ended { game: first + lane, state, end, plies, actor });
                }
                lot.episodes.untouched = [0; LANES];
            }
        }
    }
}

/// Begins an episode in the place of a game: at `state`, after `actions`.
fn begin<K: Kind<P>, const P: usize>(
    lot: &mut Lot<P>,
    rings: &mut Rings,
    long: &mut LongTable,
    game: usize,
    episode: Episode,
    mut state: K::Game,
    actions: &[Action],
) {
    let lane = game % LANES;
    long.forget(lot, game);
    lot.episodes.seed[lane] = episode.seed;
    lot.episodes.number[lane] = episode.number;
    lot.episodes.began[lane] = rings.tick;
    lot.episodes.opening[lane] = actions.len() as u32;
    let (mut from, mut played) = (state, 0);
    for (i, &action) in actions.iter().enumerate() {
        state.play_unchecked(action);
        if state.plies_since_capture() == 0 {
            (from, played) = (state, i + 1);
        }
    }
    K::write(&mut lot.block, lane, &state);
    let actions = &actions[played..];
    if actions.len() < REACH {
        lot.trail.begin::<K>(rings, lane, episode.number, &from, actions);
    } else {
        let prints = long.keep(lot, game);
        prints.push(from.fingerprint());
        for &action in actions {
            from.play_unchecked(action);
            prints.push(from.fingerprint());
        }
    }
}
