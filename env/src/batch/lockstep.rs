//! From a game and its size to the chunk that is compiled for it.

use std::ops::Range;

use super::ahead::Ahead;
use super::chunk::{Beginning, Chunk, Ended};
use super::foretold::Foretold;
use super::giuthi::GiuthiKind;
use super::isa::Level;
use super::kind::Kind;
use super::kiothi::KiothiKind;
use super::rows::Raw;
use crate::game::Game;
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::{BOMA, Kiothi, KiothiRules};
use crate::observation::{giuthi_unit, kiothi_unit};
use crate::position::Position;
use crate::vec_env::{Episode, Starts, VecEnvConfig};

/// A game that the batch engine plays.
pub trait BatchGame: Game {
    #[doc(hidden)]
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>>;
    /// By what the cells of an observation are divided.
    #[doc(hidden)]
    fn units(rules: &Self::Rules) -> Vec<f32>;
}

/// What a chunk is made of.
#[doc(hidden)]
pub struct MakeChunk<'a, G: Game> {
    pub(super) rules: G::Rules,
    pub(super) level: Level,
    pub(super) starts: &'a Starts<G>,
    pub(super) config: &'a VecEnvConfig,
    pub(super) first_game: usize,
    pub(super) games: usize,
}

impl<G: Game> MakeChunk<'_, G> {
    fn make<K: Kind<P, Game = G>, const P: usize>(&self) -> Box<dyn Lockstep<G>> {
        let Self { rules, level, starts, config, first_game, games } = *self;
        Box::new(Chunk::<K, P>::new(rules, level, starts, config.max_plies, config.seed, first_game, games))
    }
}

impl BatchGame for Giuthi {
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>> {
        match make.rules.pits() {
            2 => make.make::<GiuthiKind, 4>(),
            3 => make.make::<GiuthiKind, 6>(),
            4 => make.make::<GiuthiKind, 8>(),
            5 => make.make::<GiuthiKind, 10>(),
            6 => make.make::<GiuthiKind, 12>(),
            7 => make.make::<GiuthiKind, 14>(),
            8 => make.make::<GiuthiKind, 16>(),
            9 => make.make::<GiuthiKind, 18>(),
            _ => make.make::<GiuthiKind, 20>(),
        }
    }

    fn units(rules: &GiuthiRules) -> Vec<f32> {
        (0..Self::observation_len(rules)).map(|cell| giuthi_unit(rules, cell)).collect()
    }
}

impl BatchGame for Kiothi {
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>> {
        make.make::<KiothiKind, BOMA>()
    }

    fn units(rules: &KiothiRules) -> Vec<f32> {
        (0..Self::observation_len(rules)).map(|cell| kiothi_unit(rules, cell)).collect()
    }
}

/// A chunk, whatever the size of its boards.
#[doc(hidden)]
pub trait Lockstep<G: Game>: Send + Sync {
    fn sample(&mut self, out: &mut [i64]);
    fn check(&mut self, actions: &[i64]) -> bool;
    fn advance(&mut self, group: usize, ahead: &Ahead);
    fn show(&self, lot: usize, raw: &mut Raw, mask: &mut [bool]);
    fn foretell(&mut self, games: Range<usize>, foretold: &mut Foretold);
    fn ended(&self) -> &[Ended<G>];
    fn position(&self, game: usize) -> Position<G>;
    fn episode(&self, game: usize) -> Episode;
    fn is_untouched(&self, game: usize) -> bool;
    fn set_untouched(&mut self);
    fn reset(&mut self, game: usize, beginning: &Beginning<G>, resample: bool);
}

impl<K: Kind<P>, const P: usize> Lockstep<K::Game> for Chunk<K, P> {
    fn sample(&mut self, out: &mut [i64]) {
        Chunk::sample(self, out);
    }

    fn check(&mut self, actions: &[i64]) -> bool {
        Chunk::check(self, actions)
    }

    fn advance(&mut self, group: usize, ahead: &Ahead) {
        Chunk::advance(self, group, ahead);
    }

    fn show(&self, lot: usize, raw: &mut Raw, mask: &mut [bool]) {
        Chunk::show(self, lot, raw, mask);
    }

    fn foretell(&mut self, games: Range<usize>, foretold: &mut Foretold) {
        Chunk::foretell(self, games, foretold);
    }

    fn ended(&self) -> &[Ended<K::Game>] {
        &self.ended
    }

    fn position(&self, game: usize) -> Position<K::Game> {
        Chunk::position(self, game)
    }

    fn episode(&self, game: usize) -> Episode {
        Chunk::episode(self, game)
    }

    fn is_untouched(&self, game: usize) -> bool {
        Chunk::is_untouched(self, game)
    }

    fn set_untouched(&mut self) {
        Chunk::set_untouched(self);
    }

    fn reset(&mut self, game: usize, beginning: &Beginning<K::Game>, resample: bool) {
        Chunk::reset(self, game, beginning, resample);
    }
}
