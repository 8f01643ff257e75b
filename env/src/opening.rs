//! Random play: seeded streams, random actions, random openings.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::game::{Action, Game};
use crate::position::Position;

/// What a stream of random numbers is for. Streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stream {
    /// First players and random openings of environments.
    Episode = 1,
    /// `sample_actions`.
    Sample = 2,
    /// Openings of arena matches.
    Arena = 3,
    /// Agents.
    Agent = 4,
    /// Self-play games.
    SelfPlay = 5,
    /// The learner.
    Learner = 6,
    /// Noise at the roots of searches that the caller asks for one by one.
    Search = 7,
    /// Samples of tablebases, and positions drawn to be judged by them.
    Tablebase = 8,
}

/// The ChaCha8 stream of (`seed`, `game` index, `episode`) for a purpose: the three and the purpose are the key itself, so
/// no two streams are the same.
pub fn stream(purpose: Stream, seed: u64, game: u64, episode: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&game.to_le_bytes());
    key[16..24].copy_from_slice(&episode.to_le_bytes());
    key[24..28].copy_from_slice(&(purpose as u32).to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// Draws a legal action with [`Game::random_weight`]; `None` if the game is over.
///
/// Uniform draws take one `u32` of the stream, weighted ones one `u64`, both by multiplying and shifting: the bias is below
/// 2^-26.
pub fn random_action<G: Game>(state: &G, rng: &mut impl Rng) -> Option<Action> {
    let actions = state.legal_actions();
    if actions.is_empty() {
        return None;
    }
    if state.is_random_uniform() {
        let index = (u64::from(rng.next_u32()) * actions.len() as u64) >> 32;
        return Some(actions[index as usize]);
    }
    let total: u128 = actions.iter().map(|&action| u128::from(state.random_weight(action))).sum();
    let mut rest = ((u128::from(rng.next_u64()) * total) >> 64) as u64;
    actions.iter().copied().find(|&action| {
        let weight = state.random_weight(action);
        let found = rest < weight;
        rest = rest.wrapping_sub(weight);
        found
    })
}

/// How often an opening that ends the game is drawn anew before [`random_opening`] gives up.
const OPENING_TRIES: u32 = 10_000;

/// Plays `plies` random plies from a position. An opening that ends the game is drawn anew from the same stream; `None` if
/// ten thousand of them did.
pub fn random_opening<G: Game>(start: &Position<G>, plies: u32, rng: &mut impl Rng) -> Option<Position<G>> {
    random_opening_actions(start, plies, rng).map(|(position, _)| position)
}

/// As [`random_opening`], with the actions played.
pub fn random_opening_actions<G: Game>(
    start: &Position<G>,
    plies: u32,
    rng: &mut impl Rng,
) -> Option<(Position<G>, Vec<Action>)> {
    (0..OPENING_TRIES).find_map(|_| {
        let mut position = start.clone();
        let mut actions = Vec::with_capacity(plies as usize);
        for _ in 0..plies {
            let action = random_action(position.state(), rng)?;
            position.play_unchecked(action);
            actions.push(action);
            if position.is_over() {
                return None;
            }
        }
        Some((position, actions))
    })
}
