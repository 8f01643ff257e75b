//! The matches at the end of a run, and `arena.jsonl`, which keeps them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use mancala_env::Game;
use mancala_search::AgentSpec;
use mancala_search::arena::{MatchResult, MatchSettings};
use mancala_search::net::{self, NetOptions};
use serde::{Deserialize, Serialize};

use super::{Folder, Progress};
use crate::config::Config;
use crate::files;
use crate::lines;
use crate::tensorboard::EventFile;

/// A match of the net against another agent, in the net's view: one line of `arena.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClosingMatch {
    /// The game with its options.
    pub game: String,
    /// The rules it was played by.
    pub rules_version: u32,
    /// The iterations the net had learned for.
    pub iteration: u64,
    /// Simulations a move of the net.
    pub simulations: u32,
    /// The other agent.
    pub opponent: String,
    /// Random plies before the agents played.
    pub opening_plies: u32,
    /// The seed of the match.
    pub seed: u64,
    /// When it ended, in seconds since 1970.
    #[serde(default)]
    pub time: f64,
    /// How it went.
    #[serde(flatten)]
    pub result: MatchResult,
}

impl ClosingMatch {
    /// Whether the other is the same match, with whatever result.
    fn is_same(&self, other: &Self) -> bool {
        let asked = |of: &Self| Self { result: MatchResult::of_pairs(&[]), time: 0.0, ..of.clone() };
        self.result.games == other.result.games && asked(self) == asked(other)
    }
}

/// Plays the matches of the config that the run's folder does not have yet, and returns all of them; `None` if interrupted.
pub(super) fn play<G: Game>(
    rules: &G::Rules,
    config: &Config,
    folder: &Folder,
    events: &mut EventFile,
    iteration: u64,
    progress: &Progress,
    interrupted: &dyn Fn() -> bool,
) -> anyhow::Result<Option<Vec<ClosingMatch>>> {
    let evaluation = &config.evaluation;
    lines::mend(&folder.arena()).context("arena.jsonl")?;
    let mut matches = read(&folder.arena()).context("arena.jsonl")?;
    let mut wanted = Vec::new();
    for opponent in evaluation.opponents.iter().filter(|_| evaluation.games > 0) {
        let unplayed = MatchResult { games: evaluation.games, ..MatchResult::of_pairs(&[]) };
        let asked = ClosingMatch {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            iteration,
            simulations: evaluation.simulations,
            opponent: opponent.clone(),
            opening_plies: evaluation.opening_plies,
            seed: config.seed,
            time: 0.0,
            result: unplayed,
        };
        let played = match matches.iter().find(|played| played.is_same(&asked)) {
            Some(played) => played.clone(),
            None => {
                let result = against::<G>(rules, config, folder, opponent, progress, interrupted)
                    .with_context(|| format!("closing match against {opponent}"))?;
                let Some(result) = result else { return Ok(None) };
                let played = ClosingMatch { result, time: files::unix_time(), ..asked };
                append(&folder.arena(), &played).context("arena.jsonl")?;
                events.append(&played).context("TensorBoard events")?;
                matches.push(played.clone());
                played
            }
        };
        wanted.push(played);
    }
    Ok(Some(wanted))
}

fn against<G: Game>(
    rules: &G::Rules,
    config: &Config,
    folder: &Folder,
    opponent: &str,
    progress: &Progress,
    interrupted: &dyn Fn() -> bool,
) -> anyhow::Result<Option<MatchResult>> {
    let evaluation = &config.evaluation;
    let spec = opponent.parse::<AgentSpec>()?;
    let mut settings = MatchSettings {
        games: evaluation.games,
        opening_plies: evaluation.opening_plies,
        seed: config.seed,
        threads: config.threads,
        ..MatchSettings::default()
    };
    let (what, options) =
        (folder.path().display().to_string(), NetOptions::simulations(evaluation.simulations));
    if spec.is_timed() {
        settings = settings.one_game_a_core();
    }
    let (net, other) = (|| net::agent::<G>(&what, rules, options, None), || spec.build::<G>(rules));
    let title = format!("match against {opponent}");
    Ok(progress.play_match::<G>(title, rules, [&net, &other], &settings, &mut |_| !interrupted())?)
}

/// The lines of the file; a last line that was cut off is none.
fn read(path: &Path) -> io::Result<Vec<ClosingMatch>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        result => result?,
    };
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn append(path: &Path, played: &ClosingMatch) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let mut line = serde_json::to_string(played)?;
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_all()
}
