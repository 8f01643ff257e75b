//! A Python function as an evaluator: what it is asked, and what it may answer.

use mancala_env::Game;
use mancala_search::{Evaluations, Evaluator, Leaf};
use numpy::{
    Element, Ix1, Ix2, PyArray, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray, PyUntypedArray,
    PyUntypedArrayMethods, ndarray::Dimension,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::batch::{Layout, LeafBatch};
use crate::errors;

/// Values that rounding has put this far beyond their range are taken to be at its end.
const ROUNDING: f32 = 1e-5;

/// How much an evaluator was asked.
#[derive(Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) batches: u64,
    pub(super) leaves: u64,
}

/// A Python function as an evaluator.
pub(super) struct PythonEvaluator<G: Game> {
    rules: G::Rules,
    function: Py<PyAny>,
    action_features: Option<Layout>,
    pub(super) asked: Asked,
    /// Why the evaluator has failed.
    pub(super) raised: Option<PyErr>,
}

impl<G: Game> PythonEvaluator<G> {
    pub(super) fn new(
        rules: &G::Rules,
        function: &Bound<'_, PyAny>,
        action_features: Option<Layout>,
    ) -> Self {
        let function = function.clone().unbind();
        Self { rules: *rules, function, action_features, asked: Asked::default(), raised: None }
    }

    fn ask(&mut self, py: Python<'_>, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> PyResult<()> {
        py.check_signals()?;
        self.asked.batches += 1;
        self.asked.leaves += leaves.len() as u64;
        let batch = LeafBatch::new(py, &self.rules, leaves, self.action_features)?;
        let answer = self.function.bind(py).call1((batch,))?;
        let parts = parts(&answer)?;
        let shape = [leaves.len(), G::num_actions(&self.rules)];
        read_logits(&floats::<Ix2>("policy_logits", &parts[0], &shape)?, leaves, &mut out.logits)?;
        read_judgements("values", &parts[1], -1.0, leaves, &mut out.values)?;
        out.draws.clear();
        if let Some(draws) = parts.get(2) {
            read_judgements("draws", draws, 0.0, leaves, &mut out.draws)?;
        }
        Ok(())
    }
}

impl<G: Game> Evaluator<G> for PythonEvaluator<G> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        Python::attach(|py| self.ask(py, leaves, out)).map_err(|error| {
            self.raised = Some(error);
            "the evaluator has failed".into()
        })
    }
}

/// The two or three arrays of an answer.
fn parts<'py>(answer: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    const EXPECTED: &str = "evaluate returns (policy_logits, values) or (policy_logits, values, draws)";
    if !answer.is_instance_of::<PyTuple>() && !answer.is_instance_of::<PyList>() {
        let kind = answer.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{EXPECTED}, not {kind}")));
    }
    let parts = answer.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    match parts.len() {
        2 | 3 => Ok(parts),
        len => Err(PyValueError::new_err(format!("{EXPECTED}, not {len} things"))),
    }
}

/// An array of floats, as float32.
fn floats<'py, D: Dimension>(
    name: &str,
    value: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadonlyArray<'py, f32, D>> {
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("evaluate: {name} is a numpy array, not {kind}")));
    };
    let dtype = array.dtype();
    if dtype.kind() != b'f' {
        return Err(PyTypeError::new_err(format!("evaluate: {name} is an array of floats, not of {dtype}")));
    }
    if array.shape() != shape {
        let (expected, found) = (errors::shape(shape), errors::shape(array.shape()));
        return Err(PyValueError::new_err(format!("evaluate: {name} has shape {expected}, not {found}")));
    }
    let array = match value.cast::<PyArray<f32, D>>() {
        // Cells that do not stand in line, as those of a field of packed records, are copied as those of another width are.
        Ok(array) if array.is_c_contiguous() && array.is_aligned() => array.clone(),
        _ => {
            let dtype = <f32 as Element>::get_dtype(value.py());
            value.call_method1("astype", (dtype,))?.cast_into::<PyArray<f32, D>>()?
        }
    };
    Ok(array.try_readonly()?)
}

/// Where a row is, for a message.
fn row_of<G: Game>(row: usize, leaf: &Leaf<'_, G>) -> String {
    format!("row {row} (in '{}')", leaf.position().write())
}

/// Takes the logits of legal actions.
fn read_logits<G: Game>(
    array: &PyReadonlyArray<'_, f32, Ix2>,
    leaves: &[Leaf<'_, G>],
    out: &mut Vec<f32>,
) -> PyResult<()> {
    out.clear();
    for (row, (leaf, cells)) in leaves.iter().zip(array.as_array().rows()).enumerate() {
        for info in leaf.actions {
            let (action, logit) = (info.action, cells[usize::from(info.action)]);
            if !logit.is_finite() {
                let row = row_of(row, leaf);
                let problem = format!("evaluate: policy_logits of {row}: legal action {action} has {logit}");
                return Err(PyValueError::new_err(problem));
            }
            out.push(logit);
        }
    }
    Ok(())
}

/// Takes one number a leaf, from `low` to 1.
fn read_judgements<G: Game>(
    name: &str,
    value: &Bound<'_, PyAny>,
    low: f32,
    leaves: &[Leaf<'_, G>],
    out: &mut Vec<f32>,
) -> PyResult<()> {
    let array = floats::<Ix1>(name, value, &[leaves.len()])?;
    out.clear();
    for (row, (leaf, &judged)) in leaves.iter().zip(array.as_array()).enumerate() {
        if !(low - ROUNDING..=1.0 + ROUNDING).contains(&judged) {
            let row = row_of(row, leaf);
            let problem = format!("evaluate: {name} of {row} is {judged}, and is from {low} to 1");
            return Err(PyValueError::new_err(problem));
        }
        out.push(judged.clamp(low, 1.0));
    }
    Ok(())
}
