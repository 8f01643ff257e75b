//! `mancala tablebase`.

mod build;
mod estimate;
mod probe;
mod size;
mod verify;
mod watch;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;
use mancala_search::tablebase::{Class, Thresholds};

/// Build, ask and check tablebases: perfect play on every Giuthi board of few seeds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala tablebase build --pits 3 --seeds 3 --out 3x3.tb\n  \
    mancala tablebase probe 3x3.tb --position '3,3,3/3,3,3 0 0 p0'\n  \
    mancala tablebase verify 3x3.tb\n  \
    mancala analyze --game giuthi-3x3 --agent tablebase:3x3.tb")]
pub(super) struct Tablebase {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Build),
    Probe(probe::Probe),
    Verify(verify::Verify),
}

impl Tablebase {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::Build(build) => build.run(out),
            Command::Probe(probe) => probe.run(out),
            Command::Verify(verify) => verify.run(out),
        }
    }
}

/// What thresholds and a lead say, in words.
fn tell(thresholds: &Thresholds, lead: i16) -> String {
    let win = thresholds.win.map_or("wins from no lead".into(), |win| format!("wins from a lead of {win:+}"));
    let loss = thresholds.loss.map_or("loses from none".into(), |loss| format!("loses from {loss:+} down"));
    format!("the player to move {win}, {loss}; at {lead:+} he {}", class(thresholds, lead))
}

fn class(thresholds: &Thresholds, lead: i16) -> &'static str {
    Class::word(thresholds.class(lead))
}
