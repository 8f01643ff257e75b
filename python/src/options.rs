//! Game ids with keyword options.

use mancala_env::GameSpec;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::errors::{self, Integer};

/// Reads a game id and its options, as `capture="occupied"`.
///
/// # Errors
/// `ValueError` if there is no such game, option or value, `TypeError` if a value has the wrong type.
pub(crate) fn read_spec(game: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<GameSpec> {
    let mut spec = GameSpec::parse(game).map_err(errors::spec)?;
    for (key, value) in options.into_iter().flatten() {
        let key = key.extract::<String>()?;
        let is_number = value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>();
        let is_text = value.is_instance_of::<PyString>();
        let fits = match &*key {
            "capture" => is_text,
            "one_warrior_multiplier" => is_number && !value.is_instance_of::<PyBool>(),
            // No option: the error below says so.
            _ => true,
        };
        if !fits {
            let expected = if key == "capture" { "a str" } else { "a number" };
            let found = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("option {key} is {expected}, not {found}")));
        }
        spec = spec.with_option(&key, &value.str()?.to_string_lossy()).map_err(errors::spec)?;
    }
    Ok(spec)
}

/// Reads an integer from 0 on that fits into 32 bits.
///
/// # Errors
/// `TypeError` if it is no integer, `ValueError` if it is out of range.
pub(crate) fn read_count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let number = match errors::integer(value, &format!("{name} is an int"))? {
        Integer::Small(number) => u32::try_from(number).ok(),
        Integer::Huge(_) => None,
    };
    number.ok_or_else(|| PyValueError::new_err(format!("{name} is at least 0 and at most {}", u32::MAX)))
}

/// Reads a seed, an integer of 64 bits without sign.
///
/// # Errors
/// `TypeError` if it is no integer, `ValueError` if it is out of range.
pub(crate) fn read_seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = match errors::integer(value, "seed is an int")? {
        Integer::Small(number) => u64::try_from(number).ok(),
        Integer::Huge(digits) => digits.parse().ok(),
    };
    number.ok_or_else(|| PyValueError::new_err("seed is at least 0 and below 2**64"))
}
