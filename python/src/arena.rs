//! `match`: two agents against each other, ours or any object with `act_many(states)`.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mancala_env::{Action, AnyPosition, Game, GameSpec, Giuthi, Kiothi, Position};
use mancala_search::arena::{MatchError, MatchSettings, play_match};
use mancala_search::{AgentError, AgentSpec, Analysis};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::agents::{Agent, failed_as, read_agent};
use crate::errors::{self, Integer};
use crate::options::{read_count, read_seed, read_spec};
use crate::state::State;

/// The result of a match in the view of agent A.
///
/// The two games of an opening are not independent, so spread is measured between pairs of games.
#[pyclass(module = "mancala_rl", frozen, get_all, eq)]
#[derive(PartialEq)]
pub(crate) struct MatchResult {
    /// Games played, two an opening.
    games: u32,
    /// Games A won.
    wins: u32,
    /// Games drawn.
    draws: u32,
    /// Games A lost.
    losses: u32,
    /// A's points a game, 0 to 1, a draw half a point.
    score: f64,
    /// The standard error of `score`, over pairs.
    score_se: f64,
    /// A's Elo less B's; None where `score` is 0 or 1.
    elo: Option<f64>,
    /// Lower end of the 95% interval of `elo`; None where unbounded.
    elo_low: Option<f64>,
    /// Upper end of the 95% interval of `elo`; None where unbounded.
    elo_high: Option<f64>,
}

impl From<mancala_search::arena::MatchResult> for MatchResult {
    fn from(result: mancala_search::arena::MatchResult) -> Self {
        let mancala_search::arena::MatchResult {
            games,
            wins,
            draws,
            losses,
            score,
            score_se,
            elo,
            elo_low,
            elo_high,
        } = result;
        Self { games, wins, draws, losses, score, score_se, elo, elo_low, elo_high }
    }
}

#[pymethods]
impl MatchResult {
    fn __repr__(&self) -> String {
        let elo = |elo: Option<f64>| elo.map_or_else(|| "None".into(), |elo| format!("{elo:.1}"));
        format!(
            "MatchResult(games={}, wins={}, draws={}, losses={}, score={:.4}, score_se={:.4}, elo={}, elo_low={}, elo_high={})",
            self.games,
            self.wins,
            self.draws,
            self.losses,
            self.score,
            self.score_se,
            elo(self.elo),
            elo(self.elo_low),
            elo(self.elo_high),
        )
    }
}

/// One side of a match.
enum Contestant {
    /// An agent of ours, made anew for every thread.
    Spec(AgentSpec),
    /// A Python object with `act_many(states)`, and perhaps `new_game(seed)`.
    Object(Py<PyAny>),
}

impl Contestant {
    fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(spec) = value.extract::<String>() {
            return Ok(Self::Spec(read_agent(&spec)?));
        }
        if let Ok(agent) = value.cast::<Agent>() {
            return Ok(Self::Spec(agent.get().spec.clone()));
        }
        if value.getattr("act_many").is_ok_and(|method| method.is_callable()) {
            return Ok(Self::Object(value.clone().unbind()));
        }
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "{name} is a spec, an agent or an object with act_many, not {kind}"
        )))
    }
}

/// An exception that waits for the match to end; the first counts.
#[derive(Clone, Default)]
struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn slot(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, error: PyErr) {
        self.slot().get_or_insert(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.slot().take()
    }
}

/// A Python object as an agent.
struct ObjectAgent {
    object: Py<PyAny>,
    raised: Raised,
}

impl ObjectAgent {
    /// Calls into Python, unless a call has failed before.
    fn call<R>(&self, what: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>) -> Result<R, AgentError> {
        if self.raised.slot().is_some() {
            return Err(AgentError::Failed("an exception has been raised".into()));
        }
        Python::attach(|py| {
            what(self.object.bind(py)).map_err(|error| {
                let problem = error.to_string();
                self.raised.keep(error);
                AgentError::Failed(problem)
            })
        })
    }
}

/// Which [`AnyPosition`] a position of a game is.
trait Wrap: Game {
    fn wrap(position: Position<Self>) -> AnyPosition;
}

impl Wrap for Giuthi {
    fn wrap(position: Position<Self>) -> AnyPosition {
        AnyPosition::Giuthi(position)
    }
}

impl Wrap for Kiothi {
    fn wrap(position: Position<Self>) -> AnyPosition {
        AnyPosition::Kiothi(position)
    }
}

