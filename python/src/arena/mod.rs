//! `match`: two agents against each other, ours or any object with `act_many(states)`.

mod contestant;
mod result;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use mancala_env::{GameSpec, Giuthi, Kiothi};
use mancala_search::arena::{
    MatchError, MatchGame, MatchId, MatchSettings, ResultsError, ResultsFile, Side, Sprt, Tally,
    play_games_until,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use self::contestant::{Contestant, Raised, Wrap};
pub(crate) use self::result::{MatchResult, MatchSide, SprtResult};
use crate::agents::failed_as;
use crate::arguments::path;
use crate::errors;
use crate::options::{read_count, read_seed, read_spec, real};
use crate::signals::Signals;

/// Games at a time where an object plays: about twice as many as the states it is asked about together.
const LOCKSTEP_OF_OBJECTS: usize = 256;

/// Plays `game` between two agents and sums the games up in the view of `a`.
///
/// Games start from random openings of `opening_plies` plies, distinct up to the mirror; each is played twice, seats swapped. The
/// games depend on `games`, `opening_plies`, `seed` and the agents, not on `threads` and `lockstep`. `options` are those of `State`.
///
/// `a` and `b` are specs (see `agent`), agents, or objects with `act_many(states) -> actions`: one legal action for each of many
/// States, in a list or an integer array. It is called in the caller's thread, and no other plays. Before the first question
/// `new_game(seed)` is called once, if the object has it; the same object as `a` and `b` is told both seeds, that of `b` last.
///
/// `lockstep` games are played at a time in each thread, and whoever is to move in some of them, about half, is asked about all of
/// those in one call; a game that ends makes room for the next. None: 256 with an object, 64 with a net, else 1. With an agent
/// limited by time it is always 1.
///
/// `results` is a file that every game is appended to as it ends; games that it has are not played again. An object needs an
/// attribute `name` for that, which changes whenever its play does. `sprt=(elo0, elo1)` ends the match as soon as the games tell
/// whether `a` is elo1 or rather elo0 better; `games` is then the most. Both are explained in `docs/arena.md`.
///
/// ValueError if there are too few openings, `games` is not even, an agent does not fit the game, or the file is of another match;
/// FileNotFoundError if a net is not there; IllegalActionError, naming answer and state, for an object's illegal action; what an
/// object raises goes on to the caller.
#[pyfunction(name = "match")]
#[pyo3(
    signature = (game, a, b, games=None, seed=None, threads=None, opening_plies=None, lockstep=None, results=None, sprt=None, **options),
    text_signature = "(game, a, b, games=200, seed=0, threads=1, opening_plies=4, lockstep=None, results=None, sprt=None, **options)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn play(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
    opening_plies: Option<&Bound<'_, PyAny>>,
    lockstep: Option<&Bound<'_, PyAny>>,
    results: Option<&Bound<'_, PyAny>>,
    sprt: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<MatchResult> {
    let spec = read_spec(game, options)?;
    let contestants = [Contestant::read("a", a)?, Contestant::read("b", b)?];
    let count = |name, value: Option<&Bound<'_, PyAny>>, usual| {
        value.map_or(Ok(usual), |value| read_count(name, value))
    };
    let lockstep = lockstep.map(|lockstep| read_count("lockstep", lockstep)).transpose()?;
    let mut settings = MatchSettings {
        games: count("games", games, 200)?,
        seed: seed.map_or(Ok(0), read_seed)?,
        threads: count("threads", threads, 1)? as usize,
        opening_plies: count("opening_plies", opening_plies, 4)?,
        lockstep: lockstep.map_or_else(|| usual_lockstep(&contestants), |lockstep| lockstep as usize),
        ..MatchSettings::default()
    };
    if contestants.iter().any(Contestant::is_object) {
        settings.threads = settings.threads.min(1);
    }
    if contestants.iter().any(Contestant::is_timed) {
        settings = settings.one_game_a_core();
    }
    let results = results.map(|results| path("results", results)).transpose()?;
    let asked = Match { contestants, settings, results, sprt: sprt.map(read_sprt).transpose()? };
    match spec {
        GameSpec::Giuthi(rules) => asked.play::<Giuthi>(py, &rules),
        GameSpec::Kiothi(rules) => asked.play::<Kiothi>(py, &rules),
    }
}

