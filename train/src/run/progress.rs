//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Tells how far long work is.
#[derive(Debug)]
pub enum Progress {
    /// Nobody.
    Hidden,
    /// Whoever reads stderr, line by line.
    Lines,
    /// Whoever looks at the terminal.
    Bar(ProgressBar),
}

impl Progress {
    /// On stderr, as suits what it is.
    pub fn stderr() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}");
        Self::Bar(ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    /// A piece of work begins.
    pub fn begin(&self, what: String, len: u64) {
        if let Self::Bar(bar) = self {
            bar.reset();
            bar.set_length(len);
            bar.set_message(what);
        }
    }

    /// One unit of it is done.
    pub fn advance(&self) {
        if let Self::Bar(bar) = self {
            bar.inc(1);
        }
    }

    /// Prints a line.
    pub fn line(&self, text: &str) {
        // Whoever has closed stderr does not want to read it.
        let print = || drop(writeln!(std::io::stderr(), "{text}"));
        match self {
            Self::Hidden => {}
            Self::Lines => print(),
            Self::Bar(bar) => bar.suspend(print),
        }
    }

    /// All work is done.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
