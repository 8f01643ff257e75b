//! Game ids with keyword options.

use std::ops::RangeInclusive;

use mancala_env::GameSpec;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::arguments::{text, wrong_type};
use crate::errors::{self, Integer};

/// Reads a game id and its options, as `capture="occupied"`.
///
/// # Errors
/// `ValueError` if there is no such game, option or value, or an option of the id has another value; `TypeError` if a value
/// has the wrong type.
pub(crate) fn read_spec(game: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<GameSpec> {
    let game = text("game", game)?;
    let mut spec = GameSpec::parse(game).map_err(errors::spec)?;
    for (key, value) in options.into_iter().flatten() {
        let key = text("the name of an option", &key)?;
        let written = match key {
            "capture" => {
                let text = value.cast::<PyString>().map_err(|_| wrong_option(key, "a str", &value))?;
                text.to_string_lossy().into_owned()
            }
            "one_warrior_multiplier" => read_float(key, &value)?.to_string(),
            _ => String::new(),
        };
        let (name, option) = match spec {
            GameSpec::Giuthi(_) => ("giuthi", "capture"),
            GameSpec::Kiothi(_) => ("kiothi", "one_warrior_multiplier"),
        };
        if key != option {
            // Whatever a function does not know arrives here, a mistyped argument of its own as well.
            return Err(PyValueError::new_err(errors::short(&format!(
                "game {:?}: no option or argument {key:?}; {name} has the option {option}",
                spec.id()
            ))));
        }
        let with = spec.with_option(key, &written).map_err(|error| match (key, spec) {
            ("one_warrior_multiplier", GameSpec::Kiothi(_)) => PyValueError::new_err(format!(
                "game {game:?}: option {key} is a number from 1 to {:e}, not {}",
                f32::MAX,
                errors::shown(&value)
            )),
            _ => errors::spec(error),
        })?;
        if let Some(other) = option_of_id(game, key)
            && with != spec
        {
            return Err(PyValueError::new_err(format!(
                "option {key} is {other} in the id {game:?}, but the keyword says {}",
                errors::shown(&value)
            )));
        }
        spec = with;
    }
    Ok(spec)
}

/// What an id says of an option.
fn option_of_id<'a>(id: &'a str, key: &str) -> Option<&'a str> {
    let (_, options) = id.split_once('?')?;
    let mut options = options.split('&').filter_map(|option| option.split_once('='));
    options.find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn wrong_option(key: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(&format!("option {key}"), expected, value)
}

/// A real number of Python's or numpy's, infinite if it is too large; `None` for anything else.
pub(crate) fn real(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let real = value.py().import("numbers")?.getattr("Real")?;
    // numpy has its durations among the integers, for which they are none.
    let is_duration = value.get_type().name()?.to_string_lossy() == "timedelta64";
    if value.is_instance_of::<PyBool>() || is_duration || !value.is_instance(&real)? {
        return Ok(None);
    }
    match value.extract::<f64>() {
        Ok(number) => Ok(Some(number)),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(Some(f64::INFINITY)),
        Err(error) => Err(error),
    }
}

fn read_float(key: &str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    real(value)?.map(|number| number as f32).ok_or_else(|| wrong_option(key, "a number", value))
}

/// Reads a number in a range.
///
/// # Errors
/// `TypeError` if it is no number, `ValueError` if it is out of range.
pub(crate) fn read_number(name: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<f64>) -> PyResult<f64> {
    let number = real(value)?.ok_or_else(|| wrong_type(name, "a number", value))?;
    match range.contains(&number) {
        true => Ok(number),
        false => Err(PyValueError::new_err(format!(
            "{name} is from {} to {}, not {}",
            range.start(),
            range.end(),
            errors::shown(value)
        ))),
    }
}

/// Reads an integer from 0 on that fits into 32 bits.
///
/// # Errors
/// `TypeError` if it is no integer, `ValueError` if it is out of range.
pub(crate) fn read_count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let number = match errors::integer(value, &format!("{name} is an int"))? {
        Integer::Small(number) => u32::try_from(number).ok(),
        Integer::Huge { .. } => None,
    };
    number.ok_or_else(|| {
        let (most, found) = (u32::MAX, errors::shown(value));
        PyValueError::new_err(format!("{name} is at least 0 and at most {most}, not {found}"))
    })
}

/// Reads a seed, an integer of 64 bits without sign.
///
/// # Errors
/// `TypeError` if it is no integer, `ValueError` if it is out of range.
pub(crate) fn read_seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = match errors::integer(value, "seed is an int")? {
        Integer::Small(number) => u64::try_from(number).ok(),
        Integer::Huge { unsigned, .. } => unsigned,
    };
    number.ok_or_else(|| {
        PyValueError::new_err(format!("seed is at least 0 and below 2**64, not {}", errors::shown(value)))
    })
}

/// Which of two words it is.
///
/// # Errors
/// `TypeError` if it is no text, `ValueError` if it is another one.
pub(crate) fn one_of(name: &str, value: &Bound<'_, PyAny>, words: [&str; 2]) -> PyResult<usize> {
    let [one, two] = words;
    let Ok(text) = value.cast::<PyString>() else {
        return Err(wrong_type(name, &format!("'{one}' or '{two}'"), value));
    };
    let text = text.to_string_lossy();
    words.iter().position(|&word| word == text).ok_or_else(|| {
        PyValueError::new_err(format!("{name} is '{one}' or '{two}', not {}", errors::quoted(value)))
    })
}
