//! MCTS as an agent.

use std::time::{Duration, Instant};

use mancala_env::{Action, Game, Position};

use super::{Settings, Tree, search, search_one};
use crate::agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};
use crate::evaluator::{Evaluator, RolloutEvaluator};
use crate::stop::Stop;

/// Leaves that a search by time has judged at once: twice as many are hardly faster by the leaf, and each is chosen knowing
/// less.
const WIDTH: usize = 16;

/// An agent that searches with an evaluator. With a number of simulations all positions it is asked about are one batch; by time
/// they are searched one after the other, each many leaves at a time, and the tree of a game played alone is kept from move to move.
pub struct MctsAgent<G: Game, E> {
    rules: G::Rules,
    evaluator: E,
    settings: Settings,
    /// Seconds a position, instead of a number of simulations.
    time: Option<f64>,
    trees: Vec<Tree<G>>,
    stop: Stop,
    /// Simulations run to act.
    simulations: u64,
}

impl<G: Game, E: Evaluator<G>> MctsAgent<G, E> {
    /// Searches with a number of simulations.
    pub fn new(rules: &G::Rules, evaluator: E, settings: Settings) -> Self {
        Self {
            rules: *rules,
            evaluator,
            settings,
            time: None,
            trees: Vec::new(),
            stop: Stop::never(),
            simulations: 0,
        }
    }

    /// Searches for `seconds` a position; as the number of simulations is not known beforehand, by PUCT.
    pub fn timed(rules: &G::Rules, evaluator: E, seconds: f64) -> Self {
        Self { time: Some(seconds), ..Self::new(rules, evaluator, Settings::timed()) }
    }

    /// The same agent with another [`Settings::contempt`] for draws when it acts; its analyses have none.
    pub fn with_contempt(mut self, contempt: f32) -> Self {
        self.settings.contempt = contempt;
        self
    }

    fn search(&mut self, positions: &[&Position<G>], purpose: Purpose) -> Result<&mut [Tree<G>], AgentError> {
        AgentError::check(positions)?;
        while self.trees.len() < positions.len() {
            self.trees.push(Tree::new(self.rules, self.settings));
        }
        let (trees, stop) = (&mut self.trees[..positions.len()], &self.stop);
        let contempt = if purpose == Purpose::Act { self.settings.contempt } else { 0.0 };
        let may_go_on = purpose == Purpose::Act && positions.len() == 1;
        let searched = match self.time.map(Duration::from_secs_f64) {
            None => {
                for (tree, position) in trees.iter_mut().zip(positions) {
                    tree.set_contempt(contempt);
                    tree.begin(position, &[]);
                }
                search(trees, &mut self.evaluator, || !stop.is_asked())
            }
            Some(limit) => trees.iter_mut().zip(positions).try_for_each(|(tree, position)| {
                let start = Instant::now();
                tree.set_contempt(contempt);
                if !may_go_on || !tree.go_on(position) {
                    tree.begin(position, &[]);
                }
                search_one(tree, &mut self.evaluator, WIDTH, || start.elapsed() < limit && !stop.is_asked())
            }),
        };
        if let Err(error) = searched {
            // What is half done is not to be gone on with.
            self.trees.clear();
            return Err(AgentError::Failed(error));
        }
        if self.stop.is_asked() {
            self.trees.clear();
            return Err(AgentError::Stopped);
        }
        Ok(&mut self.trees[..positions.len()])
    }
}

/// What a search is for.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Act,
    /// Without contempt, and from nothing.
    Analyze,
}

impl<G: Game> MctsAgent<G, RolloutEvaluator> {
    /// PUCT over random rollouts.
    pub fn rollouts(rules: &G::Rules, simulations: u32) -> Self {
        Self::new(rules, RolloutEvaluator::new(), Settings::puct(simulations))
    }
}

impl<G: Game, E: Evaluator<G>> Agent<G> for MctsAgent<G, E> {
    fn stop_when(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    fn new_game(&mut self, seed: u64) {
        self.evaluator.new_game(seed);
        self.trees.clear();
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        let trees = self.search(positions, Purpose::Act)?;
        let simulations: u64 = trees.iter().map(|tree| u64::from(tree.new_simulations())).sum();
        let actions = trees.iter_mut().map(|tree| tree.outcome().action).collect();
        self.simulations += simulations;
        Ok(actions)
    }

    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        let tree = &mut self.search(&[position], Purpose::Analyze)?[0];
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
