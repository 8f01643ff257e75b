//! Whether the batch engine has played the games that the scalar rules play.

use std::hash::{Hash, Hasher};

use mancala_env::{BatchGame, Game, Position, VecEnvError};

use super::players::{Batch, Player, play_move, sampler};

/// Moves that are played to be compared, all games together, and the most in one game.
const CHECK_MOVES: usize = 8_000_000;
const CHECK_STEPS: usize = 10_000;

/// The steps after which a batch is compared, at least one.
pub(super) fn check_steps(batch: usize) -> usize {
    (CHECK_MOVES / batch).clamp(1, CHECK_STEPS)
}

/// Where the games of a batch have to stand after some steps.
pub(super) struct Reference<G: Game> {
    rules: G::Rules,
    steps: usize,
    /// A digest for each game: positions would take forty times the room.
    digests: Vec<u64>,
}

impl<G: BatchGame> Reference<G> {
    /// Plays the games by the scalar rules, one after the other.
    pub(super) fn play(rules: G::Rules, games: usize, steps: usize) -> Self {
        let digests = (0..games).map(|game| digest(&play_game::<G>(rules, game, steps))).collect();
        Self { rules, steps, digests }
    }

    /// Board size and options.
    pub(super) fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// One number for all games in order.
    pub(super) fn checksum(&self) -> u64 {
        checksum(&self.digests)
    }

    /// Plays a new batch for as many steps, and says where it then differs, if it does.
    pub(super) fn compare(&self, batch: &mut Batch<G>) -> Result<Option<String>, VecEnvError> {
        batch.play(self.steps)?;
        let who = format!("the batch engine ({}, {} games)", batch.way(), batch.games());
        let shown = || {
            let game = batch.first_misshown()?;
            let game_id = G::id(&self.rules);
            Some(format!(
                "{game_id}: after {} steps {who} shows game {game} as it does not stand",
                self.steps
            ))
        };
        Ok(self.difference(&who, batch.positions()).or_else(shown))
    }

    /// Says which game differs first, if their checksums do.
    fn difference(&self, who: &str, positions: impl Iterator<Item = Position<G>>) -> Option<String> {
        let positions: Vec<_> = positions.collect();
        let digests: Vec<_> = positions.iter().map(digest).collect();
        if checksum(&digests) == self.checksum() {
            return None;
        }
        let alike = digests.iter().zip(&self.digests).take_while(|(ours, theirs)| ours == theirs).count();
        let place = |position: Option<&Position<G>>| position.map_or("nowhere".into(), describe);
        let expected = self.digests.get(alike).map(|_| play_game::<G>(self.rules, alike, self.steps));
        Some(format!(
            "{}: after {} steps game {alike} is the first that differs: the scalar loop has it at {}, {who} at {}",
            G::id(&self.rules),
            self.steps,
            place(expected.as_ref()),
            place(positions.get(alike))
        ))
    }
}

/// Plays a game for some steps.
fn play_game<G: Game>(rules: G::Rules, game: usize, steps: usize) -> Position<G> {
    let start = Position::initial(rules);
    let (mut position, mut sampler) = (start.clone(), sampler(game));
    for _ in 0..steps {
        play_move(&mut position, &start, &mut sampler);
    }
    position
}

fn describe<G: Game>(position: &Position<G>) -> String {
    let (text, plies, history) = (position.write(), position.plies(), position.history().len());
    format!("{text:?} ({plies} plies, a history of {history})")
}

/// 64 bits of state, plies and history.
fn digest<G: Game>(position: &Position<G>) -> u64 {
    let mut hash = Fnv::default();
    position.state().hash(&mut hash);
    position.plies().hash(&mut hash);
    position.history().hash(&mut hash);
    hash.finish()
}

fn checksum(digests: &[u64]) -> u64 {
    let mut hash = Fnv::default();
    digests.hash(&mut hash);
    hash.finish()
}

