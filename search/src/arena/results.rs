//! Results files: one JSON object a line and game, which a match is resumed from and ratings are made of.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mancala_env::{Action, End, Game, Player, Position};
use serde::{Deserialize, Serialize};

use super::play::{Effort, MatchGame};
use crate::spec::AgentSpec;

/// Lines reach the disk, and not only the system, this often.
const SYNC_EVERY: Duration = Duration::from_secs(5);

/// Which match a game is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MatchId {
    /// The game with its options.
    pub game: String,
    /// The rules it was played by.
    pub rules_version: u32,
    /// Agent A.
    pub a: String,
    /// Agent B.
    pub b: String,
    /// Seed of the openings and the agents.
    pub seed: u64,
    /// Random plies of an opening.
    pub opening_plies: u32,
}

impl MatchId {
    /// What is another in `self` than in `expected`, both named.
    fn difference(&self, expected: &Self) -> Option<String> {
        // Taken apart so that no field can be forgotten.
        let Self { game, rules_version, a, b, seed, opening_plies } = self;
        let fields = [
            ("game", game, &expected.game),
            ("rules version", &rules_version.to_string(), &expected.rules_version.to_string()),
            ("agent A", a, &expected.a),
            ("agent B", b, &expected.b),
            ("seed", &seed.to_string(), &expected.seed.to_string()),
            ("opening plies", &opening_plies.to_string(), &expected.opening_plies.to_string()),
        ];
        let (name, found, expected) = fields.into_iter().find(|(_, found, expected)| found != expected)?;
        Some(format!("{name} {found} where {expected} was expected"))
    }
}

/// A line of a results file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    id: MatchId,
    index: u32,
    a_plays: usize,
    actions: Vec<Action>,
    result: Option<String>,
    scores: [u8; 2],
    a_points: f64,
    /// Files of before have none.
    #[serde(default)]
    effort: [Effort; 2],
}

/// A game of a results file.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultsGame {
    /// The match it is of.
    pub id: MatchId,
    /// The game.
    pub game: MatchGame,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// Why a results file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// It cannot be opened or read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A match is being played into it.
    #[error("{}: another process is playing a match into this file", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line is not one, or not one of this game or match.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// The games of a results file, all of one game with one set of options. A last line that was cut off is none.
///
/// # Errors
/// If the file cannot be read, a line is damaged, of another game or rules version, or tells of a game that cannot be played
/// like that, or one game is there twice.
pub fn read_results<G: Game>(path: &Path, rules: &G::Rules) -> Result<Vec<ResultsGame>, ResultsError> {
    let io = |error| ResultsError::Io { path: path.into(), error };
    let bytes = std::fs::read(path).map_err(io)?;
    parse::<G>(path, &bytes[..whole_lines(&bytes)], rules, None)
}

/// The length of the lines that are whole.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
}

fn parse<G: Game>(
    path: &Path,
    bytes: &[u8],
    rules: &G::Rules,
    id: Option<&MatchId>,
) -> Result<Vec<ResultsGame>, ResultsError> {
    let mut games: Vec<ResultsGame> = Vec::new();
    let mut seen = HashMap::new();
    for (index, text) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if text.is_empty() {
            continue;
        }
        let line = index + 1;
        let fail = |problem: String| ResultsError::Line { path: path.into(), line, problem };
        let mut read: Line = serde_json::from_slice(text).map_err(|error| fail(without_place(&error)))?;
        for agent in [&mut read.id.a, &mut read.id.b] {
            // However it was written, it is the same agent.
            if let Ok(spec) = agent.parse::<AgentSpec>() {
                *agent = spec.to_string();
            }
        }
        let rules_alone = MatchId { game: G::id(rules), rules_version: G::RULES_VERSION, ..read.id.clone() };
        if let Some(problem) = read.id.difference(id.unwrap_or(&rules_alone)) {
            return Err(fail(problem));
        }
        let game = replay::<G>(rules, &read).map_err(fail)?;
        match seen.entry((read.id.clone(), read.index)) {
            Entry::Vacant(free) => drop(free.insert(line)),
            Entry::Occupied(first) => {
                return Err(fail(format!("game {} is already in line {}", read.index, first.get())));
            }
        }
        games.push(ResultsGame { id: read.id, game, line });
    }
    Ok(games)
}

