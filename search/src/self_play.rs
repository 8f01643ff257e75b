//! Self-play: a pure function from (evaluator, config, seed range) to games.

use std::ops::Range;

use mancala_env::{Action, ActionInfo, End, Game, Position, Stream, random_opening_actions, stream};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::evaluator::{Evaluations, Evaluator, Leaf};
use crate::mcts::{Outcome, Selection, Settings, Tree, apply, gumbel};

/// How self-play games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Games played in lockstep by one thread: the batch of the evaluator.
    pub lockstep: usize,
    /// Simulations a move.
    pub simulations: u32,
    /// Root actions that sequential halving starts with.
    pub considered: usize,
    /// How much values weigh against priors in the improved policy; see [`Settings::sigma_scale`].
    pub sigma_scale: f32,
    /// Each game starts after 0 to this many random plies, drawn uniformly.
    pub opening_plies: u32,
    /// A game this long is stopped and counts as a draw.
    pub max_plies: u32,
}

/// A finished self-play game. The positions come back by playing it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, which with the seed made its random numbers.
    pub index: u64,
    /// Random plies before the first searched move.
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
    /// The improved policy over the legal actions, in their order, in 1/65535; empty for a forced move, which is not searched
    /// and no row for the policy.
    pub policy: Vec<u16>,
}

/// A position of a game with what was learned of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<G: Game> {
    /// The board.
    pub state: G,
    /// What each legal action does, ascending.
    pub actions: Vec<ActionInfo>,
    /// The improved policy over them, summing to 1; empty for a forced move.
    pub policy: Vec<f32>,
    /// What the game was worth to the player to move here, sign only: 1 win, 0 draw, -1 loss.
    pub outcome: f32,
    /// The search's value for the player to move here; `None` for a forced move.
    pub value: Option<f32>,
}

impl SelfPlayConfig {
    fn settings(&self) -> Settings {
        Settings {
            simulations: self.simulations,
            selection: Selection::Gumbel { considered: self.considered },
            sigma_scale: self.sigma_scale,
            contempt: 0.0,
        }
    }
}

/// Plays the games numbered `games`, many in lockstep, and returns them in the order in which they ended; `on_game` sees each
/// as it ends.
///
/// A game depends on evaluator, config, `seed` and its number. (An evaluator whose floats differ in their last bits with the
/// shape of its batch may carry that difference into games; the whole call with the same arguments gives the same games.)
///
/// # Errors
/// If the evaluator fails.
pub fn play_games<G: Game>(
    rules: &G::Rules,
    evaluator: &mut dyn Evaluator<G>,
    config: &SelfPlayConfig,
    seed: u64,
    mut games: Range<u64>,
    on_game: &mut dyn FnMut(&GameRecord),
) -> Result<Vec<GameRecord>, String> {
    let mut records = Vec::new();
    let mut lanes: Vec<Lane<G>> = Vec::new();
    while lanes.len() < config.lockstep.max(1)
        && let Some(index) = games.next()
    {
        lanes.push(Lane::new(rules, config, seed, index));
    }
    let mut evaluations = Evaluations::default();
    loop {
        // A lane that needs no judgement has ended its game: it takes the next, or retires.
        lanes.retain_mut(|lane| {
            while !lane.advance(config) {
                let record = lane.take_record();
                on_game(&record);
                records.push(record);
                match games.next() {
                    Some(index) => lane.begin_game(config, seed, index),
                    None => return false,
                }
            }
            true
        });
        if lanes.is_empty() {
            return Ok(records);
        }
        let leaves: Vec<Leaf<'_, G>> = lanes.iter().map(|lane| lane.tree.leaf()).collect();
        evaluator.evaluate(&leaves, &mut evaluations)?;
        apply(lanes.iter_mut().map(|lane| &mut lane.tree), &evaluations);
    }
}

/// One of the games in lockstep.
struct Lane<G: Game> {
    position: Position<G>,
    tree: Tree<G>,
    /// Whether the tree searches the present position.
    searching: bool,
    rng: ChaCha8Rng,
    record: GameRecord,
}

