//! The `mancala` command.

mod interrupt;
mod matches;
mod perft;
mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mancala_env::GameSpec;

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
    Train(train::Train),
    Match(matches::Match),
}

/// Runs the command that the arguments ask for. Exit code 0: done; 2: bad usage or input; 1: failure; 130: interrupted.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Whoever has closed the pipe has read enough.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    let mut out = io::stdout().lock();
    let result = match cli.command {
        Command::Perft(perft) => perft.run(&mut out),
        Command::Train(train) => train.run(&mut out),
        Command::Match(matches) => matches.run(&mut out),
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

/// Whether the reader of our output has gone away, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}

/// Reads `--game`.
fn parse_game(text: &str) -> Result<GameSpec, Usage> {
    GameSpec::parse(text).map_err(Usage::new)
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
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("net:runs/x,sims=64"), "net:runs/x,sims=64");
        assert_eq!(quoted("giuthi-8x8?capture=occupied"), "'giuthi-8x8?capture=occupied'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
