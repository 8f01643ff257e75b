//! The games of a match as they come in, and what they say together.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::play::{Effort, MatchGame};
use super::sprt::{Sprt, Verdict};
use super::statistics::{MatchResult, Pentanomial};

/// Counts the games of a match, in their order and by whole pairs, whatever the order they come in. With a test it counts to
/// the pair that decides it: so many are counted whatever else was played meanwhile.
#[derive(Debug)]
pub struct Tally {
    /// How many are asked for.
    len: u32,
    games: BTreeMap<u32, MatchGame>,
    pairs: Vec<[f64; 2]>,
    kinds: Pentanomial,
    sprt: Option<Sprt>,
    verdict: Option<Verdict>,
}

/// A match in the view of agent A.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchSummary {
    /// The score.
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
        let (kinds, pairs) = (Pentanomial::default(), Vec::new());
        Self { len: games, games: BTreeMap::new(), pairs, kinds, sprt, verdict: None }
    }

    /// Whether the match needs this game and does not have it.
    pub fn wants(&self, number: u32) -> bool {
        !self.is_decided() && number < self.len && !self.games.contains_key(&number)
    }

    /// Whether the test has decided, so that no more games are needed.
    pub fn is_decided(&self) -> bool {
        self.verdict.is_some()
    }

    /// One more game; one that the match does not ask for is left out.
    pub fn add(&mut self, game: MatchGame) {
        if game.game < self.len {
            self.games.insert(game.game, game);
        }
        let points = |number: usize| Some(self.games.get(&(number as u32))?.a_points);
        while let (None, Some(one), Some(two)) =
            (self.verdict, points(2 * self.pairs.len()), points(2 * self.pairs.len() + 1))
        {
            let pair = [one, two];
            self.pairs.push(pair);
            self.kinds.add(pair);
            self.verdict = self.sprt.and_then(|sprt| sprt.verdict(&self.kinds));
        }
    }

    /// What the counted games say.
    pub fn summary(&self) -> MatchSummary {
        let counted: Vec<_> = self.games.range(..2 * self.pairs.len() as u32).map(|(_, game)| game).collect();
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
