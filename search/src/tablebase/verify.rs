//! Checking a file: every byte by its checksum, and boards by what their moves lead to.

use mancala_env::{Stream, stream};
use rand::RngExt;

use super::error::TablebaseError;
use super::file::{self, BLOCK};
use super::margins::Margins;
use super::moves::{Mover, Outcome};
use super::{Layer, Tablebase};

impl Tablebase {
    /// Checks every byte of the file; `go_on` is told the share that has been read, from 0 to 1.
    ///
    /// # Errors
    /// If a byte is not what was written; the error names the layer.
    pub fn verify(&self, mut on_progress: impl FnMut(f64)) -> Result<(), TablebaseError> {
        let damaged = |problem: String| TablebaseError::Damaged { path: self.path.clone(), problem };
        // Read anew: it is the file that is checked, not what was read when it was opened.
        let (_, mut at) = file::read(&self.data).map_err(damaged)?;
        for (seeds, Layer { entry, start }) in self.layers.iter().enumerate() {
            let layer = &self.data[*start as usize..(start + entry.bytes()) as usize];
            for (block, bytes) in layer.chunks(BLOCK).enumerate() {
                let sum = crc32fast::hash(bytes).to_le_bytes();
                if sum[..] != self.data[at..at + 4] {
                    let first = start + (block * BLOCK) as u64;
                    return Err(damaged(format!(
                        "bytes {first}..{} (boards of {seeds} seeds) have been altered",
                        first + bytes.len() as u64
                    )));
                }
                at += 4;
            }
            on_progress((start + entry.bytes()) as f64 / self.data.len() as f64);
        }
        Ok(())
    }

    /// Checks so many boards, drawn by `seed`: that their margins and ranks are what their moves lead to.
    ///
    /// # Errors
    /// If one is not; the error shows the board.
    pub fn verify_samples(&self, samples: u64, seed: u64) -> Result<(), TablebaseError> {
        let mover = Mover::new(self.rules);
        let mut rng = stream(Stream::Tablebase, seed, 0, 0);
        let all = self.boards();
        for _ in 0..samples {
            let mut number = rng.random_range(0..all);
            let layer = self.layers.iter().position(|layer| {
                let is_here = number < layer.entry.boards;
                number -= if is_here { 0 } else { layer.entry.boards };
                is_here
            });
            self.verify_board(&mover, layer.unwrap_or(0), number)?;
        }
        Ok(())
    }

    /// Checks one board.
    pub(super) fn verify_board(
        &self,
        mover: &Mover,
        seeds: usize,
        number: u64,
    ) -> Result<(), TablebaseError> {
        let mut cells = [0; 20];
        self.index.write_board(seeds, number, &mut cells);
        let Some(state) = mover.state(&cells) else { return Ok(()) };
        let margins = self.margins_at(seeds, number);
        let ranks = self.ranks_at(seeds, number);
        let mut best = Margins::WORST;
        // The least rank with which a move wins as much, and the greatest with which one loses as much.
        let (mut win_rank, mut loss_rank): (Option<u16>, Option<u16>) = (None, None);
        mover.outcomes(&self.index, &state, seeds, |outcome| {
            let (seen, [seen_win, seen_loss]) = match outcome {
                Outcome::Endless => (Margins::NONE, [None; 2]),
                Outcome::Over(margin) => (Margins::exactly(margin), [None; 2]),
                Outcome::Lower(reached, captured) => {
                    let there = self.margins_at(reached.seeds, reached.number);
                    (reached.seen(there).plus(captured), [None; 2])
                }
                Outcome::Same(reached) => {
                    let there = self.margins_at(reached.seeds, reached.number);
                    let mut ranks = self.ranks_at(reached.seeds, reached.number).map(Some);
                    if reached.is_turned {
                        ranks.swap(0, 1);
                    }
                    (reached.seen(there), ranks)
                }
            };
            best = best.max(seen);
            // One round after the board that it leads to; what ends or captures is there at once.
            let after = |rank: Option<u16>| rank.map_or(0, |rank| rank.saturating_add(1));
            if seen.won == margins.won {
                win_rank = Some(win_rank.map_or(after(seen_win), |least| least.min(after(seen_win))));
            }
            if seen.lost == margins.lost {
                loss_rank = Some(loss_rank.map_or(after(seen_loss), |most| most.max(after(seen_loss))));
            }
        });
        let is_win_right = margins.won == Margins::UNWON || win_rank == Some(ranks[0]);
        let is_loss_right = margins.lost == Margins::UNLOST || loss_rank.is_some_and(|most| most <= ranks[1]);
        if best != margins || !is_win_right || !is_loss_right {
            return Err(TablebaseError::Damaged {
                path: self.path.clone(),
                problem: format!(
                    "what it says of {} is not what the moves there lead to",
                    mancala_env::Game::write(&state)
                ),
            });
        }
        Ok(())
    }
}
