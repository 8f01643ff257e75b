//! The arrays that steps and resets return.

use mancala_env::{ActionFeatures, Buffers};
use numpy::{Element, Ix1, Ix2, ndarray::IntoDimension};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::ended::{Cells, Word};
use super::exclusive::{Access, Block, BorrowedBlock, Exclusive, bytes_in_block};
use super::shelf::Shelf;

/// Declares arrays: `field: cell, dimensions, shape, name for the user, what he may do`.
macro_rules! arrays {
    (
        |$games:ident, $cells:ident, $actions:ident|
        $($field:ident: $cell:ty, $dimensions:ty, $shape:expr, $name:literal, $access:ident;)*
    ) => {
        /// Where the arrays come from, T being a cell of an observation.
        pub(super) struct Shelves<T: Element> {
            $($field: Shelf<$cell, $dimensions>,)*
            /// The memory of live arrays.
            block: Option<Block>,
        }

        /// The arrays of one step or reset.
        pub(super) struct Lent<'a, 'py, T: Element> {
            $($field: Exclusive<'a, 'py, $cell, $dimensions>,)*
        }

        impl<T: Element> Shelves<T> {
            /// Arrays that are the caller's own.
            pub(super) fn given(py: Python<'_>, $games: usize, $cells: usize, $actions: usize) -> Self {
                Self { $($field: Shelf::given(py, $name, $shape.into_dimension(), Access::$access),)* block: None }
            }

            /// The same arrays every time.
            pub(super) fn live(
                py: Python<'_>,
                $games: usize,
                $cells: usize,
                $actions: usize,
            ) -> PyResult<Self> {
                let bytes = [$(bytes_in_block::<$cell, $dimensions>(&$shape.into_dimension()),)*];
                let mut block = Block::new(py, bytes.into_iter().sum());
                Ok(Self {
                    $($field: Shelf::live(py, $name, $shape.into_dimension(), Access::$access, &mut block)?,)*
                    block: Some(block),
                })
            }

            /// Arrays to write into; `block` is what [`borrow`](Self::borrow) returned.
            ///
            /// # Errors
            /// If a live array has been made unfit.
            pub(super) fn lend<'a, 'py>(
                &'a mut self,
                py: Python<'py>,
                block: Option<&'a BorrowedBlock<'py>>,
            ) -> PyResult<Lent<'a, 'py, T>> {
                Ok(Lent { $($field: self.$field.lend(py, block)?,)* })
            }
        }
    };
}

arrays! {
    |games, cells, actions|
    observations: T, Ix2, [games, cells], "observations", Write;
    action_mask: bool, Ix2, [games, actions], "info[\"action_mask\"]", Write;
    to_move: i8, Ix1, [games], "info[\"to_move\"]", Write;
    scores: i16, Ix2, [games, 2], "info[\"scores\"]", Write;
    rewards: f32, Ix1, [games], "reward", Write;
    returns: f32, Ix2, [games, 2], "info[\"returns\"]", Write;
    terminated: bool, Ix1, [games], "terminated", Write;
    truncated: bool, Ix1, [games], "truncated", Write;
    passed: bool, Ix1, [games], "info[\"passed\"]", Write;
    final_observations: T, Ix2, [games, cells], "info[\"final_obs\"]", Write;
    ended: bool, Ix1, [games], "info[\"_final_obs\"]", Write;
    final_scores: i16, Ix2, [games, 2], "info[\"final_info\"][\"scores\"]", Write;
    final_to_move: i8, Ix1, [games], "info[\"final_info\"][\"to_move\"]", Write;
    final_words: Word, Ix1, [games], "info[\"final_info\"][\"result\"]", Read;
    final_plies: i32, Ix1, [games], "info[\"final_info\"][\"plies\"]", Write;
}

impl<T: Element> Shelves<T> {
    /// Keeps everybody else off the live arrays, if these are live.
    ///
    /// # Errors
    /// If somebody else has borrowed one.
    pub(super) fn borrow<'py>(&self, py: Python<'py>) -> PyResult<Option<BorrowedBlock<'py>>> {
        self.block.as_ref().map(|block| block.borrow(py)).transpose().map_err(|error| {
            PyRuntimeError::new_err(format!("the arrays of this environment (copy=False): {error}"))
        })
    }
}

impl<'py, T: Element> Lent<'_, 'py, T> {
    /// The arrays without Python.
    pub(super) fn cells(&mut self) -> Cells<'_, T> {
        let buffers = Buffers {
            observations: self.observations.cells,
            action_mask: self.action_mask.cells,
            to_move: self.to_move.cells,
            scores: self.scores.cells,
            rewards: self.rewards.cells,
            returns: self.returns.cells,
            terminated: self.terminated.cells,
            truncated: self.truncated.cells,
            passed: self.passed.cells,
            final_observations: self.final_observations.cells,
            final_mask: &mut [],
            final_scores: self.final_scores.cells,
            final_to_move: self.final_to_move.cells,
            final_results: &mut [],
            final_plies: self.final_plies.cells,
            action_features: ActionFeatures::None,
        };
        Cells { buffers, ended: self.ended.cells, words: self.final_words.cells, said: self.final_words.rows }
    }

    /// What steps and resets both tell beside observations.
    pub(super) fn info(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), self.action_mask.array)?;
        info.set_item(intern!(py, "to_move"), self.to_move.array)?;
        info.set_item(intern!(py, "scores"), self.scores.array)?;
        info.set_item(intern!(py, "returns"), self.returns.array)?;
        info.set_item(intern!(py, "passed"), self.passed.array)?;
        Ok(info)
    }

    /// What `reset` returns.
    pub(super) fn reset(&self, info: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyTuple>> {
        let py = info.py();
        (self.observations.array, info).into_pyobject(py)
    }

    /// What `step` returns.
    pub(super) fn step(&self, info: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyTuple>> {
        let py = info.py();
        let final_info = PyDict::new(py);
        final_info.set_item(intern!(py, "scores"), self.final_scores.array)?;
        final_info.set_item(intern!(py, "to_move"), self.final_to_move.array)?;
        final_info.set_item(intern!(py, "result"), self.final_words.array)?;
        final_info.set_item(intern!(py, "plies"), self.final_plies.array)?;
        info.set_item(intern!(py, "final_obs"), self.final_observations.array)?;
        info.set_item(intern!(py, "_final_obs"), self.ended.array)?;
        info.set_item(intern!(py, "final_info"), final_info)?;
        info.set_item(intern!(py, "_final_info"), self.ended.array)?;
        let Self { observations, rewards, terminated, truncated, .. } = self;
        (observations.array, rewards.array, terminated.array, truncated.array, info).into_pyobject(py)
    }
}