impl<G: Wrap> mancala_search::Agent<G> for ObjectAgent {
    fn new_game(&mut self, seed: u64) {
        // The first question afterwards fails if this has.
        let _ = self.call(|object| match object.getattr_opt("new_game")? {
            Some(method) => method.call1((seed,)).map(drop),
            None => Ok(()),
        });
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        let states = positions.iter().map(|&position| State::within(G::wrap(position.clone())));
        let states: Vec<State> = states.collect();
        self.call(|object| {
            let answers = object.call_method1("act_many", (states,))?;
            let answers = answers.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            if answers.len() != positions.len() {
                return Err(PyValueError::new_err(format!(
                    "act_many was asked about {} states and answered {}",
                    positions.len(),
                    answers.len()
                )));
            }
            let check = |(answer, position): (&Bound<'_, PyAny>, &&Position<G>)| {
                let py = answer.py();
                match errors::integer(answer, "act_many answers with ints")? {
                    Integer::Small(action) => {
                        position.check(action).map_err(|error| errors::illegal_action(py, &error))
                    }
                    Integer::Huge { shown, .. } => {
                        Err(errors::out_of_range(py, format!("action {shown} is out of range")))
                    }
                }
            };
            answers.iter().zip(positions).map(check).collect()
        })
    }

    fn analyze(&mut self, _: &Position<G>) -> Result<Analysis, AgentError> {
        Err(AgentError::Failed("a Python agent is only asked for actions".into()))
    }
}

/// Plays two agents against each other and sums the games up in the view of `a`.
///
/// Games start from random openings of `opening_plies` plies, distinct up to the mirror; each is played twice, seats swapped. The
/// games depend on `games`, `opening_plies`, `seed` and the agents, not on `threads`. `a` and `b` are specs (see `agent`), agents,
/// or objects with `act_many(states) -> actions` and, if they like, `new_game(seed)`; with such an object one thread plays.
/// Options are those of `State`. ValueError if there are too few openings, `games` is not even, or an agent does not fit the
/// game, FileNotFoundError if its net is not there; what an object raises goes on to the caller.
#[pyfunction(name = "match")]
#[pyo3(
    signature = (game, a, b, games=None, seed=None, threads=None, opening_plies=None, **options),
    text_signature = "(game, a, b, games=200, seed=0, threads=1, opening_plies=4, **options)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn play(
    py: Python<'_>,
    game: &str,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    opening_plies: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<MatchResult> {
    let spec = read_spec(game, options)?;
    let contestants = [Contestant::read("a", a)?, Contestant::read("b", b)?];
    let count = |name, value: Option<&Bound<'_, PyAny>>, usual| {
        value.map_or(Ok(usual), |value| read_count(name, value))
    };
    let mut settings = MatchSettings {
        games: count("games", games, 200)?,
        seed: seed.map_or(Ok(0), read_seed)?,
        threads: count("threads", threads, 1)? as usize,
        opening_plies: count("opening_plies", opening_plies, 4)?,
        ..MatchSettings::default()
    };
    if contestants.iter().any(|contestant| matches!(contestant, Contestant::Object(_))) {
        settings.threads = settings.threads.min(1);
    }
    if contestants.iter().any(|contestant| matches!(contestant, Contestant::Spec(spec) if spec.is_timed())) {
        settings = settings.one_game_a_core();
    }
    match spec {
        GameSpec::Giuthi(rules) => run::<Giuthi>(py, &rules, &contestants, &settings),
        GameSpec::Kiothi(rules) => run::<Kiothi>(py, &rules, &contestants, &settings),
    }
}

fn run<G: Wrap>(
    py: Python<'_>,
    rules: &G::Rules,
    contestants: &[Contestant; 2],
    settings: &MatchSettings,
) -> PyResult<MatchResult> {
    for (name, contestant) in ["a", "b"].into_iter().zip(contestants) {
        if let Contestant::Spec(spec) = contestant {
            let made = spec.build::<G>(rules).map(drop);
            made.map_err(|error| failed_as(&error, format!("agent {name}: {error}")))?;
        }
    }
    let raised = Raised::default();
    let make = |contestant: &Contestant| -> Result<Box<dyn mancala_search::Agent<G>>, AgentError> {
        match contestant {
            Contestant::Spec(spec) => spec.build::<G>(rules),
            Contestant::Object(object) => {
                let object = Python::attach(|py| object.clone_ref(py));
                Ok(Box::new(ObjectAgent { object, raised: raised.clone() }))
            }
        }
    };
    let [a, b] = contestants;
    let mut on_game = |_: &_| match Python::attach(|py| py.check_signals()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            raised.keep(error);
            ControlFlow::Break(())
        }
    };
    let played = py.detach(|| play_match::<G>(rules, &|| make(a), &|| make(b), settings, &mut on_game));
    if let Some(error) = raised.take() {
        return Err(error);
    }
    match played {
        Ok((result, _)) => Ok(result.into()),
        Err(error) if error.is_usage() => Err(PyValueError::new_err(error.to_string())),
        Err(MatchError::Agent { ref error, side }) => Err(failed_as(error, format!("agent {side}: {error}"))),
        Err(error) => Err(PyRuntimeError::new_err(error.to_string())),
    }
}
