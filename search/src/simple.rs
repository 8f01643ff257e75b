//! Agents that look at most one ply ahead, and the draw that agents share.

use mancala_env::{Action, ActionInfo, Game, Position, Stream, random_action, stream};
use rand::Rng;

use crate::agent::{ActionValue, Agent, AgentError, Analysis, ValueUnit};

/// Plays at random with [`Game::random_weight`]: Giuthi's actions and Kiothi's redistributions are equally likely.
#[derive(Clone, Debug, Default)]
pub struct RandomAgent {
    seed: u64,
}

impl RandomAgent {
    /// An agent with seed 0.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The stream of an agent in a position: of the seed, the position and its history alone.
pub(crate) fn position_stream<G: Game>(position: &Position<G>, seed: u64) -> impl Rng + use<G> {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let [zero, one] = position.scores().map(u64::from);
    let mut words = [zero << 8 | one; 2];
    for fingerprint in position.history().iter().copied().chain([position.state().fingerprint()]) {
        for (word, half) in words.iter_mut().zip([fingerprint as u64, (fingerprint >> 64) as u64]) {
            *word = (*word ^ half).wrapping_mul(MULTIPLIER);
            *word ^= *word >> 29;
        }
    }
    stream(Stream::Agent, seed, words[0], words[1])
}

/// Draws one of some legal actions with [`Game::random_weight`]; `None` if there are none.
pub(crate) fn draw<G: Game>(position: &Position<G>, seed: u64, actions: &[Action]) -> Option<Action> {
    let state = position.state();
    let total: u128 = actions.iter().map(|&action| u128::from(state.random_weight(action))).sum();
    let number = position_stream(position, seed).next_u64();
    let mut rest = (u128::from(number) * total) >> 64;
    actions.iter().copied().find(|&action| {
        let weight = u128::from(state.random_weight(action));
        let is_here = rest < weight;
        rest = rest.wrapping_sub(weight);
        is_here
    })
}

/// No action where there must be one: a position that says it goes on and has no legal action.
pub(crate) fn no_action<G: Game>(position: &Position<G>) -> AgentError {
    AgentError::Failed(format!("no legal action in {}", position.write()))
}

impl<G: Game> Agent<G> for RandomAgent {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        AgentError::check(positions)?;
        let act = |position: &&Position<G>| {
            random_action(position.state(), &mut position_stream(position, self.seed))
                .ok_or_else(|| no_action(position))
        };
        positions.iter().map(act).collect()
    }

    /// Every action's probability. There are no values: that of the position is given as 0.
    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        let chosen = self.act(position)?;
        let actions = position.legal_actions();
        let weights: Vec<_> =
            actions.iter().map(|&action| position.state().random_weight(action) as f64).collect();
        let total: f64 = weights.iter().sum();
        let of = |(&action, weight): (&Action, f64)| ActionValue {
            action,
            value: None,
            policy: Some(weight / total),
        };
        Ok(Analysis {
            unit: ValueUnit::Outcome,
            value: 0.0,
            line: vec![chosen],
            actions: actions.iter().zip(weights).map(of).collect(),
            nodes: 0,
            depth: None,
        })
    }
}

/// Plays for the best margin at once: the lead after its action, or the final margin if that ends the game (the sweep
/// included; a draw by repetition or endless sowing is a margin of 0).
///
/// Of actions with equal margins it draws one with [`Game::random_weight`], seeded: so Kiothi's opening is a redistribution
/// drawn uniformly.
#[derive(Clone, Debug, Default)]
pub struct GreedyAgent {
    seed: u64,
}

impl GreedyAgent {
    /// An agent with seed 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every legal action, ascending, with the margin it makes for the player to move, and one of the best of them.
    fn look<G: Game>(&self, position: &Position<G>) -> Result<(Vec<(Action, i32)>, Action), AgentError> {
        let actions = position.legal_actions();
        let margins: Vec<_> =
            actions.iter().map(|&action| (action, margin_after(position, action))).collect();
        let most = margins.iter().map(|&(_, margin)| margin).max();
        let best: Vec<_> =
            margins.iter().filter(|&&(_, margin)| Some(margin) == most).map(|&(action, _)| action).collect();
        let chosen = draw(position, self.seed, &best).ok_or_else(|| no_action(position))?;
        Ok((margins, chosen))
    }
}

/// The margin a legal action makes for the player to move.
fn margin_after<G: Game>(position: &Position<G>, action: Action) -> i32 {
    let (info, after) = ActionInfo::of(position, action);
    if info.repeats || info.endless {
        return 0;
    }
    let scores = after.scores().map(i32::from);
    let mover = position.to_move().index();
    scores[mover] - scores[1 - mover]
}

