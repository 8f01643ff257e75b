//! `ReplayPositions`: the positions of replay shards, with what is learned of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use mancala_env::{ActionInfo, Game, GameSpec, Giuthi, Kiothi, for_game};
use mancala_search::net::{Encoded, NetConfig as Sizes};
use mancala_search::self_play::{Sample, Shard, ShardHeader};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyOSError, PyValueError};
use pyo3::prelude::*;

use super::config::NetConfig;
use super::inputs::NetInputs;
use crate::errors::Integer;
use crate::{arguments, errors};

/// B positions of a replay with what is learned of them, all of it in the view of the player to move.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct ReplayBatch {
    /// What the net reads of them.
    inputs: Py<NetInputs>,
    /// The search's policy, (B, A) float32: rows add up to 1, or are all 0 where there is none.
    policy: Py<PyArray2<f32>>,
    /// Whether there is a policy, (B,) bool: not for forced moves and those that were searched fast.
    has_policy: Py<PyArray1<bool>>,
    /// How the game ended, (B, 3) float32: 1 at win, draw or loss, 0 at the others; a stopped game is a draw.
    wdl: Py<PyArray2<f32>>,
    /// The search's value, (B,) float32 from -1 to 1; 0 where there is none.
    values: Py<PyArray1<f32>>,
    /// Whether there is a value, (B,) bool: not for forced moves.
    has_value: Py<PyArray1<bool>>,
    /// The seeds at the end more than the other had, as a share of all, (B,) float32 from -1 to 1; 0 for a draw.
    margins: Py<PyArray1<f32>>,
}

#[pymethods]
impl ReplayBatch {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.values.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("ReplayBatch of {} positions", self.__len__(py)?))
    }
}

enum AnySamples {
    Giuthi(Vec<Sample<Giuthi>>),
    Kiothi(Vec<Sample<Kiothi>>),
}

/// The positions of replay shards of one run, in the order of `files`, games and moves; openings are not among them.
///
/// The games are played again when they are read; some hundred bytes a position stay in memory. It pickles as its files' paths.
///
/// FileNotFoundError, or another OSError, if a file cannot be read. ValueError if there are no files or one is damaged, has another
/// format version, is of other rules, or of another game or seed than the first. All of them name the file.
#[pyclass(module = "mancala_rl", frozen)]
pub(crate) struct ReplayPositions {
    files: Vec<PathBuf>,
    spec: GameSpec,
    seed: u64,
    samples: AnySamples,
}

/// Positions by target.
struct Targets {
    policy: Vec<f32>,
    has_policy: Vec<bool>,
    wdl: Vec<f32>,
    values: Vec<f32>,
    has_value: Vec<bool>,
    margins: Vec<f32>,
}

fn damaged(file: &Path, problem: &str) -> PyErr {
    PyValueError::new_err(format!("replay shard {} is damaged: {problem}", file.display()))
}

/// Reads a file whole. The class of the error is that of its number.
fn read(file: &Path) -> PyResult<Vec<u8>> {
    std::fs::read(file).map_err(|error| {
        let text = format!("replay shard {}: {error}", file.display());
        match error.raw_os_error() {
            Some(number) => PyOSError::new_err((number, text)),
            None => PyOSError::new_err(text),
        }
    })
}

/// Checks that a shard is of the game, rules and seed that were asked for, and of the iteration that its file is named by.
fn check<G: Game>(file: &Path, rules: &G::Rules, header: &ShardHeader, seed: u64) -> PyResult<()> {
    let named = file.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
    let iteration = named.unwrap_or(header.iteration);
    let expected = Shard::new::<G>(rules, seed, iteration, 0, Vec::new()).header.to_string();
    match header.to_string() {
        found if found == expected => Ok(()),
        found => Err(PyValueError::new_err(format!(
            "replay shard {} is of {found}; here it would be of {expected}",
            file.display()
        ))),
    }
}

/// The positions of all files; `first` is the first one, read.
fn samples<G: Game>(rules: &G::Rules, files: &[PathBuf], first: Shard) -> PyResult<Vec<Sample<G>>> {
    let seed = first.header.seed;
    let mut first = Some(first);
    let mut samples = Vec::new();
    for file in files {
        let shard = match first.take() {
            Some(shard) => shard,
            None => Shard::from_bytes(&read(file)?).map_err(|problem| damaged(file, &problem))?,
        };
        check::<G>(file, rules, &shard.header, seed)?;
        let before = samples.len();
        for game in &shard.games {
            samples.extend(game.samples::<G>(rules).map_err(|problem| damaged(file, &problem))?);
        }
        let (found, told) = (samples.len() - before, shard.header.positions);
        if found as u64 != told {
            let problem = format!("it holds {found} positions, its header tells {told}");
            return Err(damaged(file, &problem));
        }
    }
    Ok(samples)
}

