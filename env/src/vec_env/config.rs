//! What an environment is made of, how a reset is asked for, and what can be wrong.

use crate::game::{End, Game, IllegalAction};
use crate::giuthi::Giuthi;
use crate::notation::ParseError;
use crate::position::Position;
use crate::saved::SavedError;

use super::start::Episode;

/// What a [`VecEnv`](super::VecEnv) is made of; [`Default`] is one plain game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VecEnvConfig {
    /// Games played side by side, at least 1.
    pub num_envs: usize,
    /// The seed of every game until a reset gives another.
    pub seed: u64,
    /// An episode that has gone on for so many plies, those of its opening not counted, is truncated; at least 1.
    pub max_plies: Option<u32>,
    /// Random plies played before an episode begins.
    pub random_opening_plies: u32,
    /// Player 1 begins every other episode, by lot (Giuthi only).
    pub random_first_player: bool,
    /// Threads that share the games, 64 and more to a thread, at least 1. The games are the same whatever their number.
    pub threads: usize,
}

impl Default for VecEnvConfig {
    fn default() -> Self {
        Self {
            num_envs: 1,
            seed: 0,
            max_plies: None,
            random_opening_plies: 0,
            random_first_player: false,
            threads: 1,
        }
    }
}

/// How a reset begins its games; [`Default`] begins the next episode of every game.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResetOptions<'a> {
    /// The games begin episode 0 of this seed, and their samplers begin anew; without a seed the games go on to their
    /// next episode (those never played to their first).
    pub seed: Option<u64>,
    /// Which games are reset, shape `(num_envs,)`; all without it.
    pub mask: Option<&'a [bool]>,
    /// Position texts to begin from, shape `(num_envs,)`; `None` begins as usual. Those of games that are not reset are not
    /// looked at. Such an episode has neither a random opening nor a random first player.
    pub positions: Option<&'a [Option<String>]>,
}

impl ResetOptions<'_> {
    /// Refuses arrays of the wrong length.
    pub(crate) fn check(&self, num_envs: usize) -> Result<(), VecEnvError> {
        for (array, found) in
            [("reset_mask", self.mask.map(<[_]>::len)), ("positions", self.positions.map(<[_]>::len))]
        {
            VecEnvError::check_len(array, num_envs, found.unwrap_or(num_envs))?;
        }
        Ok(())
    }

    /// The games that are reset, ascending.
    pub(crate) fn envs(&self, num_envs: usize) -> impl Iterator<Item = usize> {
        (0..num_envs).filter(|&env| self.mask.is_none_or(|mask| mask[env]))
    }

    /// The episode that a game begins after `last`, which may be `untouched`: shown and not yet played.
    pub(crate) fn episode(&self, last: Episode, untouched: bool) -> Episode {
        match self.seed {
            Some(seed) => Episode { seed, number: 0, ..last },
            None if untouched => last,
            None => Episode { number: last.number + 1, ..last },
        }
    }

    /// The position that game `env` is to begin from, if one is given.
    pub(crate) fn position<G: Game>(
        &self,
        env: usize,
        rules: &G::Rules,
    ) -> Result<Option<Position<G>>, VecEnvError> {
        let Some(text) = self.positions.and_then(|positions| positions[env].as_deref()) else {
            return Ok(None);
        };
        let position = Position::read(*rules, text).map_err(|error| VecEnvError::Position { env, error })?;
        match position.end() {
            Some(end) => Err(VecEnvError::Finished { env, text: position.write(), end }),
            None => Ok(Some(position)),
        }
    }
}

/// Why an environment refuses something. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VecEnvError {
    /// An option has no such value.
    #[error("option {option}: {problem}")]
    Config {
        /// The option's name, as `max_plies`.
        option: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// No random opening leaves the game unfinished.
    #[error(
        "option random_opening_plies={plies}: ten thousand random openings ended the game of env {env} before its first move"
    )]
    Opening {
        /// Which game.
        env: usize,
        /// The option as given.
        plies: u32,
    },
    /// An action that cannot be played.
    #[error("env {env}: {error}")]
    Action {
        /// Which game.
        env: usize,
        /// Why it cannot.
        #[source]
        error: IllegalAction,
    },
    /// A text to begin from is no position.
    #[error("env {env}: {error}")]
    Position {
        /// Which game.
        env: usize,
        /// What is wrong with it.
        #[source]
        error: ParseError,
    },
    /// A position to begin from is one of a finished game.
    #[error("env {env}: position {text:?}: the game is over ({})", .end.word())]
    Finished {
        /// Which game.
        env: usize,
        /// The position, settled.
        text: String,
        /// How it ended.
        end: End,
    },
    /// A saved state cannot be restored.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// An array has the wrong length.
    #[error("{array}: expected {expected} cells, found {found}")]
    Length {
        /// The array's name.
        array: &'static str,
        /// Cells it must have.
        expected: usize,
        /// Cells it has.
        found: usize,
    },
}

impl VecEnvError {
    /// Refuses an array of the wrong length.
    pub(crate) fn check_len(array: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self::Length { array, expected, found }) }
    }
}

/// Refuses options that have no such value.
pub(crate) fn check_config<G: Game>(config: &VecEnvConfig) -> Result<(), VecEnvError> {
    let refuse = |option, problem: &str| Err(VecEnvError::Config { option, problem: problem.into() });
    if config.num_envs == 0 {
        return refuse("num_envs", "there must be at least one game");
    }
    if config.threads == 0 {
        return refuse("threads", "there must be at least one thread");
    }
    if config.max_plies == Some(0) {
        return refuse("max_plies", "an episode has at least one ply");
    }
    if config.random_first_player && G::NAME != Giuthi::NAME {
        return refuse("random_first_player", "in kiothi Player 0 begins; only giuthi has this option");
    }
    Ok(())
}
