//! `mancala report`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::error::Usage;
use crate::files;
use crate::report::report;

/// Write one HTML page of a run.
///
/// It shows the curves, the matches, the config and a few games of the newest iteration, and needs no network and no other file. A
/// run may be going on meanwhile; what it does not have yet the page says.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala report --run runs/first\n  \
    mancala report --run runs/first --out first.html")]
pub(super) struct Report {
    /// The run's folder.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// The page [default: report.html in the run's folder].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let page = report(&self.run)?;
        let file = self.out.unwrap_or_else(|| self.run.join("report.html"));
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        if file.is_dir() || parent.is_some_and(|parent| !parent.is_dir()) {
            let problem = if file.is_dir() { "is a folder" } else { "its folder does not exist" };
            return Err(Usage::new(format!("--out {}: {problem}", file.display())).into());
        }
        files::write_atomic(&file, page.as_bytes()).with_context(|| file.display().to_string())?;
        writeln!(out, "{}", file.display())?;
        Ok(ExitCode::SUCCESS)
    }
}
