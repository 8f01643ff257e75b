//! Paired games between two agents, on several threads and several games at a time.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use mancala_env::{Action, End, Game, IllegalAction, Player, Position, Stream, stream};
use rand::Rng;
use serde::{Deserialize, Serialize};

use super::openings::{Opening, TooFewOpenings, openings};
use super::statistics::MatchResult;
use crate::agent::{Agent, AgentError};

/// Makes an agent; every thread makes its own.
pub type MakeAgent<'a, G> = &'a (dyn Fn() -> Result<Box<dyn Agent<G>>, AgentError> + Sync);

/// How a match is played. The games depend on `games`, `opening_plies`, `seed` and `max_plies` alone, as far as the agents'
/// answers do: not on `threads` and `lockstep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchSettings {
    /// Games, even: two an opening, seats swapped.
    pub games: u32,
    /// Random plies of an opening.
    pub opening_plies: u32,
    /// Seed of the openings and the agents.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Games that a thread plays at a time, at least 1: so many positions can an agent judge in one batch.
    pub lockstep: usize,
    /// A game that goes on after so many plies, opening included, is a draw.
    pub max_plies: u32,
}

impl MatchSettings {
    /// The same match for agents limited by time: one game at a time on each core, so that none waits for another.
    #[must_use]
    pub fn one_game_a_core(self) -> Self {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
        Self { threads: self.threads.min(cores), lockstep: self.lockstep.min(1), ..self }
    }

    /// Whether such a match can be played.
    ///
    /// # Errors
    /// If a setting is out of its range or there are too few openings.
    pub fn check<G: Game>(&self, rules: &G::Rules) -> Result<(), MatchError> {
        self.openings::<G>(rules).map(drop)
    }

    fn openings<G: Game>(&self, rules: &G::Rules) -> Result<Vec<Opening<G>>, MatchError> {
        let problem = match *self {
            Self { games, .. } if games == 0 || games % 2 == 1 => {
                format!("games: {games} is not a positive even number (two games an opening)")
            }
            Self { threads: 0, .. } => "threads: at least 1 is needed".into(),
            Self { lockstep: 0, .. } => "lockstep: at least 1 game at a time is needed".into(),
            _ => return Ok(openings(rules, self.opening_plies, self.games as usize / 2, self.seed)?),
        };
        Err(MatchError::Settings(problem))
    }
}

impl Default for MatchSettings {
    fn default() -> Self {
        Self { games: 100, opening_plies: 4, seed: 0, threads: 1, lockstep: 64, max_plies: 10_000 }
    }
}

/// One of the two agents of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Agent A.
    A,
    /// Agent B.
    B,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// A game of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchGame {
    /// The game's number; games 2k and 2k + 1 have opening k.
    pub game: u32,
    /// The player that A was: Player 0 in even games.
    pub a_plays: Player,
    /// The actions from the start of the game, the opening's first.
    pub actions: Vec<Action>,
    /// How many of them are the opening's.
    pub opening_plies: u32,
    /// How it ended; `None` if it was stopped at the most plies allowed.
    pub end: Option<End>,
    /// The scores at the end, by player.
    pub scores: [u8; 2],
    /// A's points: 1, 0.5 or 0.
    pub a_points: f64,
    /// What A and B spent on it.
    pub effort: [Effort; 2],
}

/// What an agent spends on its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Actions it chose.
    pub moves: u64,
    /// Seconds it took to choose them. Games that were asked about together share the time equally.
    pub seconds: f64,
    /// Nodes searched or simulations run, shared likewise; `None` where it does not count them.
    pub nodes: Option<f64>,
}

