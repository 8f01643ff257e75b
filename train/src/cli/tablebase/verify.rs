//! `mancala tablebase verify`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_search::tablebase::{Tablebase, TablebaseError};
use serde::Serialize;

use super::size::write_size;
use crate::cli::interrupt;
use crate::error::Usage;
use crate::run::Progress;

/// Check a tablebase file: every byte by its checksum, and sampled boards against what their moves lead to.
///
/// Exit code 0 if it is whole, 1 if it is damaged, cut off, no tablebase, or of a format or of rules that this version does not
/// know, 2 if it is not there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala tablebase verify 3x3.tb\n  \
    mancala tablebase verify 5x3.tb --samples 1000000 --json")]
pub(super) struct Verify {
    /// The tablebase.
    #[arg(value_name = "F")]
    tablebase: PathBuf,
    /// Boards to check against their moves, drawn at random.
    #[arg(long, value_name = "K", default_value_t = 100_000)]
    samples: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    tablebase: String,
    bytes: u64,
    boards: u64,
    max_seeds: u32,
    samples: u64,
}

/// Samples between two looks at what the user wants.
const SLICE: u64 = 1_000;
/// Steps of the progress bar.
const STEPS: u64 = 1_000;

impl Verify {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let path = self.tablebase.display();
        let unreadable = |error| Usage::new(format!("tablebase {path}: {error}"));
        let metadata = fs::metadata(&self.tablebase).map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(Usage::new(format!("tablebase {path}: it is a folder")).into());
        }
        fs::File::open(&self.tablebase).map_err(unreadable)?;
        interrupt::watch("stopping")?;
        let tablebase = Tablebase::open(&self.tablebase)?;
        let progress = Progress::stderr();
        let checked = self.check(&tablebase, &progress);
        progress.finish();
        if !checked? {
            writeln!(io::stderr(), "stopped")?;
            return Ok(ExitCode::from(interrupt::EXIT_CODE));
        }
        let report = Report {
            tablebase: tablebase.path().into(),
            bytes: metadata.len(),
            boards: tablebase.boards(),
            max_seeds: tablebase.max_seeds(),
            samples: self.samples,
        };
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Report { tablebase: path, bytes, boards, samples, .. } = report;
        writeln!(out, "{path} is whole: {}", tablebase.subject())?;
        writeln!(out, "checked {} ({bytes} bytes) by their checksums,", write_size(bytes))?;
        writeln!(out, "{samples} boards, drawn from {boards}, against what their moves lead to")?;
        Ok(ExitCode::SUCCESS)
    }

    /// Checks bytes, then boards; false if it was interrupted.
    fn check(&self, tablebase: &Tablebase, progress: &Progress) -> Result<bool, TablebaseError> {
        progress.begin("checksums".into(), STEPS);
        tablebase.verify(|share| progress.show("checksums".into(), (share * STEPS as f64) as u64))?;
        progress.begin("boards".into(), self.samples);
        let mut done = 0;
        while done < self.samples && !interrupt::asked() {
            let samples = SLICE.min(self.samples - done);
            tablebase.verify_samples(samples, done)?;
            done += samples;
            progress.show("boards".into(), done);
        }
        Ok(done >= self.samples)
    }
}
