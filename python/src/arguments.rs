//! Arguments as Python gives them: text, paths and states. The wrong type is a `TypeError`, the wrong value a `ValueError`, and both
//! name the argument, which pyo3's own errors do in a note alone.

use std::path::PathBuf;

use mancala_env::AnyPosition;
use numpy::{PyArrayDescr, PyUntypedArray};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};

use crate::errors;
use crate::state::State;

/// What an argument that is something else is refused with.
pub(crate) fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{name} is {expected}, not {found}")),
        Err(error) => error,
    }
}

/// Text.
///
/// # Errors
/// `TypeError` if it is no str, `ValueError` if it holds half of a character, which no other text does.
pub(crate) fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?;
    text.to_str().map_err(|_| {
        PyValueError::new_err(format!(
            "{name} is text without lone surrogates, not {}",
            errors::quoted(value)
        ))
    })
}

/// A file's name: a str or what `os.fspath` makes one of. Names that are not UTF-8 stand in a str as Python decodes them.
///
/// # Errors
/// `TypeError` if it is neither, `ValueError` if no file can have such a name.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let expected = "a str or an os.PathLike";
    let py = value.py();
    let text = py.import("os")?.call_method1("fspath", (value,));
    let text =
        text.map_err(|error| errors::unless_raised(py, error, || wrong_type(name, expected, value)))?;
    if !text.is_instance_of::<PyString>() {
        return Err(wrong_type(name, expected, &text));
    }
    let problem = match text.extract::<PathBuf>() {
        Ok(path) if path.as_os_str().is_empty() => "it is empty",
        Ok(path) if path.as_os_str().as_encoded_bytes().contains(&0) => "it has a NUL byte",
        Ok(path) => return Ok(path),
        Err(_) => "it has lone surrogates",
    };
    Err(PyValueError::new_err(format!("{name} is the name of no file: {problem}: {}", errors::quoted(&text))))
}

/// What a name is text for and a path as well, as text.
///
/// # Errors
/// Those of [`text`] for a str, else those of [`path`]; `ValueError` for a path that is not UTF-8.
pub(crate) fn name_or_path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<PyString>() {
        return text(name, value).map(str::to_owned);
    }
    let path = path(name, value)?.into_os_string().into_string();
    path.map_err(|path| {
        PyValueError::new_err(format!(
            "{name} is a path in UTF-8, not {}",
            errors::short(&format!("{path:?}"))
        ))
    })
}

/// Files' names, in order.
///
/// # Errors
/// Those of [`path`], with the index; `TypeError` for the name of one file alone.
pub(crate) fn paths(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let expected = "a list of paths";
    if value.is_instance_of::<PyString>() {
        return Err(wrong_type(name, expected, value));
    }
    let files = iterate(name, expected, value)?.enumerate();
    files.map(|(index, file)| path(&format!("{name}[{index}]"), &file?)).collect()
}

/// True or false; numpy's are fine, numbers are neither.
///
/// # Errors
/// `TypeError` if it is something else.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong_type(name, "a bool", value))
}

/// Bytes.
///
/// # Errors
/// `TypeError` if it is something else.
pub(crate) fn bytes<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    Ok(value.cast::<PyBytes>().map_err(|_| wrong_type(name, "bytes", value))?.as_bytes())
}

/// A dtype, or what numpy makes one of.
///
/// # Errors
/// `TypeError` if it makes none of it.
pub(crate) fn dtype<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDescr>> {
    let py = value.py();
    PyArrayDescr::new(py, value).map_err(|error| match error.is_instance_of::<PyException>(py) {
        true => PyTypeError::new_err(format!("{name} is a dtype, not {}", errors::quoted(value))),
        false => error,
    })
}

/// An array, or what numpy makes one of.
///
/// # Errors
/// `ValueError` if it makes none of it, as of rows of several lengths.
pub(crate) fn array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let made = py.import("numpy")?.call_method1("asarray", (value,)).map_err(|error| {
        match error.is_instance_of::<PyValueError>(py) {
            true => PyValueError::new_err(format!("{name} makes no array: {}", error.value(py))),
            false => error,
        }
    })?;
    Ok(made.cast_into()?)
}

/// What an iterable holds.
///
/// # Errors
/// `TypeError` if it is none.
pub(crate) fn iterate<'py>(
    name: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    let better = || wrong_type(name, expected, value);
    value.try_iter().map_err(|error| errors::unless_raised(value.py(), error, better))
}

/// The position of a state.
///
/// # Errors
/// `TypeError` if it is no state.
pub(crate) fn position(name: &str, value: &Bound<'_, PyAny>) -> PyResult<AnyPosition> {
    let state = value.cast::<State>().map_err(|_| wrong_type(name, "a State", value))?;
    Ok(state.try_borrow()?.position.clone())
}

/// The positions of many states.
///
/// # Errors
/// `TypeError` if it is no iterable, or one of something else than states.
pub(crate) fn positions(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<AnyPosition>> {
    iterate(name, "a list of States", value)?
        .enumerate()
        .map(|(index, state)| position(&format!("{name}[{index}]"), &state?))
        .collect()
}
