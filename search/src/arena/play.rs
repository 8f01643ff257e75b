//! Paired games between two agents, on several threads and several games at a time.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use mancala_env::{Action, End, Game, IllegalAction, Player};
use serde::{Deserialize, Serialize};

use super::openings::{Opening, TooFewOpenings, openings};
use super::statistics::MatchResult;
use super::worker::Worker;
use crate::agent::{Agent, AgentError};
use crate::stop::Stop;

/// The caller is asked this often whether to go on.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// All openings of a match are kept in memory, and half a million of them take about a gigabyte.
const MAX_GAMES: u32 = 1_000_000;

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
    /// Games that a thread plays at a time, at least 1. A game that ends makes room for the next, so that until the last games
    /// an agent judges about half as many positions in one batch.
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
        self.check_numbers()?;
        Ok(openings(rules, self.opening_plies, self.games as usize / 2, self.seed)?)
    }

    /// Looks at the settings alone, which takes no time.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check_numbers(&self) -> Result<(), MatchError> {
        let problem = match *self {
            Self { games, .. } if games == 0 || games % 2 == 1 => {
                format!("games: {games} is not a positive even number (two games an opening)")
            }
            Self { games, .. } if games > MAX_GAMES => format!("games: at most {MAX_GAMES}, not {games}"),
            Self { threads: 0, .. } => "threads: at least 1 is needed".into(),
            Self { lockstep: 0, .. } => "lockstep: at least 1 game at a time is needed".into(),
            _ => return Ok(()),
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
    play_games_until(rules, a, b, settings, wanted, on_game, &Stop::never())
}

/// The same for a caller who may want to break off while no game ends, and while an agent thinks: [`MatchError::Stopped`] as soon as
/// `stop` asks for it, in the caller's thread.
///
/// One thread is the caller's own: agents then run where their caller does.
///
/// # Errors
/// As [`play_match`].
pub fn play_games_until<G: Game>(
    rules: &G::Rules,
    a: MakeAgent<'_, G>,
    b: MakeAgent<'_, G>,
    settings: &MatchSettings,
    wanted: &dyn Fn(u32) -> bool,
    on_game: &mut dyn FnMut(&MatchGame) -> ControlFlow<()>,
    stop: &Stop,
) -> Result<Vec<MatchGame>, MatchError> {
    let openings = settings.openings::<G>(rules)?;
    let numbers: Vec<u32> = (0..settings.games).filter(|&number| wanted(number)).collect();
    let threads = settings.threads.min(numbers.len());
    let at_a_time = settings.lockstep.min(numbers.len().div_ceil(threads.max(1)));
    let worker = Worker { a, b, settings, openings: &openings, at_a_time };
    let mut finished: Vec<MatchGame> = Vec::with_capacity(numbers.len());
    let mut collect = |game: MatchGame| {
        let goes_on = on_game(&game);
        finished.push(game);
        goes_on
    };
    let failure = match threads {
        0 => None,
        1 => play_here(&worker, &numbers, &mut collect, stop),
        _ => play_in_threads(&worker, threads, &numbers, &mut collect, stop),
    };
    if let Some(error) = failure {
        return Err(error);
    }
    finished.sort_by_key(|game| game.game);
    Ok(finished)
}

/// Plays in the caller's thread; what went wrong, if anything has.
fn play_here<G: Game>(
    worker: &Worker<'_, G>,
    numbers: &[u32],
    collect: &mut dyn FnMut(MatchGame) -> ControlFlow<()>,
    stop: &Stop,
) -> Option<MatchError> {
    let is_enough = Arc::new(AtomicBool::new(false));
    let mut numbers = numbers.iter().copied();
    let mut on_game = |game| {
        if !is_enough.load(Ordering::Relaxed) && collect(game).is_break() {
            is_enough.store(true, Ordering::Relaxed);
        }
    };
    let either = {
        let (is_enough, stop) = (is_enough.clone(), stop.clone());
        Stop::when(move || is_enough.load(Ordering::Relaxed) || stop.is_asked())
    };
    let played = worker.run(&mut || numbers.next(), &mut on_game, &either);
    played.err().or_else(|| is_enough.load(Ordering::Relaxed).then_some(MatchError::Stopped))
}

/// Plays in threads that share the games; what went wrong first, if anything has.
fn play_in_threads<G: Game>(
    worker: &Worker<'_, G>,
    threads: usize,
    numbers: &[u32],
    collect: &mut dyn FnMut(MatchGame) -> ControlFlow<()>,
    stop: &Stop,
) -> Option<MatchError> {
    let (next, is_stopped) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let mut failure = None;
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            let stop = {
                let is_stopped = is_stopped.clone();
                Stop::when(move || is_stopped.load(Ordering::Relaxed))
            };
            let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                let mut next = || numbers.get(next.fetch_add(1, Ordering::Relaxed)).copied();
                let mut on_game = |game| drop(sender.send(Ok(game)));
                if let Err(error) = worker.run(&mut next, &mut on_game, &stop) {
                    drop(sender.send(Err(error)));
                }
            });
            if let Err(error) = spawned {
                is_stopped.store(true, Ordering::Relaxed);
                failure =
                    Some(MatchError::Settings(format!("threads: {threads} cannot be started: {error}")));
                break;
            }
        }
        drop(sender);
        let mut polled = Instant::now();
        loop {
            let mut broke = match receiver.recv_timeout(POLL_EVERY) {
                Ok(Ok(game)) if failure.is_none() => collect(game).is_break().then_some(MatchError::Stopped),
                Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => None,
                Ok(Err(error)) => Some(error),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if failure.is_none() && broke.is_none() && polled.elapsed() >= POLL_EVERY {
                broke = stop.is_asked().then_some(MatchError::Stopped);
                polled = Instant::now();
            }
            if let Some(error) = broke {
                is_stopped.store(true, Ordering::Relaxed);
                failure.get_or_insert(error);
            }
        }
    });
    failure
}
