//! Agents measured against perfect play.

use mancala_env::{Giuthi, GiuthiRules, Position, Stream, stream};
use serde::Serialize;

use super::Tablebase;
use super::error::TablebaseError;
use super::judge::{Class, Judgement};
use super::positions::Draw;
use crate::agent::{Agent, AgentError, ValueUnit};

/// So many draws in a row without a position that can be spoilt: there are none.
const MAX_TRIES: u32 = 1_000_000;
/// Positions that an agent is asked about at a time.
const BATCH: usize = 256;
/// Bins of predicted outcome, from -1 to 1.
const BINS: usize = 10;

/// A position in which at least one legal action loses value, with what every action is worth.
#[derive(Clone, Debug)]
pub struct TestPosition {
    /// The position, its history fresh.
    pub position: Position<Giuthi>,
    /// Every legal action, ascending.
    pub judgements: Vec<Judgement>,
    /// What the position is worth to the player to move.
    pub class: Class,
}

/// What agents are asked about.
#[derive(Clone, Debug)]
pub struct TestSet {
    /// Positions in which an action can lose value.
    pub positions: Vec<TestPosition>,
    /// As many positions of any kind, lost ones among them, with what they are worth to the player to move: for calibration.
    pub any: Vec<(Position<Giuthi>, Class)>,
}

impl TestSet {
    /// Draws `count` positions of either kind for games by these rules: a number of seeds in play, a board with as many, a lead that
    /// the captured seeds allow, each equally likely, until enough are fit. The same seed gives the same positions, and a larger
    /// count only more.
    ///
    /// # Errors
    /// If the tablebase is of another board or option, or has no position in which an action loses value.
    pub fn draw(
        tablebase: &Tablebase,
        rules: &GiuthiRules,
        count: usize,
        seed: u64,
    ) -> Result<Self, TablebaseError> {
        let draw = Draw::new(tablebase, rules)?;
        let mut rng = stream(Stream::Tablebase, seed, 1, 0);
        let (mut positions, mut any) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut tries = 0;
        while positions.len() < count {
            tries += 1;
            if tries > MAX_TRIES {
                let problem =
                    format!("no position of {} in which an action loses value", tablebase.subject());
                return Err(TablebaseError::Unbuildable(problem));
            }
            let Some(position) = draw.position(&mut rng) else { continue };
            if any.len() < count {
                any.push((position.clone(), tablebase.class_for(position.state(), position.to_move())));
            }
            let judgements = tablebase.judge(&position)?;
            let Some(class) = judgements.iter().map(|judgement| judgement.class).max() else { continue };
            if judgements.iter().any(|judgement| judgement.class < class) {
                positions.push(TestPosition { position, judgements, class });
                tries = 0;
            }
        }
        Ok(Self { positions, any })
    }
}

/// How an agent plays in test positions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Test positions.
    pub positions: usize,
    /// Share of them in which the agent's action keeps the value, 0..=1.
    pub preserving: f64,
    /// Its standard error.
    pub preserving_se: f64,
    /// Points (a win 1, a draw 1/2) that its actions lose, on average.
    pub regret: f64,
    /// The share that random actions keep.
    pub preserving_random: f64,
    /// The points that random actions lose.
    pub regret_random: f64,
    /// How well the outcomes that it expects agree with those of perfect play; `None` for agents that expect a margin.
    pub calibration: Option<Calibration>,
}

/// Expected outcomes beside those of perfect play (1 a win, 0 a draw, -1 a loss), in the view of the player to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Mean squared difference, 0..=4.
    pub mean_squared_error: f64,
    /// Mean over positions of the difference between what was expected in their bin and what was so, 0..=2.
    pub calibration_error: f64,
    /// Ten bins of expected outcome from -1 to 1; those without positions are left out.
    pub bins: Vec<CalibrationBin>,
}

/// Positions with about the same expected outcome.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// How many.
    pub positions: usize,
    /// The mean of what was expected.
    pub expected: f64,
    /// The mean of what is so.
    pub outcome: f64,
}

/// Asks an agent for its action in every test position, and what it expects in positions of any kind.
///
/// # Errors
/// If the agent fails.
pub fn evaluate(agent: &mut dyn Agent<Giuthi>, set: &TestSet) -> Result<Evaluation, AgentError> {
    let TestSet { positions, any } = set;
    let mut actions = Vec::with_capacity(positions.len());
    for batch in positions.chunks(BATCH) {
        let asked: Vec<_> = batch.iter().map(|test| &test.position).collect();
        actions.extend(agent.act_many(&asked)?);
    }
    let mut expected = Vec::with_capacity(any.len());
    for (position, class) in any {
        let analysis = agent.analyze(position)?;
        if analysis.unit == ValueUnit::Margin {
            break;
        }
        expected.push((analysis.value, class.outcome()));
    }
    let number = positions.len() as f64;
    let mean = |sum: f64| if positions.is_empty() { 0.0 } else { sum / number };
    let (mut kept, mut lost, mut kept_random, mut lost_random) = (0.0, 0.0, 0.0, 0.0);
    for (test, action) in positions.iter().zip(actions) {
        let loss = |judgement: &Judgement| test.class.points() - judgement.class.points();
        let legal = test.judgements.len() as f64;
        if let Some(judgement) = test.judgements.iter().find(|judgement| judgement.action == action) {
            kept += f64::from(u8::from(judgement.class == test.class));
            lost += loss(judgement);
        }
        let keeping = test.judgements.iter().filter(|judgement| judgement.class == test.class).count();
        kept_random += keeping as f64 / legal;
        lost_random += test.judgements.iter().map(loss).sum::<f64>() / legal;
    }
    let preserving = mean(kept);
    Ok(Evaluation {
        positions: positions.len(),
        preserving,
        preserving_se: mean(preserving * (1.0 - preserving)).sqrt(),
        regret: mean(lost),
        preserving_random: mean(kept_random),
        regret_random: mean(lost_random),
        calibration: (expected.len() == any.len()).then(|| calibrate(&expected)),
    })
}

/// Of pairs of what was expected and what is so.
fn calibrate(pairs: &[(f64, f64)]) -> Calibration {
    let mut bins = [CalibrationBin { positions: 0, expected: 0.0, outcome: 0.0 }; BINS];
    let mut squares = 0.0;
    for &(expected, outcome) in pairs {
        squares += (expected - outcome).powi(2);
        let bin = ((expected + 1.0) / 2.0 * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize;
        bins[bin].positions += 1;
        bins[bin].expected += expected;
        bins[bin].outcome += outcome;
    }
    let number = pairs.len().max(1) as f64;
    let error: f64 = bins.iter().map(|bin| (bin.expected - bin.outcome).abs()).sum();
    let bins = bins.into_iter().filter(|bin| bin.positions > 0).map(|bin| {
        let count = bin.positions as f64;
        CalibrationBin { expected: bin.expected / count, outcome: bin.outcome / count, ..bin }
    });
    Calibration {
        mean_squared_error: squares / number,
        calibration_error: error / number,
        bins: bins.collect(),
    }
}
