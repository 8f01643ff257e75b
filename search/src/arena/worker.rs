//! How one thread plays its games of a match: many side by side, each agent asked about all of them at once.

use std::time::Instant;

use mancala_env::{Action, Game, Player, Position, Stream, stream};
use rand::Rng;

use super::openings::Opening;
use super::play::{Effort, MakeAgent, MatchError, MatchGame, MatchSettings, Side};
use crate::agent::{Agent, AgentError};
use crate::stop::Stop;

/// What every thread works with.
pub(super) struct Worker<'a, G: Game> {
    pub(super) a: MakeAgent<'a, G>,
    pub(super) b: MakeAgent<'a, G>,
    pub(super) settings: &'a MatchSettings,
    pub(super) openings: &'a [Opening<G>],
    /// Games that a thread plays side by side, at least 1.
    pub(super) at_a_time: usize,
}

/// A game being played.
struct Running<G: Game> {
    number: u32,
    a_plays: Player,
    position: Position<G>,
    actions: Vec<Action>,
    effort: [Effort; 2],
}

impl<G: Game> Running<G> {
    fn side_to_move(&self) -> Side {
        if self.position.to_move() == self.a_plays { Side::A } else { Side::B }
    }

    fn finish(self, opening_plies: u32) -> MatchGame {
        MatchGame::of(self.number, &self.position, self.actions, opening_plies, self.effort)
    }
}

impl<G: Game> Worker<'_, G> {
    /// Plays games side by side with agents of its own, as long as there is a `next`; [`MatchError::Stopped`] when it is to `stop`.
    pub(super) fn run(
        &self,
        next: &mut dyn FnMut() -> Option<u32>,
        on_game: &mut dyn FnMut(MatchGame),
        stop: &Stop,
    ) -> Result<(), MatchError> {
        let mut seeds = stream(Stream::Arena, self.settings.seed, 0, 1);
        let mut agents = Vec::with_capacity(2);
        for (side, make) in [(Side::A, self.a), (Side::B, self.b)] {
            let mut agent = make().map_err(|error| MatchError::Agent { side, error })?;
            agent.new_game(seeds.next_u64());
            agent.stop_when(stop);
            agents.push((side, agent));
        }
        let mut running = Vec::with_capacity(self.at_a_time);
        loop {
            for (side, agent) in &mut agents {
                while running.len() < self.at_a_time
                    && let Some(number) = next()
                {
                    running.push(self.begin(number));
                }
                if running.is_empty() {
                    return Ok(());
                }
                if stop.is_asked() {
                    return Err(MatchError::Stopped);
                }
                step(*side, agent.as_mut(), &mut running)?;
                self.collect(&mut running, on_game);
            }
        }
    }

    fn begin(&self, number: u32) -> Running<G> {
        let Opening { position, actions } = self.openings[number as usize / 2].clone();
        let a_plays = Player::from_index(number as usize % 2);
        Running { number, a_plays, position, actions, effort: [Effort::default(); 2] }
    }

    /// Takes out the games that are over.
    fn collect(&self, running: &mut Vec<Running<G>>, on_game: &mut dyn FnMut(MatchGame)) {
        let is_done = |game: &mut Running<G>| {
            game.position.is_over() || game.position.plies() >= self.settings.max_plies
        };
        for game in running.extract_if(.., is_done) {
            on_game(game.finish(self.settings.opening_plies));
        }
    }
}

/// Lets an agent act in all games in which it is to move.
fn step<G: Game>(side: Side, agent: &mut dyn Agent<G>, running: &mut [Running<G>]) -> Result<(), MatchError> {
    let mut games: Vec<_> = running.iter_mut().filter(|game| game.side_to_move() == side).collect();
    if games.is_empty() {
        return Ok(());
    }
    let positions: Vec<_> = games.iter().map(|game| &game.position).collect();
    let (nodes_before, start) = (agent.nodes(), Instant::now());
    let actions = agent.act_many(&positions).map_err(|error| match error {
        AgentError::Stopped => MatchError::Stopped,
        error => MatchError::Agent { side, error },
    })?;
    let share = 1.0 / games.len() as f64;
    let nodes = agent.nodes().zip(nodes_before).map(|(after, before)| (after - before) as f64 * share);
    let effort = Effort { moves: 1, seconds: start.elapsed().as_secs_f64() * share, nodes };
    if actions.len() != games.len() {
        let problem = format!("{} positions were asked about, {} answered", games.len(), actions.len());
        return Err(MatchError::Agent { side, error: AgentError::Failed(problem) });
    }
    for (game, action) in games.iter_mut().zip(actions) {
        let number = game.number;
        game.position.play(action).map_err(|error| MatchError::Illegal { side, game: number, error })?;
        game.actions.push(action);
        let spent = &mut game.effort[side as usize];
        *spent = spent.plus(effort);
    }
    Ok(())
}
