//! What a tablebase answers.

use mancala_env::{Action, Game, Giuthi, Position};
use mancala_search::tablebase::{Class, Tablebase, Thresholds};
use numpy::{Element, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::boards::Boards;
use crate::arguments::array;
use crate::errors::{self, Integer};

/// What a class is called in Python.
fn word_of(class: Class) -> &'static str {
    match class {
        Class::Win => "win",
        Class::Draw => "draw",
        Class::Loss => "loss",
    }
}

/// 1, 0 or -1.
fn value_of(class: Class) -> i8 {
    match class {
        Class::Win => 1,
        Class::Draw => 0,
        Class::Loss => -1,
    }
}

/// As Python writes it.
fn optional(number: Option<i16>) -> String {
    number.map_or_else(|| "None".into(), |number| number.to_string())
}

/// What a tablebase says of a position, in the view of its player to move and as if nothing had stood before.
///
/// Leads are his score less the opponent's.
#[pyclass(module = "mancala_rl", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Probe {
    /// The least lead from which the player to move can force a win; None where no lead is enough.
    win: Option<i16>,
    /// The greatest lead from which the opponent can; None where none is small enough. Below `win`.
    loss: Option<i16>,
    /// Falls along the line that wins from a lead of `win`; only its order among boards of as many seeds means anything.
    win_rank: u16,
    /// Falls along the line that loses from a lead of `loss`.
    loss_rank: u16,
    /// The state's own lead.
    lead: i16,
    /// What becomes of the state, its own lead counted: "win", "draw" or "loss" for the player to move.
    outcome: &'static str,
    /// `outcome` as 1, 0 or -1.
    value: i8,
}

impl Probe {
    pub(super) fn new(position: &Position<Giuthi>, thresholds: Thresholds) -> Self {
        let Thresholds { win, loss, win_rank, loss_rank } = thresholds;
        let (scores, mover) = (position.state().scores().map(i16::from), position.to_move());
        let lead = scores[mover.index()] - scores[mover.other().index()];
        let class = thresholds.class(lead);
        let (outcome, value) = (word_of(class), value_of(class));
        Self { win, loss, win_rank, loss_rank, lead, outcome, value }
    }
}

#[pymethods]
impl Probe {
    fn __repr__(&self) -> String {
        format!(
            "Probe(outcome='{}', lead={}, win={}, loss={}, win_rank={}, loss_rank={})",
            self.outcome,
            self.lead,
            optional(self.win),
            optional(self.loss),
            self.win_rank,
            self.loss_rank
        )
    }
}

/// What an action is worth to the player who plays it.
#[pyclass(module = "mancala_rl", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Judgement {
    /// The action.
    action: Action,
    /// "win", "draw" or "loss": what it leads to, both playing perfectly, the state's history counted.
    outcome: &'static str,
    /// `outcome` as 1, 0 or -1.
    value: i8,
    /// The lead after it less the least that wins there, history left out: 0 and more wins.
    ///
    /// None where no lead wins, or where the action ends the game in a draw.
    win_slack: Option<i16>,
    /// The lead after it less the greatest that loses there: 0 and less loses. None where none does, or as for `win_slack`.
    loss_slack: Option<i16>,
}

impl From<mancala_search::tablebase::Judgement> for Judgement {
    fn from(judgement: mancala_search::tablebase::Judgement) -> Self {
        let mancala_search::tablebase::Judgement { action, class, win_slack, loss_slack, .. } = judgement;
        Self { action, outcome: word_of(class), value: value_of(class), win_slack, loss_slack }
    }
}

#[pymethods]
impl Judgement {
    fn __repr__(&self) -> String {
        format!(
            "Judgement(action={}, outcome='{}', win_slack={}, loss_slack={})",
            self.action,
            self.outcome,
            optional(self.win_slack),
            optional(self.loss_slack)
        )
    }
}

/// What a tablebase says of N boards, each in the view of its first row's player; row i is of board i.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct Probes {
    /// The least lead from which the player can force a win, (N,) int16; `NO_WIN` where there is none.
    win: Py<PyArray1<i16>>,
    /// The greatest lead from which the opponent can, (N,) int16; `NO_LOSS` where there is none.
    loss: Py<PyArray1<i16>>,
    /// Falls along the line that wins from a lead of `win`, (N,) uint16; its order among boards of as many seeds is all it means.
    win_rank: Py<PyArray1<u16>>,
    /// Falls along the line that loses from a lead of `loss`, (N,) uint16.
    loss_rank: Py<PyArray1<u16>>,
    /// Some lead wins, (N,) bool.
    has_win: Py<PyArray1<bool>>,
    /// Some lead loses, (N,) bool.
    has_loss: Py<PyArray1<bool>>,
    /// The table has an answer, (N,) bool; elsewhere the other arrays say that nothing is won or lost, and `values` says 0.
    known: Py<PyArray1<bool>>,
    /// The player's score less the opponent's, (N,) int16, of observations and States; None of bare boards.
    leads: Option<Py<PyArray1<i16>>>,
}

