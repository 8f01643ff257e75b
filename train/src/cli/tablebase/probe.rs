//! `mancala tablebase probe`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::{Game, Giuthi, Position};
use mancala_search::tablebase::Tablebase;
use serde::Serialize;

use super::class;
use crate::error::Usage;

/// Ask a tablebase about a position: from which lead the player to move wins, and from which he loses.
///
/// The position is taken as the start of its own history, settled first if need be (a pass). It may hold any number of seeds in
/// all, on the board no more than the tablebase knows. For perfect play with a history: mancala analyze --moves.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala tablebase probe 3x3.tb --position '3,3,3/3,3,3 0 0 p0'\n  \
    mancala tablebase probe 3x3.tb --position '0,4,1/2,0,2 7 2 p1' --json")]
pub(super) struct Probe {
    /// The tablebase.
    #[arg(value_name = "F")]
    tablebase: PathBuf,
    /// The position, in the game's notation; the capture option is that of the tablebase.
    #[arg(long, value_name = "P")]
    position: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    tablebase: String,
    /// Settled.
    position: String,
    to_move: usize,
    /// In play.
    seeds: u16,
    /// Of the player to move, at the scores of the text.
    lead: i16,
    win: Option<i16>,
    loss: Option<i16>,
    /// Null where the threshold is.
    win_rank: Option<u16>,
    loss_rank: Option<u16>,
    class: &'static str,
}

impl Probe {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let report = self.probe()?;
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Report { tablebase, position, to_move, seeds, lead, win, loss, win_rank, loss_rank, class } =
            report;
        let threshold = |threshold: Option<i16>, rank: Option<u16>, what: &str| match threshold.zip(rank) {
            Some((threshold, rank)) => format!("{threshold:+} (rank {rank}): {what}"),
            None => "at no lead".into(),
        };
        writeln!(out, "tablebase  {tablebase}")?;
        writeln!(out, "position   {position}")?;
        writeln!(out, "to move    Player {to_move}, with a lead of {lead:+} and {seeds} seeds in play")?;
        writeln!(
            out,
            "win        {}",
            threshold(win, win_rank, "the least lead from which he can force a win")
        )?;
        writeln!(
            out,
            "loss       {}",
            threshold(loss, loss_rank, "the greatest lead from which his opponent can")
        )?;
        writeln!(out, "class      Player {to_move} {class}")?;
        Ok(ExitCode::SUCCESS)
    }

    fn probe(&self) -> Result<Report, Usage> {
        let tablebase = Tablebase::open(&self.tablebase).map_err(Usage::new)?;
        let position = Position::<Giuthi>::read(*tablebase.rules(), &self.position).map_err(Usage::new)?;
        if let Some(end) = position.end() {
            let problem = format!("--position {:?}: the game is over ({})", self.position, end.word());
            return Err(Usage::new(problem));
        }
        let state = position.state();
        let thresholds = tablebase.probe(state).map_err(Usage::new)?;
        let scores = state.scores().map(|score| score as i16);
        let to_move = position.to_move();
        let lead = scores[to_move.index()] - scores[to_move.other().index()];
        Ok(Report {
            tablebase: tablebase.path().into(),
            position: position.write(),
            to_move: to_move.index(),
            seeds: state.seeds_in_play().into(),
            lead,
            win: thresholds.win,
            loss: thresholds.loss,
            win_rank: thresholds.win.map(|_| thresholds.win_rank),
            loss_rank: thresholds.loss.map(|_| thresholds.loss_rank),
            class: class(&thresholds, lead),
        })
    }
}