/// What is wrong with a line, without the place that serde counts within it.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let problem = text.split(" at line ").next().unwrap_or_default();
    format!("no result of a game: {problem}, column {}", error.column())
}

/// The game of a line, played again: what the line says of its end is checked.
fn replay<G: Game>(rules: &G::Rules, line: &Line) -> Result<MatchGame, String> {
    let mut position = Position::<G>::initial(*rules);
    for (ply, &action) in line.actions.iter().enumerate() {
        position.play(action).map_err(|error| format!("action {}: {error}", ply + 1))?;
    }
    if line.a_plays != line.index as usize % 2 {
        return Err(format!("A is not player {} in game {}", line.a_plays, line.index));
    }
    let game = MatchGame::of(line.index, &position, line.actions.clone(), line.id.opening_plies, line.effort);
    let told = (line.result.as_deref(), line.scores, line.a_points);
    let found = (game.end.map(End::word), game.scores, game.a_points);
    match told == found {
        true => Ok(game),
        false => {
            Err(format!("the actions end in {found:?}, and not in {told:?} (result, scores, points of A)"))
        }
    }
}

impl MatchGame {
    /// The game that led to this position.
    pub(super) fn of<G: Game>(
        game: u32,
        position: &Position<G>,
        actions: Vec<Action>,
        opening_plies: u32,
        effort: [Effort; 2],
    ) -> Self {
        let a_plays = Player::from_index(game as usize % 2);
        let a_points = match position.winner() {
            Some(winner) if winner == a_plays => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
        let (end, scores) = (position.end(), position.scores());
        Self { game, a_plays, actions, opening_plies, end, scores, a_points, effort }
    }
}

/// A results file that a match is played into; no other process can at the same time.
#[derive(Debug)]
pub struct ResultsFile {
    file: File,
    id: MatchId,
    synced: Instant,
}

impl ResultsFile {
    /// Opens or makes the file, and returns the games it has. A last line that was cut off is removed.
    ///
    /// # Errors
    /// As [`read_results`], and if a game is of another match or another process has the file.
    pub fn open<G: Game>(
        path: &Path,
        rules: &G::Rules,
        id: MatchId,
    ) -> Result<(Self, Vec<MatchGame>), ResultsError> {
        let io = |error| ResultsError::Io { path: path.into(), error };
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(io)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ResultsError::Locked { path: path.into() },
            TryLockError::Error(error) => io(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = whole_lines(&bytes);
        let games = parse::<G>(path, &bytes[..whole], rules, Some(&id))?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(io)?;
        }
        Ok((Self { file, id, synced: Instant::now() }, games.into_iter().map(|game| game.game).collect()))
    }

    /// Appends a game, in one write.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, game: &MatchGame) -> io::Result<()> {
        let round = |value: f64, digits: i32| (value * 10f64.powi(digits)).round() / 10f64.powi(digits);
        let effort = game.effort.map(|Effort { moves, seconds, nodes }| Effort {
            moves,
            seconds: round(seconds, 6),
            nodes: nodes.map(|nodes| round(nodes, 1)),
        });
        let mut line = serde_json::to_string(&Line {
            id: self.id.clone(),
            index: game.game,
            a_plays: game.a_plays.index(),
            actions: game.actions.clone(),
            result: game.end.map(|end| end.word().into()),
            scores: game.scores,
            a_points: game.a_points,
            effort,
        })?;
        line.push('\n');
        self.file.write_all(line.as_bytes())?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Waits until all is on the disk.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        match self.file.sync_data() {
            // Pipes and devices have no disk.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }
}
