//! `Tablebase`: perfect play on boards of few seeds, from a file.

mod boards;
mod build;
mod result;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use mancala_env::{AnyPosition, Giuthi, Kiothi, Position};
use mancala_search::tablebase::TablebaseError;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyType;

use self::boards::{Boards, Outside};
pub(crate) use self::build::build_tablebase;
pub(crate) use self::result::{Judgement, Probe, Probes};
use crate::{arguments, errors};

/// Perfect play on every Giuthi board of one kind with few seeds, from a `file` that `build_tablebase` or `mancala tablebase` made.
///
/// The file is mapped, not read: opening it is quick, whatever its size. Its length, its index and what it is of are checked then;
/// `verify` checks the rest. Any number of threads may ask at once. It pickles as its path.
///
/// FileNotFoundError if there is no such file, another OSError if it cannot be read; ValueError if it is no tablebase, damaged, or
/// of a format or rules version that this version does not read.
#[pyclass(module = "mancala_rl", frozen)]
pub(crate) struct Tablebase {
    file: PathBuf,
    table: mancala_search::tablebase::Tablebase,
}

/// What an error of a tablebase is in Python.
fn failed(error: &TablebaseError) -> PyErr {
    let message = errors::short(&error.to_string());
    match error {
        TablebaseError::Io { error, .. } => match error.kind() {
            io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
            io::ErrorKind::IsADirectory => PyIsADirectoryError::new_err(message),
            // A path with a zero in it.
            io::ErrorKind::InvalidInput => PyValueError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        TablebaseError::Stopped { .. } => PyRuntimeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

impl Tablebase {
    fn open(file: PathBuf) -> PyResult<Self> {
        let table = mancala_search::tablebase::Tablebase::open(&file).map_err(|error| failed(&error))?;
        Ok(Self { file, table })
    }

    /// The position of a state of the table's kind.
    ///
    /// # Errors
    /// If it is of another game, board or option.
    fn position<'a>(&self, any: &'a AnyPosition) -> Result<&'a Position<Giuthi>, TablebaseError> {
        match any {
            AnyPosition::Giuthi(position) => {
                self.table.check_game::<Giuthi>(position.rules())?;
                Ok(position)
            }
            AnyPosition::Kiothi(position) => {
                self.table.check_game::<Kiothi>(position.rules())?;
                unreachable!("tablebases are of giuthi")
            }
        }
    }

    /// The position of a state of the table's kind that goes on.
    fn going_on<'a>(&self, any: &'a AnyPosition) -> PyResult<&'a Position<Giuthi>> {
        let position = self.position(any).map_err(|error| failed(&error))?;
        match position.end() {
            None => Ok(position),
            Some(end) => {
                let (position, end) = (position.write(), end.word());
                Err(PyValueError::new_err(format!("'{position}': the game is over ({end})")))
            }
        }
    }
}

#[pymethods]
impl Tablebase {
    #[new]
    fn new(py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let file = arguments::path("file", file)?;
        py.detach(|| Self::open(file))
    }

    /// The file, as it was given.
    #[getter]
    fn path(&self) -> OsString {
        self.file.clone().into_os_string()
    }

    /// Pits a row.
    #[getter]
    fn pits(&self) -> u8 {
        self.table.rules().pits()
    }

    /// The option `capture` of its game.
    #[getter]
    fn capture(&self) -> &'static str {
        self.table.rules().capture().word()
    }

    /// The most seeds in play that it has answers for.
    #[getter]
    fn max_seeds(&self) -> u32 {
        self.table.max_seeds()
    }

    /// Boards in it, mirror images counted once.
    #[getter]
    fn boards(&self) -> u64 {
        self.table.boards()
    }

    /// Whether `probe` has an answer for `state`.
    fn covers(&self, state: &Bound<'_, PyAny>) -> PyResult<bool> {
        let position = arguments::position("state", state)?;
        let known = self.position(&position);
        Ok(known.is_ok_and(|position| !position.is_over() && self.table.covers(position.state())))
    }

    /// What it says of the board of `state`, its history left out (`judge` counts it).
    ///
    /// ValueError if it is of another game, board or option, holds too many seeds, or is finished.
    fn probe(&self, state: &Bound<'_, PyAny>) -> PyResult<Probe> {
        let position = arguments::position("state", state)?;
        let position = self.going_on(&position)?;
        let thresholds = self.table.probe(position.state()).map_err(|error| failed(&error))?;
        Ok(Probe::new(position, thresholds))
    }

    /// What it says of many boards, without the GIL.
    ///
    /// `boards` is an array of integers, or what becomes one, of any strides. Rows of 2 * `pits` cells are boards in the view of the
    /// player to move: his pits from his own left, then the opponent's from the opponent's own left. Rows of 2 * `pits` + 5 cells are
    /// raw observations (`observation_dtype="uint8"`), which begin so, and bring leads. Or it is an iterable of States, which bring leads
    /// too.
    ///
    /// A board is settled first, as positions are: where its first row's player cannot move he is passed over, and where neither can
    /// each keeps what lies in his row. The answers stay in the view of the first row's player. No history counts.
    ///
    /// With `outside="raise"` a board of too many seeds or a finished State is a ValueError that names the row; with "mask"
    /// `Probes.known` is False there. TypeError for what is no integers, ValueError for another shape, a negative cell, or a State of
    /// another game.
    #[pyo3(signature = (boards, *, outside=None), text_signature = "($self, boards, *, outside='raise')")]
    fn probe_many(
        &self,
        py: Python<'_>,
        boards: &Bound<'_, PyAny>,
        outside: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Probes> {
        let outside = Outside::read(outside)?;
        let boards = Boards::read(self, boards, outside)?;
        Probes::ask(py, &self.table, boards)
    }

    /// Judges every legal action of `state`, ascending, its history counted.
    ///
    /// An action that would win or lose if nothing had stood before draws where a repetition stands in the way. ValueError as `probe`.
    fn judge(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Vec<Judgement>> {
        let position = arguments::position("state", state)?;
        let position = self.going_on(&position)?;
        let judged = py.detach(|| self.table.judge(position));
        Ok(judged.map_err(|error| failed(&error))?.into_iter().map(Judgement::from).collect())
    }

    /// Checks every byte of the file. ValueError, naming the place, if one is not what was written.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.table.verify(|_| ())).map_err(|error| failed(&error))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path().into_pyobject(py)?.repr()?;
        Ok(format!("Tablebase({path})"))
    }

    /// Pickles the path: whoever unpickles it opens the file there.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (OsString,)) {
        (py.get_type::<Self>(), (self.path(),))
    }
}
