//! `mancala rate`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use mancala_env::{Game, for_game};
use mancala_search::arena::{RatedPair, Rating, RatingsError, ResultsGame, rate, read_results};
use serde::Serialize;

use super::parse_game;
use crate::error::Usage;

/// Rate agents by the games of results files.
///
/// The ratings are those of Bradley and Terry, a draw being half a point to both: of two agents their difference is the Elo of
/// their match. The 95% intervals are of the difference to the anchor, from the spread between openings.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mancala rate --game giuthi-5x4 --results games.jsonl\n  \
    mancala rate --game giuthi-5x4 --results a.jsonl b.jsonl --anchor alphabeta:depth=4=1000 --json")]
pub(super) struct Rate {
    /// The game, as giuthi-8x8 or giuthi-8x8?capture=occupied.
    #[arg(long, value_name = "G")]
    game: String,
    /// Files that `mancala match --results` has written.
    #[arg(long, value_name = "F", required = true, num_args = 1..)]
    results: Vec<PathBuf>,
    /// The agent whose Elo is fixed, and to what [default: who has most games, to 0].
    #[arg(long, value_name = "AGENT=ELO", value_parser = parse_anchor)]
    anchor: Option<(String, f64)>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    game: String,
    rules_version: u32,
    games: u32,
    duplicates: u32,
    anchor: String,
    /// Whether agents with null intervals are there.
    unbounded: bool,
    agents: Vec<Row>,
}

/// A line of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    agent: String,
    #[serde(flatten)]
    rating: Rating,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    score: f64,
}

fn parse_anchor(text: &str) -> Result<(String, f64), String> {
    let read = text.rsplit_once('=').and_then(|(agent, elo)| Some((agent, elo.parse::<f64>().ok()?)));
    match read {
        Some((agent, elo)) if !agent.is_empty() && elo.is_finite() => Ok((agent.into(), elo)),
        _ => Err("expected an agent and its Elo, as alphabeta:depth=4=1000".into()),
    }
}

/// The agents of the files and how they did.
#[derive(Default)]
struct Agents {
    names: Vec<String>,
    /// Wins, draws and losses.
    counts: Vec<[u32; 3]>,
}

impl Agents {
    fn number(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.into());
            self.counts.push([0; 3]);
            self.names.len() - 1
        })
    }

    fn games(&self, agent: usize) -> u32 {
        self.counts[agent].iter().sum()
    }

    /// An agent of the files as the files name it.
    fn find(&self, name: &str) -> Result<usize, Usage> {
        let canonical = name.parse::<mancala_search::AgentSpec>().map(|spec| spec.to_string());
        let is_meant = |known: &String| known == name || canonical.as_ref().is_ok_and(|name| known == name);
        self.names.iter().position(is_meant).ok_or_else(|| {
            let known = self.names.join(", ");
            Usage::new(format!("--anchor {name}: the results have no such agent; they have {known}"))
        })
    }
}