impl Effort {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let nodes = match (self.moves, other.moves) {
            (0, _) => other.nodes,
            (_, 0) => self.nodes,
            _ => self.nodes.zip(other.nodes).map(|(one, two)| one + two),
        };
        Self { moves: self.moves + other.moves, seconds: self.seconds + other.seconds, nodes }
    }
}

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A setting is out of its range.
    #[error("{0}")]
    Settings(String),
    /// There are too few openings.
    #[error(transparent)]
    TooFewOpenings(#[from] TooFewOpenings),
    /// An agent could not be made or gave no answer.
    #[error("agent {side}: {error}")]
    Agent {
        /// Which agent.
        side: Side,
        /// What it said.
        error: AgentError,
    },
    /// An agent chose an action that is not legal.
    #[error("agent {side} in game {game}: {error}")]
    Illegal {
        /// Which agent.
        side: Side,
        /// In which game.
        game: u32,
        /// What is wrong with the action.
        error: IllegalAction,
    },
    /// The caller did not want to go on.
    #[error("the match was stopped")]
    Stopped,
}

impl MatchError {
    /// Whether the match was asked for wrongly, rather than gone wrong.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Settings(_) | Self::TooFewOpenings(_))
    }
}

/// Plays a match and sums it up. The games come in their order; `on_game` hears of each as it ends, in whatever order, and may
/// break the match off.
///
/// The agents are seeded once, A and B differently: since an answer depends on position, history and seed alone, a game is
/// the same whichever games are played beside it.
///
/// # Errors
/// If a setting is out of its range, there are too few openings, an agent fails or plays what is not legal, or `on_game`
/// breaks off.
pub fn play_match<G: Game>(
    rules: &G::Rules,
    a: MakeAgent<'_, G>,
    b: MakeAgent<'_, G>,
    settings: &MatchSettings,
    on_game: &mut dyn FnMut(&MatchGame) -> ControlFlow<()>,
) -> Result<(MatchResult, Vec<MatchGame>), MatchError> {
    let games = play_games(rules, a, b, settings, &|_| true, on_game)?;
    Ok((MatchResult::of_games(&games), games))
}

