//! Perft: counts of action sequences, the field's check of a move generator.

use crate::game::Game;
use crate::position::Position;

/// The number of legal action sequences of length `depth` from a position, which begins a fresh history.
///
/// Passes are no actions; a finished game has no continuation; repetition and endless sowing end games.
pub fn perft<G: Game>(position: &Position<G>, depth: u32) -> u64 {
    let actions = position.legal_actions();
    match depth {
        0 => 1,
        1 => actions.len() as u64,
        _ => actions
            .into_iter()
            .map(|action| {
                let mut child = position.clone();
                child.play_unchecked(action);
                perft(&child, depth - 1)
            })
            .sum(),
    }
}
