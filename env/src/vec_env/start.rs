//! How episodes begin.

use rand::Rng;

use super::config::VecEnvConfig;
use crate::game::{Action, Game};
use crate::opening::{Stream, random_opening, random_opening_actions, stream};
use crate::position::Position;

/// Draws the start of episode `episode` of game `game` from the stream of (seed, game, episode): the first player, if that
/// is drawn at all, then the opening.
#[derive(Clone, Debug)]
pub(crate) struct Starts<G: Game> {
    /// The start position with Player 0 to move.
    zero_first: Position<G>,
    /// The start position with Player 1 to move, if the first player is drawn.
    one_first: Option<Position<G>>,
    opening_plies: u32,
}

/// Which episode of which game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Episode {
    pub(crate) seed: u64,
    pub(crate) game: u64,
    pub(crate) number: u64,
}

impl<G: Game> Starts<G> {
    pub(crate) fn new(rules: G::Rules, config: &VecEnvConfig) -> Self {
        let one_first = || Position::from_state(rules, G::initial(&rules).swapped());
        Self {
            zero_first: Position::initial(rules),
            one_first: config.random_first_player.then(one_first),
            opening_plies: config.random_opening_plies,
        }
    }

    /// The first player's start, and the rest of the stream.
    fn begin(&self, episode: Episode) -> (&Position<G>, impl Rng + use<G>) {
        let mut rng = stream(Stream::Episode, episode.seed, episode.game, episode.number);
        let start = match &self.one_first {
            Some(one_first) if rng.next_u32() & 1 == 1 => one_first,
            _ => &self.zero_first,
        };
        (start, rng)
    }

    fn is_plain(&self) -> bool {
        self.opening_plies == 0 && self.one_first.is_none()
    }

    /// The start of an episode; `None` if [`random_opening`] gives up.
    pub(crate) fn draw(&self, episode: Episode) -> Option<Position<G>> {
        if self.is_plain() {
            return Some(self.zero_first.clone());
        }
        let (start, mut rng) = self.begin(episode);
        random_opening(start, self.opening_plies, &mut rng)
    }

    /// As [`draw_until_found`](Self::draw_until_found): the start before the opening, and the opening's actions.
    pub(crate) fn draw_recorded(&self, episode: Episode) -> (&Position<G>, Vec<Action>) {
        if self.is_plain() {
            return (&self.zero_first, Vec::new());
        }
        let (start, mut rng) = self.begin(episode);
        loop {
            if let Some((_, actions)) = random_opening_actions(start, self.opening_plies, &mut rng) {
                return (start, actions);
            }
        }
    }

    /// As [`draw`](Self::draw): the start before the opening, and the opening's actions.
    pub(crate) fn try_draw_recorded(&self, episode: Episode) -> Option<(&Position<G>, Vec<Action>)> {
        if self.is_plain() {
            return Some((&self.zero_first, Vec::new()));
        }
        let (start, mut rng) = self.begin(episode);
        random_opening_actions(start, self.opening_plies, &mut rng).map(|(_, actions)| (start, actions))
    }

    /// The start of an episode of an environment that has been made: it never gives up.
    ///
    /// Where [`draw`](Self::draw) finds an opening this is the same one. Where it gives up, drawing goes on from the same stream.
    /// That ends: an environment is only made after `draw` has found an opening for every game, so that openings of that
    /// many plies exist (from either start: they mirror each other), and each try finds one with the same probability.
    pub(crate) fn draw_until_found(&self, episode: Episode) -> Position<G> {
        if self.is_plain() {
            return self.zero_first.clone();
        }
        let (start, mut rng) = self.begin(episode);
        loop {
            if let Some(position) = random_opening(start, self.opening_plies, &mut rng) {
                return position;
            }
        }
    }
}
