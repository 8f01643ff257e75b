//! Arrays of action features.

use mancala_env::{ACTION_FEATURES, ActionFeatures, RaggedFeatures};
use numpy::ndarray::Dim;
use numpy::{Ix3, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::exclusive::{Access, Exclusive};
use super::shelf::Shelf;

/// Which features steps and resets tell, and where they go.
pub(super) enum Features {
    None,
    Dense(Shelf<f32, Ix3>),
    Ragged(RaggedFeatures),
}

/// The same for one step or reset.
pub(super) enum LentFeatures<'a, 'py> {
    None,
    Dense(Exclusive<'a, 'py, f32, Ix3>),
    Ragged(&'a mut RaggedFeatures),
}

impl Features {
    /// # Errors
    /// If there is no such layout.
    pub(super) fn new(py: Python<'_>, layout: Option<&str>, games: usize, actions: usize) -> PyResult<Self> {
        match layout {
            None => Ok(Self::None),
            Some("dense") => {
                let shape = Dim([games, actions, ACTION_FEATURES]);
                Ok(Self::Dense(Shelf::given(py, "info[\"action_features\"]", shape, Access::Write)))
            }
            Some("ragged") => Ok(Self::Ragged(RaggedFeatures::default())),
            Some(other) => {
                Err(PyValueError::new_err(format!("action features are 'dense' or 'ragged', not {other:?}")))
            }
        }
    }

    pub(super) fn lend<'a, 'py>(&'a mut self, py: Python<'py>) -> PyResult<LentFeatures<'a, 'py>> {
        Ok(match self {
            Self::None => LentFeatures::None,
            Self::Dense(shelf) => LentFeatures::Dense(shelf.lend(py, None)?),
            Self::Ragged(ragged) => LentFeatures::Ragged(ragged),
        })
    }
}

impl<'py> LentFeatures<'_, 'py> {
    /// What the engine is asked for.
    pub(super) fn request(&mut self) -> ActionFeatures<'_> {
        match self {
            Self::None => ActionFeatures::None,
            Self::Dense(array) => ActionFeatures::Dense(array.cells),
            Self::Ragged(ragged) => ActionFeatures::Ragged(ragged),
        }
    }

    /// What Python gets: an array, or offsets, actions and features.
    pub(super) fn arrays(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::None => Ok(None),
            Self::Dense(array) => Ok(Some(array.array.as_any().clone())),
            Self::Ragged(RaggedFeatures { offsets, actions, features }) => {
                let features =
                    PyArray1::from_slice(py, features).reshape([actions.len(), ACTION_FEATURES])?;
                let arrays = (PyArray1::from_slice(py, offsets), PyArray1::from_slice(py, actions), features);
                Ok(Some(arrays.into_pyobject(py)?.into_any()))
            }
        }
    }
}
