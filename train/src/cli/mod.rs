//! The `mancala` command.

mod analyze;
mod bench;
mod evaluate;
mod interrupt;
mod matches;
mod opinion;
mod perft;
mod play;
mod positions;
mod puzzles;
mod rate;
mod report;
mod tablebase;
mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use mancala_env::{Game, GameSpec, Position};
use mancala_search::AgentSpec;

use crate::error::{Usage, exit_code};

/// Giuthi and Kiothi: rules, agents, training.
#[derive(Debug, Parser)]
#[command(name = "mancala", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Perft(perft::Perft),
    Bench(bench::Bench),
    Train(train::Train),
    Match(matches::Match),
    Rate(rate::Rate),
    Report(report::Report),
    Evaluate(evaluate::Evaluate),
    Puzzles(puzzles::Puzzles),
    Analyze(analyze::Analyze),
    Tablebase(tablebase::Tablebase),
    Play(play::Play),
}

/// Runs the command that the arguments ask for. Exit code 0: done; 2: bad usage or input; 1: failure; 130: interrupted.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Whoever has closed the pipe has read enough.
            let _ = match error.kind() {
                kind if is_help(kind) => error.print(),
                _ => writeln!(io::stderr(), "{}", one_line(&error.to_string())),
            };
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let mut out = io::stdout().lock();
    let result = match cli.command {
        Command::Perft(perft) => perft.run(&mut out),
        Command::Bench(bench) => bench.run(&mut out),
        Command::Train(train) => train.run(&mut out),
        Command::Match(matches) => matches.run(&mut out),
        Command::Rate(rate) => rate.run(&mut out),
        Command::Report(report) => report.run(&mut out),
        Command::Evaluate(evaluate) => evaluate.run(&mut out),
        Command::Puzzles(puzzles) => puzzles.run(&mut out),
        Command::Analyze(analyze) => analyze.run(&mut out),
        Command::Tablebase(tablebase) => tablebase.run(&mut out),
        Command::Play(play) => play.run(&mut out),
    };
    match result.and_then(|code| out.flush().map(|()| code).map_err(Into::into)) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let message = format!("{error:#}").replace('\n', " ");
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// Whether what clap calls an error is the help or the version.
fn is_help(kind: ErrorKind) -> bool {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    matches!(kind, DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion)
}

/// What clap says is wrong, with its tips and without the usage, in one line.
fn one_line(message: &str) -> String {
    let is_end = |line: &str| ["Usage:", "For more information"].iter().any(|start| line.starts_with(start));
    let mut line = String::new();
    for part in
        message.lines().take_while(|part| !is_end(part)).map(str::trim).filter(|part| !part.is_empty())
    {
        line += match part {
            _ if line.is_empty() => "",
            _ if part.starts_with("tip:") => "; ",
            _ => " ",
        };
        line += part;
    }
    line
}

/// Whether the reader of our output has gone away, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}

/// Reads `--game`.
fn parse_game(text: &str) -> Result<GameSpec, Usage> {
    GameSpec::parse(text).map_err(Usage::new)
}

/// Reads the agent that `flag` names.
fn parse_agent(flag: &str, text: &str) -> Result<AgentSpec, Usage> {
    text.parse().map_err(|error| Usage::new(format!("{flag} {text}: {error}")))
}

/// Refuses an agent that is nothing but a tablebase where it does not know the position that a game starts from: it would fail
/// in the middle of it.
fn check_start<G: Game>(spec: &AgentSpec, start: &Position<G>) -> anyhow::Result<()> {
    if let AgentSpec::Tablebase { .. } = spec
        && !start.is_over()
    {
        spec.build::<G>(start.rules())
            .and_then(|mut agent| agent.act(start))
            .map_err(|error| Usage::new(format!("{spec}: {error}")))?;
    }
    Ok(())
}

/// A word of a command line as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn what_clap_says_becomes_one_line() {
        let message = |arguments: &[&str]| one_line(&Cli::try_parse_from(arguments).unwrap_err().to_string());
        assert_eq!(
            message(&["mancala", "perft"]),
            "error: the following required arguments were not provided: --game <G> --depth <D>"
        );
        assert!(message(&["mancala", "perf"]).starts_with("error: unrecognized subcommand 'perf'; tip: "));
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("net:runs/x,sims=64"), "net:runs/x,sims=64");
        assert_eq!(quoted("giuthi-8x8?capture=occupied"), "'giuthi-8x8?capture=occupied'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
