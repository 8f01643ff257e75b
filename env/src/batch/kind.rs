//! What the lockstep engine asks of a game.

use super::block::{Block, Settled};
use super::chacha::Samplers;
use super::foretold::Legal;
use super::isa::Isa;
use super::rows::MOST_ROWS;
use super::sow::Window;
use super::{LANES, Row};
use crate::features::ActionInfo;
use crate::game::{Action, Game};

/// A game on `P` pits as 64 lanes play it. All but the last six are `#[inline(always)]` parts of kernels.
pub(super) trait Kind<const P: usize>: Copy + Send + Sync + 'static {
    /// The scalar rules, the reference.
    type Game: Game;

    /// Every relay turns the direction round.
    const TURNS: bool;

    /// Draws an action in every game, as [`random_action`](crate::random_action) does.
    fn choose<I: Isa>(isa: I, block: &Block<P>, samplers: &mut Samplers, actions: &mut Row<u16>);

    /// Takes the actions over; whether all are legal.
    fn check<I: Isa>(isa: I, block: &mut Block<P>, actions: &Row<i64>) -> bool;

    /// Lists the legal actions.
    fn list<I: Isa>(isa: I, block: &Block<P>, legal: &mut Legal);

    /// Lifts the seeds that the actions name.
    fn lift(block: &Block<P>, window: &mut Window<P>);

    /// Captures, and gives the turn on, in all games that have seeds neither in hand nor on the way.
    fn finish(
        rules: &<Self::Game as Game>::Rules,
        block: &mut Block<P>,
        window: &Window<P>,
        settled: &mut Settled,
    );

    /// Writes the observations cell by cell, raw counts; how many cells there are.
    fn observe(block: &Block<P>, rows: &mut [Row<u8>; MOST_ROWS]) -> usize;

    /// Writes the legal actions game by game, shape `(games, actions)` of the first games.
    fn mask<I: Isa>(isa: I, block: &Block<P>, out: &mut [bool]);

    /// A state with these pits, in the view of `mover`, who is about to sow; its scores are of no meaning.
    fn state(rules: &<Self::Game as Game>::Rules, pits: &[u8; P], mover: u8) -> Self::Game;

    /// The pits in the view of the player to move.
    fn column(state: &Self::Game) -> [u8; P];

    /// The whole state of a game.
    fn read(rules: &<Self::Game as Game>::Rules, block: &Block<P>, lane: usize) -> Self::Game;

    /// Sweeps the board of a game in which nobody can move.
    fn sweep(state: &mut Self::Game);

    /// What an action of the opening does, as in Kiothi; games without a phase but for sowing are not asked.
    fn foretell_opening(_: &Block<P>, _lane: usize, _action: Action) -> ActionInfo {
        unreachable!("this game has no opening")
    }

    /// Puts a state in the place of a game.
    fn write(block: &mut Block<P>, lane: usize, state: &Self::Game);
}

/// The scores of a game by player.
pub(super) fn by_player<const P: usize>(block: &Block<P>, lane: usize) -> [u8; 2] {
    let mut scores = block.scores.map(|row| row[lane]);
    if block.mover[lane] != 0 {
        scores.reverse();
    }
    scores
}

pub(super) fn set_mover_and_scores<const P: usize, G: Game>(block: &mut Block<P>, lane: usize, state: &G) {
    let mover = state.to_move().index();
    block.mover[lane] = mover as u8;
    block.scores[0][lane] = state.scores()[mover];
    block.scores[1][lane] = state.scores()[1 - mover];
}

/// `words * choices / 2^32`, rounded down: uniform draws. In 32 bits: half a word at a time.
#[inline(always)]
pub(super) fn high_product(words: &Row<u32>, choices: &Row<u8>) -> Row<u8> {
    let mut index = [0; LANES];
    for i in 0..LANES {
        let (high, low, choices) = (words[i] >> 16, words[i] & 0xffff, u32::from(choices[i]));
        index[i] = ((high * choices + ((low * choices) >> 16)) >> 16) as u8;
    }
    index
}
