//! `NativeNet`: a net as our own inference runs it.

use std::sync::{Mutex, MutexGuard, TryLockError};

use mancala_env::{AnyPosition, GameSpec, Giuthi, Kiothi};
use mancala_search::Leaf;
use mancala_search::net::{self, NetEvaluator, Tensor, Weights, WeightsError};
use numpy::{PyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::config::{NetConfig, with_actions};
use crate::agents::failed_as;
use crate::states::KnownGame;
use crate::{arguments, errors};

/// The logit of an action that is not legal: no probability in float32, and finite, since infinity times a target of 0 is no number.
pub(crate) const ILLEGAL_LOGIT: f32 = -1e9;

/// What a net says of B positions, all of it in the view of the player to move.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct NetOutputs {
    /// Logits of all actions, (B, A) float32; -1e9 where an action is not legal.
    logits: Py<PyArray2<f32>>,
    /// Probabilities of win, draw and loss, (B, 3) float32, rows adding up to 1.
    wdl: Py<PyArray2<f32>>,
    /// The expected outcome, win less loss, (B,) float32 from -1 to 1.
    values: Py<PyArray1<f32>>,
    /// The seeds expected at the end more than the other has, as a share of all, (B,) float32; None without a margin head.
    margins: Option<Py<PyArray1<f32>>>,
}

#[pymethods]
impl NetOutputs {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.values.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("NetOutputs of {} positions", self.__len__(py))
    }
}

enum AnyEvaluator {
    Giuthi(NetEvaluator<Giuthi>),
    Kiothi(NetEvaluator<Kiothi>),
}

/// The answers for positions, flat.
#[derive(Default)]
struct Answers {
    logits: Vec<f32>,
    /// Three or four a position.
    judged: Vec<f32>,
}

/// A net as our own inference runs it: without any framework, in float32 on the CPU.
///
/// `what` is what an agent's spec "net:WHAT" names: a net that ships ("giuthi-6x6"), a run's folder, a checkpoint's, or a
/// .safetensors file; a checkpoint's net is checked against the manifest. One thread at a time: a second one gets a RuntimeError.
///
/// FileNotFoundError if there is no such net or it cannot be read; ValueError if it is damaged, or of other rules or observations.
#[pyclass(module = "mancala_rl", frozen)]
pub(crate) struct NativeNet {
    config: NetConfig,
    weights: Weights,
    evaluator: Mutex<AnyEvaluator>,
}

impl NativeNet {
    fn with(weights: Weights) -> Result<Self, WeightsError> {
        let config = NetConfig::of(&weights.header)?;
        let evaluator = match config.spec {
            GameSpec::Giuthi(rules) => AnyEvaluator::Giuthi(NetEvaluator::new(&rules, &weights)?),
            GameSpec::Kiothi(rules) => AnyEvaluator::Kiothi(NetEvaluator::new(&rules, &weights)?),
        };
        Ok(Self { config, weights, evaluator: Mutex::new(evaluator) })
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, AnyEvaluator>> {
        self.evaluator.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => errors::busy("this net"),
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("this net has failed; make a new one"),
        })
    }
}

fn judge<G: KnownGame>(
    rules: &G::Rules,
    evaluator: &mut NetEvaluator<G>,
    positions: Vec<AnyPosition>,
    width: usize,
) -> Answers {
    let described = with_actions::<G>(positions);
    let afterstates: Vec<Vec<G>> =
        described.iter().map(|(state, actions)| net::afterstates(state, actions)).collect();
    let leaf = |((state, actions), afterstates)| Leaf { rules, state, history: &[], actions, afterstates };
    let pairs = described.iter().map(|(state, actions)| (state, &actions[..]));
    let leaves: Vec<Leaf<'_, G>> = pairs.zip(afterstates.iter().map(|after| &after[..])).map(leaf).collect();
    let mut logits = Vec::new();
    let judged = evaluator.judge(&leaves, &mut logits).iter().copied().collect();
    let mut padded = vec![ILLEGAL_LOGIT; width * leaves.len()];
    let cells = leaves
        .iter()
        .enumerate()
        .flat_map(|(row, leaf)| leaf.actions.iter().map(move |info| row * width + usize::from(info.action)));
    cells.zip(logits).for_each(|(cell, logit)| padded[cell] = logit);
    Answers { logits: padded, judged }
}

