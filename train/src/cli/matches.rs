//! `mancala match`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use mancala_env::{Game, Position, for_game};
use mancala_search::AgentSpec;
use mancala_search::arena::{
    Effort, MatchError, MatchGame, MatchId, MatchResult, MatchSettings, MatchSummary, Pentanomial,
    ResultsFile, Sprt, SprtSummary, Tally, Verdict,
};
use serde::Serialize;

use super::{check_start, interrupt, parse_agent, parse_game};
use crate::error::Usage;
use crate::run::Progress;

/// Play two agents against each other.
///
/// Games start from random openings, distinct up to the mirror; each opening is played twice, with seats swapped. The result is
/// in the view of agent A. Where an agent is limited by time, every thread plays one game at a time, and there are no more
/// threads than cores.
///
/// A match with --results that was stopped goes on where it was when the same command is given again; with more --games it gets
/// longer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala match --game giuthi-5x4 --a alphabeta:depth=4 --b greedy --games 200\n  \
    mancala match --game giuthi-5x4 --a net:runs/first,sims=64 --b alphabeta:depth=4 --games 200 --threads 2 --json\n  \
    mancala match --game giuthi-8x8 --a mcts:sims=400 --b mcts:sims=200 --games 2000 --sprt 0,50 --results games.jsonl")]
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
    /// Append one JSON line a game to this file; games that it has are not played again.
    #[arg(long, value_name = "F")]
    results: Option<PathBuf>,
    /// Stop as soon as a sequential test tells whether A is rather ELO1 better than B or ELO0, with 5% errors of either kind.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    result: MatchResult,
    pentanomial: Pentanomial,
    duplicates: u32,
    a: SideReport,
    b: SideReport,
    sprt: Option<SprtSummary>,
}

#[derive(Debug, Serialize)]
struct SideReport {
    agent: String,
    seconds_a_move: Option<f64>,
    nodes_a_move: Option<f64>,
}

impl SideReport {
    fn new(agent: &AgentSpec, effort: Effort) -> Self {
        let a_move = |sum: f64| (effort.moves > 0).then(|| sum / effort.moves as f64);
        let (seconds_a_move, nodes_a_move) = (a_move(effort.seconds), effort.nodes.and_then(a_move));
        Self { agent: agent.to_string(), seconds_a_move, nodes_a_move }
    }
}

