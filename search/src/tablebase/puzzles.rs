//! Problems with one answer.

use std::collections::HashSet;

use mancala_env::{Action, Game, Giuthi, GiuthiRules, Position, Stream, stream};
use rand::RngExt;

use super::agent::best;
use super::error::TablebaseError;
use super::judge::{Class, Judgement};
use super::positions::Draw;
use super::{Tablebase, moves};
use crate::agent::{Agent, AgentError};
use crate::alphabeta::{AlphaBeta, AlphaBetaLimit, AlphaBetaOptions};
use crate::simple::GreedyAgent;

/// A position with one right action.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The position, its history fresh.
    pub position: Position<Giuthi>,
    /// What the one right action achieves: a win or a draw.
    pub class: Class,
    /// The action, and how the game goes on if both play perfectly, to its end or for [`MAX_LINE`] actions.
    pub solution: Vec<Action>,
    /// Laps of the first action.
    pub laps: u16,
}

/// No line is longer.
pub const MAX_LINE: usize = 60;
/// So few actions leave nothing to find.
const MIN_ACTIONS: usize = 3;

/// Finds problems.
pub struct PuzzleFinder<'a> {
    tablebase: &'a Tablebase,
    draw: Draw<'a>,
    min_laps: u16,
    rng: rand_chacha::ChaCha8Rng,
    /// Those found, whichever the seat and the side of the mirror: seeds, board, lead.
    found: HashSet<(u8, u64, i16)>,
    greedy: GreedyAgent,
    shallow: AlphaBeta<Giuthi>,
}

impl<'a> PuzzleFinder<'a> {
    /// Problems for games by these rules, whose right action sows at least `min_laps` laps.
    ///
    /// # Errors
    /// If the tablebase is of another board or option.
    pub fn new(
        tablebase: &'a Tablebase,
        rules: &GiuthiRules,
        min_laps: u16,
        seed: u64,
    ) -> Result<Self, AgentError> {
        Ok(Self {
            tablebase,
            draw: Draw::new(tablebase, rules)?,
            min_laps,
            rng: stream(Stream::Tablebase, seed, 2, 0),
            found: HashSet::new(),
            greedy: GreedyAgent::new(),
            shallow: AlphaBeta::new(AlphaBetaOptions::new(AlphaBetaLimit::Depth(1)))?,
        })
    }

    /// Draws one position; the problem it makes, if it makes a new one: exactly one action wins (or, where none does, draws), it sows
    /// enough laps, and neither the greedy agent nor alpha-beta of depth 1 holds it best or as good as the best.
    ///
    /// # Errors
    /// If an agent fails.
    pub fn draw(&mut self) -> Result<Option<Puzzle>, AgentError> {
        let Some(position) = self.draw.position(&mut self.rng) else { return Ok(None) };
        // With a lead at one of the thresholds one action is most likely to be the only one.
        let thresholds = self.tablebase.probe(position.state())?;
        let lead = match self.rng.random() {
            true => thresholds.win,
            false => thresholds.loss.map(|loss| loss + 1),
        };
        let parity =
            |lead: i16| [lead, lead + 1].into_iter().find_map(|lead| self.draw.with_lead(&position, lead));
        let Some(position) = lead.and_then(parity) else { return Ok(None) };
        let judgements = self.tablebase.judge(&position)?;
        let Some(solution) = only_right(&judgements) else { return Ok(None) };
        let played = position.clone().play_unchecked(solution.action);
        if played.laps < self.min_laps || self.is_found(&position, solution.action)? {
            return Ok(None);
        }
        let (state, seeds) = (position.state(), position.state().seeds_in_play());
        let number = moves::board_number(&self.tablebase.index, state, seeds.into());
        if !self.found.insert((seeds, number, super::lead(state, state.to_move()))) {
            return Ok(None);
        }
        let line = self.line(&position, solution.action)?;
        Ok(Some(Puzzle { position, class: solution.class, solution: line, laps: played.laps }))
    }

    /// Whether an agent that hardly looks ahead would find the action.
    fn is_found(&mut self, position: &Position<Giuthi>, action: Action) -> Result<bool, AgentError> {
        let agents: [&mut dyn Agent<Giuthi>; 2] = [&mut self.greedy, &mut self.shallow];
        for agent in agents {
            let values = agent.analyze(position)?.actions;
            let value =
                |of: Action| values.iter().find(|judged| judged.action == of).and_then(|judged| judged.value);
            let best = values.iter().filter_map(|judged| judged.value).fold(f64::NEG_INFINITY, f64::max);
            if value(action).is_none_or(|value| value >= best) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn line(&self, position: &Position<Giuthi>, first: Action) -> Result<Vec<Action>, TablebaseError> {
        let (mut at, mut line) = (position.clone(), vec![first]);
        at.play_unchecked(first);
        while !at.is_over() && line.len() < MAX_LINE {
            let Some(next) = best(&self.tablebase.judge(&at)?) else { break };
            line.push(next.action);
            at.play_unchecked(next.action);
        }
        Ok(line)
    }
}

/// The one action that wins, or draws where none wins and others lose; `None` if there are more, or little to choose from.
fn only_right(judgements: &[Judgement]) -> Option<Judgement> {
    let class = judgements.iter().map(|judgement| judgement.class).max()?;
    let mut right = judgements.iter().filter(|judgement| judgement.class == class);
    let (only, next) = (right.next()?, right.next());
    (judgements.len() >= MIN_ACTIONS && class != Class::Loss && next.is_none()).then_some(*only)
}
