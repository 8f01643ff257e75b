//! What a batch of probes is asked about: arrays of any integers, or states.

use mancala_env::{Game, Position};
use numpy::{
    Element, Ix2, PyArray, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::{Tablebase, failed};
use crate::arguments::{array, iterate};
use crate::errors;
use crate::options::one_of;
use crate::state::State;

/// Cells of a raw observation after the pits: both scores, seeds in play, plies, extra move.
const OBSERVATION_TAIL: usize = 5;

/// What becomes of rows that the table has no answer for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    Raise,
    Mask,
}

impl Outside {
    pub(super) fn read(word: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match word.map_or(Ok(0), |word| one_of("outside", word, ["raise", "mask"]))? {
            0 => Ok(Self::Raise),
            _ => Ok(Self::Mask),
        }
    }
}

/// Boards as the table takes them.
pub(super) struct Boards {
    /// Row after row; zeros where the table has no answer.
    pub(super) cells: Vec<u8>,
    pub(super) known: Vec<bool>,
    /// The first row's player's score less the other's, if the boards came with scores.
    pub(super) leads: Option<Vec<i16>>,
}

impl Boards {
    pub(super) fn read(table: &Tablebase, value: &Bound<'_, PyAny>, outside: Outside) -> PyResult<Self> {
        let py = value.py();
        if let Ok(array) = value.cast::<PyUntypedArray>() {
            return Self::of_array(table, array, outside);
        }
        if value.hasattr("__array__")? {
            return Self::of_array(table, &array("boards", value)?, outside);
        }
        let items = iterate("boards", "an array of integers or a list of States", value)?
            .collect::<PyResult<Vec<_>>>()?;
        if items.is_empty() {
            return Ok(Self { cells: Vec::new(), known: Vec::new(), leads: None });
        }
        if items.iter().any(|item| item.is_instance_of::<State>()) {
            return Self::of_states(table, &items, outside);
        }
        Self::of_array(table, &array("boards", PyList::new(py, items)?.as_any())?, outside)
    }