impl<G: Game> Lane<G> {
    fn new(rules: &G::Rules, config: &SelfPlayConfig, seed: u64, index: u64) -> Self {
        let mut lane = Self {
            position: Position::initial(*rules),
            tree: Tree::new(*rules, config.settings()),
            searching: false,
            rng: stream(Stream::SelfPlay, seed, index, 0),
            record: GameRecord::new(index),
        };
        lane.begin_game(config, seed, index);
        lane
    }

    fn begin_game(&mut self, config: &SelfPlayConfig, seed: u64, index: u64) {
        let start = Position::initial(*self.position.rules());
        self.rng = stream(Stream::SelfPlay, seed, index, 0);
        self.searching = false;
        self.record = GameRecord::new(index);
        let plies = self.rng.random_range(0..=config.opening_plies);
        self.position = start.clone();
        // On the smallest boards all openings of some length may end the game: then the game begins at the start.
        if let Some((position, opening)) = random_opening_actions(&start, plies, &mut self.rng) {
            (self.position, self.record.opening) = (position, opening);
        }
    }

    /// Plays on until a leaf waits to be judged (`true`) or the game has ended (`false`).
    fn advance(&mut self, config: &SelfPlayConfig) -> bool {
        loop {
            if self.searching {
                if self.tree.gather() {
                    return true;
                }
                self.searching = false;
                let outcome = self.tree.outcome();
                self.play(outcome.action, MoveRecord::searched(&outcome));
            } else if self.position.is_over() || self.position.plies() >= config.max_plies {
                return false;
            } else if let [action] = self.position.legal_actions()[..] {
                self.play(action, MoveRecord::forced(action));
            } else {
                let noise: Vec<f32> =
                    self.position.legal_actions().iter().map(|_| gumbel(&mut self.rng)).collect();
                self.tree.begin(&self.position, &noise);
                self.searching = true;
            }
        }
    }

    fn play(&mut self, action: Action, record: MoveRecord) {
        self.position.play_unchecked(action);
        self.record.moves.push(record);
    }

    fn take_record(&mut self) -> GameRecord {
        let mut record = std::mem::replace(&mut self.record, GameRecord::new(0));
        record.end = self.position.end();
        record.returns = self.position.returns();
        record.scores = self.position.scores();
        record
    }
}

impl MoveRecord {
    fn forced(action: Action) -> Self {
        Self { action, value: 0.0, policy: Vec::new() }
    }

    fn searched(outcome: &Outcome) -> Self {
        let policy =
            outcome.policy.iter().map(|share| (share * f32::from(u16::MAX)).round() as u16).collect();
        Self { action: outcome.action, value: outcome.value, policy }
    }
}

impl GameRecord {
    fn new(index: u64) -> Self {
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
            samples.push(record.sample(&position, self.returns).map_err(at)?);
            position.play(record.action).map_err(|error| at(error.to_string()))?;
        }
        Ok(samples)
    }
}

impl MoveRecord {
    fn sample<G: Game>(&self, position: &Position<G>, returns: [f32; 2]) -> Result<Sample<G>, String> {
        let legal = position.legal_actions();
        let is_forced = self.policy.is_empty();
        let sum: f32 = self.policy.iter().map(|&share| f32::from(share)).sum();
        if !is_forced && (self.policy.len() != legal.len() || sum == 0.0) {
            return Err(format!(
                "a policy of {} shares for {} legal actions",
                self.policy.len(),
                legal.len()
            ));
        }
        let returned = returns[position.to_move().index()];
        Ok(Sample {
            state: *position.state(),
            actions: legal.iter().map(|&action| ActionInfo::of(position, action).0).collect(),
            policy: self.policy.iter().map(|&share| f32::from(share) / sum).collect(),
            outcome: if returned == 0.0 { 0.0 } else { returned.signum() },
            value: (!is_forced).then_some(self.value),
        })
    }
}
