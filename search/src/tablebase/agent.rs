//! Perfect play as an agent.

use std::sync::Arc;

use mancala_env::{Action, Game, Giuthi, Position};

use super::Tablebase;
use super::error::TablebaseError;
use super::judge::{Class, Judgement};
use crate::agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
use crate::simple::no_action;

/// Plays perfectly where the tablebase knows the position, and answers with an error elsewhere.
///
/// In a won position it wins whatever the opponent does, its history counted; of the winning actions it takes the one that leads
/// on (captures first, then the greatest slack, then the lowest rank). Where nothing wins it takes, of the drawing actions, the one
/// that leaves the opponent least to spare, and where all lose the one that costs him most.
#[derive(Clone, Debug)]
pub struct TablebaseAgent {
    tablebase: Arc<Tablebase>,
}

/// No line is longer: lines are for reading.
const MAX_LINE: usize = 40;

impl TablebaseAgent {
    /// An agent for games by these rules.
    ///
    /// # Errors
    /// If the tablebase is of another game, board or option.
    pub fn new<G: Game>(tablebase: Arc<Tablebase>, rules: &G::Rules) -> Result<Self, AgentError> {
        tablebase.check_game::<G>(rules)?;
        Ok(Self { tablebase })
    }

    /// Whether it has an answer in a position.
    pub(super) fn knows<G: Game>(&self, position: &Position<G>) -> bool {
        position.state().as_giuthi().is_some_and(|state| self.tablebase.covers(state))
    }

    fn choose(&self, position: &Position<Giuthi>) -> Result<(Judgement, Vec<Judgement>), AgentError> {
        let judgements = self.tablebase.judge(position)?;
        let best = best(&judgements).ok_or_else(|| no_action(position))?;
        Ok((best, judgements))
    }
}

/// The position as one of Giuthi, which that of an agent made for Giuthi is.
fn giuthi<G: Game>(position: &Position<G>) -> Result<&Position<Giuthi>, AgentError> {
    G::as_giuthi_position(position).ok_or_else(|| AgentError::Unfit("a tablebase is of giuthi".into()))
}

/// The action to play, of all that there are; the lowest among equals.
pub(super) fn best(judgements: &[Judgement]) -> Option<Judgement> {
    let class = judgements.iter().map(|judgement| judgement.class).max()?;
    let of_class = judgements.iter().rev().filter(|judgement| judgement.class == class).copied();
    match class {
        Class::Win => of_class.max_by_key(Judgement::progress),
        Class::Draw => of_class.max_by_key(|judgement| judgement.win_slack.unwrap_or(i16::MIN)),
        Class::Loss => of_class.max_by_key(Judgement::resistance),
    }
}

impl From<TablebaseError> for AgentError {
    fn from(error: TablebaseError) -> Self {
        match error {
            TablebaseError::Io { .. } => Self::NotFound(error.to_string()),
            TablebaseError::Damaged { .. }
            | TablebaseError::Foreign { .. }
            | TablebaseError::Outside { .. } => Self::Unfit(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl<G: Game> Agent<G> for TablebaseAgent {
    fn new_game(&mut self, _: u64) {}

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        AgentError::check(positions)?;
        positions.iter().map(|position| Ok(self.choose(giuthi(position)?)?.0.action)).collect()
    }

    /// Values are classes: 1 wins, 0 draws, -1 loses.
    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        AgentError::check(&[position])?;
        let position = giuthi(position)?;
        let (best, judgements) = self.choose(position)?;
        let mut line = vec![best.action];
        let mut at = position.clone();
        at.play_unchecked(best.action);
        while !at.is_over() && line.len() < MAX_LINE {
            let (best, _) = self.choose(&at)?;
            line.push(best.action);
            at.play_unchecked(best.action);
        }
        Ok(Analysis {
            unit: ValueUnit::Outcome,
            value: best.class.outcome(),
            line,
            actions: judgements
                .iter()
                .map(|judgement| ActionValue {
                    action: judgement.action,
                    value: Some(judgement.class.outcome()),
                    policy: None,
                })
                .collect(),
            nodes: judgements.len() as u64,
            depth: None,
        })
    }
}
