//! `mancala puzzles`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::{Action, Game, GameSpec, Giuthi, GiuthiRules, Position};
use mancala_search::tablebase::{Class, Puzzle, PuzzleFinder, Tablebase};
use serde::Serialize;

use super::{interrupt, parse_game};
use crate::error::Usage;

/// So many draws without another problem: there may be none.
const MAX_DRAWS: u64 = 2_000_000;

/// Find positions with exactly one right move.
///
/// Exactly one move wins (or, where none wins, draws), its relay is long, and neither a greedy player nor alpha-beta of depth 1 finds
/// it. Positions are drawn from the tablebase, with leads that play can give. The solution goes on with perfect play of both sides;
/// other answers of the opponent are no better. No problem comes twice, also not from the other seat or in the mirror.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala puzzles --tablebase 5x2.tb --count 5\n  \
    mancala puzzles --tablebase 5x2.tb --count 10 --min-laps 12 --seed 3 --json")]
pub(super) struct Puzzles {
    /// The tablebase to draw from.
    #[arg(long, value_name = "F")]
    tablebase: PathBuf,
    /// How many to find.
    #[arg(long, value_name = "N")]
    count: u32,
    /// The fewest laps of the right move.
    #[arg(long, value_name = "L", default_value_t = 3)]
    min_laps: u16,
    /// The game, as giuthi-5x4 [default: the board with as many seeds as the tablebase knows].
    #[arg(long, value_name = "G")]
    game: Option<String>,
    /// The seed of the draws.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    game: String,
    position: String,
    to_move: usize,
    /// `win` or `draw`.
    task: &'static str,
    laps: u16,
    solution: Vec<SolutionMove>,
}

#[derive(Debug, Serialize)]
struct SolutionMove {
    player: usize,
    action: Action,
    name: String,
    laps: u16,
    captured: u8,
}

impl Puzzles {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let tablebase = Tablebase::open(&self.tablebase).map_err(Usage::new)?;
        let rules = self.rules(&tablebase)?;
        let mut finder =
            PuzzleFinder::new(&tablebase, &rules, self.min_laps, self.seed).map_err(Usage::new)?;
        interrupt::watch("stopping")?;
        let mut found = 0;
        let mut draws = 0;
        while found < self.count {
            if interrupt::asked() {
                out.flush()?;
                writeln!(io::stderr(), "stopped")?;
                return Ok(ExitCode::from(interrupt::EXIT_CODE));
            }
            draws += 1;
            if draws > MAX_DRAWS {
                return Err(Usage::new(format!(
                    "--count {}: {found} found with --min-laps {}, and no other in {MAX_DRAWS} positions drawn",
                    self.count, self.min_laps
                ))
                .into());
            }
            let Some(puzzle) = finder.draw()? else { continue };
            (found, draws) = (found + 1, 0);
            let report = Report::new(&rules, &puzzle);
            match self.json {
                true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
                false => report.write(out, found)?,
            }
            out.flush()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn rules(&self, tablebase: &Tablebase) -> anyhow::Result<GiuthiRules> {
        match &self.game {
            Some(game) => match parse_game(game)? {
                GameSpec::Giuthi(rules) => Ok(rules),
                GameSpec::Kiothi(_) => {
                    Err(Usage::new(format!("--game {game}: tablebases are of giuthi")).into())
                }
            },
            None => {
                let (pits, capture) = (tablebase.rules().pits(), tablebase.rules().capture());
                let seeds = (tablebase.max_seeds() / (2 * u32::from(pits))).clamp(2, 9) as u8;
                let rules = GiuthiRules::new(pits, seeds).map(|rules| rules.with_capture(capture));
                Ok(rules.unwrap_or(*tablebase.rules()))
            }
        }
    }
}

impl Report {
    fn new(rules: &GiuthiRules, puzzle: &Puzzle) -> Self {
        let mut position: Position<Giuthi> = puzzle.position.clone();
        let solution = puzzle.solution.iter().map(|&action| {
            let (player, name) = (position.to_move().index(), position.state().action_name(action));
            let played = position.play_unchecked(action);
            SolutionMove { player, action, name, laps: played.laps, captured: played.captured }
        });
        Self {
            game: Giuthi::id(rules),
            position: puzzle.position.write(),
            to_move: puzzle.position.to_move().index(),
            task: if puzzle.class == Class::Win { "win" } else { "draw" },
            laps: puzzle.laps,
            solution: solution.collect(),
        }
    }

    fn write(&self, out: &mut impl Write, number: u32) -> io::Result<()> {
        let Self { game, position, to_move, task, solution, .. } = self;
        let task = if *task == "win" { "wins" } else { "draws" };
        writeln!(out, "{number}. {game}  {position}")?;
        writeln!(out, "   One move of Player {to_move} {task}.")?;
        let moves: Vec<String> = solution.iter().map(SolutionMove::text).collect();
        writeln!(out, "   Solution: {}\n", moves.join(", "))
    }
}

impl SolutionMove {
    fn text(&self) -> String {
        let Self { player, name, laps, captured, .. } = self;
        let laps = if *laps > 1 { format!(" {laps} laps") } else { String::new() };
        let captured = if *captured > 0 { format!(" x{captured}") } else { String::new() };
        format!("p{player} {name}{laps}{captured}")
    }
}
