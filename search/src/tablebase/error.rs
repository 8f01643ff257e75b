//! What can be wrong with a tablebase.

use std::io;

/// Why a tablebase cannot be used, or does not answer.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    /// The file is not there or cannot be read or written.
    #[error("tablebase {path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The file is not a tablebase, or not one that this version reads, or it has been altered.
    #[error("tablebase {path}: {problem}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The tablebase is of another game, option or rules version.
    #[error("tablebase {path} is of {found}, not of {expected}")]
    Foreign {
        /// The file.
        path: String,
        /// What it is of.
        found: String,
        /// What was asked for.
        expected: String,
    },
    /// The position holds more seeds than the tablebase knows.
    #[error("{position}: {seeds} seeds in play, and the tablebase knows positions of at most {most}")]
    Outside {
        /// The position asked about.
        position: String,
        /// Its seeds.
        seeds: u32,
        /// The most seeds there are answers for.
        most: u32,
    },
    /// The game is over, so nobody is to move.
    #[error("{position}: the game is over")]
    Over {
        /// The position asked about.
        position: String,
    },
    /// The tablebase cannot be built like this.
    #[error("{0}")]
    Unbuildable(String),
    /// The build was told to stop; what was finished is kept.
    #[error("stopped after {layers} of {all} layers; the same command goes on from there")]
    Stopped {
        /// Layers that are finished.
        layers: u32,
        /// Layers that there will be.
        all: u32,
    },
}
