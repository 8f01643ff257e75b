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
use crate::vec_env::{Episode, SavedGame, Starts, VecEnvConfig};

/// A game that the batch engine plays.
pub trait BatchGame: Game {
    #[doc(hidden)]
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>>;
    /// By what the cells of an observation are divided.
    #[doc(hidden)]
    fn units(rules: &Self::Rules) -> Vec<f32>;
}

/// Something that is compiled for every size of a game.
pub(super) trait Make<G> {
    type Made;
    fn make<K: Kind<P, Game = G>, const P: usize>(&self) -> Self::Made;
}

/// Makes it for the board of these rules.
pub(super) fn make_giuthi<M: Make<Giuthi>>(rules: &GiuthiRules, make: &M) -> M::Made {
    match rules.pits() {
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

pub(super) fn make_kiothi<M: Make<Kiothi>>(make: &M) -> M::Made {
    make.make::<KiothiKind, BOMA>()
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

impl<G: Game> Make<G> for MakeChunk<'_, G> {
    type Made = Box<dyn Lockstep<G>>;

    fn make<K: Kind<P, Game = G>, const P: usize>(&self) -> Self::Made {
        let Self { rules, level, starts, config, first_game, games } = *self;
        Box::new(Chunk::<K, P>::new(rules, level, starts, config.max_plies, config.seed, first_game, games))
    }
}

impl BatchGame for Giuthi {
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>> {
        make_giuthi(&make.rules, make)
    }

    fn units(rules: &GiuthiRules) -> Vec<f32> {
        (0..Self::observation_len(rules)).map(|cell| giuthi_unit(rules, cell)).collect()
    }
}

impl BatchGame for Kiothi {
    fn chunk(make: &MakeChunk<'_, Self>) -> Box<dyn Lockstep<Self>> {
        make_kiothi(make)
    }

    fn units(rules: &KiothiRules) -> Vec<f32> {
        (0..Self::observation_len(rules)).map(|cell| kiothi_unit(rules, cell)).collect()
    }
}

/// A chunk, whatever the size of its boards.
#[doc(hidden)]
pub trait Lockstep<G: Game>: Send + Sync {
    /// Draws a legal action in every game.
    fn sample(&mut self, out: &mut [i64]);
    /// Whether all actions are legal. If so they are taken over for [`advance`](Self::advance).
    fn check(&mut self, actions: &[i64]) -> bool;
    /// Plays the actions taken over in a group of games; those that end, listed in `ended`, begin anew.
    /// `ahead`: what will be written of the group thereafter.
    fn advance(&mut self, group: usize, ahead: &Ahead);
    /// Shows the games of a lot, and writes their legal actions.
    fn show(&self, lot: usize, raw: &mut Raw, mask: &mut [bool]);
    /// Adds what every legal action of some games, from the first of a lot on, would do.
    fn foretell(&mut self, games: Range<usize>, foretold: &mut Foretold);
    /// The games that have ended in the last step of a group.
    fn ended(&self) -> &[Ended<G>];
    /// The position of a game with its history.
    fn position(&self, game: usize) -> Position<G>;
    /// Which episode a game is in.
    fn episode(&self, game: usize) -> Episode;
    /// Whether a game has been neither reset nor stepped yet.
    fn is_untouched(&self, game: usize) -> bool;
    /// All games are as new.
    fn set_untouched(&mut self);
    /// All that belongs to a game.
    fn saved(&self, game: usize) -> SavedGame<G>;
    /// Puts a saved game in the place of a game.
    fn restore(&mut self, game: usize, saved: &SavedGame<G>);
    /// A reset: begins an episode, and its sampler anew if `resample`.
    fn reset(&mut self, game: usize, beginning: &Beginning<G>, resample: bool);
}
