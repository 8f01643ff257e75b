//! Rust errors as Python exceptions. Those of our own are classes of `mancala_rl.errors`.

use mancala_env::{IllegalAction, ParseError, SpecError, VecEnvError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

const MODULE: &str = "mancala_rl.errors";

static ILLEGAL_ACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static OUT_OF_RANGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// An exception of a class of our own, or whatever kept us from making it.
fn own_error(class: PyResult<&Bound<'_, PyType>>, message: String) -> PyErr {
    match class {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    }
}

/// An action that is legal nowhere: a `ValueError` that is an `IndexError` too.
pub(crate) fn out_of_range(py: Python<'_>, message: String) -> PyErr {
    own_error(OUT_OF_RANGE.import(py, MODULE, "ActionOutOfRangeError"), message)
}

fn illegal(py: Python<'_>, error: &IllegalAction, message: String) -> PyErr {
    match error {
        IllegalAction::OutOfRange { .. } => out_of_range(py, message),
        IllegalAction::NotLegal { .. } | IllegalAction::GameOver { .. } => {
            own_error(ILLEGAL_ACTION.import(py, MODULE, "IllegalActionError"), message)
        }
    }
}

pub(crate) fn illegal_action(py: Python<'_>, error: &IllegalAction) -> PyErr {
    illegal(py, error, error.to_string())
}

pub(crate) fn vec_env(py: Python<'_>, error: &VecEnvError) -> PyErr {
    match error {
        VecEnvError::Action { error: action, .. } => illegal(py, action, error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

pub(crate) fn spec(error: SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn parse(error: ParseError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// What a second thread gets while a first one is inside `what`.
pub(crate) fn busy(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what} is in use by another thread; each thread needs one of its own"))
}

/// A Python integer, in or out of the range of `i64`.
pub(crate) enum Integer {
    /// Within.
    Small(i64),
    /// Far out, as text.
    Huge(String),
}

/// Takes an integer, numpy's among them; a bool, though Python calls it one, is none.
///
/// # Errors
/// `TypeError` for anything else.
pub(crate) fn integer(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Integer> {
    let kind = value.get_type().name()?.to_string();
    let wrong = || PyTypeError::new_err(format!("{what}, not {kind}"));
    // NumPy's own bool goes by either name.
    if matches!(&*kind, "bool" | "bool_") {
        return Err(wrong());
    }
    let index = value.py().import("operator")?.getattr("index")?.call1((value,)).map_err(|_| wrong())?;
    Ok(index.extract().map_or_else(|_| Integer::Huge(index.to_string()), Integer::Small))
}
