//! `mancala train`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::for_game;

use super::{interrupt, quoted};
use crate::config::Config;
use crate::run::{ClosingMatch, Ending, Progress, train};

/// Learn a game by self-play.
///
/// The run's folder holds its config, one line of metrics an iteration, checkpoints, replay shards and the closing matches. A run
/// that was stopped goes on with --resume as if it had not been.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala train --config train/configs/giuthi-5x4.toml --out runs/first\n  \
    mancala train --config train/configs/giuthi-5x4.toml --out runs/wide --set net.channels=256 --iterations 20\n  \
    mancala train --config train/configs/giuthi-5x4.toml --out runs/first --resume")]
pub(super) struct Train {
    /// The config, a TOML file.
    #[arg(long, value_name = "F")]
    config: PathBuf,
    /// The run's folder.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Override a key of the config, as learner.batch=256; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Override the number of iterations.
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// Go on with the run in the folder, if there is one.
    #[arg(long)]
    resume: bool,
}

impl Train {
    pub(super) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let mut overrides = self.set;
        overrides.extend(self.iterations.map(|iterations| format!("iterations={iterations}")));
        let config = Config::load(&self.config, &overrides)?;
        interrupt::watch("stopping as soon as this iteration is saved")?;
        let progress = Progress::stderr();
        let (ending, matches) = for_game!(config.spec(), |rules: G| train::<G>(
            rules,
            &config,
            &self.out,
            self.resume,
            &progress,
            &interrupt::asked
        ))?;
        let folder = self.out.display().to_string();
        match ending {
            Ending::Interrupted => {
                writeln!(out, "stopped; go on with the same command and --resume")?;
                return Ok(ExitCode::from(interrupt::EXIT_CODE));
            }
            Ending::TimeUp => writeln!(out, "time is up; the same command with --resume goes on")?,
            Ending::Complete(done) if done > config.iterations => {
                writeln!(out, "the run already has {done} iterations; {} were asked for", config.iterations)?
            }
            Ending::Complete(done) => writeln!(out, "all {done} iterations are complete")?,
        }
        write_table(out, &matches, config.iterations)?;
        let agent = format!("net:{folder},sims={}", config.evaluation.simulations);
        let (game, a) = (quoted(&config.game), quoted(&agent));
        // As it was called, so that the lines can be pasted.
        let mancala = quoted(&std::env::args().next().unwrap_or_else(|| "mancala".into()));
        writeln!(out)?;
        writeln!(
            out,
            "evaluate it:  {mancala} match --game {game} --a {a} --b alphabeta:depth=4 --games 200"
        )?;
        writeln!(out, "from Python:  mancala_rl.agent({agent:?})")?;
        writeln!(out, "see the run:  {mancala} report --run {}", quoted(&folder))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The closing matches, one a line, in the net's view.
fn write_table(out: &mut impl Write, matches: &[ClosingMatch], wanted: u64) -> std::io::Result<()> {
    let Some(first) = matches.first() else { return Ok(()) };
    writeln!(out)?;
    let of = if first.iteration < wanted { format!(" of {wanted}") } else { String::new() };
    writeln!(
        out,
        "the net after {}{of} iterations, {} simulations a move:",
        first.iteration, first.simulations
    )?;
    let width = matches.iter().map(|played| played.opponent.len()).max().unwrap_or(0).max("against".len());
    writeln!(
        out,
        "{:width$}  {:>6} {:>6} {:>6} {:>6}  {:>6}  {:>14}  {:>6}",
        "against", "games", "wins", "draws", "losses", "score", "standard error", "Elo"
    )?;
    for ClosingMatch { opponent, result, .. } in matches {
        let elo = result.elo.map_or("-".into(), |elo| format!("{elo:+.0}"));
        writeln!(
            out,
            "{opponent:width$}  {:>6} {:>6} {:>6} {:>6}  {:>6.3}  {:>14.3}  {elo:>6}",
            result.games, result.wins, result.draws, result.losses, result.score, result.score_se
        )?;
    }
    Ok(())
}
