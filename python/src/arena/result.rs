//! What a match says, in Python.

use mancala_search::arena::{Effort, MatchSummary, Pentanomial, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What one side of a match was and took.
#[pyclass(module = "mancala_rl", frozen, get_all)]
pub(crate) struct MatchSide {
    /// Its spec; of an object the attribute `name`, if that is a str, else the name of its class.
    agent: String,
    /// Actions it chose.
    moves: u64,
    /// Seconds an action, the share of a batch; None if it chose none.
    seconds_a_move: Option<f64>,
    /// Nodes searched or simulations run an action; None where none are counted, as of objects.
    nodes_a_move: Option<f64>,
}

impl MatchSide {
    fn new(agent: String, effort: Effort) -> Self {
        let Effort { moves, seconds, nodes } = effort;
        let a_move = |sum: f64| (moves > 0).then(|| sum / moves as f64);
        Self { agent, moves, seconds_a_move: a_move(seconds), nodes_a_move: nodes.and_then(a_move) }
    }
}

#[pymethods]
impl MatchSide {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = |value: Option<f64>, digits| {
            value.map_or_else(|| "None".into(), |value| format!("{value:.digits$}"))
        };
        let (seconds, nodes) = (shown(self.seconds_a_move, 6), shown(self.nodes_a_move, 1));
        let (agent, moves) = (PyString::new(py, &self.agent).repr()?, self.moves);
        Ok(format!("MatchSide(agent={agent}, moves={moves}, seconds_a_move={seconds}, nodes_a_move={nodes})"))
    }
}

/// Where the sequential test of a match stands.
#[pyclass(module = "mancala_rl", frozen, get_all, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct SprtResult {
    /// The log likelihood ratio of elo1 to elo0.
    llr: f64,
    /// At or below this elo0 is taken for true.
    lower: f64,
    /// At or above this elo1 is taken for true.
    upper: f64,
    /// "elo0" or "elo1", whichever is taken for true; None if the games did not decide.
    decision: Option<&'static str>,
}

#[pymethods]
impl SprtResult {
    fn __repr__(&self) -> String {
        let decision = self.decision.map_or_else(|| "None".into(), |decision| format!("'{decision}'"));
        format!(
            "SprtResult(llr={:.3}, lower={:.3}, upper={:.3}, decision={decision})",
            self.llr, self.lower, self.upper
        )
    }
}

/// The result of a match in the view of agent A.
///
/// The two games of an opening are not independent, so spread is measured between pairs of games. Two results are equal if the
/// games went alike: what `a` and `b` are and took is not compared.
#[pyclass(module = "mancala_rl", frozen, get_all, eq)]
pub(crate) struct MatchResult {
    /// Games counted, two an opening.
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
    /// Pairs in which A had 0, 0.5, 1, 1.5 and 2 points.
    pentanomial: (u32, u32, u32, u32, u32),
    /// Games that are, action by action, another one of the match.
    duplicates: u32,
    /// What agent A was and took.
    a: Py<MatchSide>,
    /// What agent B was and took.
    b: Py<MatchSide>,
    /// The sequential test; None without one.
    sprt: Option<SprtResult>,
}

impl MatchResult {
    pub(super) fn new(py: Python<'_>, summary: MatchSummary, agents: [String; 2]) -> PyResult<Self> {
        let MatchSummary { result, pentanomial: Pentanomial(pairs), duplicates, effort, sprt } = summary;
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
        let [agent_a, agent_b] = agents;
        let a = Py::new(py, MatchSide::new(agent_a, effort[0]))?;
        let b = Py::new(py, MatchSide::new(agent_b, effort[1]))?;
        let sprt = sprt.map(|sprt| SprtResult {
            llr: sprt.llr,
            lower: sprt.lower,
            upper: sprt.upper,
            decision: sprt.decision.map(|verdict| match verdict {
                Verdict::Elo0 => "elo0",
                Verdict::Elo1 => "elo1",
            }),
        });
        let pentanomial = pairs.into();
        Ok(Self {
            games,
            wins,
            draws,
            losses,
            score,
            score_se,
            elo,
            elo_low,
            elo_high,
            pentanomial,
            duplicates,
            a,
            b,
            sprt,
        })
    }
}

impl PartialEq for MatchResult {
    fn eq(&self, other: &Self) -> bool {
        // The rest follows from these.
        (self.wins, self.draws, self.losses, self.pentanomial, self.duplicates, &self.sprt)
            == (other.wins, other.draws, other.losses, other.pentanomial, other.duplicates, &other.sprt)
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
