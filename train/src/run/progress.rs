//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressStyle};
use mancala_env::Game;
use mancala_search::arena::{MakeAgent, MatchError, MatchGame, MatchResult, MatchSettings, play_match};

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

    /// Plays a match and tells how far it is; `None` if `goes_on`, asked after every game, said no.
    ///
    /// # Errors
    /// As [`play_match`].
    pub fn play_match<G: Game>(
        &self,
        title: String,
        rules: &G::Rules,
        [a, b]: [MakeAgent<'_, G>; 2],
        settings: &MatchSettings,
        goes_on: &mut dyn FnMut(&MatchGame) -> bool,
    ) -> Result<Option<MatchResult>, MatchError> {
        self.begin(title, settings.games.into());
        let mut on_game = |game: &MatchGame| {
            self.advance();
            if goes_on(game) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let played = play_match::<G>(rules, a, b, settings, &mut on_game);
        self.finish();
        match played {
            Ok((result, _)) => Ok(Some(result)),
            Err(MatchError::Stopped) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All work is done.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
