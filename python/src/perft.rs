//! Perft, without the GIL and with an ear for Ctrl-C.

use mancala_env::{Game, Position, for_position};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::text;
use crate::errors;
use crate::options::{read_count, read_spec};

/// Subtrees of this depth are counted in one go: milliseconds.
const UNINTERRUPTED_DEPTH: u32 = 3;

/// The number of legal action sequences of length `depth` from the start of `game`, or from `position` with a fresh history.
///
/// `options` are those of `State`. Passes are no actions; a finished game has no continuation; repetition and endless sowing end
/// games. Runs without the GIL, and Ctrl-C interrupts it.
#[pyfunction]
#[pyo3(signature = (game, depth, position=None, **options))]
pub(crate) fn perft(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    depth: &Bound<'_, PyAny>,
    position: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let spec = read_spec(game, options)?;
    let start = match position {
        Some(position) => spec.read(text("position", position)?).map_err(errors::parse)?,
        None => spec.initial(),
    };
    let depth = read_count("depth", depth)?;
    py.detach(|| for_position!(&start, |position| count(position, depth)))
}

fn count<G: Game>(position: &Position<G>, depth: u32) -> PyResult<u64> {
    if depth <= UNINTERRUPTED_DEPTH {
        return Ok(mancala_env::perft(position, depth));
    }
    Python::attach(|py| py.check_signals())?;
    let mut total = 0;
    for action in position.legal_actions() {
        let mut child = position.clone();
        child.play_unchecked(action);
        total += count(&child, depth - 1)?;
    }
    Ok(total)
}
