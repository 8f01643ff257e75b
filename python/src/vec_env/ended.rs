//! What arrays tell of games that have ended; all of it is zero for games that go on.

use mancala_env::{Buffers, RESULTS};
use numpy::PyFixedUnicode;

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
pub(super) type Word = PyFixedUnicode<LONGEST>;

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

/// What the engine tells of games that have ended and the user gets in other arrays.
pub(super) struct Ended {
    mask: Vec<bool>,
    results: Vec<i8>,
    /// The arrays are the same every time.
    live: bool,
}

/// The arrays of a step or a reset, without Python: `buffers` less its mask and results, and what stands for those.
pub(super) struct Cells<'a, T> {
    pub(super) buffers: Buffers<'a, T>,
    pub(super) ended: &'a mut [bool],
    pub(super) words: &'a mut [Word],
    /// The rows of `words` that are not empty.
    pub(super) said: &'a mut Vec<usize>,
}

impl Ended {
    pub(super) fn new(games: usize, live: bool) -> Self {
        Self { mask: vec![false; games], results: vec![0; games], live }
    }

    /// Has the engine write: into live arrays as they were left by the last call, into others whatever they hold.
    ///
    /// # Errors
    /// If it fails; the cells are as before.
    pub(super) fn fill<T, E>(
        &mut self,
        cells: Cells<'_, T>,
        write: impl FnOnce(&mut Buffers<'_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Cells { buffers, ended, words, said } = cells;
        let Self { mask, results, live } = self;
        if !*live {
            // The engine clears rows where the mask tells of an end before. In arrays of their own users may have written into any.
            mask.fill(true);
        }
        let mut buffers = Buffers { final_mask: mask, final_results: results, ..buffers };
        write(&mut buffers)?;
        ended.copy_from_slice(buffers.final_mask);
        said.drain(..).for_each(|game| words[game] = WORDS[0]);
        find(buffers.final_mask, said);
        for &game in &*said {
            words[game] = WORDS[buffers.final_results[game] as usize];
        }
        Ok(())
    }
}

/// Lists the games of a mask.
fn find(mask: &[bool], games: &mut Vec<usize>) {
    const SOME: usize = 8;
    games.clear();
    for (i, some) in mask.chunks(SOME).enumerate() {
        // Mostly there is none, and that is soon seen.
        if *some != [false; SOME] {
            games.extend((0..some.len()).filter(|&j| some[j]).map(|j| SOME * i + j));
        }
    }
}
