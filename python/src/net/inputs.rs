//! What a net reads, as arrays.

use mancala_search::net::{Encoded, NetHeader};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// What a net reads of B positions of its game, all of the arrays the caller's own; K legal actions in all.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct NetInputs {
    /// What `State.observation()` is, (B, D) float32: the view of the player to move.
    observations: Py<PyArray2<f32>>,
    /// The legal actions, position after position, each ascending, (K,) int64.
    actions: Py<PyArray1<i64>>,
    /// Which position each action belongs to, (K,) int64 from 0 to B - 1, ascending.
    rows: Py<PyArray1<i64>>,
    /// What each action does, (K, F) float32: the 8 of `State.action_features()`, and those of the replies and captures that the net reads.
    features: Py<PyArray2<f32>>,
    /// Rows of the table of counts, one a pit, (B, N) int64; None for a net without one.
    counts: Option<Py<PyArray2<i64>>>,
    /// Rows of the table of counts of the boards after actions, (any,) int64, N for each action that does not end the game; or None.
    after_counts: Option<Py<PyArray1<i64>>>,
    /// Where those of each action begin in `after_counts`, (K,) int64; or None.
    after_offsets: Option<Py<PyArray1<i64>>>,
}

impl NetInputs {
    pub(super) fn new(py: Python<'_>, header: &NetHeader, encoded: Encoded) -> PyResult<Self> {
        let Encoded { observations, counts, actions, rows, features, after_counts, after_offsets, .. } =
            encoded;
        let (positions, total) = (observations.len() / header.observation, actions.len());
        let net = header.net;
        let counts = (net.count_levels > 0)
            .then(|| PyArray1::from_vec(py, counts).reshape([positions, header.pits]).map(Bound::unbind));
        let flat = |cells| PyArray1::from_vec(py, cells).unbind();
        Ok(Self {
            observations: PyArray1::from_vec(py, observations)
                .reshape([positions, header.observation])?
                .unbind(),
            actions: flat(actions),
            rows: flat(rows),
            features: PyArray1::from_vec(py, features).reshape([total, header.features])?.unbind(),
            counts: counts.transpose()?,
            after_counts: net.afterstates.then(|| flat(after_counts)),
            after_offsets: net.afterstates.then(|| flat(after_offsets)),
        })
    }
}

#[pymethods]
impl NetInputs {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.observations.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "NetInputs of {} positions with {} actions",
            self.__len__(py)?,
            self.actions.bind(py).len()?
        ))
    }
}
