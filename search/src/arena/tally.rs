//! The games of a match as they come in, and what they say together.

use std::collections::HashSet;

use serde::Serialize;

use super::play::{Effort, MatchGame};
use super::sprt::{Sprt, Verdict};
use super::statistics::{MatchResult, Pentanomial};

/// Counts the games of a match, in their order and by whole pairs, whatever the order they come in. With a test it counts to
/// the pair that decides it: so many are counted whatever else was played meanwhile.
#[derive(Debug)]
pub struct Tally {
    games: Vec<Option<MatchGame>>,
    pairs: Vec<[f64; 2]>,
    kinds: Pentanomial,
    sprt: Option<Sprt>,
    verdict: Option<Verdict>,
}

/// A match in the view of agent A.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchSummary {
    /// The score.
    #[serde(flatten)]
    pub result: MatchResult,
    /// The pairs by A's points in both games.
    pub pentanomial: Pentanomial,
    /// Games that are, action by action, another one of the match.
    pub duplicates: u32,
    /// What A and B spent.
    pub effort: [Effort; 2],
    /// The test, if there was one.
    pub sprt: Option<SprtSummary>,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtSummary {
    /// The log likelihood ratio.
    pub llr: f64,
    /// At or below this `elo0` is taken for true.
    pub lower: f64,
    /// At or above this `elo1` is taken for true.
    pub upper: f64,
    /// Which is; `None` if the games did not decide it.
    pub decision: Option<Verdict>,
}

impl Tally {
    /// A match of so many games at most, with a test that may end it.
    pub fn new(games: u32, sprt: Option<Sprt>) -> Self {
        let games = vec![None; games as usize];
        Self { games, pairs: Vec::new(), kinds: Pentanomial::default(), sprt, verdict: None }
    }

    /// Whether the match needs this game and does not have it.
    pub fn wants(&self, number: u32) -> bool {
        !self.is_decided() && self.games.get(number as usize).is_some_and(Option::is_none)
    }

    /// Whether the test has decided, so that no more games are needed.
    pub fn is_decided(&self) -> bool {
        self.verdict.is_some()
    }

    /// Games that were played.
    pub fn played(&self) -> u32 {
        self.games.iter().flatten().count() as u32
    }

    /// One more game; one that the match does not ask for is left out.
    pub fn add(&mut self, game: MatchGame) {
        let number = game.game as usize;
        if let Some(slot) = self.games.get_mut(number) {
            *slot = Some(game);
        }
        while let (None, Some([Some(one), Some(two)])) =
            (self.verdict, self.games.as_chunks::<2>().0.get(self.pairs.len()))
        {
            let pair = [one.a_points, two.a_points];
            self.pairs.push(pair);
            self.kinds.add(pair);
            self.verdict = self.sprt.and_then(|sprt| sprt.verdict(&self.kinds));
        }
    }

    /// What the counted games say.
    pub fn summary(&self) -> MatchSummary {
        let counted: Vec<_> = self.games[..2 * self.pairs.len()].iter().flatten().collect();
        let distinct: HashSet<_> = counted.iter().map(|game| &game.actions).collect();
        let spent =
            |side: usize| counted.iter().fold(Effort::default(), |spent, game| spent.plus(game.effort[side]));
        MatchSummary {
            result: MatchResult::of_pairs(&self.pairs),
            pentanomial: self.kinds,
            duplicates: (counted.len() - distinct.len()) as u32,
            effort: [spent(0), spent(1)],
            sprt: self.sprt.map(|sprt| {
                let [lower, upper] = sprt.bounds();
                SprtSummary { llr: sprt.llr(&self.kinds), lower, upper, decision: self.verdict }
            }),
        }
    }
}
