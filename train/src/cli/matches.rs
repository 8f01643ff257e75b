//! `mancala match`.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use mancala_env::{Action, End, Game, for_game};
use mancala_search::AgentSpec;
use mancala_search::arena::{MatchError, MatchGame, MatchResult, MatchSettings};
use serde::Serialize;

use super::{interrupt, parse_game};
use crate::error::Usage;
use crate::run::Progress;

/// Play two agents against each other.
///
/// Games start from random openings, distinct up to the mirror; each opening is played twice, with seats swapped. The result is
/// in the view of agent A.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala match --game giuthi-5x4 --a alphabeta:depth=4 --b greedy --games 200\n  \
    mancala match --game giuthi-5x4 --a net:runs/first,sims=64 --b alphabeta:depth=4 --games 200 --threads 2 --json")]
pub(super) struct Match {
    /// The game, as giuthi-8x8 or giuthi-8x8?capture=occupied.
    #[arg(long, value_name = "G")]
    game: String,
    /// Agent A, as alphabeta:depth=4 or net:runs/first,sims=64.
    #[arg(long, value_name = "AGENT")]
    a: String,
    /// Agent B.
    #[arg(long, value_name = "AGENT")]
    b: String,
    /// Games, an even number: two an opening.
    #[arg(long, value_name = "N")]
    games: u32,
    /// The seed of openings and agents.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Threads; the games do not depend on their number.
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// Random plies before the agents play.
    #[arg(long, value_name = "P", default_value_t = 4)]
    opening_plies: u32,
    /// Append one JSON line a game to this file.
    #[arg(long, value_name = "F")]
    results: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A line of a results file.
#[derive(Debug, Serialize)]
struct GameLine<'a> {
    game: String,
    rules_version: u32,
    a: &'a str,
    b: &'a str,
    seed: u64,
    index: u32,
    a_plays: usize,
    actions: &'a [Action],
    opening_plies: u32,
    result: Option<&'static str>,
    scores: [u8; 2],
    a_points: f64,
}

impl Match {
    pub(super) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let parse = |flag: &str, text: &str| {
            text.parse::<AgentSpec>().map_err(|error| Usage::new(format!("{flag} {text}: {error}")))
        };
        let agents = [parse("--a", &self.a)?, parse("--b", &self.b)?];
        interrupt::watch("stopping")?;
        let result = for_game!(spec, |rules: G| self.play::<G>(&rules, &agents));
        let Some(result) = result? else {
            writeln!(io::stderr(), "stopped")?;
            return Ok(ExitCode::from(interrupt::EXIT_CODE));
        };
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&result)?)?,
            false => self.write(out, &result)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Plays the match; `None` if it was interrupted.
    fn play<G: Game>(
        &self,
        rules: &G::Rules,
        [a, b]: &[AgentSpec; 2],
    ) -> anyhow::Result<Option<MatchResult>> {
        let settings = MatchSettings {
            games: self.games,
            opening_plies: self.opening_plies,
            seed: self.seed,
            threads: self.threads,
            ..MatchSettings::default()
        };
        // Agents that cannot be made are bad usage; made once before, they fail before a game is played.
        for (flag, spec) in [("--a", a), ("--b", b)] {
            spec.build::<G>(rules).map_err(|error| Usage::new(format!("{flag}: {error}")))?;
        }
        let mut file = match &self.results {
            None => None,
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                Some(file.map_err(|error| Usage::new(format!("--results {}: {error}", path.display())))?)
            }
        };
        let mut failed: io::Result<()> = Ok(());
        let mut goes_on = |game: &MatchGame| {
            if let Some(file) = &mut file {
                failed = self.write_game::<G>(file, rules, game);
            }
            failed.is_ok() && !interrupt::asked()
        };
        let (title, a, b) =
            (format!("{} against {}", self.a, self.b), || a.build::<G>(rules), || b.build::<G>(rules));
        let played = Progress::stderr().play_match::<G>(title, rules, [&a, &b], &settings, &mut goes_on);
        failed.context("--results")?;
        played.map_err(|error: MatchError| match error.is_usage() {
            true => Usage::new(error).into(),
            false => error.into(),
        })
    }

    fn write_game<G: Game>(
        &self,
        file: &mut impl Write,
        rules: &G::Rules,
        game: &MatchGame,
    ) -> io::Result<()> {
        let mut line = serde_json::to_string(&GameLine {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            a: &self.a,
            b: &self.b,
            seed: self.seed,
            index: game.game,
            a_plays: game.a_plays.index(),
            actions: &game.actions,
            opening_plies: game.opening_plies,
            result: game.end.map(End::word),
            scores: game.scores,
            a_points: game.a_points,
        })?;
        line.push('\n');
        file.write_all(line.as_bytes())
    }

    fn write(&self, out: &mut impl Write, result: &MatchResult) -> io::Result<()> {
        let MatchResult { games, wins, draws, losses, score, score_se, .. } = result;
        let elo =
            |elo: Option<f64>, unbounded: &str| elo.map_or(unbounded.into(), |elo| format!("{elo:+.0}"));
        writeln!(out, "A  {}\nB  {}", self.a, self.b)?;
        writeln!(out, "{games} games: {wins} wins, {draws} draws, {losses} losses of A")?;
        writeln!(out, "score {score:.3} (standard error {score_se:.3})")?;
        let sure = if *score >= 0.5 { "+inf" } else { "-inf" };
        let (low, high) = (elo(result.elo_low, "-inf"), elo(result.elo_high, "+inf"));
        writeln!(out, "Elo {} (95%: {low} to {high})", elo(result.elo, sure))
    }
}