/// Plays those games of a match that are `wanted`, as [`play_match`] would.
///
/// # Errors
/// As [`play_match`].
pub fn play_games<G: Game>(
    rules: &G::Rules,
    a: MakeAgent<'_, G>,
    b: MakeAgent<'_, G>,
    settings: &MatchSettings,
    wanted: &dyn Fn(u32) -> bool,
    on_game: &mut dyn FnMut(&MatchGame) -> ControlFlow<()>,
) -> Result<Vec<MatchGame>, MatchError> {
    let openings = settings.openings::<G>(rules)?;
    let numbers: Vec<u32> = (0..settings.games).filter(|&number| wanted(number)).collect();
    let threads = settings.threads.min(numbers.len());
    let chunk_len = settings.lockstep.min(numbers.len().div_ceil(threads.max(1))).max(1);
    let chunks: Vec<&[u32]> = numbers.chunks(chunk_len).collect();
    let (next_chunk, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = Worker { a, b, settings, openings: &openings, is_stopped: &is_stopped };
    let mut finished: Vec<MatchGame> = Vec::with_capacity(numbers.len());
    let mut failure = None;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let (sender, chunks, next_chunk, worker) = (sender.clone(), &chunks, &next_chunk, &worker);
            scope.spawn(move || {
                let next = || chunks.get(next_chunk.fetch_add(1, Ordering::Relaxed)).copied();
                if let Err(error) = worker.run(next, &|game| drop(sender.send(Ok(game)))) {
                    drop(sender.send(Err(error)));
                }
            });
        }
        drop(sender);
        for message in receiver {
            let broke = match message {
                Ok(game) if failure.is_none() => {
                    let broke = on_game(&game).is_break();
                    finished.push(game);
                    broke.then_some(MatchError::Stopped)
                }
                Ok(_) => None,
                Err(error) => Some(error),
            };
            if let Some(error) = broke {
                is_stopped.store(true, Ordering::Relaxed);
                failure.get_or_insert(error);
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    finished.sort_by_key(|game| game.game);
    Ok(finished)
}

/// What every thread works with.
struct Worker<'a, G: Game> {
    a: MakeAgent<'a, G>,
    b: MakeAgent<'a, G>,
    settings: &'a MatchSettings,
    openings: &'a [Opening<G>],
    is_stopped: &'a AtomicBool,
}

/// A game being played.
struct Running<G: Game> {
    number: u32,
    a_plays: Player,
    position: Position<G>,
    actions: Vec<Action>,
    effort: [Effort; 2],
}

impl<G: Game> Running<G> {
    fn side_to_move(&self) -> Side {
        if self.position.to_move() == self.a_plays { Side::A } else { Side::B }
    }

    fn finish(self, opening_plies: u32) -> MatchGame {
        MatchGame::of(self.number, &self.position, self.actions, opening_plies, self.effort)
    }
}

impl<G: Game> Worker<'_, G> {
    /// Plays one chunk of games after another with agents of its own.
    fn run<'c>(
        &self,
        mut next: impl FnMut() -> Option<&'c [u32]>,
        on_game: &dyn Fn(MatchGame),
    ) -> Result<(), MatchError> {
        let mut seeds = stream(Stream::Arena, self.settings.seed, 0, 1);
        let mut agents = Vec::with_capacity(2);
        for (side, make) in [(Side::A, self.a), (Side::B, self.b)] {
            let mut agent = make().map_err(|error| MatchError::Agent { side, error })?;
            agent.new_game(seeds.next_u64());
            agents.push((side, agent));
        }
        while let Some(chunk) = next() {
            let mut running: Vec<_> = chunk.iter().map(|&number| self.begin(number)).collect();
            while !running.is_empty() {
                for (side, agent) in &mut agents {
                    if self.is_stopped.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    step(*side, agent.as_mut(), &mut running)?;
                    self.collect(&mut running, on_game);
                }
            }
        }
        Ok(())
    }

    fn begin(&self, number: u32) -> Running<G> {
        let Opening { position, actions } = self.openings[number as usize / 2].clone();
        let a_plays = Player::from_index(number as usize % 2);
        Running { number, a_plays, position, actions, effort: [Effort::default(); 2] }
    }

    /// Takes out the games that are over.
    fn collect(&self, running: &mut Vec<Running<G>>, on_game: &dyn Fn(MatchGame)) {
        let is_done = |game: &mut Running<G>| {
            game.position.is_over() || game.position.plies() >= self.settings.max_plies
        };
        for game in running.extract_if(.., is_done) {
            on_game(game.finish(self.settings.opening_plies));
        }
    }
}

/// Lets an agent act in all games in which it is to move.
fn step<G: Game>(side: Side, agent: &mut dyn Agent<G>, running: &mut [Running<G>]) -> Result<(), MatchError> {
    let mut games: Vec<_> = running.iter_mut().filter(|game| game.side_to_move() == side).collect();
    if games.is_empty() {
        return Ok(());
    }
    let positions: Vec<_> = games.iter().map(|game| &game.position).collect();
    let (nodes_before, start) = (agent.nodes(), Instant::now());
    let actions = agent.act_many(&positions).map_err(|error| MatchError::Agent { side, error })?;
    let share = 1.0 / games.len() as f64;
    let nodes = agent.nodes().zip(nodes_before).map(|(after, before)| (after - before) as f64 * share);
    let effort = Effort { moves: 1, seconds: start.elapsed().as_secs_f64() * share, nodes };
    if actions.len() != games.len() {
        let problem = format!("{} positions were asked about, {} answered", games.len(), actions.len());
        return Err(MatchError::Agent { side, error: AgentError::Failed(problem) });
    }
    for (game, action) in games.iter_mut().zip(actions) {
        let number = game.number;
        game.position.play(action).map_err(|error| MatchError::Illegal { side, game: number, error })?;
        game.actions.push(action);
        let spent = &mut game.effort[side as usize];
        *spent = spent.plus(effort);
    }
    Ok(())
}
