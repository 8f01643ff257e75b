//! A few games of the newest replay shard, ply by ply.

use std::path::Path;

use mancala_env::{Player, Position, for_game};
use mancala_search::self_play::GameRecord;

use crate::config::Config;
use crate::files::numbered;
use crate::replay::Shards;
use crate::show::{Board, Ply, View, tell_end};

/// So many games are shown.
const SHOWN: usize = 4;

/// Games of one iteration.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// Which, 0 if there are none.
    pub(super) iteration: u64,
    pub(super) games: Vec<Sample>,
    /// What could not be read, and why.
    pub(super) problems: Vec<String>,
}

/// A game.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) title: String,
    pub(super) frames: Vec<Frame>,
}

/// A position and how it came about.
#[derive(Debug)]
pub(super) struct Frame {
    /// The move that led here, in the game's notation; empty at the start.
    pub(super) action: String,
    pub(super) board: Vec<String>,
    pub(super) words: Vec<String>,
    /// As the game's notation writes it.
    pub(super) position: String,
}

impl Samples {
    /// No games, and why.
    pub(super) fn none(why: &str) -> Self {
        Self { problems: vec![why.into()], ..Self::default() }
    }
}

/// Games of the newest shard that can be read. None of them stops the report: a run that goes on removes old shards.
pub(super) fn newest(folder: &Path, config: &Config) -> Samples {
    for_game!(config.spec(), |rules: G| newest_of::<G>(&rules, folder, config))
}

fn newest_of<G: Board>(rules: &G::Rules, folder: &Path, config: &Config) -> Samples {
    let iterations = numbered(folder, Some("shard")).unwrap_or_default();
    let mut samples = Samples::default();
    for iteration in iterations.into_iter().rev() {
        match Shards::new(folder).read::<G>(rules, config.seed, iteration) {
            Ok(shard) => {
                samples.iteration = iteration;
                let step = (shard.games.len() / SHOWN).max(1);
                for record in shard.games.iter().step_by(step).take(SHOWN) {
                    match sample::<G>(rules, record) {
                        Ok(sample) => samples.games.push(sample),
                        Err(problem) => samples.problems.push(format!("game {}: {problem}", record.index)),
                    }
                }
                return samples;
            }
            Err(error) => samples.problems.push(error.to_string()),
        }
    }
    if samples.problems.is_empty() {
        samples.problems.push("there is no replay shard yet".into());
    }
    samples
}

/// Plays a game again.
fn sample<G: Board>(rules: &G::Rules, record: &GameRecord) -> Result<Sample, String> {
    let mut position = Position::<G>::initial(*rules);
    let mut frames = vec![frame(String::new(), Vec::new(), &position)];
    let opening = record.opening.iter().map(|&action| (action, None));
    let moves = record.moves.iter().map(|made| (made.action, Some(made)));
    for (action, made) in opening.chain(moves) {
        if !position.is_legal(action) {
            return Err(format!("ply {}: action {action} is not legal", frames.len()));
        }
        let ply = Ply::play(&mut position, action);
        let mut words = ply.tell();
        match made {
            None => words.push("A random move of the opening.".into()),
            Some(made) if made.policy.is_empty() => words.push("The only move.".into()),
            Some(made) => {
                words.push(format!("The search gave Player {} {:+.2}.", ply.mover().index(), made.value))
            }
        }
        words.extend(position.end().into_iter().flat_map(|end| tell_end(&position, end)));
        frames.push(frame(ply.name(), words, &position));
    }
    if record.end.is_none()
        && let Some(last) = frames.last_mut()
    {
        last.words.push("Stopped here: a draw.".into());
    }
    let result = match record.returns[0] {
        value if value > 0.0 => "Player 0 wins",
        value if value < 0.0 => "Player 1 wins",
        _ => "a draw",
    };
    let [zero, one] = record.scores;
    let title = format!("Game {}: {result}, {zero} to {one}, {} plies", record.index, frames.len() - 1);
    Ok(Sample { title, frames })
}

fn frame<G: Board>(action: String, words: Vec<String>, position: &Position<G>) -> Frame {
    let view = View { seat: Player::Zero, names: ["", ""] };
    let to_move = (!position.is_over()).then(|| position.to_move());
    Frame { action, board: view.board(position.state(), to_move), words, position: position.write() }
}
