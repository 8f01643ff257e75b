//! `VecEnv`: many games stepped in one call, straight into numpy arrays, without the GIL.

use std::sync::{Mutex, MutexGuard, TryLockError};

use mancala_env::{
    ACTION_FEATURES, ActionFeatures, BatchGame, Buffers, Cell, Game, GameSpec, Giuthi, Kiothi, ResetOptions,
    VecEnvConfig, for_game,
};
use numpy::{
    Element, Ix1, Ix2, PyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray,
    ndarray::Dimension,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::options::read_spec;

/// The two environments there are.
enum AnyVecEnv {
    Giuthi(mancala_env::VecEnv<Giuthi>),
    Kiothi(mancala_env::VecEnv<Kiothi>),
}

/// Runs the same code for whichever game an [`AnyVecEnv`] plays.
macro_rules! for_env {
    ($any:expr, |$env:ident| $body:expr) => {
        match $any {
            AnyVecEnv::Giuthi($env) => $body,
            AnyVecEnv::Kiothi($env) => $body,
        }
    };
}

/// Borrows the caller's array `name` for writing.
fn borrow<'py, T: Element, D: Dimension>(
    buffers: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    let array = buffers.getattr(name)?;
    let array = array.cast::<PyArray<T, D>>().map_err(|_| {
        let (kind, dimensions) = (std::any::type_name::<T>(), D::NDIM.unwrap_or(0));
        PyTypeError::new_err(format!("buffer {name}: expected an array of {kind}, {dimensions}-dimensional"))
    })?;
    array.try_readwrite().map_err(|error| PyRuntimeError::new_err(format!("buffer {name}: {error}")))
}

/// The caller's arrays, borrowed: nobody else that asks numpy's borrow checker can have them meanwhile.
struct Arrays<'py, T: Element> {
    observations: PyReadwriteArray<'py, T, Ix2>,
    action_mask: PyReadwriteArray<'py, bool, Ix2>,
    to_move: PyReadwriteArray<'py, i8, Ix1>,
    scores: PyReadwriteArray<'py, i16, Ix2>,
    rewards: PyReadwriteArray<'py, f32, Ix1>,
    returns: PyReadwriteArray<'py, f32, Ix2>,
    terminated: PyReadwriteArray<'py, bool, Ix1>,
    truncated: PyReadwriteArray<'py, bool, Ix1>,
    passed: PyReadwriteArray<'py, bool, Ix1>,
    final_observations: PyReadwriteArray<'py, T, Ix2>,
    final_mask: PyReadwriteArray<'py, bool, Ix1>,
    final_scores: PyReadwriteArray<'py, i16, Ix2>,
    final_results: PyReadwriteArray<'py, i8, Ix1>,
    final_plies: PyReadwriteArray<'py, i32, Ix1>,
}

impl<'py, T: Element + Cell> Arrays<'py, T> {
    fn borrow(buffers: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            observations: borrow(buffers, "observations")?,
            action_mask: borrow(buffers, "action_mask")?,
            to_move: borrow(buffers, "to_move")?,
            scores: borrow(buffers, "scores")?,
            rewards: borrow(buffers, "rewards")?,
            returns: borrow(buffers, "returns")?,
            terminated: borrow(buffers, "terminated")?,
            truncated: borrow(buffers, "truncated")?,
            passed: borrow(buffers, "passed")?,
            final_observations: borrow(buffers, "final_observations")?,
            final_mask: borrow(buffers, "final_mask")?,
            final_scores: borrow(buffers, "final_scores")?,
            final_results: borrow(buffers, "final_results")?,
            final_plies: borrow(buffers, "final_plies")?,
        })
    }

    fn slices(&mut self) -> PyResult<Buffers<'_, T>> {
        Ok(Buffers {
            observations: self.observations.as_slice_mut()?,
            action_mask: self.action_mask.as_slice_mut()?,
            to_move: self.to_move.as_slice_mut()?,
            scores: self.scores.as_slice_mut()?,
            rewards: self.rewards.as_slice_mut()?,
            returns: self.returns.as_slice_mut()?,
            terminated: self.terminated.as_slice_mut()?,
            truncated: self.truncated.as_slice_mut()?,
            passed: self.passed.as_slice_mut()?,
            final_observations: self.final_observations.as_slice_mut()?,
            final_mask: self.final_mask.as_slice_mut()?,
            final_scores: self.final_scores.as_slice_mut()?,
            final_results: self.final_results.as_slice_mut()?,
            final_plies: self.final_plies.as_slice_mut()?,
            action_features: ActionFeatures::None,
        })
    }
}

/// Steps or resets without the GIL.
trait Call: Send {
    fn on<G: BatchGame, T: Cell>(
        &self,
        env: &mut mancala_env::VecEnv<G>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), mancala_env::VecEnvError>;
}

struct Step<'a>(&'a [i64]);

impl Call for Step<'_> {
    fn on<G: BatchGame, T: Cell>(
        &self,
        env: &mut mancala_env::VecEnv<G>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), mancala_env::VecEnvError> {
        env.step(self.0, buffers)
    }
}

impl Call for ResetOptions<'_> {
    fn on<G: BatchGame, T: Cell>(
        &self,
        env: &mut mancala_env::VecEnv<G>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), mancala_env::VecEnvError> {
        env.reset(self, buffers)
    }
}

