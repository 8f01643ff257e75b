//! Games that begin where another game has been.

use mancala_env::{Action, Game, Position, random_action};
use rand::{Rng, RngExt};

use super::GameRecord;

/// How often a fork that ends the game at once is drawn anew.
const TRIES: u32 = 16;

/// Draws a game that has ended, a position in it before one of its moves, and a random action there; the position after it,
/// which goes on and is shorter than `max_plies`, with all actions that lead to it. `None` if none was found.
pub(super) fn fork<G: Game>(
    start: &Position<G>,
    ended: &[GameRecord],
    max_plies: u32,
    rng: &mut impl Rng,
) -> Option<(Position<G>, Vec<Action>)> {
    if ended.is_empty() {
        return None;
    }
    (0..TRIES).find_map(|_| {
        let game = &ended[rng.random_range(0..ended.len() as u64) as usize];
        let moves = match game.moves.len() {
            0 => return None,
            moves => rng.random_range(0..moves as u64) as usize,
        };
        let line = game.opening.iter().copied().chain(game.moves[..moves].iter().map(|played| played.action));
        let mut actions: Vec<Action> = line.collect();
        let mut position = start.clone();
        for &action in &actions {
            position.play_unchecked(action);
        }
        let action = random_action(position.state(), rng)?;
        position.play_unchecked(action);
        actions.push(action);
        (!position.is_over() && position.plies() < max_plies).then_some((position, actions))
    })
}
