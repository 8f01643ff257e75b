//! The openings of a match: random, distinct, the same for the same seed.

use std::collections::HashSet;

use mancala_env::{Action, Game, Position, Stream, random_opening_actions, stream};
use rand::Rng;

/// So many draws in a row that bring nothing new, and all openings there are get listed.
const STALLED_AFTER: u32 = 2_000;

/// Positions that listing may keep, at most.
const MAX_LISTED: usize = 1_000_000;

/// A position to start a game from, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<G: Game> {
    /// The position, with its history.
    pub position: Position<G>,
    /// The actions that lead to it from the start of the game.
    pub actions: Vec<Action>,
}

/// A match wants more openings than there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "too few openings: {wanted} are wanted, and {} of {plies} random plies, distinct up to the mirror",
    if *.is_exact { format!("there are {found}") } else { format!("{found} were found") }
)]
pub struct TooFewOpenings {
    /// Openings wanted.
    pub wanted: usize,
    /// Openings there are.
    pub found: usize,
    /// Random plies of each.
    pub plies: u32,
    /// Whether `found` are all there are; else there were too many lines to go through them all.
    pub is_exact: bool,
}

/// What makes an opening another one: the board up to the mirror, the player to move and the scores. By what moves it came
/// about does not count.
fn identity<G: Game>(position: &Position<G>) -> (u128, [u8; 2]) {
    let state = position.state();
    (state.fingerprint().min(state.mirrored().fingerprint()), state.scores())
}

/// `count` openings of `plies` plies from the start of the game, each drawn with [`Game::random_weight`], none of them over
/// and no two alike but for the mirror. The same for the same seed, and those for a smaller count come first.
///
/// In Kiothi the small actions of the redistribution are plies like others: after few plies both players still have to
/// redistribute.
///
/// # Errors
/// If there are fewer.
pub fn openings<G: Game>(
    rules: &G::Rules,
    plies: u32,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening<G>>, TooFewOpenings> {
    let start = Position::<G>::initial(*rules);
    let mut rng = stream(Stream::Arena, seed, 0, 0);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    let mut failures = 0;
    while openings.len() < count && failures < STALLED_AFTER {
        let Some((position, actions)) = random_opening_actions(&start, plies, &mut rng) else { break };
        if seen.insert(identity(&position)) {
            openings.push(Opening { position, actions });
            failures = 0;
        } else {
            failures += 1;
        }
    }
    if openings.len() < count {
        let listed = list(&start, plies);
        let is_exact = listed.is_some();
        let mut rest = listed.unwrap_or_default();
        rest.retain(|opening| seen.insert(identity(&opening.position)));
        let found = openings.len() + rest.len();
        if found < count {
            return Err(TooFewOpenings { wanted: count, found, plies, is_exact });
        }
        shuffle(&mut rest, &mut rng);
        rest.truncate(count - openings.len());
        openings.append(&mut rest);
    }
    Ok(openings)
}

/// All openings, or `None` if there are too many lines. Positions with different histories are gone on from one by one, for
/// a repetition may end one line and not another.
fn list<G: Game>(start: &Position<G>, plies: u32) -> Option<Vec<Opening<G>>> {
    let mut level = vec![Opening { position: start.clone(), actions: Vec::new() }];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for opening in &level {
            for action in opening.position.legal_actions() {
                let mut position = opening.position.clone();
                position.play_unchecked(action);
                let history = position.history().iter().fold(0, |set, fingerprint| set ^ fingerprint);
                if !position.is_over() && seen.insert((*position.state(), history)) {
                    let actions = opening.actions.iter().copied().chain([action]).collect();
                    next.push(Opening { position, actions });
                }
            }
            if next.len() > MAX_LISTED {
                return None;
            }
        }
        level = next;
    }
    Some(level)
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
        items.swap(last, other as usize);
    }
}
