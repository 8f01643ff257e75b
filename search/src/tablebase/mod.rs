//! Tablebases: perfect play on every Giuthi board of few seeds.
//!
//! For a board with the mover's lead `L` and a fresh history, `win` is the least `L` from which the player to move can force a
//! win, `loss` the greatest from which the opponent can; between them the game is a draw. `docs/tablebase.md` explains how they
//! are found, why each has a rank, and the file.

mod agent;
mod board;
mod build;
mod error;
mod evaluate;
mod file;
mod index;
mod judge;
mod mapped;
mod margins;
mod moves;
mod positions;
mod puzzles;
mod region;
mod verify;
mod with;

use std::fs::File;
use std::path::Path;

use mancala_env::{Capture, Game, Giuthi, GiuthiRules, Player};

pub use agent::TablebaseAgent;
pub use build::{BuildObserver, BuildProgress, BuildSettings, BuiltLayer, build, layer_boards};
pub use error::TablebaseError;
pub use evaluate::{Calibration, CalibrationBin, Evaluation, TestPosition, TestSet, evaluate};
pub use judge::{Class, Judgement};
pub use puzzles::{MAX_LINE, Puzzle, PuzzleFinder};
pub use with::{TablebaseEvaluator, WithTablebase};

use file::{Contents, LayerEntry, PREAMBLE, Subject};
use index::BoardIndex;
use mapped::Mapped;
use margins::Margins;

/// Perfect play on every board of one kind with few seeds, from a file.
#[derive(Debug)]
pub struct Tablebase {
    path: String,
    subject: Subject,
    rules: GiuthiRules,
    index: BoardIndex,
    data: Mapped,
    layers: Vec<Layer>,
}

/// A layer of the file.
#[derive(Debug)]
struct Layer {
    entry: LayerEntry,
    /// Where it begins.
    start: u64,
}

/// What a tablebase says of a position with a fresh history, in the view of its player to move. Leads are his score less the
/// opponent's, in seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// The least lead from which the player to move can force a win; `None` where no lead is enough.
    pub win: Option<i16>,
    /// The greatest lead from which the opponent can; `None` where none is small enough. Below `win`.
    pub loss: Option<i16>,
    /// Falls along the line that wins from a lead of `win`; only its order within boards of as many seeds means anything.
    pub win_rank: u16,
    /// Falls along the line that loses from a lead of `loss`.
    pub loss_rank: u16,
}

impl Thresholds {
    /// What becomes of a game in which the player to move leads by so many seeds.
    pub fn class(&self, lead: i16) -> Class {
        judge::class_between(self.win, self.loss, lead)
    }
}