/// One by one, games end in their order: less is lost when a match is stopped, and a test does not wait for many.
fn usual_lockstep(contestants: &[Contestant; 2]) -> usize {
    let lockstep = contestants.iter().map(|contestant| match contestant {
        Contestant::Object { .. } => LOCKSTEP_OF_OBJECTS,
        Contestant::Spec(spec) if spec.is_batched() => MatchSettings::default().lockstep,
        Contestant::Spec(_) => 1,
    });
    lockstep.max().unwrap_or(1)
}

fn read_sprt(sprt: &Bound<'_, PyAny>) -> PyResult<Sprt> {
    let two = || {
        PyTypeError::new_err(format!("sprt is two Elo differences, as (0, 10), not {}", errors::quoted(sprt)))
    };
    let (elo0, elo1) = sprt.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| two())?;
    let [Some(elo0), Some(elo1)] = [real(&elo0)?, real(&elo1)?] else { return Err(two()) };
    Sprt::new(elo0, elo1).map_err(|problem| PyValueError::new_err(format!("sprt: {problem}")))
}

/// A match as it was asked for.
struct Match {
    contestants: [Contestant; 2],
    settings: MatchSettings,
    results: Option<PathBuf>,
    sprt: Option<Sprt>,
}

impl Match {
    fn play<G: Wrap>(&self, py: Python<'_>, rules: &G::Rules) -> PyResult<MatchResult> {
        let [a, b] = &self.contestants;
        for (name, contestant) in [("a", a), ("b", b)] {
            if let Contestant::Spec(spec) = contestant {
                let made = spec.build::<G>(rules).map(drop);
                made.map_err(|error| failed_as(&error, &format!("agent {name}: {error}")))?;
            }
        }
        self.settings.check_numbers().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut tally = Tally::new(self.settings.games, self.sprt);
        let mut file =
            self.results.as_ref().map(|path| self.open::<G>(rules, path, &mut tally)).transpose()?;
        let raised = Raised::default();
        let (make_a, make_b) =
            (|| a.agent::<G>(rules, Side::A, &raised), || b.agent::<G>(rules, Side::B, &raised));
        let missing: Vec<bool> = (0..self.settings.games).map(|number| tally.wants(number)).collect();
        let mut on_game = |game: &MatchGame| {
            if let Some(Err(error)) = file.as_mut().map(|file| file.append(game)) {
                raised.keep(error.into());
                return ControlFlow::Break(());
            }
            tally.add(game.clone());
            if tally.is_decided() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let signals = Signals::new();
        let wanted = |number: u32| missing[number as usize];
        let settings = &self.settings;
        let played = py.detach(|| {
            play_games_until::<G>(rules, &make_a, &make_b, settings, &wanted, &mut on_game, &signals.stop())
        });
        let synced = file.as_mut().map_or(Ok(()), ResultsFile::sync);
        if let Some(error) = raised.take().or_else(|| signals.take()) {
            return Err(error);
        }
        match played {
            Ok(_) => {}
            Err(MatchError::Stopped) if tally.is_decided() => {}
            Err(error) if error.is_usage() => return Err(PyValueError::new_err(error.to_string())),
            Err(MatchError::Agent { ref error, side }) => {
                return Err(failed_as(error, &format!("agent {side}: {error}")));
            }
            Err(error) => return Err(PyRuntimeError::new_err(error.to_string())),
        }
        synced?;
        MatchResult::new(py, tally.summary(), [a.shown(), b.shown()])
    }

    /// Opens the results file; the games it has count.
    fn open<G: Wrap>(&self, rules: &G::Rules, path: &Path, tally: &mut Tally) -> PyResult<ResultsFile> {
        let [a, b] = &self.contestants;
        let id = MatchId {
            game: G::id(rules),
            rules_version: G::RULES_VERSION,
            a: a.known_as("a")?,
            b: b.known_as("b")?,
            seed: self.settings.seed,
            opening_plies: self.settings.opening_plies,
        };
        // A match that cannot be played leaves no file behind.
        self.settings.check::<G>(rules).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (file, games) = ResultsFile::open::<G>(path, rules, id).map_err(|error| match error {
            ResultsError::Io { path, error } => {
                let problem = error.to_string();
                let problem = problem.split(" (os error").next().unwrap_or_default().to_owned();
                PyOSError::new_err((error.raw_os_error(), problem, path.into_os_string()))
            }
            ResultsError::Locked { .. } => PyRuntimeError::new_err(format!("results: {error}")),
            ResultsError::Line { .. } => PyValueError::new_err(format!("results: {error}")),
        })?;
        games.into_iter().for_each(|game| tally.add(game));
        Ok(file)
    }
}
