//! Positions and moves from the command line.

use mancala_env::{Action, Game, Position};

use crate::error::Usage;

/// The position of `--position`, else the start of the game.
pub(super) fn start<G: Game>(rules: &G::Rules, text: Option<&str>) -> Result<Position<G>, Usage> {
    match text {
        None => Ok(Position::initial(*rules)),
        Some(text) => Position::read(*rules, text).map_err(Usage::new),
    }
}

/// Takes a text apart into moves, with blanks or commas between them; `lift 4` and `place 17` are one move each.
pub(super) fn split_moves(text: &str) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    let mut is_verb = false;
    for word in text.split([',', ' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        match moves.last_mut().filter(|_| is_verb) {
            Some(verb) => *verb = format!("{verb} {word}"),
            None => moves.push(word.into()),
        }
        is_verb = !is_verb && matches!(word, "lift" | "place");
    }
    moves
}

/// The action that a text names in a position, if it may be played; else why not, in words.
pub(super) fn read_move<G: Game>(position: &Position<G>, text: &str) -> Result<Action, String> {
    let action = position.state().parse_action(text).map_err(|error| error.to_string())?;
    position.check(action.into()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_taken_apart_at_blanks_and_commas() {
        assert_eq!(split_moves(" 12ccw,3cw  4:3\n"), ["12ccw", "3cw", "4:3"]);
        assert_eq!(split_moves("lift 4 lift 5,place 17 4:3"), ["lift 4", "lift 5", "place 17", "4:3"]);
        assert_eq!(split_moves("lift"), ["lift"]);
        assert_eq!(split_moves("lift lift lift"), ["lift lift", "lift"]);
        assert!(split_moves(" , ").is_empty());
    }
}
