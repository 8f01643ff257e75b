//! Self-play games as they are kept, and what is learned from them.

use mancala_env::{Action, ActionInfo, End, Game, Position};
use serde::{Deserialize, Serialize};

use crate::mcts::Outcome;
use crate::net::Foreseen;

/// A finished self-play game. The positions come back by playing it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, which with the seed made its random numbers.
    pub index: u64,
    /// What was played before the first move that counts: random plies, or those of the game that this one is a fork of and a
    /// random one.
    pub opening: Vec<Action>,
    /// The moves, in order.
    pub moves: Vec<MoveRecord>,
    /// How it ended; `None` if it was stopped at `max_plies`.
    pub end: Option<End>,
    /// What it was worth to each player.
    pub returns: [f32; 2],
    /// The scores at the end.
    pub scores: [u8; 2],
}

/// A move of a self-play game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The action played.
    pub action: Action,
    /// The search's value of the position in the view of its player to move, -1..=1; 0 for a forced move.
    pub value: f32,
    /// The search's policy over the legal actions, in their order, in 1/65535; empty, and so no row for the policy, for a move
    /// that was not searched in full: one searched fast, which has a value, or a forced one, which was not searched at all.
    pub policy: Vec<u16>,
}

/// A position of a game with what was learned of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<G: Game> {
    /// The board.
    pub state: G,
    /// What each legal action does, ascending.
    pub actions: Vec<ActionInfo>,
    /// What can follow each, as [`ReplyFinder`](crate::net::ReplyFinder) finds it; empty if nobody has looked.
    pub foreseen: Vec<Foreseen>,
    /// The search's policy over them, summing to 1; empty for a move that was not searched in full.
    pub policy: Vec<f32>,
    /// What the game was worth to the player to move here, sign only: 1 win, 0 draw, -1 loss.
    pub outcome: f32,
    /// The seeds that the player to move here had at the end more than the other, as a share of all, -1..=1; 0 for a draw,
    /// however it came about.
    pub margin: f32,
    /// The search's value for the player to move here; `None` for a forced move.
    pub value: Option<f32>,
}

impl<G: Game> Sample<G> {
    /// Where the outcome stands among win, draw and loss.
    pub fn outcome_column(&self) -> usize {
        match self.outcome {
            outcome if outcome > 0.0 => 0,
            outcome if outcome < 0.0 => 2,
            _ => 1,
        }
    }
}

impl MoveRecord {
    pub(super) fn forced(action: Action) -> Self {
        Self { action, value: 0.0, policy: Vec::new() }
    }

    pub(super) fn searched(action: Action, outcome: &Outcome, is_full: bool) -> Self {
        let shares = if is_full { &outcome.policy[..] } else { &[] };
        let policy = shares.iter().map(|share| (share * f32::from(u16::MAX)).round() as u16).collect();
        Self { action, value: outcome.value, policy }
    }

    fn sample<G: Game>(&self, position: &Position<G>, game: &GameRecord) -> Result<Sample<G>, String> {
        let legal = position.legal_actions();
        let has_policy = !self.policy.is_empty();
        let sum: f32 = self.policy.iter().map(|&share| f32::from(share)).sum();
        if has_policy && (self.policy.len() != legal.len() || sum == 0.0) {
            return Err(format!(
                "a policy of {} shares for {} legal actions",
                self.policy.len(),
                legal.len()
            ));
        }
        let (own, other) = (position.to_move().index(), position.to_move().other().index());
        let returned = game.returns[own];
        let outcome = if returned == 0.0 { 0.0 } else { returned.signum() };
        let lead = f32::from(game.scores[own]) - f32::from(game.scores[other]);
        Ok(Sample {
            state: *position.state(),
            actions: legal.iter().map(|&action| ActionInfo::of(position, action).0).collect(),
            foreseen: Vec::new(),
            policy: self.policy.iter().map(|&share| f32::from(share) / sum).collect(),
            outcome,
            // The scores at a repetition say nothing of what a player could have had.
            margin: if outcome == 0.0 { 0.0 } else { lead / f32::from(G::total_seeds(position.rules())) },
            // A single legal action is not searched.
            value: (legal.len() > 1).then_some(self.value),
        })
    }
}

impl GameRecord {
    pub(super) fn new(index: u64) -> Self {
        Self { index, opening: Vec::new(), moves: Vec::new(), end: None, returns: [0.0; 2], scores: [0; 2] }
    }

    /// Plays the game again and returns every position after the opening with what was learned of it.
    ///
    /// # Errors
    /// If an action of the record is not legal, or a policy is not one over the legal actions.
    pub fn samples<G: Game>(&self, rules: &G::Rules) -> Result<Vec<Sample<G>>, String> {
        let at = |error: String| format!("game {}: {error}", self.index);
        let mut position = Position::<G>::initial(*rules);
        for &action in &self.opening {
            position.play(action).map_err(|error| at(error.to_string()))?;
        }
        let mut samples = Vec::with_capacity(self.moves.len());
        for record in &self.moves {
            samples.push(record.sample(&position, self).map_err(at)?);
            position.play(record.action).map_err(|error| at(error.to_string()))?;
        }
        Ok(samples)
    }
}
