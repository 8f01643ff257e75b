//! The arrays that a step or a reset returns.

use mancala_env::{Buffers, Cell, RESULTS};
use numpy::{
    Element, Ix1, Ix2, PyFixedUnicode, PyReadwriteArray1,
    ndarray::{Dim, IntoDimension},
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::exclusive::{Block, Exclusive, bytes_in_block};
use super::shelf::Shelf;

/// As many characters as the longest of [`RESULTS`] has.
const LONGEST: usize = {
    let (mut longest, mut i) = (0, 0);
    while i < RESULTS.len() {
        if RESULTS[i].len() > longest {
            longest = RESULTS[i].len();
        }
        i += 1;
    }
    longest
};

/// How a game ended, as numpy writes it.
type Word = PyFixedUnicode<LONGEST>;

/// [`RESULTS`] as numpy writes them.
const WORDS: [Word; RESULTS.len()] = {
    let mut words = [PyFixedUnicode([0; LONGEST]); RESULTS.len()];
    let mut i = 0;
    while i < RESULTS.len() {
        let text = RESULTS[i].as_bytes();
        let mut j = 0;
        while j < text.len() {
            assert!(text[j].is_ascii());
            words[i].0[j] = text[j] as u32;
            j += 1;
        }
        i += 1;
    }
    words
};

/// Declares the arrays that [`Buffers`] names: `field: cell, dimensions = name for the user, shape`.
macro_rules! arrays {
    (|$games:ident, $cells:ident, $actions:ident| $($field:ident: $cell:ty, $dimensions:ty = $name:literal, $shape:expr;)*) => {
        /// Where the arrays come from.
        pub(super) struct Shelves<T: Element> {
            $($field: Shelf<$cell, $dimensions>,)*
            final_words: Shelf<Word, Ix1>,
            /// [`Buffers::final_results`], which the user gets as words.
            final_results: Vec<i8>,
            /// The memory of live arrays.
            block: Option<Block>,
        }

        /// Arrays for one step or reset.
        pub(super) struct Lent<'a, 'py, T: Element> {
            $($field: Exclusive<'a, 'py, $cell, $dimensions>,)*
            final_words: Exclusive<'a, 'py, Word, Ix1>,
            final_results: &'a mut [i8],
        }

        impl<T: Element> Shelves<T> {
            /// Arrays that are the caller's own.
            pub(super) fn given(py: Python<'_>, $games: usize, $cells: usize, $actions: usize) -> Self {
                Self {
                    $($field: Shelf::given(py, $name, $shape.into_dimension()),)*
                    final_words: Shelf::given(py, WORDS_NAME, Dim([$games])),
                    final_results: vec![0; $games],
                    block: None,
                }
            }

            /// Arrays that are overwritten every time.
            pub(super) fn live(py: Python<'_>, $games: usize, $cells: usize, $actions: usize) -> PyResult<Self> {
                let bytes = bytes_in_block::<Word, _>(&Dim([$games]))
                    $(+ bytes_in_block::<$cell, $dimensions>(&$shape.into_dimension()))*;
                let mut block = Block::new(py, bytes);
                Ok(Self {
                    $($field: Shelf::live(py, $name, $shape.into_dimension(), &mut block)?,)*
                    final_words: Shelf::live(py, WORDS_NAME, Dim([$games]), &mut block)?,
                    final_results: vec![0; $games],
                    block: Some(block),
                })
            }

            /// # Errors
            /// If a live array has been made unfit.
            pub(super) fn lend<'a, 'py>(
                &'a mut self,
                py: Python<'py>,
                block: Option<&'a PyReadwriteArray1<'py, u8>>,
            ) -> PyResult<Lent<'a, 'py, T>> {
                Ok(Lent {
                    $($field: self.$field.lend(py, block)?,)*
                    final_words: self.final_words.lend(py, block)?,
                    final_results: &mut self.final_results,
                })
            }
        }

        impl<T: Element + Cell> Lent<'_, '_, T> {
            /// The cells.
            pub(super) fn buffers(&mut self) -> (Buffers<'_, T>, &mut [Word]) {
                let buffers = Buffers {
                    $($field: self.$field.cells,)*
                    final_results: self.final_results,
                };
                (buffers, self.final_words.cells)
            }
        }
    };
}

/// What the user knows the words by.
const WORDS_NAME: &str = "info[\"final_info\"][\"result\"]";

arrays! { |games, cells, actions|
    observations: T, Ix2 = "observations", [games, cells];
    action_mask: bool, Ix2 = "info[\"action_mask\"]", [games, actions];
    to_move: i8, Ix1 = "info[\"to_move\"]", [games];
    scores: i16, Ix2 = "info[\"scores\"]", [games, 2];
    rewards: f32, Ix1 = "reward", [games];
    returns: f32, Ix2 = "info[\"returns\"]", [games, 2];
    terminated: bool, Ix1 = "terminated", [games];
    truncated: bool, Ix1 = "truncated", [games];
    passed: bool, Ix1 = "info[\"passed\"]", [games];
    final_observations: T, Ix2 = "info[\"final_obs\"]", [games, cells];
    final_mask: bool, Ix1 = "info[\"_final_obs\"]", [games];
    final_scores: i16, Ix2 = "info[\"final_info\"][\"scores\"]", [games, 2];
    final_plies: i32, Ix1 = "info[\"final_info\"][\"plies\"]", [games];
}

impl<T: Element> Shelves<T> {
    /// Keeps everybody else off live arrays.
    ///
    /// # Errors
    /// If somebody else has borrowed one.
    pub(super) fn borrow<'py>(&self, py: Python<'py>) -> PyResult<Option<PyReadwriteArray1<'py, u8>>> {
        let block = self.block.as_ref().map(|block| block.borrow(py)).transpose();
        block.map_err(|error| PyRuntimeError::new_err(format!("the arrays of this environment: {error}")))
    }
}

impl<'py, T: Element> Lent<'_, 'py, T> {
    fn info(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), self.action_mask.array)?;
        info.set_item(intern!(py, "to_move"), self.to_move.array)?;
        info.set_item(intern!(py, "scores"), self.scores.array)?;
        info.set_item(intern!(py, "returns"), self.returns.array)?;
        info.set_item(intern!(py, "passed"), self.passed.array)?;
        Ok(info)
    }

    /// What `reset` returns.
    pub(super) fn reset(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.observations.array, self.info(py)?).into_pyobject(py)
    }

    /// What `step` returns.
    pub(super) fn step(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let info = self.info(py)?;
        let last = PyDict::new(py);
        last.set_item(intern!(py, "scores"), self.final_scores.array)?;
        last.set_item(intern!(py, "result"), self.final_words.array)?;
        last.set_item(intern!(py, "plies"), self.final_plies.array)?;
        info.set_item(intern!(py, "final_obs"), self.final_observations.array)?;
        info.set_item(intern!(py, "_final_obs"), self.final_mask.array)?;
        info.set_item(intern!(py, "final_info"), last)?;
        info.set_item(intern!(py, "_final_info"), self.final_mask.array)?;
        (self.observations.array, self.rewards.array, self.terminated.array, self.truncated.array, info)
            .into_pyobject(py)
    }
}

/// Writes the words for codes.
pub(super) fn write_words(codes: &[i8], words: &mut [Word]) {
    for (&code, found) in codes.iter().zip(words) {
        let word = &WORDS[code as usize];
        // Mostly it is there already, and looking is cheaper than writing.
        if found != word {
            *found = *word;
        }
    }
}
