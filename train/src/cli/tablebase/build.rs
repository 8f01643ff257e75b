//! `mancala tablebase build`.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mancala_env::{Capture, Game, Giuthi, GiuthiRules};
use mancala_search::tablebase::{BuildSettings, Tablebase, TablebaseError, build, layer_boards};
use serde::Serialize;

use super::size::{parse_size, peak_memory, write_size};
use super::watch::Watch;
use super::{class, tell};
use crate::cli::interrupt;
use crate::error::Usage;

/// Build the tablebase of all boards of a kind with at most so many seeds in play.
///
/// Layer by layer, from few seeds up, each kept as soon as it is done: after Ctrl-C, a kill or a crash the same command goes on.
/// Until all is done the layers are in F.part and F.part.json. The file is the same whatever the threads and the memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala tablebase build --pits 4 --seeds 3 --out 4x3.tb\n  \
    mancala tablebase build --pits 5 --max-seeds 30 --capture occupied --out 5x3-occupied.tb --threads 2 --memory 8GiB\n  \
    mancala tablebase build --pits 6 --max-seeds 16 --out 6-16.tb --json")]
pub(super) struct Build {
    /// Pits a row.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=10))]
    pits: u8,
    /// Seeds a pit at the start: the tablebase goes up to the 2 x N x S seeds of that game.
    #[arg(
        long,
        value_name = "S",
        value_parser = clap::value_parser!(u8).range(2..=9),
        required_unless_present = "max_seeds",
        conflicts_with = "max_seeds"
    )]
    seeds: Option<u8>,
    /// In place of --seeds: the most seeds in play, whatever game they come from.
    #[arg(long, value_name = "M")]
    max_seeds: Option<u32>,
    /// What a capture needs, the option of the game.
    #[arg(
        long,
        value_name = "CAPTURE",
        default_value = "any",
        value_parser = PossibleValuesParser::new(["any", "occupied"]).map(|word| match word.as_str() {
            "occupied" => Capture::Occupied,
            _ => Capture::Any,
        })
    )]
    capture: Capture,
    /// The file to write; never one that is there already.
    #[arg(long, value_name = "F")]
    out: PathBuf,
    /// Threads [default: one a core].
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Memory that a layer may take, as 4GiB or 500MiB: at least 6 bytes for each of its boards; with more it is built faster.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_size)]
    memory: u64,
    /// Print one JSON object at the end.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    tablebase: String,
    pits: u8,
    capture: &'static str,
    max_seeds: u32,
    /// False where the file was there already.
    built: bool,
    boards: u64,
    bytes: u64,
    /// Of this run.
    seconds: f64,
    /// Of this process, in bytes; null where the system does not tell.
    peak_memory: Option<u64>,
    start: Option<Start>,
}

/// The start of the largest game that the tablebase covers from its beginning.
#[derive(Debug, Serialize)]
struct Start {
    game: String,
    win: Option<i16>,
    loss: Option<i16>,
    class: &'static str,
    #[serde(skip)]
    told: String,
}

