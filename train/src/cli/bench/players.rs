//! Who plays at random: the scalar rules in a plain loop, and the batch engine.

use mancala_env::{
    Arrays, BatchEngine, BatchGame, Game, Position, Stream, VecEnvConfig, VecEnvError, random_action, stream,
};
use rand::Rng;

/// The seed of all games.
const SEED: u64 = 1;
/// The scalar loop is timed on so many games at most: they stay in the processor's cache, and more are only slower.
const SCALAR_GAMES: usize = 64;

/// Games that are played on and on.
pub(super) trait Player {
    /// Plays so many moves in every game.
    fn play(&mut self, steps: usize) -> Result<(), VecEnvError>;
    /// Games, and so moves of a step.
    fn games(&self) -> usize;
}

/// The stream from which a game's actions are drawn: that of `sample_actions`.
pub(super) fn sampler(game: usize) -> impl Rng {
    stream(Stream::Sample, SEED, game as u64, 0)
}

/// One move by the scalar rules. A game that ends begins anew.
pub(super) fn play_move<G: Game>(position: &mut Position<G>, start: &Position<G>, sampler: &mut impl Rng) {
    if let Some(action) = random_action(position.state(), sampler) {
        position.play_unchecked(action);
    }
    if position.is_over() {
        position.clone_from(start);
    }
}

/// The plain loop, over the first games of a batch.
pub(super) fn scalar<G: Game>(rules: G::Rules, batch: usize) -> impl Player {
    let start = Position::<G>::initial(rules);
    let games = (0..batch.min(SCALAR_GAMES)).map(|game| (start.clone(), sampler(game))).collect();
    Scalar { start, games }
}

struct Scalar<G: Game, R> {
    start: Position<G>,
    games: Vec<(Position<G>, R)>,
}

impl<G: Game, R: Rng> Player for Scalar<G, R> {
    fn play(&mut self, steps: usize) -> Result<(), VecEnvError> {
        for _ in 0..steps {
            for (position, sampler) in &mut self.games {
                play_move(position, &self.start, sampler);
            }
        }
        Ok(())
    }

    fn games(&self) -> usize {
        self.games.len()
    }
}

/// The batch engine.
pub(super) struct Batch<G: BatchGame> {
    engine: BatchEngine<G>,
    actions: Vec<i64>,
    /// What is told of each step; nothing if `None`.
    arrays: Option<Arrays<f32>>,
}

impl<G: BatchGame> Batch<G> {
    /// A batch by the rules alone.
    pub(super) fn silent(rules: G::Rules, games: usize, threads: usize) -> Result<Self, VecEnvError> {
        let config = VecEnvConfig { num_envs: games, seed: SEED, threads, ..Default::default() };
        let engine = BatchEngine::new(rules, config)?;
        Ok(Self { engine, actions: vec![0; games], arrays: None })
    }

    /// A batch whose every step fills all arrays.
    pub(super) fn observing(rules: G::Rules, games: usize, threads: usize) -> Result<Self, VecEnvError> {
        let arrays = Arrays::new(games, G::observation_len(&rules), G::num_actions(&rules));
        Ok(Self { arrays: Some(arrays), ..Self::silent(rules, games, threads)? })
    }

    /// The engine's method by which it plays.
    pub(super) fn way(&self) -> &'static str {
        if self.arrays.is_some() { "step" } else { "advance" }
    }

    /// Where the games stand, in order.
    pub(super) fn positions(&self) -> impl Iterator<Item = Position<G>> {
        self.engine.positions()
    }

    /// The first game whose observation or mask is not that of its position.
    pub(super) fn first_misshown(&self) -> Option<usize> {
        let arrays = self.arrays.as_ref()?;
        let (cells, actions) = (G::observation_len(self.engine.rules()), G::num_actions(self.engine.rules()));
        let mut observation = vec![0.0; cells];
        let mut rows = arrays.observations.chunks(cells).zip(arrays.action_mask.chunks(actions));
        self.positions().position(|position| {
            position.observe(&mut observation);
            let legal = position.legal_actions();
            !rows.next().is_some_and(|(shown, mask)| {
                let shown_legal = (0..).zip(mask).filter(|(_, legal)| **legal).map(|(action, _)| action);
                shown == observation && legal.iter().copied().eq(shown_legal)
            })
        })
    }

    #[cfg(test)]
    pub(super) fn arrays(&mut self) -> &mut Arrays<f32> {
        self.arrays.as_mut().expect("a batch that observes")
    }
}

impl<G: BatchGame> Player for Batch<G> {
    fn play(&mut self, steps: usize) -> Result<(), VecEnvError> {
        for _ in 0..steps {
            self.engine.sample_actions(&mut self.actions)?;
            match &mut self.arrays {
                None => self.engine.advance(&self.actions)?,
                Some(arrays) => self.engine.step(&self.actions, &mut arrays.buffers())?,
            }
        }
        Ok(())
    }

    fn games(&self) -> usize {
        self.engine.num_envs()
    }
}
