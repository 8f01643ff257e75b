//! Matches between agents: openings, paired games, results files, and what the results mean.

mod openings;
mod play;
mod ratings;
mod results;
mod sprt;
mod statistics;
mod tally;
#[cfg(test)]
mod tests;
mod worker;

pub use openings::{Opening, TooFewOpenings, openings};
pub use play::{
    Effort, MakeAgent, MatchError, MatchGame, MatchSettings, Side, play_games, play_games_until, play_match,
};
pub use ratings::{RatedPair, Rating, Ratings, RatingsError, rate};
pub use results::{MatchId, ResultsError, ResultsFile, ResultsGame, read_results};
pub use sprt::{Sprt, Verdict};
pub use statistics::{MatchResult, Pentanomial, elo, expected_score};
pub use tally::{MatchSummary, SprtSummary, Tally};
