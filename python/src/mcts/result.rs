//! What a search has found, as arrays.

use mancala_env::Game;
use mancala_search::mcts::Tree;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use super::evaluator::Asked;

/// What `mcts` has found of N states, all of it in the view of the player to move in the state; row i is of state i.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct SearchResult {
    /// The action to play, (N,) int64.
    actions: Py<PyArray1<i64>>,
    /// A target for the policy, (N, A) float32, rows adding up to 1, 0 at illegal actions.
    ///
    /// With "gumbel" the improved policy, softmax(logits + sigma(completed values)); with "puct" shares of visits. Without simulations
    /// the evaluator's policy (the root's noise of "puct" mixed in).
    policy: Py<PyArray2<f32>>,
    /// Simulations that went through each action, (N, A) int32, rows adding up to `simulations`.
    visits: Py<PyArray2<i32>>,
    /// The mean value of each action, (N, A) float32 from -1 to 1, NaN where it was not visited.
    q_values: Py<PyArray2<f32>>,
    /// The value of each state, (N,) float32 from -1 to 1: of following `policy` ("gumbel"), the mean over visits ("puct").
    values: Py<PyArray1<f32>>,
    /// Simulations run for each state.
    simulations: u32,
    /// Calls of `evaluate`.
    batches: u64,
    /// Leaves that it judged, the states among them. Simulations that end the game need none.
    leaves: u64,
}

impl SearchResult {
    pub(super) fn new<G: Game>(
        py: Python<'_>,
        rules: &G::Rules,
        trees: &mut [Tree<G>],
        asked: Asked,
    ) -> PyResult<Self> {
        let width = G::num_actions(rules);
        let (mut actions, mut values) = (Vec::with_capacity(trees.len()), Vec::with_capacity(trees.len()));
        let cells = trees.len() * width;
        let (mut policy, mut visits, mut q_values) =
            (vec![0.0; cells], vec![0; cells], vec![f32::NAN; cells]);
        for (index, tree) in trees.iter_mut().enumerate() {
            let outcome = tree.outcome();
            actions.push(i64::from(outcome.action));
            values.push(outcome.value);
            for (i, &action) in outcome.actions.iter().enumerate() {
                let cell = index * width + usize::from(action);
                policy[cell] = outcome.policy[i];
                visits[cell] = outcome.visits[i] as i32;
                q_values[cell] = outcome.values[i].unwrap_or(f32::NAN);
            }
        }
        let shape = [trees.len(), width];
        Ok(Self {
            actions: PyArray1::from_vec(py, actions).unbind(),
            policy: PyArray1::from_vec(py, policy).reshape(shape)?.unbind(),
            visits: PyArray1::from_vec(py, visits).reshape(shape)?.unbind(),
            q_values: PyArray1::from_vec(py, q_values).reshape(shape)?.unbind(),
            values: PyArray1::from_vec(py, values).unbind(),
            simulations: trees.first().map_or(0, Tree::simulations),
            batches: asked.batches,
            leaves: asked.leaves,
        })
    }
}

#[pymethods]
impl SearchResult {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "SearchResult(states={}, simulations={}, batches={}, leaves={})",
            self.actions.bind(py).len()?,
            self.simulations,
            self.batches,
            self.leaves
        ))
    }
}
