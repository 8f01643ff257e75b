//! Matches between agents: openings, paired games, and what the results mean.

mod openings;
mod play;
mod statistics;
#[cfg(test)]
mod tests;

pub use openings::{Opening, TooFewOpenings, openings};
pub use play::{MakeAgent, MatchError, MatchGame, MatchSettings, Side, play_match};
pub use statistics::{MatchResult, elo};
