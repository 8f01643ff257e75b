//! How episodes begin.

use rand::Rng;

use super::config::VecEnvConfig;
use crate::game::{Action, Game};
use crate::opening::{Stream, random_opening_actions, stream};
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

    /// The start of an episode; `None` if [`random_opening_actions`] gives up.
    pub(crate) fn draw(&self, episode: Episode) -> Option<Drawn<'_, G>> {
        self.draw_within(episode, 1)
    }

    /// The start of an episode of an environment that has been made: it never gives up.
    ///
    /// Where [`draw`](Self::draw) finds an opening this is the same one. Where it gives up, drawing goes on from the same stream.
    /// That ends: an environment is only made after `draw` has found an opening for every game, so that openings of that
    /// many plies exist (from either start: they mirror each other), and each try finds one with the same probability.
    pub(crate) fn draw_until_found(&self, episode: Episode) -> Drawn<'_, G> {
        self.draw_within(episode, usize::MAX).expect("there are openings of that many plies")
    }

    fn draw_within(&self, episode: Episode, tries: usize) -> Option<Drawn<'_, G>> {
        if self.opening_plies == 0 && self.one_first.is_none() {
            return Some(Drawn { start: &self.zero_first, opening: None });
        }
        let (start, mut rng) = self.begin(episode);
        let opening = (0..tries).find_map(|_| random_opening_actions(start, self.opening_plies, &mut rng))?;
        Some(Drawn { start, opening: Some(opening) })
    }
}

/// Where an episode begins.
pub(crate) struct Drawn<'a, G: Game> {
    /// The position before the opening.
    start: &'a Position<G>,
    /// The position after the opening, and its actions.
    opening: Option<(Position<G>, Vec<Action>)>,
}

impl<'a, G: Game> Drawn<'a, G> {
    /// The position after the opening.
    pub(crate) fn position(self) -> Position<G> {
        self.opening.map_or_else(|| self.start.clone(), |(position, _)| position)
    }

    /// The position before the opening, and the opening's actions.
    pub(crate) fn recorded(self) -> (&'a Position<G>, Vec<Action>) {
        (self.start, self.opening.map_or_else(Vec::new, |(_, actions)| actions))
    }
}