impl<G: Game> Agent<G> for GreedyAgent {
    fn new_game(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn act_many(&mut self, positions: &[&Position<G>]) -> Result<Vec<Action>, AgentError> {
        AgentError::check(positions)?;
        positions.iter().map(|position| Ok(self.look(position)?.1)).collect()
    }

    fn analyze(&mut self, position: &Position<G>) -> Result<Analysis, AgentError> {
        AgentError::check(&[position])?;
        let (margins, chosen) = self.look(position)?;
        let value = margins.iter().map(|&(_, margin)| margin).max().unwrap_or(0);
        let of = |&(action, margin): &(Action, i32)| ActionValue {
            action,
            value: Some(margin.into()),
            policy: None,
        };
        Ok(Analysis {
            unit: ValueUnit::Margin,
            value: value.into(),
            line: vec![chosen],
            actions: margins.iter().map(of).collect(),
            nodes: margins.len() as u64,
            depth: Some(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use mancala_env::{Giuthi, GiuthiRules, Kiothi, KiothiRules};

    use super::*;

    #[test]
    fn random_answers_depend_on_seed_position_and_history_alone() {
        let rules = GiuthiRules::new(8, 8).unwrap();
        let start = Position::<Giuthi>::initial(rules);
        let mut agent = RandomAgent::new();
        let mut game = |seed: u64| {
            Agent::<Giuthi>::new_game(&mut agent, seed);
            let mut position = start.clone();
            while !position.is_over() {
                let action = agent.act(&position).unwrap();
                assert_eq!(agent.act(&position).unwrap(), action, "asked twice");
                position.play(action).unwrap();
            }
            position
        };
        assert_eq!(game(1), game(1));
        assert_ne!(game(1), game(2));
        assert!(matches!(agent.act(&game_over()), Err(AgentError::GameOver { index: 0, .. })));
    }

    fn game_over() -> Position<Giuthi> {
        Position::read(GiuthiRules::new(2, 2).unwrap(), "0,0/0,0 4 4 p0 no-moves").unwrap()
    }

    #[test]
    fn random_actions_are_equally_likely() {
        let start = Position::<Giuthi>::initial(GiuthiRules::new(4, 4).unwrap());
        let mut agent = RandomAgent::new();
        let mut counts = [0; 8];
        for seed in 0..8000 {
            Agent::<Giuthi>::new_game(&mut agent, seed);
            counts[usize::from(agent.act(&start).unwrap())] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        let analysis = agent.analyze(&start).unwrap();
        assert!(analysis.actions.iter().all(|action| action.policy == Some(0.125)));
    }

    #[test]
    fn greedy_takes_what_it_can() {
        let rules = GiuthiRules::new(10, 9).unwrap();
        let start = Position::<Giuthi>::initial(rules);
        let mut agent = GreedyAgent::new();
        let analysis = agent.analyze(&start).unwrap();
        assert_eq!(analysis.value, 10.0, "the opener can score ten seeds at once");
        let best = start.state().parse_action("10ccw").unwrap();
        let mirror = start.state().parse_action("19cw").unwrap();
        let mut chosen: Vec<_> = (0..20)
            .map(|seed| {
                Agent::<Giuthi>::new_game(&mut agent, seed);
                agent.act(&start).unwrap()
            })
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!(chosen, [best, mirror], "both of the equals, and nothing else");
    }

    #[test]
    fn greedy_draws_when_behind() {
        // Every move is compared by what it leads to: the final margin at an end, 0 in a draw.
        for seed in 0..300 {
            let rules = GiuthiRules::new(2, 2).unwrap();
            let mut rng = stream(Stream::Agent, seed, 1, 2);
            let mut position = Position::<Giuthi>::initial(rules);
            let mut agent = GreedyAgent::new();
            while !position.is_over() {
                let mover = position.to_move();
                for action in agent.analyze(&position).unwrap().actions {
                    let mut after = position.clone();
                    after.play(action.action).unwrap();
                    let scores = after.scores().map(f64::from);
                    let margin = scores[mover.index()] - scores[mover.other().index()];
                    let is_draw = after.is_over() && after.end() != Some(mancala_env::End::NoMoves);
                    assert_eq!(action.value, Some(if is_draw { 0.0 } else { margin }));
                }
                position.play(random_action(position.state(), &mut rng).unwrap()).unwrap();
            }
        }
    }

    #[test]
    fn greedy_redistributes_at_random() {
        let start = Position::<Kiothi>::initial(KiothiRules::new(6, 5).unwrap());
        let mut boards = std::collections::HashSet::new();
        for seed in 0..10 {
            let mut agent = GreedyAgent::new();
            Agent::<Kiothi>::new_game(&mut agent, seed);
            let mut position = start.clone();
            while !position.state().counts_for_repetition() {
                position.play(agent.act(&position).unwrap()).unwrap();
            }
            boards.insert(position.write());
        }
        assert_eq!(boards.len(), 10);
    }
}
