//! `Agent`: what plays, named by a spec.

use std::sync::{Mutex, MutexGuard, TryLockError};

use mancala_env::{Action, AnyPosition, Game, GameSpec, Giuthi, Kiothi, Position, for_position};
use mancala_search::tablebase::Tablebase;
use mancala_search::{AgentError, AgentSpec, Stop, ValueUnit, net};
use pyo3::exceptions::{PyFileNotFoundError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments;
use crate::errors;
use crate::options::{read_seed, read_spec};
use crate::signals::Signals;

type Boxed<G> = Box<dyn mancala_search::Agent<G>>;

/// An agent made for a game.
enum AnyAgent {
    Giuthi(Boxed<Giuthi>),
    Kiothi(Boxed<Kiothi>),
}

/// Runs the same code for an [`AnyAgent`] and the position of its game; they are always of the same game.
macro_rules! for_agent {
    ($agent:expr, $position:expr, |$inner:ident, $at:ident| $body:expr) => {
        match ($agent, $position) {
            (AnyAgent::Giuthi($inner), AnyPosition::Giuthi($at)) => $body,
            (AnyAgent::Kiothi($inner), AnyPosition::Kiothi($at)) => $body,
            _ => unreachable!("an agent and a position of different games"),
        }
    };
}

/// The agents made so far, one a game.
struct Made {
    seed: u64,
    /// Of the question that is being answered.
    stop: Stop,
    agents: Vec<(GameSpec, AnyAgent)>,
}

impl Made {
    /// The agent for a game, made now if it has not been.
    fn of(&mut self, spec: &AgentSpec, game: GameSpec) -> Result<&mut AnyAgent, AgentError> {
        fn make<G: Game>(spec: &AgentSpec, rules: &G::Rules, seed: u64) -> Result<Boxed<G>, AgentError> {
            let mut agent = spec.build::<G>(rules)?;
            agent.new_game(seed);
            Ok(agent)
        }
        let at = match self.agents.iter().position(|(known, _)| *known == game) {
            Some(at) => at,
            None => {
                let agent = match game {
                    GameSpec::Giuthi(rules) => AnyAgent::Giuthi(make(spec, &rules, self.seed)?),
                    GameSpec::Kiothi(rules) => AnyAgent::Kiothi(make(spec, &rules, self.seed)?),
                };
                self.agents.push((game, agent));
                self.agents.len() - 1
            }
        };
        let agent = &mut self.agents[at].1;
        match agent {
            AnyAgent::Giuthi(agent) => agent.stop_when(&self.stop),
            AnyAgent::Kiothi(agent) => agent.stop_when(&self.stop),
        }
        Ok(agent)
    }
}

/// An agent that plays any game; made by `agent`.
///
/// An answer depends on the position, its history and the seed alone, never on what was asked before (agents limited by time
/// excepted). Whatever an agent needs for a game is made when it first sees one. It copies and pickles by spec and seed. Ctrl-C
/// stops it while it thinks. One thread at a time: a second one gets a RuntimeError.
#[pyclass(module = "mancala_rl", frozen)]
pub(crate) struct Agent {
    pub(crate) spec: AgentSpec,
    made: Mutex<Made>,
}

impl Agent {
    fn lock(&self) -> PyResult<MutexGuard<'_, Made>> {
        self.made.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => errors::busy("this agent"),
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("this agent has failed; make a new one"),
        })
    }

    /// Has the agents answer, without the GIL and with an ear for Ctrl-C.
    fn heed<R: Send>(
        &self,
        py: Python<'_>,
        answer: impl FnOnce(&mut Made) -> Result<R, AgentError> + Send,
    ) -> PyResult<R> {
        let mut made = self.lock()?;
        let signals = Signals::new();
        made.stop = signals.stop();
        let made = &mut *made;
        py.detach(|| answer(made)).map_err(|error| match error {
            AgentError::Stopped => signals.interrupt(),
            error => failed(error),
        })
    }
}

/// What an agent's error is in Python, in these words.
pub(crate) fn failed_as(error: &AgentError, message: &str) -> PyErr {
    let message = errors::short(message);
    match error {
        AgentError::GameOver { .. } | AgentError::Unfit(_) => PyValueError::new_err(message),
        AgentError::NotFound(_) => PyFileNotFoundError::new_err(message),
        AgentError::Failed(_) | AgentError::Stopped => PyRuntimeError::new_err(message),
    }
}

