//! Rust errors as Python exceptions. Those of our own are classes of `mancala_rl.errors`.

use mancala_env::{IllegalAction, ParseError, SpecError, VecEnvError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyType};

const MODULE: &str = "mancala_rl.errors";

static ILLEGAL_ACTION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static OUT_OF_RANGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A message without the middle of what is very long in it, as a text of some thousand letters given for the id of a game.
pub(crate) fn short(message: &str) -> String {
    const BEGINNING: usize = 200;
    const END: usize = 400;
    let letters = message.chars().count();
    if letters <= BEGINNING + END {
        return message.into();
    }
    let beginning = message.chars().take(BEGINNING);
    beginning.chain(['…']).chain(message.chars().skip(letters - END)).collect()
}

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

/// The exception of an illegal action, in these words.
pub(crate) fn illegal(py: Python<'_>, error: &IllegalAction, message: String) -> PyErr {
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
        _ => PyValueError::new_err(short(&error.to_string())),
    }
}

pub(crate) fn spec(error: SpecError) -> PyErr {
    PyValueError::new_err(short(&error.to_string()))
}

pub(crate) fn parse(error: ParseError) -> PyErr {
    PyValueError::new_err(short(&error.to_string()))
}

/// What a second thread gets while a first one is inside `what`.
pub(crate) fn busy(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what} is in use by another thread; each thread needs one of its own"))
}

/// A Python integer, in or out of the range of `i64`.
pub(crate) enum Integer {
    /// Within.
    Small(i64),
    /// Far out.
    Huge {
        /// The number, if it fits into a `u64`.
        unsigned: Option<u64>,
        /// For a message.
        shown: String,
    },
}

/// What a conversion has failed with: a `TypeError` says that there is none, and is put better; whatever else was raised on the way,
/// by an object of the caller's or for Ctrl-C, goes on.
pub(crate) fn unless_raised(py: Python<'_>, error: PyErr, better: impl FnOnce() -> PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) { better() } else { error }
}

/// Takes an integer, numpy's among them; a bool, though Python calls it one, is none.
///
/// # Errors
/// `TypeError` for anything else.
pub(crate) fn integer(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Integer> {
    if value.is_exact_instance_of::<PyInt>()
        && let Ok(number) = value.extract()
    {
        return Ok(Integer::Small(number));
    }
    let kind = value.get_type().name()?.to_string();
    let wrong = || PyTypeError::new_err(format!("{what}, not {kind}"));
    // NumPy's own bool goes by either name.
    if matches!(&*kind, "bool" | "bool_") {
        return Err(wrong());
    }
    let index = value.py().import("operator")?.getattr("index")?.call1((value,));
    let index = index.map_err(|error| unless_raised(value.py(), error, wrong))?;
    Ok(match index.extract() {
        Ok(number) => Integer::Small(number),
        Err(_) => Integer::Huge { unsigned: index.extract().ok(), shown: shown(&index) },
    })
}

/// A number for a message: as Python writes it, unless that is long.
pub(crate) fn shown(number: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 40;
    match number.str().and_then(|text| text.extract::<String>()) {
        Ok(text) if text.len() <= MOST => text,
        _ => match number.call_method0("bit_length") {
            Ok(bits) => format!("an int of {bits} bits"),
            Err(_) => format!(
                "a long {}",
                number.get_type().name().map_or_else(|_| "value".into(), |name| name.to_string())
            ),
        },
    }
}

/// A value for a message: as Python writes it, the end of a long one left out.
pub(crate) fn quoted(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 80;
    let Ok(text) = value.repr() else {
        return value.get_type().name().map_or_else(|_| "a value".into(), |name| format!("a {name}"));
    };
    let text = text.to_string_lossy();
    match text.chars().count() {
        ..=MOST => text.into_owned(),
        _ => text.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

/// A shape as Python writes it.
pub(crate) fn shape(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        shape => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
