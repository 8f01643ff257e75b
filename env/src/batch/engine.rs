//! The engine over all games of a batch.

use super::chunk::Chunk;
use super::giuthi::GiuthiKind;
use super::isa::Level;
use crate::game::{End, Game};
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::position::Position;
use crate::vec_env::{Starts, VecEnvConfig};

/// What the engine asks of a chunk, whatever the size of its boards.
trait Lockstep<G: Game>: Send {
    fn sample(&mut self, out: &mut [i64]);
    fn check(&mut self, actions: &[i64]) -> bool;
    fn advance(&mut self);
    fn position(&self, game: usize) -> Position<G>;
    fn ended(&self, tell: &mut dyn FnMut(usize, &G, Option<End>, u32));
}

/// Many games in lockstep.
pub struct BatchEngine<G: Game> {
    chunk: Box<dyn Lockstep<G>>,
    games: usize,
}

impl<const P: usize> Lockstep<Giuthi> for Chunk<GiuthiKind, P> {
    fn sample(&mut self, out: &mut [i64]) {
        Chunk::sample(self, out);
    }
    fn check(&mut self, actions: &[i64]) -> bool {
        Chunk::check(self, actions)
    }
    fn advance(&mut self) {
        Chunk::advance(self);
    }
    fn position(&self, game: usize) -> Position<Giuthi> {
        Chunk::position(self, game)
    }
    fn ended(&self, tell: &mut dyn FnMut(usize, &Giuthi, Option<End>, u32)) {
        for ended in &self.ended {
            tell(ended.game, &ended.state, ended.end, ended.plies);
        }
    }
}

impl BatchEngine<Giuthi> {
    /// Tmp.
    pub fn new(rules: GiuthiRules, config: VecEnvConfig) -> Self {
        Self::at(rules, config, Level::detect())
    }

    pub(super) fn at(rules: GiuthiRules, config: VecEnvConfig, level: Level) -> Self {
        let starts = Starts::<Giuthi>::new(rules, &config);
        let games = config.num_envs;
        macro_rules! sizes {
            ($($n:literal)*) => {
                match 2 * rules.pits() {
                    $($n => Box::new(Chunk::<GiuthiKind, $n>::new(rules, level, &starts, config.max_plies, config.seed, 0, games)) as Box<dyn Lockstep<Giuthi>>,)*
                    _ => unreachable!(),
                }
            };
        }
        Self { chunk: sizes!(6 10 16), games }
    }

    /// Tmp.
    pub fn sample_actions(&mut self, out: &mut [i64]) {
        self.chunk.sample(out);
    }

    /// Tmp.
    pub fn step(&mut self, actions: &[i64]) {
        assert!(self.chunk.check(actions));
        self.chunk.advance();
    }

    /// Tmp.
    pub fn positions(&self) -> impl Iterator<Item = Position<Giuthi>> {
        (0..self.games).map(|game| self.chunk.position(game))
    }

    /// Tmp.
    pub fn ended(&self, tell: &mut dyn FnMut(usize, &Giuthi, Option<End>, u32)) {
        self.chunk.ended(tell);
    }
}
