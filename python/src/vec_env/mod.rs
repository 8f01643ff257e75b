//! `VecEnv`: many games stepped in one call, straight into numpy arrays.

mod arrays;
mod ended;
#[expect(unsafe_code, reason = "borrows the cells of numpy arrays")]
mod exclusive;
mod features;
mod shelf;

use std::sync::{Mutex, MutexGuard, TryLockError};

use mancala_env::{
    ActionFeatures, BatchGame, Buffers, Cell, Game, GameSpec, Giuthi, Kiothi, ResetOptions, VecEnvConfig,
    for_game,
};
use numpy::{Element, Ix1, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods, ndarray::Dim};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::errors;
use crate::options::read_spec;
use arrays::{Lent, Shelves};
use ended::Ended;
use exclusive::Access;
use features::Features;
use shelf::Shelf;

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

/// The arrays, by what a cell of an observation is.
enum AnyShelves {
    Normalized(Shelves<f32>),
    Raw(Shelves<u8>),
}

/// A step, a reset, or what is like one.
trait Call: Sync {
    fn on<G: BatchGame, T: Cell>(
        &self,
        env: &mut mancala_env::VecEnv<G>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), mancala_env::VecEnvError>;

    /// What Python gets; `info` has all that steps and resets both tell.
    fn returns<'py, T: Element>(
        lent: &Lent<'_, 'py, T>,
        info: Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>>;
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

    fn returns<'py, T: Element>(
        lent: &Lent<'_, 'py, T>,
        info: Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        lent.step(info)
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

    fn returns<'py, T: Element>(
        lent: &Lent<'_, 'py, T>,
        info: Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        lent.reset(info)
    }
}

/// Goes back to a saved state.
struct Restore<'a>(&'a [u8]);

impl Call for Restore<'_> {
    fn on<G: BatchGame, T: Cell>(
        &self,
        env: &mut mancala_env::VecEnv<G>,
        buffers: &mut Buffers<'_, T>,
    ) -> Result<(), mancala_env::VecEnvError> {
        env.restore(self.0, buffers)
    }

    fn returns<'py, T: Element>(
        lent: &Lent<'_, 'py, T>,
        info: Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        lent.reset(info)
    }
}

/// Steps, resets or restores; `work` runs it.
fn run<'py, T: Element + Cell, C: Call>(
    py: Python<'py>,
    work: Work,
    env: &mut AnyVecEnv,
    shelves: &mut Shelves<T>,
    ended: &mut Ended,
    features: &mut Features,
    call: &C,
) -> PyResult<Bound<'py, PyTuple>> {
    let block = shelves.borrow(py)?;
    let mut lent = shelves.lend(py, block.as_ref())?;
    let mut features = features.lend(py)?;
    let mut cells = lent.cells();
    cells.buffers.action_features = features.request();
    let done = work.run(py, || ended.fill(cells, |buffers| for_env!(env, |env| call.on(env, buffers))));
    done.map_err(|error| errors::vec_env(py, &error))?;
    let info = lent.info(py)?;
    if let Some(features) = features.arrays(py)? {
        info.set_item(intern!(py, "action_features"), features)?;
    }
    C::returns(&lent, info)
}

/// How work on the games goes about the GIL.
#[derive(Clone, Copy)]
enum Work {
    /// So short that to let go of the GIL and to take it again would make it longer, much longer if another thread waits for it.
    Attached,
    /// Other threads go on meanwhile.
    Detached,
}

impl Work {
    /// A move takes a fifth of a microsecond, in lockstep much less.
    fn new(num_envs: usize, random_opening_plies: u32) -> Self {
        match num_envs.saturating_mul(1 + random_opening_plies as usize) < 64 {
            true => Self::Attached,
            false => Self::Detached,
        }
    }

    fn run<R: Send>(self, py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Attached => work(),
            Self::Detached => py.detach(work),
        }
    }
}

/// What one thread at a time may have.
struct Inside {
    env: AnyVecEnv,
    shelves: AnyShelves,
    ended: Ended,
    features: Features,
    sampled: Shelf<i64, Ix1>,
}

/// The games behind `mancala_rl.env.MancalaVecEnv`, which checks the arguments, and the arrays it returns.
///
/// With `copy` an array that anybody can still get at is never written to again; without, every call returns the same arrays.
#[pyclass(module = "mancala_rl._core", frozen)]
pub(crate) struct VecEnv {
    spec: GameSpec,
    num_envs: usize,
    work: Work,
    inside: Mutex<Inside>,
}

impl VecEnv {
    /// The environment, for one thread at a time. Waiting is no choice: the other thread may hold it for long, and two
    /// threads that step one environment in turns step it in no order.
    fn lock(&self) -> PyResult<MutexGuard<'_, Inside>> {
        self.inside.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => errors::busy("this environment"),
            TryLockError::Poisoned(_) => {
                PyRuntimeError::new_err("a step of this environment has failed; make a new one")
            }
        })
    }

    fn call<'py>(&self, py: Python<'py>, call: &impl Call) -> PyResult<Bound<'py, PyTuple>> {
        let mut inside = self.lock()?;
        let Inside { env, shelves, ended, features, .. } = &mut *inside;
        match shelves {
            AnyShelves::Normalized(shelves) => run(py, self.work, env, shelves, ended, features, call),
            AnyShelves::Raw(shelves) => run(py, self.work, env, shelves, ended, features, call),
        }
    }

    /// Actions as they are, if that will do, or made to do.
    fn actions<'py>(&self, actions: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
        static CONVERT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let array = match actions.cast::<PyArray1<i64>>() {
            Ok(array) if array.len() == self.num_envs && array.is_c_contiguous() && array.is_aligned() => {
                array.clone()
            }
            _ => {
                let convert = CONVERT.import(actions.py(), "mancala_rl._arguments", "actions")?;
                convert.call1((actions, self.num_envs))?.cast_into()?
            }
        };
        array.try_into_readonly().map_err(|error| PyRuntimeError::new_err(format!("actions: {error}")))
    }
}

