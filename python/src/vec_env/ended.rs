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
    /// The games that have ended.
    games: Vec<usize>,
    /// The arrays are the same every time.
    live: bool,
}

/// The arrays of a step or a reset, without Python: `buffers` less its mask and results, and what stands for those.
pub(super) struct Cells<'a, T> {
    pub(super) buffers: Buffers<'a, T>,
    pub(super) ended: &'a mut [bool],
    pub(super) words: &'a mut [Word],
}

impl Ended {
    pub(super) fn new(games: usize, live: bool) -> Self {
        Self { mask: vec![false; games], results: vec![0; games], games: Vec::new(), live }
    }

    /// Has the engine write: into live arrays as they were left by the last call, into others whatever they hold.
    ///
    /// # Errors
    /// If it fails; the cells are as before.
    pub(super) fn fill<T: Look, E>(
        &mut self,
        cells: Cells<'_, T>,
        write: impl FnOnce(&mut Buffers<'_, T>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Cells { buffers, ended, words } = cells;
        let Self { mask, results, games, live } = self;
        if !*live {
            mask.fill(false);
            results.fill(0);
        }
        let mut buffers = Buffers { final_mask: mask, final_results: results, ..buffers };
        write(&mut buffers)?;
        if *live {
            games.iter().for_each(|&game| words[game] = Word::ZERO);
        }
        find(buffers.final_mask, games);
        ended.copy_from_slice(buffers.final_mask);
        if !*live {
            // The engine clears rows where the mask tells of an end before, and relies on the others to be zero. But in arrays of
            // their own users may have written into any row.
            let width = buffers.final_observations.len() / ended.len();
            clear_others(buffers.final_observations, width, games);
            clear_others(buffers.final_scores, 2, games);
            clear_others(buffers.final_plies, 1, games);
            clear_others(words, 1, games);
        }
        for &game in &*games {
            words[game] = WORDS[buffers.final_results[game] as usize];
        }
        Ok(())
    }
}

/// Cells that can be looked through for one that is not zero.
pub(super) trait Look: Copy {
    const ZERO: Self;

    fn all_zero(cells: &[Self]) -> bool;
}

macro_rules! look {
    ($($cell:ty = $zero:expr, |$name:ident| $bits:expr;)*) => {$(
        impl Look for $cell {
            const ZERO: Self = $zero;

            fn all_zero(cells: &[Self]) -> bool {
                cells.iter().fold(0, |bits, $name| bits | $bits) == 0
            }
        }
    )*};
}

look! {
    u8 = 0, |cell| cell;
    i16 = 0, |cell| cell;
    i32 = 0, |cell| cell;
    f32 = 0.0, |cell| cell.to_bits();
    Word = WORDS[0], |word| word.0.iter().fold(0, |bits, letter| bits | letter);
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

/// Makes all rows zero but those of `games`. Mostly they are, and looking is cheaper than writing.
fn clear_others<T: Look>(cells: &mut [T], width: usize, games: &[usize]) {
    let mut rest = 0;
    for end in games.iter().map(|game| game * width).chain([cells.len()]) {
        let some = &mut cells[rest..end];
        if !T::all_zero(some) {
            some.fill(T::ZERO);
        }
        rest = end + width;
    }
}