fn failed(error: AgentError) -> PyErr {
    failed_as(&error, &error.to_string())
}

/// Asks an agent about many positions, game by game; answers come in the order of the positions.
fn ask(spec: &AgentSpec, made: &mut Made, positions: &[AnyPosition]) -> Result<Vec<Action>, AgentError> {
    let ended = |any: &AnyPosition| for_position!(any, |position| position.end());
    if let Some((index, end)) = positions.iter().enumerate().find_map(|(i, any)| Some((i, ended(any)?))) {
        return Err(AgentError::GameOver { index, end });
    }
    let mut answers = vec![0; positions.len()];
    let mut games: Vec<GameSpec> = Vec::new();
    for any in positions {
        if !games.contains(&any.spec()) {
            games.push(any.spec());
        }
    }
    for game in games {
        let mine: Vec<usize> = (0..positions.len()).filter(|&i| positions[i].spec() == game).collect();
        let actions = match made.of(spec, game)? {
            AnyAgent::Giuthi(agent) => agent.act_many(&collect(positions, &mine, |any| match any {
                AnyPosition::Giuthi(position) => Some(position),
                AnyPosition::Kiothi(_) => None,
            }))?,
            AnyAgent::Kiothi(agent) => agent.act_many(&collect(positions, &mine, |any| match any {
                AnyPosition::Kiothi(position) => Some(position),
                AnyPosition::Giuthi(_) => None,
            }))?,
        };
        for (i, action) in mine.into_iter().zip(actions) {
            answers[i] = action;
        }
    }
    Ok(answers)
}

fn collect<'a, G: Game>(
    positions: &'a [AnyPosition],
    mine: &[usize],
    inner: impl Fn(&'a AnyPosition) -> Option<&'a Position<G>>,
) -> Vec<&'a Position<G>> {
    mine.iter().filter_map(|&i| inner(&positions[i])).collect()
}

#[pymethods]
impl Agent {
    /// The agent's spec.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// Begins a game: whatever is random from here on comes from `seed`.
    fn new_game(&self, seed: &Bound<'_, PyAny>) -> PyResult<()> {
        let seed = read_seed(seed)?;
        let mut made = self.lock()?;
        made.seed = seed;
        for (_, agent) in &mut made.agents {
            match agent {
                AnyAgent::Giuthi(agent) => agent.new_game(seed),
                AnyAgent::Kiothi(agent) => agent.new_game(seed),
            }
        }
        Ok(())
    }

