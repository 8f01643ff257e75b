//! `mancala perft`.

use std::io::Write;
use std::process::ExitCode;

use mancala_env::{AnyPosition, GameSpec, for_position, perft};
use serde::Serialize;

use super::parse_game;
use crate::error::Usage;

/// Count the action sequences from a position, the check of a move generator.
///
/// Passes are no actions, a finished game has no continuation, and repetition and endless sowing end games.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mancala perft --game giuthi-5x4 --depth 6")]
pub(super) struct Perft {
    /// The game, as giuthi-8x8 or giuthi-8x8?capture=occupied.
    #[arg(long, value_name = "G")]
    game: String,
    /// The position to start from, in the game's notation [default: the start of the game].
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// The longest sequences to count.
    #[arg(long, value_name = "D")]
    depth: u32,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct Row {
    depth: u32,
    count: u64,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    game: String,
    position: String,
    perft: &'a [Row],
}

impl Perft {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let start = self.start(&spec)?;
        let rows = (1..=self.depth).map(|depth| {
            let count = for_position!(&start, |position| perft(position, depth));
            Row { depth, count }
        });
        if self.json {
            let rows: Vec<Row> = rows.collect();
            let position = for_position!(&start, |position| position.write());
            serde_json::to_writer(&mut *out, &Report { game: spec.id(), position, perft: &rows })?;
            writeln!(out)?;
            return Ok(ExitCode::SUCCESS);
        }
        writeln!(out, "{:>5} {:>20}", "depth", "count")?;
        for Row { depth, count } in rows {
            writeln!(out, "{depth:>5} {count:>20}")?;
            out.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn start(&self, spec: &GameSpec) -> Result<AnyPosition, Usage> {
        match &self.position {
            None => Ok(spec.initial()),
            Some(text) => spec.read(text).map_err(Usage::new),
        }
    }
}