#[pymethods]
impl VecEnv {
    #[new]
    #[pyo3(signature = (game, num_envs, seed, threads, max_plies, random_opening_plies, random_first_player, raw, copy, action_features, options))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        num_envs: usize,
        seed: u64,
        threads: usize,
        max_plies: Option<u32>,
        random_opening_plies: u32,
        random_first_player: bool,
        raw: bool,
        copy: bool,
        action_features: Option<&str>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let spec = read_spec(game, Some(options))?;
        let (cells, actions) =
            for_game!(spec, |rules: G| (G::observation_len(&rules), G::num_actions(&rules)));
        if matches!(spec, GameSpec::Kiothi(_)) && action_features == Some("dense") {
            return Err(no_dense());
        }
        let features = Features::new(py, action_features, num_envs, actions)?;
        let config =
            VecEnvConfig { num_envs, seed, max_plies, random_opening_plies, random_first_player, threads };
        let env = py.detach(|| {
            Ok(match spec {
                GameSpec::Giuthi(rules) => AnyVecEnv::Giuthi(mancala_env::VecEnv::new(rules, config)?),
                GameSpec::Kiothi(rules) => AnyVecEnv::Kiothi(mancala_env::VecEnv::new(rules, config)?),
            })
        });
        let env = env.map_err(|error| errors::vec_env(py, &error))?;
        let shelves = match (raw, copy) {
            (false, true) => AnyShelves::Normalized(Shelves::given(py, num_envs, cells, actions)),
            (false, false) => AnyShelves::Normalized(Shelves::live(py, num_envs, cells, actions)?),
            (true, true) => AnyShelves::Raw(Shelves::given(py, num_envs, cells, actions)),
            (true, false) => AnyShelves::Raw(Shelves::live(py, num_envs, cells, actions)?),
        };
        let sampled = Shelf::given(py, "actions", Dim([num_envs]), Access::Write);
        let inside =
            Mutex::new(Inside { env, shelves, ended: Ended::new(num_envs, !copy), features, sampled });
        Ok(Self { spec, num_envs, work: Work::new(num_envs, random_opening_plies), inside })
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

    #[pyo3(signature = (seed, mask, positions))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Option<u64>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
        positions: Option<Vec<Option<String>>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mask = mask.as_ref().map(|mask| mask.as_slice()).transpose()?;
        self.call(py, &ResetOptions { seed, mask, positions: positions.as_deref() })
    }

    fn step<'py>(&self, actions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let actions = self.actions(actions)?;
        self.call(actions.py(), &Step(actions.as_slice()?))
    }

    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut inside = self.lock()?;
        let Inside { env, sampled, .. } = &mut *inside;
        let lent = sampled.lend(py, None)?;
        let actions = lent.cells;
        let drawn = self.work.run(py, || for_env!(env, |env| env.sample_actions(actions)));
        drawn.map_err(|error| errors::vec_env(py, &error))?;
        Ok(lent.array.clone())
    }

    /// All of the games, `(N,)`.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let inside = self.lock()?;
        let env = &inside.env;
        Ok(PyArray1::from_vec(py, py.detach(|| for_env!(env, |env| env.save()))))
    }

    fn restore<'py>(&self, py: Python<'py>, saved: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
        self.call(py, &Restore(saved))
    }

    fn positions(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inside = self.lock()?;
        let env = &inside.env;
        Ok(py.detach(|| for_env!(env, |env| env.positions().map(|position| position.write()).collect())))
    }

    /// The features of all legal actions, laid out `"dense"` or `"ragged"`.
    fn action_features<'py>(&self, py: Python<'py>, layout: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut inside = self.lock()?;
        let env = &mut inside.env;
        let mut features = Features::new(py, Some(layout), self.num_envs, self.num_actions())?;
        let mut lent = features.lend(py)?;
        match (lent.request(), env) {
            (ActionFeatures::Dense(out), AnyVecEnv::Giuthi(env)) => {
                py.detach(|| env.action_features_dense(out)).map_err(|error| errors::vec_env(py, &error))?;
            }
            (ActionFeatures::Dense(_), AnyVecEnv::Kiothi(_)) => return Err(no_dense()),
            (ActionFeatures::Ragged(ragged), env) => {
                py.detach(|| for_env!(env, |env| env.action_features_into(ragged)));
            }
            (ActionFeatures::None, _) => {}
        }
        let arrays = lent.arrays(py)?;
        Ok(arrays.expect("a layout was asked for"))
    }
}

fn no_dense() -> PyErr {
    PyValueError::new_err(
        "kiothi has 630 actions of which a few are legal: ask for \"ragged\" action features",
    )
}
