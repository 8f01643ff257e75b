//! Who plays a match: an agent of ours, or any object with `act_many(states)`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mancala_env::{Action, AnyPosition, Game, Giuthi, Kiothi, Position};
use mancala_search::arena::Side;
use mancala_search::{AgentError, AgentSpec, Analysis};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::agents::{Agent, read_agent};
use crate::errors::{self, Integer};
use crate::state::State;

/// One side of a match.
pub(super) enum Contestant {
    /// An agent of ours, made anew for every thread.
    Spec(AgentSpec),
    /// A Python object with `act_many(states)`, and perhaps `new_game(seed)`.
    Object {
        object: Py<PyAny>,
        /// Its attribute `name`, if that is a str.
        name: Option<String>,
        class: String,
    },
}

impl Contestant {
    pub(super) fn read(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return Ok(Self::Spec(read_agent(argument, value)?));
        }
        if let Ok(agent) = value.cast::<Agent>() {
            return Ok(Self::Spec(agent.get().spec.clone()));
        }
        let class = value.get_type().name()?.to_string();
        if !value.getattr("act_many").is_ok_and(|method| method.is_callable()) {
            return Err(PyTypeError::new_err(format!(
                "{argument} is a spec, an agent or an object with act_many, not {class}"
            )));
        }
        let name = value.getattr_opt("name")?;
        let name = name.and_then(|name| Some(name.cast::<PyString>().ok()?.to_string_lossy().into_owned()));
        Ok(Self::Object { object: value.clone().unbind(), name, class })
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object { .. })
    }

    pub(super) fn is_timed(&self) -> bool {
        matches!(self, Self::Spec(spec) if spec.is_timed())
    }

    /// As which it stands in a result.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Spec(spec) => spec.to_string(),
            Self::Object { name, class, .. } => name.as_ref().unwrap_or(class).clone(),
        }
    }

    /// As which it stands in a results file, for whoever resumes the match or rates its agents.
    ///
    /// # Errors
    /// `ValueError` if it is an object without a name of its own.
    pub(super) fn known_as(&self, argument: &str) -> PyResult<String> {
        let problem = match self {
            Self::Spec(spec) => return Ok(spec.to_string()),
            Self::Object { name: None, class, .. } => {
                format!("{argument} needs a name there: give the {class} an attribute name, a str")
            }
            Self::Object { name: Some(name), .. } if name.trim().is_empty() => {
                format!("{argument} needs a name there, and its attribute name is empty")
            }
            Self::Object { name: Some(name), .. } if name.parse::<AgentSpec>().is_ok() => {
                format!("{argument} needs a name of its own there, and {name:?} is the spec of an agent")
            }
            Self::Object { name: Some(name), .. } => return Ok(name.clone()),
        };
        Err(PyValueError::new_err(format!("results: {problem}")))
    }

    /// The agent that plays this side; what an object raises goes to `raised`.
    pub(super) fn agent<G: Wrap>(
        &self,
        rules: &G::Rules,
        side: Side,
        raised: &Raised,
    ) -> Result<Box<dyn mancala_search::Agent<G>>, AgentError> {
        match self {
            Self::Spec(spec) => spec.build::<G>(rules),
            Self::Object { object, .. } => {
                let object = Python::attach(|py| object.clone_ref(py));
                Ok(Box::new(ObjectAgent { object, side, raised: raised.clone() }))
            }
        }
    }
}

/// An exception that waits for the match to end; the first counts.
#[derive(Clone, Default)]
pub(super) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn slot(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keep(&self, error: PyErr) {
        self.slot().get_or_insert(error);
    }

    pub(super) fn take(&self) -> Option<PyErr> {
        self.slot().take()
    }
}

/// A Python object as an agent.
struct ObjectAgent {
    object: Py<PyAny>,
    side: Side,
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

    fn argument(&self) -> &'static str {
        match self.side {
            Side::A => "a",
            Side::B => "b",
        }
    }

    /// An answer as an action that is legal there.
    fn check<G: Wrap>(
        &self,
        answer: &Bound<'_, PyAny>,
        position: &Position<G>,
        (index, asked): (usize, usize),
    ) -> PyResult<Action> {
        let py = answer.py();
        let answered = || format!("{}.act_many, answer {index} of {asked}", self.argument());
        let at = |error| format!("{} (in '{}'): {error}", answered(), position.write());
        match errors::integer(answer, &format!("{} is an int", answered()))? {
            Integer::Small(action) => {
                position.check(action).map_err(|error| errors::illegal(py, &error, at(error.to_string())))
            }
            Integer::Huge { shown, .. } => {
                Err(errors::out_of_range(py, at(format!("action {shown} is out of range"))))
            }
        }
    }
}

/// Which [`AnyPosition`] a position of a game is.
pub(super) trait Wrap: Game {
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
            let iterator = answers.try_iter().map_err(|error| {
                errors::unless_raised(answers.py(), error, || {
                    let kind =
                        answers.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
                    PyTypeError::new_err(format!(
                        "{}.act_many answers with ints, not {kind}",
                        self.argument()
                    ))
                })
            })?;
            let answers = iterator.collect::<PyResult<Vec<_>>>()?;
            let asked = positions.len();
            if answers.len() != asked {
                return Err(PyValueError::new_err(format!(
                    "{}.act_many was asked about {asked} states and answered {}",
                    self.argument(),
                    answers.len()
                )));
            }
            let answers = answers.iter().zip(positions).enumerate();
            answers.map(|(index, (answer, &position))| self.check(answer, position, (index, asked))).collect()
        })
    }

    fn analyze(&mut self, _: &Position<G>) -> Result<Analysis, AgentError> {
        Err(AgentError::Failed("a Python agent is only asked for actions".into()))
    }
}
