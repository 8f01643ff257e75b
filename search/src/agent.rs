//! What an agent is.

use mancala_env::{Action, End, Game, Position};

use crate::stop::Stop;

/// Something that chooses actions. An answer depends on position, history and seed alone: never on what was asked before
/// (agents limited by time excepted, whose answers depend on the machine).
pub trait Agent<G: Game>: Send {
    /// Begins a game: whatever is random from here on comes from `seed`.
    fn new_game(&mut self, seed: u64);

    /// The agent's action in each of these positions, in order.
    ///
    /// # Errors
    /// If a game is over, or the agent cannot judge a position; nothing is guessed.
    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError>;

    /// The agent's action in one position.
    ///
    /// # Errors
    /// As [`act_many`](Self::act_many).
    fn act(&mut self, position: &Position<G>) -> Result<Action, AgentError> {
        Ok(self.act_many(&[position])?[0])
    }

    /// What the agent thinks of a position.
    ///
    /// # Errors
    /// As [`act_many`](Self::act_many).
    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError>;

    /// From now on, questions are answered with [`AgentError::Stopped`] as soon as `stop` asks for it. Agents that answer at once need
    /// not look.
    fn stop_when(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// Nodes searched, or simulations run, by [`act_many`](Self::act_many) since the agent was made; `None` where it does not
    /// count them.
    fn nodes(&self) -> Option<u64> {
        None
    }
}

/// In what an agent counts values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueUnit {
    /// Seeds by which the player to move ends ahead (behind if negative).
    Margin,
    /// Expected outcome for the player to move: 1 a win, 0 a draw, -1 a loss.
    Outcome,
}

/// What an agent thinks of a position. All values are in the view of the player to move in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// In what values are counted.
    pub unit: ValueUnit,
    /// The value of the position.
    pub value: f64,
    /// The line the agent expects, from the action it holds best (which a net agent's contempt for draws may keep it from
    /// playing: analyses have none).
    pub line: Vec<Action>,
    /// Every legal action, ascending.
    pub actions: Vec<ActionValue>,
    /// Nodes searched, or simulations run.
    pub nodes: u64,
    /// The depth completed, where there is one.
    pub depth: Option<u32>,
}

/// What an agent thinks of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionValue {
    /// The action.
    pub action: Action,
    /// Its value for the player to move; `None` where the agent has not judged it.
    pub value: Option<f64>,
    /// Its share of the agent's choice, where the agent has a policy (sums to 1).
    pub policy: Option<f64>,
}

/// Why an agent has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The game is over.
    #[error("position {index}: the game is over ({})", .end.word())]
    GameOver {
        /// Which of the positions asked about.
        index: usize,
        /// How it ended.
        end: End,
    },
    /// A file that the agent needs is not there or cannot be read.
    #[error("{0}")]
    NotFound(String),
    /// The agent cannot be made for this game, or not of this file: the file is damaged, or for another game.
    #[error("{0}")]
    Unfit(String),
    /// It was told to stop; see [`Agent::stop_when`].
    #[error("the search was stopped")]
    Stopped,
    /// What the agent needs has failed.
    #[error("{0}")]
    Failed(String),
}

impl AgentError {
    /// Refuses finished games.
    pub(crate) fn check<G: Game>(positions: &[&Position<G>]) -> Result<(), Self> {
        match positions.iter().enumerate().find_map(|(index, position)| Some((index, position.end()?))) {
            Some((index, end)) => Err(Self::GameOver { index, end }),
            None => Ok(()),
        }
    }
}
