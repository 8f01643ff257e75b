//! Lists of `State`s as arguments.

use mancala_env::{AnyPosition, Game, Giuthi, Kiothi, Position, for_position};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arguments;

/// Positions to judge: at least one, all of one game, none of them over. `of_one_game` says what wants them to be, and `nothing` what
/// there is not without any.
///
/// # Errors
/// `TypeError` and `ValueError` that name the index.
pub(crate) fn read_states(
    states: &Bound<'_, PyAny>,
    of_one_game: &str,
    nothing: &str,
) -> PyResult<Vec<AnyPosition>> {
    let mut positions: Vec<AnyPosition> = Vec::new();
    for (index, item) in arguments::iterate("states", "a list of States", states)?.enumerate() {
        let position = arguments::position(&format!("states[{index}]"), &item?)?;
        if let Some(end) = for_position!(&position, |position| position.end()) {
            let end = end.word();
            return Err(PyValueError::new_err(format!("states[{index}]: the game is over ({end})")));
        }
        if let Some(first) =
            positions.first().map(AnyPosition::spec).filter(|first| *first != position.spec())
        {
            let (first, other) = (first.id(), position.spec().id());
            return Err(PyValueError::new_err(format!(
                "states[{index}] is of {other} and states[0] of {first}: {of_one_game}"
            )));
        }
        positions.push(position);
    }
    match positions.is_empty() {
        true => Err(PyValueError::new_err(format!("states is empty: {nothing}"))),
        false => Ok(positions),
    }
}

/// A game whose positions can be told from those of other games.
pub(crate) trait KnownGame: Game {
    /// The positions of this game among these.
    fn those_of(positions: Vec<AnyPosition>) -> Vec<Position<Self>>;
}

impl KnownGame for Giuthi {
    fn those_of(positions: Vec<AnyPosition>) -> Vec<Position<Self>> {
        let inner = |any| if let AnyPosition::Giuthi(position) = any { Some(position) } else { None };
        positions.into_iter().filter_map(inner).collect()
    }
}

impl KnownGame for Kiothi {
    fn those_of(positions: Vec<AnyPosition>) -> Vec<Position<Self>> {
        let inner = |any| if let AnyPosition::Kiothi(position) = any { Some(position) } else { None };
        positions.into_iter().filter_map(inner).collect()
    }
}
