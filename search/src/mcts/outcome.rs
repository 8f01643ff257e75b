//! What a search has found.

use mancala_env::{Action, Game};

use super::tree::Tree;
use super::{Selection, gumbel, puct};

/// What a search has found, in the view of the player to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The action to play.
    pub action: Action,
    /// The legal actions, ascending.
    pub actions: Vec<Action>,
    /// Value of each, -1..=1: what is proven, or the mean where it was visited.
    pub values: Vec<Option<f32>>,
    /// Visits of each.
    pub visits: Vec<u32>,
    /// The improved policy over them (PUCT: shares of visits), summing to 1; all of it on the action where what is proven overrules
    /// the search's choice.
    pub policy: Vec<f32>,
    /// The value of the root, -1..=1: what is proven, or the mean, within what is certain; of a search without simulations the
    /// evaluator's.
    pub value: f32,
}

impl<G: Game> Tree<G> {
    /// What the search has found. Before the root is judged all is nothing.
    pub fn outcome(&mut self) -> Outcome {
        self.look_at(0);
        let (choices, value) = (&self.choices, self.nodes[0].value);
        let actions: Vec<Action> =
            self.infos[self.nodes[0].edges.clone()].iter().map(|info| info.action).collect();
        let mut improved = Vec::new();
        let value_of_policy =
            gumbel::improved_policy(choices, value, self.settings.sigma_scale, &mut improved);
        let visits = choices.iter().map(|choice| choice.visits).collect::<Vec<_>>();
        let total = visits.iter().sum::<u32>();
        let (best, mut policy, value) = match self.settings.selection {
            _ if total == 0 => {
                (gumbel::best(choices, value, self.settings.sigma_scale, &self.noise), improved, value)
            }
            Selection::Gumbel { .. } => (
                gumbel::best(choices, value, self.settings.sigma_scale, &self.noise),
                improved,
                value_of_policy,
            ),
            Selection::Puct { .. } => {
                let mean =
                    choices.iter().map(|choice| choice.q * choice.visits as f32).sum::<f32>() / total as f32;
                (puct::best(choices), visits.iter().map(|&n| n as f32 / total as f32).collect(), mean)
            }
        };
        // Where none are wanted, it is the net's heads that speak.
        let is_search = self.settings.simulations > 0;
        let sure = if is_search { self.certain(best) } else { best };
        if sure != best {
            policy.fill(0.0);
            policy[sure] = 1.0;
        }
        let (least, most) = self.bounds_of(0);
        let value = if is_search { value.max(least).min(most) } else { value };
        let edges = &self.edges[self.nodes[0].edges.clone()];
        let values = self.choices.iter().zip(edges);
        let values = values.map(|(choice, edge)| {
            (choice.visits > 0 || is_search && edge.proven().is_some()).then_some(choice.q)
        });
        let values = values.collect();
        Outcome { action: actions[sure], actions, values, visits, policy, value }
    }

    /// The line of most visited actions from the root, beginning with `first`.
    pub fn line(&self, first: Action) -> Vec<Action> {
        let mut line = Vec::new();
        let mut node = Some(0);
        while let Some(at) = node {
            let edges = self.nodes[at].edges.clone();
            let edge = if line.is_empty() {
                edges.clone().find(|&edge| self.infos[edge].action == first)
            } else {
                edges.clone().rev().max_by_key(|&edge| self.edges[edge].visits)
            };
            let Some(edge) = edge.filter(|&edge| line.is_empty() || self.edges[edge].visits > 0) else {
                break;
            };
            line.push(self.infos[edge].action);
            node = self.edges[edge].child();
        }
        line
    }
}
