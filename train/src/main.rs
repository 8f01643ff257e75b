//! The `mancala` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    mancala_train::cli::main()
}