/// Numbers of positions, of which there are `len`.
fn read_indices(indices: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<usize>> {
    let numbers = arguments::iterate("indices", "a list of ints", indices)?.enumerate();
    let read = |(at, value): (usize, PyResult<Bound<'_, PyAny>>)| {
        let (number, shown) = match errors::integer(&value?, &format!("indices[{at}] is an int"))? {
            Integer::Small(number) => (usize::try_from(number).ok(), number.to_string()),
            Integer::Huge { shown, .. } => (None, shown),
        };
        number.filter(|&number| number < len).ok_or_else(|| {
            PyIndexError::new_err(format!("indices[{at}] is {shown}, and there are {len} positions"))
        })
    };
    numbers.map(read).collect()
}

fn encode<G: Game>(
    rules: &G::Rules,
    net: Sizes,
    samples: &[Sample<G>],
    indices: &[usize],
) -> (Encoded, Targets) {
    let (count, width) = (indices.len(), G::num_actions(rules));
    let mut targets = Targets {
        policy: vec![0.0; count * width],
        has_policy: Vec::with_capacity(count),
        wdl: vec![0.0; count * 3],
        values: Vec::with_capacity(count),
        has_value: Vec::with_capacity(count),
        margins: Vec::with_capacity(count),
    };
    let mut rows: Vec<(&G, &[ActionInfo])> = Vec::with_capacity(count);
    for (row, &index) in indices.iter().enumerate() {
        let sample = &samples[index];
        rows.push((&sample.state, &sample.actions));
        for (info, share) in sample.actions.iter().zip(&sample.policy) {
            targets.policy[row * width + usize::from(info.action)] = *share;
        }
        targets.has_policy.push(!sample.policy.is_empty());
        targets.wdl[row * 3 + sample.outcome_column()] = 1.0;
        targets.values.push(sample.value.unwrap_or(0.0));
        targets.has_value.push(sample.value.is_some());
        targets.margins.push(sample.margin);
    }
    (Encoded::of(rules, net, &rows), targets)
}

#[pymethods]
impl ReplayPositions {
    #[new]
    fn new(py: Python<'_>, files: &Bound<'_, PyAny>) -> PyResult<Self> {
        let files = arguments::paths("files", files)?;
        py.detach(|| {
            let Some(file) = files.first() else {
                return Err(PyValueError::new_err("files is empty: there is nothing to read"));
            };
            let first = Shard::from_bytes(&read(file)?).map_err(|problem| damaged(file, &problem))?;
            let (seed, game) = (first.header.seed, first.header.game.clone());
            let spec = GameSpec::parse(&game).map_err(|error| damaged(file, &error.to_string()))?;
            let samples = match spec {
                GameSpec::Giuthi(rules) => AnySamples::Giuthi(samples(&rules, &files, first)?),
                GameSpec::Kiothi(rules) => AnySamples::Kiothi(samples(&rules, &files, first)?),
            };
            Ok(Self { files, spec, seed, samples })
        })
    }

    /// The files, as they were given.
    #[getter]
    fn files(&self) -> Vec<&OsStr> {
        self.files.iter().map(|file| file.as_os_str()).collect()
    }

    /// The game with its options.
    #[getter]
    fn game(&self) -> String {
        self.spec.id()
    }

    /// The seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The positions with the numbers `indices`, for a net of `config`, in this order and with repeats.
    ///
    /// IndexError if there is no such number, from 0 on; ValueError if there are none, or the net is for another game.
    fn batch(
        &self,
        py: Python<'_>,
        config: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
    ) -> PyResult<ReplayBatch> {
        let config = NetConfig::read("config", config)?;
        if config.spec != self.spec {
            return Err(PyValueError::new_err(format!(
                "config is of a net for {}, and the positions are of {}",
                config.header.game,
                self.spec.id()
            )));
        }
        let numbers = read_indices(indices, self.__len__())?;
        if numbers.is_empty() {
            return Err(PyValueError::new_err("indices is empty: there is nothing to read"));
        }
        let net = config.header.net;
        let (encoded, targets) = py.detach(|| match (&self.samples, self.spec) {
            (AnySamples::Giuthi(samples), GameSpec::Giuthi(rules)) => encode(&rules, net, samples, &numbers),
            (AnySamples::Kiothi(samples), GameSpec::Kiothi(rules)) => encode(&rules, net, samples, &numbers),
            _ => unreachable!("positions of the game of the shards"),
        });
        let width = for_game!(self.spec, |rules: G| G::num_actions(&rules));
        let rows = numbers.len();
        Ok(ReplayBatch {
            inputs: Py::new(py, NetInputs::new(py, &config.header, encoded)?)?,
            policy: PyArray1::from_vec(py, targets.policy).reshape([rows, width])?.unbind(),
            has_policy: PyArray1::from_vec(py, targets.has_policy).unbind(),
            wdl: PyArray1::from_vec(py, targets.wdl).reshape([rows, 3])?.unbind(),
            values: PyArray1::from_vec(py, targets.values).unbind(),
            has_value: PyArray1::from_vec(py, targets.has_value).unbind(),
            margins: PyArray1::from_vec(py, targets.margins).unbind(),
        })
    }

    fn __len__(&self) -> usize {
        match &self.samples {
            AnySamples::Giuthi(samples) => samples.len(),
            AnySamples::Kiothi(samples) => samples.len(),
        }
    }

    fn __repr__(&self) -> String {
        format!("<{} ReplayPositions of {}>", self.__len__(), self.spec.id())
    }

    fn __getnewargs__(&self) -> (Vec<PathBuf>,) {
        (self.files.clone(),)
    }
}