impl Build {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let rules = GiuthiRules::new(self.pits, self.seeds.unwrap_or(2)).context("a board")?;
        let rules = rules.with_capture(self.capture);
        let seeds = self.max_seeds.unwrap_or_else(|| Giuthi::total_seeds(&rules).into());
        if let Some(found) = self.find(&rules, seeds)? {
            return self.write(out, &self.report(&found, None)?);
        }
        let begun = Instant::now();
        if !self.build(&rules, seeds)? {
            return Ok(ExitCode::from(interrupt::EXIT_CODE));
        }
        let seconds = begun.elapsed().as_secs_f64();
        self.write(out, &self.report(&Tablebase::open(&self.out)?, Some(seconds))?)
    }

    /// The file, if it is there and is what was asked for.
    fn find(&self, rules: &GiuthiRules, seeds: u32) -> Result<Option<Tablebase>, Usage> {
        let path = self.out.display();
        if !fs::exists(&self.out).map_err(|error| Usage::new(format!("--out {path}: {error}")))? {
            return Ok(None);
        }
        let wanted = Tablebase::subject_of(rules, seeds);
        let kept = |what: String| {
            Usage::new(format!("--out {path}: there is {what}, not {wanted}; nothing is overwritten"))
        };
        if self.out.is_dir() {
            return Err(kept("a folder already".into()));
        }
        let found = Tablebase::open(&self.out).map_err(|error| {
            let problem = error.to_string();
            kept(format!("a file already ({problem})"))
        })?;
        match found.subject() == wanted {
            true => Ok(Some(found)),
            false => Err(kept(format!("a tablebase of {}", found.subject()))),
        }
    }

    /// Builds the file; false if it was interrupted.
    fn build(&self, rules: &GiuthiRules, seeds: u32) -> anyhow::Result<bool> {
        let threads =
            self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let settings = BuildSettings { threads, memory: self.memory };
        // Where there are too many boards the build says so.
        let watch = Watch::new(layer_boards(self.pits, seeds).unwrap_or_else(|| vec![0]));
        interrupt::watch("stopping; layers that are done are kept")?;
        let built = build(&self.out, rules, seeds, &settings, &watch);
        watch.finish();
        match built {
            Ok(()) => Ok(true),
            Err(stopped @ TablebaseError::Stopped { .. }) => {
                writeln!(io::stderr(), "{stopped}")?;
                Ok(false)
            }
            Err(TablebaseError::Unbuildable(problem)) => Err(Usage::new(problem).into()),
            Err(error @ TablebaseError::Io { .. }) if is_bad_path(&error) => {
                Err(Usage::new(format!("--out: {error}")).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn report(&self, tablebase: &Tablebase, seconds: Option<f64>) -> anyhow::Result<Report> {
        let bytes = fs::metadata(&self.out).with_context(|| self.out.display().to_string())?.len();
        Ok(Report {
            tablebase: tablebase.path().into(),
            pits: self.pits,
            capture: self.capture.word(),
            max_seeds: tablebase.max_seeds(),
            built: seconds.is_some(),
            boards: tablebase.boards(),
            bytes,
            seconds: seconds.unwrap_or(0.0),
            peak_memory: peak_memory(),
            start: start(tablebase)?,
        })
    }

    fn write(&self, out: &mut impl Write, report: &Report) -> anyhow::Result<ExitCode> {
        if self.json {
            writeln!(out, "{}", serde_json::to_string(report)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Report { tablebase, pits, capture, max_seeds, boards, bytes, seconds, .. } = report;
        let what = format!("giuthi with {pits} pits a row and capture={capture}, up to {max_seeds} seeds");
        match report.built {
            true => writeln!(out, "{tablebase}: {what}")?,
            false => writeln!(out, "{tablebase} is there already: {what}")?,
        }
        writeln!(out, "boards  {boards}, mirror images counted once")?;
        writeln!(out, "file    {} ({bytes} bytes)", write_size(*bytes))?;
        if report.built {
            let peak = report.peak_memory.map(|peak| format!(", {} of memory at most", write_size(peak)));
            writeln!(out, "took    {seconds:.1} s{}", peak.unwrap_or_default())?;
        }
        if let Some(Start { game, told, .. }) = &report.start {
            writeln!(out, "start   {game}: {told}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether a path is of no use, rather than a disk.
fn is_bad_path(error: &TablebaseError) -> bool {
    use ErrorKind::{
        InvalidFilename, IsADirectory, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem,
    };
    let TablebaseError::Io { error, .. } = error else { return false };
    [InvalidFilename, IsADirectory, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem]
        .contains(&error.kind())
}

/// What it says of the largest start that it covers, if it covers one.
fn start(tablebase: &Tablebase) -> anyhow::Result<Option<Start>> {
    let kind = tablebase.rules();
    let games = (2..=9).rev().filter_map(|seeds| GiuthiRules::new(kind.pits(), seeds));
    let covered = |rules: &GiuthiRules| u32::from(Giuthi::total_seeds(rules)) <= tablebase.max_seeds();
    let Some(rules) = games.map(|rules| rules.with_capture(kind.capture())).find(covered) else {
        return Ok(None);
    };
    let thresholds = tablebase.probe(&Giuthi::initial(&rules))?;
    Ok(Some(Start {
        game: Giuthi::id(&rules),
        win: thresholds.win,
        loss: thresholds.loss,
        class: class(&thresholds, 0),
        told: tell(&thresholds, 0),
    }))
}