    fn of_states(table: &Tablebase, items: &[Bound<'_, PyAny>], outside: Outside) -> PyResult<Self> {
        let pits = 2 * usize::from(table.pits());
        let mut boards = Self {
            cells: Vec::with_capacity(pits * items.len()),
            known: Vec::with_capacity(items.len()),
            leads: None,
        };
        let mut leads = Vec::with_capacity(items.len());
        let mut observation = vec![0; pits + OBSERVATION_TAIL];
        for (row, item) in items.iter().enumerate() {
            let name = || format!("boards[{row}]");
            let Ok(state) = item.cast::<State>() else {
                let kind = item.get_type().name()?;
                return Err(PyTypeError::new_err(format!("{} is a State, not {kind}", name())));
            };
            let state = state.try_borrow()?;
            let position: &Position<_> = table.position(&state.position).map_err(|error| {
                let error = failed(&error);
                PyValueError::new_err(format!("{}: {}", name(), error.value(item.py())))
            })?;
            position.observe_raw(&mut observation);
            let seeds = i128::from(position.state().seeds_in_play());
            let is_known = match position.end() {
                None => knows(table, seeds, outside, name)?,
                Some(_) if outside == Outside::Mask => false,
                Some(end) => {
                    let (name, end) = (name(), end.word());
                    return Err(PyValueError::new_err(format!("{name}: the game is over ({end})")));
                }
            };
            boards.push(&observation[..pits], is_known);
            leads.push(i16::from(observation[pits]) - i16::from(observation[pits + 1]));
        }
        Ok(Self { leads: Some(leads), ..boards })
    }

    fn of_array(table: &Tablebase, array: &Bound<'_, PyUntypedArray>, outside: Outside) -> PyResult<Self> {
        let dtype = array.dtype();
        let pits = 2 * usize::from(table.pits());
        let widths = [pits, pits + OBSERVATION_TAIL];
        if !matches!(dtype.kind(), b'i' | b'u') {
            return Err(PyTypeError::new_err(format!("boards is an array of integers, not of {dtype}")));
        }
        if !matches!(array.shape(), [_, width] if widths.contains(width)) {
            let (boards, observations) = (widths[0], widths[1]);
            let found = errors::shape(array.shape());
            return Err(PyValueError::new_err(format!(
                "boards has shape (N, {boards}) for {} pits a row, or (N, {observations}) as raw observations, not {found}",
                table.pits()
            )));
        }
        if let Ok(array) = array.cast::<PyArray<u8, Ix2>>() {
            return Self::of_cells(table, array, outside);
        }
        // Whatever the width and the byte order.
        match dtype.kind() {
            b'u' => Self::of_cells(table, &converted::<u64>(array)?, outside),
            _ => Self::of_cells(table, &converted::<i64>(array)?, outside),
        }
    }

    fn of_cells<T: Element + Copy + Into<i128>>(
        table: &Tablebase,
        array: &Bound<'_, PyArray<T, Ix2>>,
        outside: Outside,
    ) -> PyResult<Self> {
        let array = array.try_readonly()?;
        let array = array.as_array();
        let pits = 2 * usize::from(table.pits());
        let (rows, width) = array.dim();
        let mut boards = Self {
            cells: Vec::with_capacity(rows * pits),
            known: Vec::with_capacity(rows),
            leads: (width > pits).then(|| Vec::with_capacity(rows)),
        };
        let mut board = vec![0; pits];
        for (row, cells) in array.rows().into_iter().enumerate() {
            let name = || format!("boards: row {row}");
            let cell = |at: usize| -> i128 { cells[at].into() };
            if let Some(pit) = (0..width).find(|&pit| cell(pit) < 0) {
                let (name, found) = (name(), cell(pit));
                return Err(PyValueError::new_err(format!("{name}: cell {pit} is negative: {found}")));
            }
            let seeds = (0..pits).map(cell).sum();
            if let Some(leads) = &mut boards.leads {
                // What was rounded from a normalized observation seldom adds up.
                if cell(pits + 2) != seeds {
                    let (name, found) = (name(), cell(pits + 2));
                    return Err(PyValueError::new_err(format!(
                        "{name}: no raw observation: the pits hold {seeds} seeds, and cell {} says {found}",
                        pits + 2
                    )));
                }
                let lead = i16::try_from(cell(pits) - cell(pits + 1)).map_err(|_| {
                    PyValueError::new_err(format!("{}: no raw observation: its scores are too large", name()))
                })?;
                leads.push(lead);
            }
            let is_known = knows(table, seeds, outside, name)?;
            if is_known {
                // No pit holds more than the whole board.
                board.iter_mut().enumerate().for_each(|(at, pit)| *pit = cell(at) as u8);
            }
            boards.push(&board, is_known);
        }
        Ok(boards)
    }

    fn push(&mut self, board: &[u8], is_known: bool) {
        match is_known {
            true => self.cells.extend_from_slice(board),
            false => self.cells.resize(self.cells.len() + board.len(), 0),
        }
        self.known.push(is_known);
    }
}

/// Whether the table has answers for so many seeds.
fn knows(table: &Tablebase, seeds: i128, outside: Outside, name: impl Fn() -> String) -> PyResult<bool> {
    let most = table.max_seeds();
    if seeds <= most.into() {
        return Ok(true);
    }
    match outside {
        Outside::Mask => Ok(false),
        Outside::Raise => Err(PyValueError::new_err(format!(
            "{} holds {seeds} seeds, and the tablebase knows boards of at most {most} (outside='mask' skips such rows)",
            name()
        ))),
    }
}

/// An array of another dtype, as one of `T`.
fn converted<'py, T: Element>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyArray<T, Ix2>>> {
    let dtype = T::get_dtype(array.py());
    Ok(array.call_method1("astype", (dtype,))?.cast_into::<PyArray<T, Ix2>>()?)
}