    /// The agent's action in `state`.
    ///
    /// ValueError if the game is over or the agent does not fit it, RuntimeError if the agent fails.
    fn act(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Action> {
        let position = [arguments::position("state", state)?];
        Ok(self.heed(py, |made| ask(&self.spec, made, &position))?[0])
    }

    /// The agent's actions in `states`, in order; agents that look far do this faster than one by one.
    fn act_many(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<Vec<Action>> {
        let positions = arguments::positions("states", states)?;
        self.heed(py, |made| ask(&self.spec, made, &positions))
    }

    /// What the agent thinks of `state`.
    ///
    /// Without contempt for draws, so that the best action need not be what a net agent with contempt plays: `analyze(state).line[0]`
    /// may differ from `act(state)`. Errors are those of `act`.
    fn analyze(&self, py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Analysis> {
        let position = arguments::position("state", state)?;
        let analysis = self.heed(py, |made| {
            let agent = made.of(&self.spec, position.spec())?;
            for_agent!(agent, &position, |agent, position| agent.analyze(position))
        });
        Ok(analysis?.into())
    }

    /// Copies and pickles by spec and seed: the copy makes anew whatever it needs.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let seed = self.lock()?.seed;
        let parts = (self.spec.to_string(), py.None(), seed).into_pyobject(py)?;
        Ok((py.import("mancala_rl")?.getattr("agent")?, parts))
    }

    fn __repr__(&self) -> String {
        format!("agent('{}')", self.spec)
    }
}

/// What an agent thinks of a position, all of it in the view of the player to move.
///
/// A draw counts as 0 here. Net agents with contempt for draws (see `agent`) may choose another action than `line`
/// begins with.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct Analysis {
    /// In what values are counted: "margin", seeds by which the game ends, or "outcome", 1 a win and -1 a loss.
    unit: &'static str,
    /// The value of the position.
    value: f64,
    /// The actions that the agent expects, from the one it holds best.
    line: Vec<Action>,
    /// The legal actions, ascending.
    actions: Vec<Action>,
    /// Each action's value; None where the agent has not judged it.
    values: Vec<Option<f64>>,
    /// Each action's share of the agent's choice, adding up to 1; None where the agent has no policy.
    policy: Vec<Option<f64>>,
    /// Nodes searched, or simulations run.
    nodes: u64,
    /// The depth completed; None where there is none.
    depth: Option<u32>,
}

impl From<mancala_search::Analysis> for Analysis {
    fn from(analysis: mancala_search::Analysis) -> Self {
        let actions = &analysis.actions;
        Self {
            unit: match analysis.unit {
                ValueUnit::Margin => "margin",
                ValueUnit::Outcome => "outcome",
            },
            value: analysis.value,
            actions: actions.iter().map(|action| action.action).collect(),
            values: actions.iter().map(|action| action.value).collect(),
            policy: actions.iter().map(|action| action.policy).collect(),
            line: analysis.line,
            nodes: analysis.nodes,
            depth: analysis.depth,
        }
    }
}

#[pymethods]
impl Analysis {
    fn __repr__(&self) -> String {
        format!(
            "Analysis(value={:?}, unit='{}', line={:?}, nodes={})",
            self.value, self.unit, self.line, self.nodes
        )
    }
}

/// Makes an agent from `spec`; `seed` is what `new_game` has been told, until it is told another.
///
/// "random", "greedy", "alphabeta:depth=8|nodes=100000|time=0.1", "mcts:sims=800|time=0.1", "net:WHAT,sims=64|time=0.1" (WHAT:
/// a net that ships, as "giuthi-6x6", a run's folder, a checkpoint's, or a .safetensors file), "tablebase:FILE" (perfect play, and a
/// ValueError where the table has no answer). Those that search take ",tb=FILE": they play perfectly where the table has answers, and
/// look positions up elsewhere. With a `game` id it is made for that game at once, which finds out whether it can be; otherwise when it
/// first sees a state. A net's and a tablebase's file is read and checked at once in either case.
///
/// "net:WHAT,sims=64,contempt=0.5" counts a draw as half a loss when it acts, and so settles for none with a weaker player;
/// analyses have no contempt. `docs/agents.md` explains.
///
/// ValueError if there is no such agent, it does not fit the game, or a file is damaged; FileNotFoundError if there is no such
/// file or it cannot be read.
#[pyfunction]
#[pyo3(signature = (spec, game=None, seed=None), text_signature = "(spec, game=None, seed=0)")]
pub(crate) fn agent(
    spec: &Bound<'_, PyAny>,
    game: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Agent> {
    let spec = read_agent("spec", spec)?;
    let mut made = Made { seed: seed.map_or(Ok(0), read_seed)?, stop: Stop::never(), agents: Vec::new() };
    match game {
        Some(game) => drop(made.of(&spec, read_spec(game, None)?).map_err(failed)?),
        None => check_files(&spec).map_err(failed)?,
    }
    Ok(Agent { spec, made: Mutex::new(made) })
}

/// Finds out now whether an agent's files are there and whole.
fn check_files(spec: &AgentSpec) -> Result<(), AgentError> {
    match spec {
        AgentSpec::Net { what, .. } => drop(net::read(what)?),
        AgentSpec::Tablebase { file } => drop(Tablebase::open(file)?),
        AgentSpec::With { agent, tablebase } => {
            drop(Tablebase::open(tablebase)?);
            check_files(agent)?;
        }
        AgentSpec::Random | AgentSpec::Greedy | AgentSpec::AlphaBeta(_) | AgentSpec::Mcts(_) => {}
    }
    Ok(())
}

/// Reads an agent spec.
pub(crate) fn read_agent(name: &str, spec: &Bound<'_, PyAny>) -> PyResult<AgentSpec> {
    let parsed = arguments::text(name, spec)?.parse();
    parsed.map_err(|error: mancala_search::AgentSpecError| {
        PyValueError::new_err(match name {
            "spec" => errors::short(&error.to_string()),
            side => errors::short(&format!("agent {side}: {error}")),
        })
    })
}