/// FNV-1a: the standard library's hash may change with the compiler, and with it what the table prints.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mancala_env::{Giuthi, GiuthiRules, Kiothi, KiothiRules};

    const WHO: &str = "the other";

    fn reference(games: usize, steps: usize) -> Reference<Giuthi> {
        Reference::play(GiuthiRules::new(5, 4).unwrap(), games, steps)
    }

    /// The games of the reference, played once more.
    fn positions(reference: &Reference<Giuthi>) -> Vec<Position<Giuthi>> {
        let games = 0..reference.digests.len();
        games.map(|game| play_game(reference.rules, game, reference.steps)).collect()
    }

    #[test]
    fn the_same_games_agree() {
        let reference = reference(70, 90);
        assert_eq!(reference.difference(WHO, positions(&reference).into_iter()), None);
    }

    #[test]
    fn the_first_game_that_differs_is_named() {
        let reference = reference(70, 90);
        let mut positions = positions(&reference);
        let expected = describe(&positions[17]);
        positions[17] = play_game(reference.rules, 17, 91);
        positions[40] = play_game(reference.rules, 41, 90);
        let difference = reference.difference(WHO, positions.clone().into_iter()).unwrap();
        let found = describe(&positions[17]);
        let start = "giuthi-5x4: after 90 steps game 17 is the first that differs: ";
        assert_eq!(difference, format!("{start}the scalar loop has it at {expected}, {WHO} at {found}"));
    }

    #[test]
    fn another_history_is_another_game() {
        let reference = reference(70, 90);
        let mut positions = positions(&reference);
        let long = positions.iter().position(|position| position.history().len() > 1).unwrap();
        let position = &positions[long];
        positions[long] =
            Position::with_history(reference.rules, *position.state(), &position.history()[1..]);
        let difference = reference.difference(WHO, positions.into_iter()).unwrap();
        assert!(difference.contains(&format!(" game {long} ")), "{difference}");
    }

    #[test]
    fn games_that_change_places_or_are_missing_differ() {
        let reference = reference(70, 90);
        let mut positions = positions(&reference);
        positions.swap(3, 4);
        assert!(reference.difference(WHO, positions.clone().into_iter()).unwrap().contains(" game 3 "));
        positions.swap(3, 4);
        positions.pop();
        let difference = reference.difference(WHO, positions.into_iter()).unwrap();
        assert!(difference.contains(" game 69 ") && difference.ends_with("at nowhere"), "{difference}");
    }

    fn compare<G: BatchGame>(rules: G::Rules) {
        let reference = Reference::<G>::play(rules, 130, 120);
        for threads in [1, 2] {
            let mut silent = Batch::silent(rules, 130, threads).unwrap();
            assert_eq!(reference.compare(&mut silent).unwrap(), None);
            let mut observing = Batch::observing(rules, 130, threads).unwrap();
            assert_eq!(reference.compare(&mut observing).unwrap(), None);
            // One step more, and none stands where it should.
            let difference = reference.compare(&mut silent).unwrap().unwrap();
            assert!(difference.contains("game 0 is the first that differs"), "{difference}");
            assert!(difference.contains("the batch engine (advance, 130 games)"), "{difference}");
        }
    }

    #[test]
    fn the_engine_plays_the_games_of_the_scalar_rules() {
        compare::<Giuthi>(GiuthiRules::new(8, 8).unwrap());
        compare::<Kiothi>(KiothiRules::new(3, 3).unwrap());
    }

    #[test]
    fn arrays_that_show_something_else_are_seen() {
        let rules = GiuthiRules::new(5, 4).unwrap();
        let mut batch = Batch::<Giuthi>::observing(rules, 70, 1).unwrap();
        batch.play(30).unwrap();
        assert_eq!(batch.first_misshown(), None);
        let mask = &mut batch.arrays().action_mask[10 * 66 + 3];
        *mask = !*mask;
        assert_eq!(batch.first_misshown(), Some(66));
        batch.arrays().observations[15 * 20 + 14] += 1.0;
        assert_eq!(batch.first_misshown(), Some(20));
    }

    #[test]
    fn few_games_are_compared_for_long_and_many_at_least_once() {
        assert_eq!(check_steps(1), CHECK_STEPS);
        assert_eq!(check_steps(4096) * 4096 / 1_000_000, 7);
        assert_eq!(check_steps(usize::MAX), 1);
    }
}
