//! Progress on stderr: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use mancala_env::Game;
use mancala_search::arena::{MakeAgent, MatchError, MatchGame, MatchResult, MatchSettings, play_games};

/// How often lines tell how far a match is.
const LINE_EVERY: Duration = Duration::from_secs(10);

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

    /// So much of it is done.
    pub fn show(&self, message: String, position: u64) {
        if let Self::Bar(bar) = self {
            bar.set_message(message);
            bar.set_position(position);
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
    /// As [`play_games`].
    pub fn play_match<G: Game>(
        &self,
        title: String,
        rules: &G::Rules,
        [a, b]: [MakeAgent<'_, G>; 2],
        settings: &MatchSettings,
        goes_on: &mut dyn FnMut(&MatchGame) -> bool,
    ) -> Result<Option<MatchResult>, MatchError> {
        let games = self.play_games::<G>(title, rules, [a, b], settings, &|_| true, goes_on)?;
        Ok(games.map(|games| MatchResult::of_games(&games)))
    }

    /// Plays the games of a match that are `wanted` and tells how far it is; `None` if `goes_on`, asked after every game, said
    /// no.
    ///
    /// # Errors
    /// As [`play_games`].
    pub fn play_games<G: Game>(
        &self,
        title: String,
        rules: &G::Rules,
        [a, b]: [MakeAgent<'_, G>; 2],
        settings: &MatchSettings,
        wanted: &dyn Fn(u32) -> bool,
        goes_on: &mut dyn FnMut(&MatchGame) -> bool,
    ) -> Result<Option<Vec<MatchGame>>, MatchError> {
        let all = settings.games;
        let mut done = (0..all).filter(|&number| !wanted(number)).count();
        let mut told = Instant::now();
        self.begin(title.clone(), all.into());
        if let Self::Bar(bar) = self {
            bar.set_position(done as u64);
        }
        let mut on_game = |game: &MatchGame| {
            self.advance();
            done += 1;
            if matches!(self, Self::Lines) && told.elapsed() >= LINE_EVERY {
                told = Instant::now();
                self.line(&format!("{title}: {done} of {all} games"));
            }
            if goes_on(game) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let played = play_games::<G>(rules, a, b, settings, wanted, &mut on_game);
        self.finish();
        match played {
            Err(MatchError::Stopped) => Ok(None),
            played => played.map(Some),
        }
    }

    /// All work is done.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