/// Above every lead that there can be, so that `lead >= win` is right without a mask.
const NO_WIN: i16 = i16::MAX;
/// Below every lead that there can be.
const NO_LOSS: i16 = i16::MIN;

/// Ctrl-C is heard after so many boards: some tenths of a second.
const UNINTERRUPTED: usize = 1 << 20;

impl Probes {
    pub(super) fn ask(py: Python<'_>, table: &Tablebase, boards: Boards) -> PyResult<Self> {
        let Boards { cells, known, leads } = boards;
        let rows = known.len();
        let (mut win, mut loss) = (vec![NO_WIN; rows], vec![NO_LOSS; rows]);
        let (mut win_rank, mut loss_rank) = (vec![0; rows], vec![0; rows]);
        let pits = 2 * usize::from(table.rules().pits());
        for first in (0..rows).step_by(UNINTERRUPTED) {
            py.detach(|| {
                for row in first..rows.min(first + UNINTERRUPTED) {
                    if !known[row] {
                        continue;
                    }
                    if let Some(answer) = table.probe_board(&cells[row * pits..(row + 1) * pits]) {
                        win[row] = answer.win.unwrap_or(NO_WIN);
                        loss[row] = answer.loss.unwrap_or(NO_LOSS);
                        win_rank[row] = answer.win_rank;
                        loss_rank[row] = answer.loss_rank;
                    }
                }
            });
            py.check_signals()?;
        }
        let has_win = PyArray1::from_iter(py, win.iter().map(|&win| win != NO_WIN)).unbind();
        let has_loss = PyArray1::from_iter(py, loss.iter().map(|&loss| loss != NO_LOSS)).unbind();
        Ok(Self {
            win: PyArray1::from_vec(py, win).unbind(),
            loss: PyArray1::from_vec(py, loss).unbind(),
            win_rank: PyArray1::from_vec(py, win_rank).unbind(),
            loss_rank: PyArray1::from_vec(py, loss_rank).unbind(),
            has_win,
            has_loss,
            known: PyArray1::from_vec(py, known).unbind(),
            leads: leads.map(|leads| PyArray1::from_vec(py, leads).unbind()),
        })
    }
}

#[pymethods]
impl Probes {
    /// What `win` holds where no lead wins: more than any lead.
    #[classattr]
    const NO_WIN: i16 = NO_WIN;
    /// What `loss` holds where no lead loses: less than any lead.
    #[classattr]
    const NO_LOSS: i16 = NO_LOSS;

    /// What becomes of the boards with these leads, (N,) int8: 1 a win of the first row's player, 0 a draw, -1 a loss.
    ///
    /// `leads` is an int, an array of N integers, or None for those that came with the boards; ValueError if none came.
    #[pyo3(signature = (leads=None))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        leads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let rows = self.known.bind(py).len();
        let leads = match (leads, &self.leads) {
            (Some(leads), _) => read_leads(leads, rows)?,
            (None, Some(leads)) => {
                leads.bind(py).try_readonly()?.as_array().iter().map(|&lead| lead.into()).collect()
            }
            (None, None) => {
                return Err(PyValueError::new_err(
                    "leads: these boards came without scores, so their leads have to be given",
                ));
            }
        };
        let (win, loss) = (self.win.bind(py).try_readonly()?, self.loss.bind(py).try_readonly()?);
        let (win, loss) = (win.as_array(), loss.as_array());
        let value = |(row, lead): (usize, i64)| match (win[row], loss[row]) {
            (win, _) if win != NO_WIN && lead >= win.into() => 1,
            (_, loss) if loss != NO_LOSS && lead <= loss.into() => -1,
            _ => 0,
        };
        Ok(PyArray1::from_iter(py, leads.into_iter().enumerate().map(value)))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.known.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Probes of {} boards", self.__len__(py))
    }
}

/// One lead for all boards, or one each.
fn read_leads(value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<i64>> {
    let py = value.py();
    if !value.hasattr("__len__")? {
        return match errors::integer(value, "leads is an int or an array of integers")? {
            Integer::Small(lead) => Ok(vec![lead; rows]),
            Integer::Huge { shown, .. } => {
                Err(PyValueError::new_err(format!("leads: there is no lead of {shown}")))
            }
        };
    }
    let array = array("leads", value)?;
    let dtype = array.dtype();
    // An empty list has no integers to be made of.
    if !matches!(dtype.kind(), b'i' | b'u') && array.len() > 0 {
        return Err(PyTypeError::new_err(format!("leads is an int or an array of integers, not of {dtype}")));
    }
    if array.shape() != [rows] {
        let (expected, found) = (errors::shape(&[rows]), errors::shape(array.shape()));
        return Err(PyValueError::new_err(format!("leads has shape {expected}, not {found}")));
    }
    // No lead is as large as what an int64 cannot hold, but it is not to be wrapped into a small one.
    let array = match dtype.kind() {
        b'u' if dtype.itemsize() == 8 => array.call_method1("clip", (py.None(), i64::MAX))?,
        _ => array.into_any(),
    };
    let array = array.call_method1("astype", (i64::get_dtype(py),))?.cast_into::<PyArray1<i64>>()?;
    Ok(array.try_readonly()?.as_array().to_vec())
}