impl Rate {
    pub(super) fn run(&self, out: &mut impl Write) -> anyhow::Result<ExitCode> {
        let spec = parse_game(&self.game)?;
        let report = for_game!(spec, |rules: G| self.rate::<G>(&rules))?;
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
            false => write(out, &report)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn rate<G: Game>(&self, rules: &G::Rules) -> Result<Report, Usage> {
        let games = self.read::<G>(rules)?;
        let mut agents = Agents::default();
        let mut distinct = HashSet::new();
        // In the order of the files, so that the sums are always the same.
        let (mut pairs, mut places) = (Vec::<RatedPair>::new(), HashMap::new());
        for ResultsGame { id, game, .. } in &games {
            let (a, b) = (agents.number(&id.a), agents.number(&id.b));
            let outcome = 2 - (2.0 * game.a_points) as usize;
            agents.counts[a][outcome] += 1;
            agents.counts[b][2 - outcome] += 1;
            let seats = if game.a_plays.index() == 0 { [a, b] } else { [b, a] };
            distinct.insert((seats, &game.actions));
            let place = *places.entry((id, game.game / 2)).or_insert(pairs.len());
            match pairs.get_mut(place) {
                None => pairs.push(RatedPair { a, b, games: 1, points: game.a_points }),
                Some(pair) => {
                    pair.games += 1;
                    pair.points += game.a_points;
                }
            }
        }
        let (anchor, anchor_elo) = match &self.anchor {
            Some((name, elo)) => (agents.find(name)?, *elo),
            // Of those with most games the first.
            None => {
                ((0..agents.names.len()).rev().max_by_key(|&agent| agents.games(agent)).unwrap_or(0), 0.0)
            }
        };
        let ratings = rate(agents.names.len(), &pairs, anchor, anchor_elo).map_err(|error| {
            let RatingsError::Disconnected(groups) = &error;
            let names = |group: &Vec<usize>| {
                group.iter().map(|&agent| agents.names[agent].as_str()).collect::<Vec<_>>().join(", ")
            };
            let groups = groups.iter().map(names).collect::<Vec<_>>().join(" | ");
            Usage::new(format!("{error}: {groups}"))
        })?;
        let row = |agent: usize| {
            let [wins, draws, losses] = agents.counts[agent];
            let games = agents.games(agent);
            let score = (f64::from(wins) + 0.5 * f64::from(draws)) / f64::from(games);
            let (name, rating) = (agents.names[agent].clone(), ratings.agents[agent]);
            Row { agent: name, rating, games, wins, draws, losses, score }
        };
        let mut rows: Vec<Row> = (0..agents.names.len()).map(row).collect();
        rows.sort_by(|one, other| other.rating.elo.total_cmp(&one.rating.elo));
        Ok(Report {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            games: games.len() as u32,
            duplicates: (games.len() - distinct.len()) as u32,
            anchor: agents.names[anchor].clone(),
            unbounded: ratings.is_unbounded,
            agents: rows,
        })
    }

    /// The games of all files; the same game in two of them would count twice.
    fn read<G: Game>(&self, rules: &G::Rules) -> Result<Vec<ResultsGame>, Usage> {
        let mut games: Vec<ResultsGame> = Vec::new();
        let mut seen = HashMap::new();
        for path in &self.results {
            let read = read_results::<G>(path, rules);
            for game in read.map_err(|error| Usage::new(format!("--results {error}")))? {
                let place = format!("{}:{}", path.display(), game.line);
                if let Some(first) = seen.insert((game.id.clone(), game.game.game), place.clone()) {
                    let problem =
                        format!("game {} of one match is in {first} and in {place}", game.game.game);
                    return Err(Usage::new(format!("--results: {problem}")));
                }
                games.push(game);
            }
        }
        match games.is_empty() {
            true => Err(Usage::new("--results: there is no game in these files")),
            false => Ok(games),
        }
    }
}

fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let Report { game, games, duplicates, anchor, agents, .. } = report;
    let width = agents.iter().map(|row| row.agent.chars().count()).max().unwrap_or(0).max("agent".len());
    writeln!(out, "{games} games of {game}\n")?;
    writeln!(
        out,
        "{:width$} {:>6} {:>15} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "agent", "Elo", "95%", "games", "wins", "draws", "losses", "score"
    )?;
    for Row { agent, rating, games, wins, draws, losses, score } in agents {
        let interval = match (rating.elo_low, rating.elo_high) {
            _ if agent == anchor => "anchor".into(),
            (Some(low), Some(high)) => format!("{low:+.0} to {high:+.0}"),
            _ => "unbounded".into(),
        };
        let elo = rating.elo;
        writeln!(
            out,
            "{agent:width$} {elo:>+6.0} {interval:>15} {games:>6} {wins:>6} {draws:>6} {losses:>6} {score:>6.3}"
        )?;
    }
    if *duplicates > 0 {
        writeln!(out, "\n{duplicates} games are, action by action, another one of these")?;
    }
    if report.unbounded {
        writeln!(
            out,
            "\nunbounded: one side has won all games between these agents and the anchor, directly or through others; \
             their Elo is that with one more game, drawn, between each two"
        )?;
    }
    Ok(())
}