/// A tensor as it is given: float32, of the shape that the config tells.
fn read_tensor(name: String, shape: Vec<usize>, value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let expected = "a float32 array";
    let Ok(array) = value.cast::<PyArrayDyn<f32>>() else {
        let named = format!("tensors[{name:?}]");
        return Err(match value.cast::<PyUntypedArray>() {
            Ok(array) => PyTypeError::new_err(format!("{named} is {expected}, not one of {}", array.dtype())),
            Err(_) => arguments::wrong_type(&named, expected, value),
        });
    };
    if array.shape() != shape {
        let (expected, found) = (errors::shape(&shape), errors::shape(array.shape()));
        return Err(PyValueError::new_err(format!("tensors[{name:?}] has shape {expected}, not {found}")));
    }
    // Cells that do not begin at multiples of their size, as those of a record's field, Rust cannot read where they are.
    let array =
        value.py().import("numpy")?.call_method1("require", (array, value.py().None(), ["C", "A"]))?;
    let array = array.cast_into::<PyArrayDyn<f32>>()?;
    let data: Vec<f32> = array.try_readonly()?.as_slice()?.to_vec();
    match data.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(PyValueError::new_err(format!("tensors[{name:?}] holds {value}"))),
        None => Ok(Tensor { name, shape, data }),
    }
}

#[pymethods]
impl NativeNet {
    #[new]
    fn new(py: Python<'_>, what: &Bound<'_, PyAny>) -> PyResult<Self> {
        let what = &arguments::name_or_path("what", what)?;
        py.detach(|| {
            let weights = net::read(what).map_err(|error| failed_as(&error, &error.to_string()))?;
            Self::with(weights)
                .map_err(|error| PyValueError::new_err(errors::short(&format!("net {what}: {error}"))))
        })
    }

    /// A net of these weights: a float32 array for each name of `config.tensors()`, of that shape.
    ///
    /// ValueError, naming the tensor, if one is missing, is none of the net's, has another shape or a value that is not finite;
    /// TypeError if one is no float32 array.
    #[staticmethod]
    fn from_tensors(config: &Bound<'_, PyAny>, tensors: &Bound<'_, PyAny>) -> PyResult<Self> {
        let config = NetConfig::read("config", config)?;
        let cast = tensors.cast::<PyDict>();
        let tensors = cast.map_err(|_| arguments::wrong_type("tensors", "a dict of arrays", tensors))?;
        let mut read = Vec::new();
        for (name, shape) in config.header.tensors() {
            let value = tensors.get_item(&name)?;
            let value = value.ok_or_else(|| PyValueError::new_err(format!("tensors has no {name:?}")))?;
            read.push(read_tensor(name, shape, &value)?);
        }
        for name in tensors.keys() {
            let known = arguments::text("a name in tensors", &name)?;
            if !read.iter().any(|tensor| tensor.name == known) {
                let name = errors::quoted(&name);
                return Err(PyValueError::new_err(format!(
                    "tensors[{name}] is no tensor of a net of this config"
                )));
            }
        }
        Self::with(Weights { header: config.header.clone(), tensors: read })
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What it is for and its sizes.
    #[getter]
    fn config(&self) -> NetConfig {
        self.config.clone()
    }

    /// Its weights by name, float32 arrays that are copies; `docs/file-formats.md` says what each does.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for Tensor { name, shape, data } in &self.weights.tensors {
            tensors.set_item(name, PyArray::from_slice(py, data).reshape(&shape[..])?)?;
        }
        Ok(tensors)
    }

    /// What it says of `states`, which are of its game.
    ///
    /// TypeError and ValueError, naming the index, for no states, states of another game and finished ones.
    fn outputs(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<NetOutputs> {
        let positions = self.config.read_states(states)?;
        let (rows, header) = (positions.len(), &self.config.header);
        let mut evaluator = self.lock()?;
        let evaluator = &mut *evaluator;
        let width = header.actions;
        let answers = py.detach(|| match (evaluator, self.config.spec) {
            (AnyEvaluator::Giuthi(net), GameSpec::Giuthi(rules)) => judge(&rules, net, positions, width),
            (AnyEvaluator::Kiothi(net), GameSpec::Kiothi(rules)) => judge(&rules, net, positions, width),
            _ => unreachable!("an evaluator of its config's game"),
        });
        let outputs: Vec<&[f32]> = answers.judged.chunks_exact(header.value_outputs()).collect();
        let wdl: Vec<f32> = outputs.iter().flat_map(|row| &row[..3]).copied().collect();
        let values: Vec<f32> = outputs.iter().map(|row| row[0] - row[2]).collect();
        let margins = header.margin.then(|| outputs.iter().map(|row| row[3]));
        Ok(NetOutputs {
            logits: PyArray1::from_vec(py, answers.logits).reshape([rows, width])?.unbind(),
            wdl: PyArray1::from_vec(py, wdl).reshape([rows, 3])?.unbind(),
            values: PyArray1::from_vec(py, values).unbind(),
            margins: margins.map(|margins| PyArray1::from_iter(py, margins).unbind()),
        })
    }

    /// The net as a .safetensors file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.weights.to_bytes())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<NativeNet of {}>", Bound::new(py, self.config.clone())?.repr()?))
    }
}
