//! Boards that are no states: what batches are asked about.

use super::margins::Margins;
use super::{Tablebase, Thresholds};

impl Thresholds {
    /// The same in the view of the other player.
    #[must_use]
    pub fn turned(self) -> Self {
        let Self { win, loss, win_rank, loss_rank } = self;
        let other = |threshold: Option<i16>| threshold.map(|threshold| -threshold);
        Self { win: other(loss), loss: other(win), win_rank: loss_rank, loss_rank: win_rank }
    }
}

impl Tablebase {
    /// What it says of a board, seen by the player whose row comes first: his pits from his own left, then the opponent's from
    /// the opponent's own left, as observations begin. `None` if it holds more seeds than [`max_seeds`](Self::max_seeds).
    ///
    /// The board is settled first, as states are: a player who cannot move is passed over, and where neither can each keeps what
    /// lies in his row. The thresholds stay those of the first row's player.
    ///
    /// # Panics
    /// If the board does not have two pits for each column of the table's boards.
    #[inline]
    pub fn probe_board(&self, board: &[u8]) -> Option<Thresholds> {
        assert_eq!(board.len(), 2 * usize::from(self.subject.pits), "pits of a board");
        let seeds: u32 = board.iter().map(|&pit| u32::from(pit)).sum();
        if seeds > self.subject.seeds {
            return None;
        }
        let (own, opposite) = board.split_at(board.len() / 2);
        let can_move = |row: &[u8]| row.iter().any(|&pit| pit >= 2);
        Some(if can_move(own) {
            self.thresholds_at(seeds as usize, self.index.number(seeds as usize, own, opposite))
        } else if can_move(opposite) {
            self.thresholds_at(seeds as usize, self.index.number(seeds as usize, opposite, own)).turned()
        } else {
            // Single seeds alone, at most one a pit.
            let swept = |row: &[u8]| row.iter().sum::<u8>() as i8;
            let margins = Margins::exactly(swept(own) - swept(opposite));
            Thresholds { win: margins.win(), loss: margins.loss(), win_rank: 0, loss_rank: 0 }
        })
    }
}
