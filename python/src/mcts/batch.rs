//! What an evaluator is asked about.

use mancala_env::{ACTION_FEATURES, Game};
use mancala_search::Leaf;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// How action features are laid out.
#[derive(Clone, Copy)]
pub(super) enum Layout {
    Dense,
    Ragged,
}

/// Leaves of search trees that an evaluator judges: N positions of one game that go on, all of the arrays its own to keep.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct LeafBatch {
    /// What `State.observation()` is, (N, D) float32: the view of the player to move in the leaf.
    observations: Py<PyArray2<f32>>,
    /// The legal actions, (N, A) bool, at least one a row.
    action_mask: Py<PyArray2<bool>>,
    /// The player to move, (N,) int8.
    to_move: Py<PyArray1<i8>>,
    /// What each legal action does, if `mcts` was asked for it; F = 8 features as of `State.action_features()`.
    ///
    /// "dense": (N, A, F) float32, zeros where an action is not legal. "ragged": offsets (N + 1,) int64, actions (K,) int64, features
    /// (K, F) float32; leaf i has the rows `offsets[i]:offsets[i + 1]`. Else None.
    action_features: Option<Py<PyAny>>,
}

impl LeafBatch {
    pub(super) fn new<G: Game>(
        py: Python<'_>,
        rules: &G::Rules,
        leaves: &[Leaf<'_, G>],
        layout: Option<Layout>,
    ) -> PyResult<Self> {
        let (cells, actions) = (G::observation_len(rules), G::num_actions(rules));
        let observations = PyArray2::zeros(py, [leaves.len(), cells], false);
        for (leaf, row) in
            leaves.iter().zip(observations.try_readwrite()?.as_slice_mut()?.chunks_exact_mut(cells))
        {
            leaf.state.observe(rules, row);
        }
        let action_mask = PyArray2::zeros(py, [leaves.len(), actions], false);
        for (leaf, row) in
            leaves.iter().zip(action_mask.try_readwrite()?.as_slice_mut()?.chunks_exact_mut(actions))
        {
            leaf.actions.iter().for_each(|info| row[usize::from(info.action)] = true);
        }
        let to_move = leaves.iter().map(|leaf| leaf.state.to_move().index() as i8);
        let action_features = match layout {
            None => None,
            Some(Layout::Dense) => Some(dense(py, rules, leaves)?),
            Some(Layout::Ragged) => Some(ragged(py, rules, leaves)?),
        };
        Ok(Self {
            observations: observations.unbind(),
            action_mask: action_mask.unbind(),
            to_move: PyArray1::from_iter(py, to_move).unbind(),
            action_features: action_features.map(Bound::unbind),
        })
    }
}

#[pymethods]
impl LeafBatch {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.to_move.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("LeafBatch of {} leaves", self.__len__(py)?))
    }
}

fn dense<'py, G: Game>(
    py: Python<'py>,
    rules: &G::Rules,
    leaves: &[Leaf<'_, G>],
) -> PyResult<Bound<'py, PyAny>> {
    let (unit, pits, actions) = (G::seed_unit(rules), G::num_pits(rules), G::num_actions(rules));
    let features = PyArray3::<f32>::zeros(py, [leaves.len(), actions, ACTION_FEATURES], false);
    let mut cells = features.try_readwrite()?;
    let rows = cells.as_slice_mut()?.as_chunks_mut::<ACTION_FEATURES>().0;
    for (leaf, rows) in leaves.iter().zip(rows.chunks_exact_mut(actions)) {
        for info in leaf.actions {
            rows[usize::from(info.action)] = info.features(unit, pits);
        }
    }
    drop(cells);
    Ok(features.into_any())
}

fn ragged<'py, G: Game>(
    py: Python<'py>,
    rules: &G::Rules,
    leaves: &[Leaf<'_, G>],
) -> PyResult<Bound<'py, PyAny>> {
    let (unit, pits) = (G::seed_unit(rules), G::num_pits(rules));
    let mut offsets = Vec::with_capacity(leaves.len() + 1);
    offsets.push(0);
    let (mut actions, mut features) = (Vec::new(), Vec::new());
    for leaf in leaves {
        for info in leaf.actions {
            actions.push(i64::from(info.action));
            features.extend_from_slice(&info.features(unit, pits));
        }
        offsets.push(actions.len() as i64);
    }
    let features = PyArray1::from_vec(py, features).reshape([actions.len(), ACTION_FEATURES])?;
    let arrays = (PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, actions), features);
    Ok(arrays.into_pyobject(py)?.into_any())
}