impl Match {
    pub(super) fn run(self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let agents = [parse_agent("--a", &self.a)?, parse_agent("--b", &self.b)?];
        interrupt::watch("stopping")?;
        let summary = for_game!(spec, |rules: G| self.play::<G>(&rules, &agents));
        let Some(MatchSummary { result, pentanomial, duplicates, effort, sprt }) = summary? else {
            writeln!(io::stderr(), "stopped")?;
            return Ok(ExitCode::from(interrupt::EXIT_CODE));
        };
        let [a, b] = [0, 1].map(|side| SideReport::new(&agents[side], effort[side]));
        let report = Report { result, pentanomial, duplicates, a, b, sprt };
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
            false => self.write(out, &report)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Plays the games of the match that the results file does not have; `None` if it was interrupted.
    fn play<G: Game>(
        &self,
        rules: &G::Rules,
        [a, b]: &[AgentSpec; 2],
    ) -> anyhow::Result<Option<MatchSummary>> {
        let mut settings = MatchSettings {
            games: self.games,
            opening_plies: self.opening_plies,
            seed: self.seed,
            threads: self.threads,
            ..MatchSettings::default()
        };
        // One by one, games end in their order: less is lost when the match is stopped, and a test does not wait for many.
        if !a.is_batched() && !b.is_batched() {
            settings.lockstep = 1;
        }
        if a.is_timed() || b.is_timed() {
            settings = settings.one_game_a_core();
        }
        // Agents that cannot be made are bad usage; made once before, they fail before a game is played.
        for (flag, spec) in [("--a", a), ("--b", b)] {
            spec.build::<G>(rules).map_err(|error| Usage::new(format!("{flag}: {error}")))?;
            check_start(spec, &Position::<G>::initial(*rules))?;
        }
        // So does what else was asked for wrongly, and leaves no file behind.
        settings.check::<G>(rules).map_err(Usage::new)?;
        let mut tally = Tally::new(self.games, self.sprt);
        let mut file = match &self.results {
            None => None,
            Some(path) => {
                let id = MatchId {
                    game: G::id(rules),
                    rules_version: G::RULES_VERSION,
                    a: a.to_string(),
                    b: b.to_string(),
                    seed: self.seed,
                    opening_plies: self.opening_plies,
                };
                let opened = ResultsFile::open::<G>(path, rules, id);
                let (file, games) = opened.map_err(|error| Usage::new(format!("--results {error}")))?;
                games.into_iter().for_each(|game| tally.add(game));
                Some(file)
            }
        };
        let missing: Vec<bool> = (0..self.games).map(|number| tally.wants(number)).collect();
        let mut failed: io::Result<()> = Ok(());
        let mut goes_on = |game: &MatchGame| {
            if let Some(file) = &mut file {
                failed = file.append(game);
            }
            tally.add(game.clone());
            failed.is_ok() && !tally.is_decided() && !interrupt::asked()
        };
        let (title, a, b) =
            (format!("{} against {}", self.a, self.b), || a.build::<G>(rules), || b.build::<G>(rules));
        let wanted = |number: u32| missing[number as usize];
        let played =
            Progress::stderr().play_games::<G>(title, rules, [&a, &b], &settings, &wanted, &mut goes_on);
        failed.context("--results")?;
        if let Some(file) = &mut file {
            file.sync().context("--results")?;
        }
        let played = played.map_err(|error: MatchError| match error.is_usage() {
            true => anyhow::Error::from(Usage::new(error)),
            false => error.into(),
        })?;
        Ok((played.is_some() || tally.is_decided()).then(|| tally.summary()))
    }

    fn write(&self, out: &mut impl Write, report: &Report) -> io::Result<()> {
        let MatchResult { games, wins, draws, losses, score, score_se, .. } = report.result;
        let (a, b) = (&report.a, &report.b);
        let width = a.agent.chars().count().max(b.agent.chars().count());
        let number = |value: Option<f64>, digits| match value {
            None => "-".into(),
            Some(value) => format!("{value:.digits$}"),
        };
        writeln!(out, "   {:width$}  seconds/move  nodes/move", "")?;
        for (name, side) in [("A", a), ("B", b)] {
            let (seconds, nodes) = (number(side.seconds_a_move, 6), number(side.nodes_a_move, 0));
            writeln!(out, "{name}  {:width$}  {seconds:>12}  {nodes:>10}", side.agent)?;
        }
        let elo =
            |elo: Option<f64>, unbounded: &str| elo.map_or(unbounded.into(), |elo| format!("{elo:+.0}"));
        let sure = if score >= 0.5 { "+inf" } else { "-inf" };
        let (low, high) = (elo(report.result.elo_low, "-inf"), elo(report.result.elo_high, "+inf"));
        writeln!(out, "{games} games: {wins} wins, {draws} draws, {losses} losses of A")?;
        writeln!(out, "score {score:.3} (standard error {score_se:.3})")?;
        writeln!(out, "Elo {} (95%: {low} to {high})", elo(report.result.elo, sure))?;
        let [none, half, one, more, both] = report.pentanomial.0;
        writeln!(
            out,
            "openings by A's points: {none} of 0, {half} of 0.5, {one} of 1, {more} of 1.5, {both} of 2"
        )?;
        if report.duplicates > 0 {
            writeln!(out, "{} games are, action by action, another one of these", report.duplicates)?;
        }
        if let (Some(sprt), Some(SprtSummary { llr, lower, upper, decision })) = (self.sprt, report.sprt) {
            let decision = match decision {
                None => "undecided".into(),
                Some(Verdict::Elo0) => format!("Elo {:+} rather than {:+}", sprt.elo0(), sprt.elo1()),
                Some(Verdict::Elo1) => format!("Elo {:+} rather than {:+}", sprt.elo1(), sprt.elo0()),
            };
            writeln!(
                out,
                "SPRT {sprt}: {decision} (log likelihood ratio {llr:.2}, {lower:.2} to {upper:.2})"
            )?;
        }
        Ok(())
    }
}
