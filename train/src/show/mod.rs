//! Positions and moves for people to read.

mod board;
mod words;

pub(crate) use board::{Board, View};
pub(crate) use words::{Ply, tell_end};