impl Tablebase {
    /// Opens a tablebase file. Its length, its index and what it is of are checked; [`verify`](Self::verify) checks the rest.
    ///
    /// # Errors
    /// If the file is not there, or no whole tablebase of a format and rules version that this version reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TablebaseError> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        let data = File::open(path)
            .and_then(|file| Mapped::new(&file))
            .map_err(|error| TablebaseError::Io { path: name(), error })?;
        let damaged = |problem: String| TablebaseError::Damaged { path: name(), problem };
        let (Contents { subject, layers }, _) = file::read(&data).map_err(damaged)?;
        let rules = subject.rules().ok_or_else(|| damaged(format!("there is no {}", subject.name())))?;
        let ours = Subject::new(&rules, subject.seeds);
        if !subject.fits(&ours) {
            return Err(TablebaseError::Foreign {
                path: name(),
                found: subject.name(),
                expected: ours.name(),
            });
        }
        let index = BoardIndex::new(subject.pits, subject.seeds)
            .ok_or_else(|| damaged(format!("{} seeds are too many", subject.seeds)))?;
        let contents = Contents { subject, layers };
        file::check_layers(&contents, &index).map_err(damaged)?;
        let mut start = PREAMBLE;
        let place = |entry: LayerEntry| {
            let layer = Layer { entry, start };
            start += layer.entry.bytes();
            layer
        };
        let layers = contents.layers.into_iter().map(place).collect();
        Ok(Self { path: name(), subject: contents.subject, rules, index, data, layers })
    }

    /// Whether it answers questions about a game (with any number of seeds at the start).
    ///
    /// # Errors
    /// If it is of another game, board or option; the error names both.
    pub fn check_game<G: Game>(&self, rules: &G::Rules) -> Result<(), TablebaseError> {
        match G::giuthi_rules(rules) {
            Some(rules) => self.check_kind(rules.pits(), rules.capture()),
            None => Err(TablebaseError::Foreign {
                path: self.path.clone(),
                found: self.subject.name(),
                expected: format!("{} (rules version {})", G::id(rules), G::RULES_VERSION),
            }),
        }
    }

    #[inline]
    fn check_kind(&self, pits: u8, capture: Capture) -> Result<(), TablebaseError> {
        if (pits, capture) == (self.subject.pits, self.subject.capture) {
            return Ok(());
        }
        let asked = Subject { pits, capture, ..self.subject.clone() };
        Err(TablebaseError::Foreign {
            path: self.path.clone(),
            found: self.subject.name(),
            expected: asked.name(),
        })
    }

    /// The file's name.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What it is of, in words.
    pub fn subject(&self) -> String {
        self.subject.with_seeds()
    }

    /// The same of a tablebase that could be built.
    pub fn subject_of(rules: &GiuthiRules, seeds: u32) -> String {
        Subject::new(rules, seeds).with_seeds()
    }

    /// Rules of its kind; the seeds at the start are of no account.
    pub fn rules(&self) -> &GiuthiRules {
        &self.rules
    }

    /// The most seeds in play that it has answers for.
    pub fn max_seeds(&self) -> u32 {
        self.subject.seeds
    }

    /// Boards in it, folded by the mirror.
    pub fn boards(&self) -> u64 {
        self.layers.iter().map(|layer| layer.entry.boards).sum()
    }

    /// Whether it has an answer for a state of its kind.
    #[inline]
    pub fn covers(&self, state: &Giuthi) -> bool {
        u32::from(state.seeds_in_play()) <= self.subject.seeds && !state.is_over()
    }

    /// What it says of a state, whatever the scores.
    ///
    /// # Errors
    /// If the state is of another board or option, holds too many seeds, or is over.
    pub fn probe(&self, state: &Giuthi) -> Result<Thresholds, TablebaseError> {
        let number = self.number(state)?;
        Ok(self.thresholds_at(state.seeds_in_play().into(), number))
    }

    fn number(&self, state: &Giuthi) -> Result<u64, TablebaseError> {
        self.check_kind(state.row_len() as u8, state.capture())?;
        let seeds = u32::from(state.seeds_in_play());
        if state.is_over() {
            return Err(TablebaseError::Over { position: state.write() });
        }
        if seeds > self.subject.seeds {
            let position = state.write();
            return Err(TablebaseError::Outside { position, seeds, most: self.subject.seeds });
        }
        Ok(moves::board_number(&self.index, state, seeds as usize))
    }

    /// What it says of a state that it [covers](Self::covers), of its own kind.
    #[inline]
    fn margins(&self, state: &Giuthi) -> Margins {
        let seeds = usize::from(state.seeds_in_play());
        self.margins_at(seeds, moves::board_number(&self.index, state, seeds))
    }

    #[inline]
    fn thresholds_at(&self, seeds: usize, number: u64) -> Thresholds {
        let margins = self.margins_at(seeds, number);
        let [win_rank, loss_rank] = self.ranks_at(seeds, number);
        Thresholds { win: margins.win(), loss: margins.loss(), win_rank, loss_rank }
    }

    #[inline]
    fn margins_at(&self, seeds: usize, number: u64) -> Margins {
        let at = (self.layers[seeds].start + 2 * number) as usize;
        Margins::from_bytes([self.data[at], self.data[at + 1]])
    }

    /// The ranks of `won` and `lost`.
    #[inline]
    fn ranks_at(&self, seeds: usize, number: u64) -> [u16; 2] {
        let Layer { entry: LayerEntry { boards, rank_bytes, .. }, start } = &self.layers[seeds];
        let ranks = (start + 2 * boards) as usize;
        match rank_bytes {
            1 => [0, 1].map(|which| self.data[ranks + 2 * number as usize + which].into()),
            _ => [0, 1].map(|which| {
                let at = ranks + 4 * number as usize + 2 * which;
                u16::from_le_bytes([self.data[at], self.data[at + 1]])
            }),
        }
    }
}

/// The lead of a player, in seeds.
fn lead(state: &Giuthi, player: Player) -> i16 {
    let scores = state.scores().map(i16::from);
    scores[player.index()] - scores[player.other().index()]
}