fn run<T: Element + Cell>(
    env: &mut AnyVecEnv,
    buffers: &Bound<'_, PyAny>,
    call: &(impl Call + Sync),
) -> PyResult<()> {
    let py = buffers.py();
    let mut arrays = Arrays::<T>::borrow(buffers)?;
    let mut buffers = arrays.slices()?;
    py.detach(|| for_env!(env, |env| call.on(env, &mut buffers))).map_err(|error| errors::vec_env(py, &error))
}

/// The games behind `mancala_rl.env.MancalaVecEnv`, which checks the arguments and makes the arrays.
#[pyclass(module = "mancala_rl._core", frozen)]
pub(crate) struct VecEnv {
    spec: GameSpec,
    raw: bool,
    env: Mutex<AnyVecEnv>,
}

impl VecEnv {
    /// The environment, for one thread at a time. Waiting is no choice: the other thread may hold it for long, and two
    /// threads that step one environment in turns step it in no order.
    fn lock(&self) -> PyResult<MutexGuard<'_, AnyVecEnv>> {
        self.env.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => errors::busy("this environment"),
            TryLockError::Poisoned(_) => {
                PyRuntimeError::new_err("a step of this environment has failed; make a new one")
            }
        })
    }

    fn call(&self, buffers: &Bound<'_, PyAny>, call: &(impl Call + Sync)) -> PyResult<()> {
        let mut env = self.lock()?;
        match self.raw {
            false => run::<f32>(&mut env, buffers, call),
            true => run::<u8>(&mut env, buffers, call),
        }
    }
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (game, num_envs, seed, threads, max_plies, random_opening_plies, random_first_player, raw, options))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        py: Python<'_>,
        game: &str,
        num_envs: usize,
        seed: u64,
        threads: usize,
        max_plies: Option<u32>,
        random_opening_plies: u32,
        random_first_player: bool,
        raw: bool,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let spec = read_spec(game, Some(options))?;
        let config =
            VecEnvConfig { num_envs, seed, max_plies, random_opening_plies, random_first_player, threads };
        let env = py.detach(|| {
            Ok(match spec {
                GameSpec::Giuthi(rules) => AnyVecEnv::Giuthi(mancala_env::VecEnv::new(rules, config)?),
                GameSpec::Kiothi(rules) => AnyVecEnv::Kiothi(mancala_env::VecEnv::new(rules, config)?),
            })
        });
        let env = env.map_err(|error| errors::vec_env(py, &error))?;
        Ok(Self { spec, raw, env: Mutex::new(env) })
    }

    #[getter]
    fn game(&self) -> String {
        self.spec.id()
    }

    #[getter]
    fn rules_version(&self) -> u32 {
        for_game!(self.spec, |_rules: G| G::RULES_VERSION)
    }

    #[getter]
    fn observation_version(&self) -> u32 {
        for_game!(self.spec, |_rules: G| G::OBSERVATION_VERSION)
    }

    #[getter]
    fn num_actions(&self) -> usize {
        for_game!(self.spec, |rules: G| G::num_actions(&rules))
    }

    #[getter]
    fn observation_len(&self) -> usize {
        for_game!(self.spec, |rules: G| G::observation_len(&rules))
    }

    #[pyo3(signature = (buffers, seed, mask, positions))]
    fn reset(
        &self,
        buffers: &Bound<'_, PyAny>,
        seed: Option<u64>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
        positions: Option<Vec<Option<String>>>,
    ) -> PyResult<()> {
        let mask = mask.as_ref().map(|mask| mask.as_slice()).transpose()?;
        self.call(buffers, &ResetOptions { seed, mask, positions: positions.as_deref() })
    }

    fn step(&self, buffers: &Bound<'_, PyAny>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        self.call(buffers, &Step(actions.as_slice()?))
    }

    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut env = self.lock()?;
        let env = &mut *env;
        let drawn = py.detach(|| {
            for_env!(env, |env| {
                let mut actions = vec![0; env.num_envs()];
                env.sample_actions(&mut actions).map(|()| actions)
            })
        });
        Ok(PyArray1::from_vec(py, drawn.map_err(|error| errors::vec_env(py, &error))?))
    }

    fn positions(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let env = self.lock()?;
        let env = &*env;
        Ok(py.detach(|| for_env!(env, |env| env.positions().map(|position| position.write()).collect())))
    }

    fn action_features_ragged<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut env = self.lock()?;
        let env = &mut *env;
        let ragged = py.detach(|| for_env!(env, |env| env.action_features()));
        let features =
            PyArray1::from_vec(py, ragged.features).reshape([ragged.actions.len(), ACTION_FEATURES])?;
        let arrays =
            (PyArray1::from_vec(py, ragged.offsets), PyArray1::from_vec(py, ragged.actions), features);
        Ok(arrays.into_pyobject(py)?.into_any())
    }

    fn action_features_dense<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut env = self.lock()?;
        let AnyVecEnv::Giuthi(env) = &mut *env else {
            return Err(PyValueError::new_err(
                "kiothi has 630 actions of which a few are legal: ask for layout=\"ragged\"",
            ));
        };
        let shape = [env.num_envs(), self.num_actions(), ACTION_FEATURES];
        let mut out = vec![0.0; shape.iter().product()];
        py.detach(|| env.action_features_dense(&mut out)).map_err(|error| errors::vec_env(py, &error))?;
        Ok(PyArray1::from_vec(py, out).reshape(shape)?.into_any())
    }
}
