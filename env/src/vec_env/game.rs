//! One game of an environment.

use rand_chacha::ChaCha8Rng;

use super::buffers::{Buffers, Cell};
use super::config::ResetOptions;
use super::saved::SavedGame;
use super::start::{Episode, Starts};
use crate::game::{Action, Game};
use crate::opening::{Stream, random_action, stream};
use crate::position::Position;

/// A game with its episode and its sampler.
#[derive(Clone, Debug)]
pub(super) struct EnvGame<G: Game> {
    position: Position<G>,
    /// Plies of the opening, which the position counts too.
    opening_plies: u32,
    episode: Episode,
    /// Neither reset nor stepped yet: a reset without a seed begins this very episode.
    untouched: bool,
    sampler: ChaCha8Rng,
}

fn sampler(episode: Episode) -> ChaCha8Rng {
    stream(Stream::Sample, episode.seed, episode.game, 0)
}

impl<G: Game> EnvGame<G> {
    pub(super) fn new(episode: Episode, position: Position<G>) -> Self {
        let opening_plies = position.plies();
        Self { position, opening_plies, episode, untouched: true, sampler: sampler(episode) }
    }

    pub(super) fn position(&self) -> &Position<G> {
        &self.position
    }

    /// The episode that a reset begins.
    pub(super) fn next_episode(&self, options: &ResetOptions<'_>) -> Episode {
        options.episode(self.episode, self.untouched)
    }

    pub(super) fn begin(&mut self, episode: Episode, position: Position<G>, resample: bool) {
        self.opening_plies = position.plies();
        self.position = position;
        self.episode = episode;
        self.untouched = false;
        if resample {
            self.sampler = sampler(episode);
        }
    }

    /// Plays a legal action, begins the next episode if that ends this one, and writes row `i`.
    pub(super) fn step<T: Cell>(
        &mut self,
        action: Action,
        starts: &Starts<G>,
        max_plies: Option<u32>,
        i: usize,
        buffers: &mut Buffers<'_, T>,
    ) {
        let mover = self.position.to_move();
        let played = self.position.play_unchecked(action);
        self.untouched = false;
        let plies = self.position.plies() - self.opening_plies;
        let terminated = self.position.is_over();
        let truncated = !terminated && max_plies.is_some_and(|most| plies >= most);
        let returns = self.position.returns();
        buffers.rewards[i] = returns[mover.index()];
        buffers.returns[2 * i..][..2].copy_from_slice(&returns);
        buffers.terminated[i] = terminated;
        buffers.truncated[i] = truncated;
        buffers.passed[i] = played.passed;
        if terminated || truncated {
            buffers.write_final(i, &self.position, plies);
            let next = self.next_episode(&ResetOptions::default());
            self.begin(next, starts.draw_until_found(next).position(), false);
        } else {
            buffers.clear_final(i, G::observation_len(self.position.rules()));
        }
        buffers.write_position(i, &self.position);
    }

    pub(super) fn saved(&self) -> SavedGame<G> {
        SavedGame {
            position: self.position.clone(),
            opening_plies: self.opening_plies,
            episode: self.episode,
            untouched: self.untouched,
            sampled: self.sampler.get_word_pos() as u64,
        }
    }

    pub(super) fn restored(saved: SavedGame<G>) -> Self {
        let SavedGame { position, opening_plies, episode, untouched, sampled } = saved;
        let mut sampler = sampler(episode);
        sampler.set_word_pos(sampled.into());
        Self { position, opening_plies, episode, untouched, sampler }
    }

    pub(super) fn sample_action(&mut self) -> i64 {
        let action = random_action(self.position.state(), &mut self.sampler);
        action.expect("no game of an environment is over").into()
    }
}
