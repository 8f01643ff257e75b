//! MCTS as an agent.

use std::time::{Duration, Instant};

use mancala_env::{Action, Game, Position};

use super::{Settings, Tree, search};
use crate::agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
use crate::evaluator::{Evaluator, RolloutEvaluator};

/// An agent that searches with an evaluator, all positions it is asked about in one batch.
pub struct MctsAgent<G: Game, E> {
    rules: G::Rules,
    evaluator: E,
    settings: Settings,
    /// Seconds a position, instead of a number of simulations.
    time: Option<f64>,
    trees: Vec<Tree<G>>,
    /// Simulations run to act.
    simulations: u64,
}

impl<G: Game, E: Evaluator<G>> MctsAgent<G, E> {
    /// Searches with a number of simulations.
    pub fn new(rules: &G::Rules, evaluator: E, settings: Settings) -> Self {
        Self { rules: *rules, evaluator, settings, time: None, trees: Vec::new(), simulations: 0 }
    }

    /// Searches for `seconds` a position; as the number of simulations is not known beforehand, by PUCT.
    pub fn timed(rules: &G::Rules, evaluator: E, seconds: f64) -> Self {
        let settings = Settings::puct(u32::MAX);
        Self { time: Some(seconds), ..Self::new(rules, evaluator, settings) }
    }

    /// The same agent with another [`Settings::contempt`] for draws when it acts; its analyses have none.
    pub fn with_contempt(mut self, contempt: f32) -> Self {
        self.settings.contempt = contempt;
        self
    }

    fn search(&mut self, positions: &[&Position<G>], contempt: f32) -> Result<&mut [Tree<G>], AgentError> {
        AgentError::check(positions)?;
        while self.trees.len() < positions.len() {
            self.trees.push(Tree::new(self.rules, self.settings));
        }
        let trees = &mut self.trees[..positions.len()];
        for (tree, position) in trees.iter_mut().zip(positions) {
            tree.set_contempt(contempt);
            tree.begin(position, &[]);
        }
        let start = Instant::now();
        let limit = self.time.map(|seconds| Duration::from_secs_f64(seconds * positions.len() as f64));
        let mut judged = false;
        let go_on = || {
            // The roots are always judged, however short the time.
            let go_on = !judged || limit.is_none_or(|limit| start.elapsed() < limit);
            judged = true;
            go_on
        };
        search(trees, &mut self.evaluator, go_on).map_err(AgentError::Failed)?;
        Ok(trees)
    }
}

impl<G: Game> MctsAgent<G, RolloutEvaluator> {
    /// PUCT over random rollouts.
    pub fn rollouts(rules: &G::Rules, simulations: u32) -> Self {
        Self::new(rules, RolloutEvaluator::new(), Settings::puct(simulations))
    }
}

impl<G: Game, E: Evaluator<G>> Agent<G> for MctsAgent<G, E> {
    fn new_game(&mut self, seed: u64) {
        self.evaluator.new_game(seed);
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        let trees = self.search(positions, self.settings.contempt)?;
        let simulations: u64 = trees.iter().map(|tree| u64::from(tree.simulations())).sum();
        let actions = trees.iter_mut().map(|tree| tree.outcome().action).collect();
        self.simulations += simulations;
        Ok(actions)
    }

    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        let tree = &mut self.search(&[position], 0.0)?[0];
        let outcome = tree.outcome();
        let actions = outcome.actions.iter().zip(&outcome.values).zip(&outcome.policy);
        Ok(Analysis {
            unit: ValueUnit::Outcome,
            value: outcome.value.into(),
            line: tree.line(outcome.action),
            actions: actions
                .map(|((&action, value), &share)| ActionValue {
                    action,
                    value: value.map(f64::from),
                    policy: Some(share.into()),
                })
                .collect(),
            nodes: tree.simulations().into(),
            depth: None,
        })
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.simulations)
    }
}
