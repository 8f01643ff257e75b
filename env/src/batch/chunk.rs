//! A run of consecutive games stepped by one thread.

use std::ops::Range;

use super::ahead::Ahead;
use super::block::Block;
use super::chacha::Samplers;
use super::foretell::{Foretell, Tray};
use super::foretold::Foretold;
use super::isa::Level;
use super::kind::Kind;
use super::lockstep::Lockstep;
use super::long::LongTable;
use super::rows::Raw;
use super::sow::Field;
use super::step::{Advance, Check, Sample, Show};
use super::trail::{REACH, Rings, Trail};
use super::{LANES, Row};
use crate::game::{Action, End, Game, Played};
use crate::position::Position;
use crate::vec_env::{Episode, SavedGame, Starts};

/// Which episodes 64 games are in.
#[derive(Clone, Debug)]
pub(super) struct Episodes {
    /// The tick at which the episode began.
    pub(super) began: Row<u32>,
    /// The rest, which is of interest only where one ends.
    pub(super) which: Row<Which>,
}

/// An episode of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Which {
    seed: u64,
    number: u64,
    /// Plies of its opening.
    opening: u32,
}

/// All that belongs to 64 games.
#[derive(Clone, Debug)]
pub(super) struct Lot<const P: usize> {
    pub(super) block: Block<P>,
    pub(super) trail: Trail<P>,
    pub(super) episodes: Episodes,
    pub(super) samplers: Samplers,
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
    pub(super) rules: <K::Game as Game>::Rules,
    level: Level,
    starts: Starts<K::Game>,
    pub(super) max_plies: Option<u32>,
    first_game: usize,
    pub(super) lots: Vec<Lot<P>>,
    pub(super) field: Field<P>,
    pub(super) rings: Rings,
    pub(super) long: LongTable,
    /// The games that have ended in the last step of a group.
    pub(super) ended: Vec<Ended<K::Game>>,
    /// Moves of a lot that the scalar rules have played: lane, state after it, and what came of it.
    pub(super) apart: Vec<(usize, K::Game, Played)>,
    /// Where actions are foretold, once that has been asked for.
    pub(super) tray: Option<Box<Tray<P>>>,
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
                    began: [0; LANES],
                    which: [Which { seed, number: 0, opening: 0 }; LANES],
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
            lots: (0..games).step_by(LANES).map(lot).collect(),
            field: Field::new(),
            ended: Vec::new(),
            rings: Rings::new(games.div_ceil(LANES)),
            long: LongTable::new(games),
            apart: Vec::new(),
            tray: None,
        }
    }

    /// Begins an episode as the options say.
    fn start(&mut self, game: usize, episode: Episode) {
        let (start, actions) = self.starts.draw_until_found(episode).recorded();
        let lot = &mut self.lots[game / LANES];
        begin::<K, P>(lot, &mut self.rings, &mut self.long, game, episode, *start.state(), &actions);
    }
}

impl<K: Kind<P>, const P: usize> Lockstep<K::Game> for Chunk<K, P> {
    fn episode(&self, game: usize) -> Episode {
        let Which { seed, number, .. } = self.lots[game / LANES].episodes.which[game % LANES];
        Episode { seed, game: (self.first_game + game) as u64, number }
    }

    fn is_untouched(&self, game: usize) -> bool {
        self.lots[game / LANES].block.untouched >> (game % LANES) & 1 != 0
    }

    fn set_untouched(&mut self) {
        self.lots.iter_mut().for_each(|lot| lot.block.untouched = !0);
    }

    fn reset(&mut self, game: usize, beginning: &Beginning<K::Game>, resample: bool) {
        let lot = &mut self.lots[game / LANES];
        begin::<K, P>(
            lot,
            &mut self.rings,
            &mut self.long,
            game,
            beginning.episode,
            beginning.start,
            &beginning.actions,
        );
        lot.block.untouched &= !(1 << (game % LANES));
        if resample {
            lot.samplers.restart(game % LANES, beginning.episode.seed);
        }
    }

    fn sample(&mut self, out: &mut [i64]) {
        self.level.run(Sample { chunk: self, out });
    }

    fn check(&mut self, actions: &[i64]) -> bool {
        self.level.run(Check { chunk: self, actions })
    }

    fn advance(&mut self, group: usize, ahead: &Ahead) {
        self.level.run(Advance { chunk: self, group, ahead });
        for i in 0..self.ended.len() {
            let game = self.ended[i].game;
            let last = self.episode(game);
            self.start(game, Episode { number: last.number + 1, ..last });
        }
    }

    fn show(&self, lot: usize, raw: &mut Raw, mask: &mut [bool]) {
        self.level.run(Show { chunk: self, lot, raw, mask });
    }

    fn foretell(&mut self, games: Range<usize>, foretold: &mut Foretold) {
        self.level.run(Foretell { chunk: self, games, foretold });
    }

    fn position(&self, game: usize) -> Position<K::Game> {
        let (lot, lane) = (&self.lots[game / LANES], game % LANES);
        let state = K::read(&self.rules, &lot.block, lane);
        let plies = self.rings.tick.wrapping_sub(lot.episodes.began[lane]) + lot.episodes.which[lane].opening;
        if lot.block.long >> lane & 1 != 0 {
            return Position::resumed(self.rules, state, plies, self.long.get(game));
        }
        let mut prints = Vec::with_capacity(REACH);
        if state.counts_for_repetition() {
            lot.trail.replay::<K>(&self.rules, &self.rings, &lot.block, lane, |state, _| {
                prints.push(state.fingerprint())
            });
        }
        Position::resumed(self.rules, state, plies, &prints)
    }

    fn saved(&self, game: usize) -> SavedGame<K::Game> {
        let (lot, lane) = (&self.lots[game / LANES], game % LANES);
        SavedGame {
            position: self.position(game),
            opening_plies: lot.episodes.which[lane].opening,
            episode: self.episode(game),
            untouched: self.is_untouched(game),
            sampled: lot.samplers.drawn(lane),
        }
    }

    fn restore(&mut self, game: usize, saved: &SavedGame<K::Game>) {
        let (lot, lane) = (&mut self.lots[game / LANES], game % LANES);
        let SavedGame { position, opening_plies, episode, untouched, sampled } = saved;
        begin::<K, P>(lot, &mut self.rings, &mut self.long, game, *episode, *position.state(), &[]);
        lot.episodes.began[lane] = self.rings.tick.wrapping_sub(position.plies() - opening_plies);
        lot.episodes.which[lane].opening = *opening_plies;
        lot.block.untouched = lot.block.untouched & !(1 << lane) | u64::from(*untouched) << lane;
        lot.samplers.resume(lane, episode.seed, *sampled);
        // The present position is in the trail.
        if position.history().len() > 1 {
            self.long.keep(lot, game).extend(position.history());
        }
    }

    fn ended(&self) -> &[Ended<K::Game>] {
        &self.ended
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
    let Episode { seed, number, .. } = episode;
    lot.episodes.began[lane] = rings.tick;
    lot.episodes.which[lane] = Which { seed, number, opening: actions.len() as u32 };
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
