//! Rules, notation, observations and vectorized environment of the relay-sowing mancalas
//! **Giuthi** and **Kiothi**.
//!
//! The layers, from the inside out:
//! - [`Game`]: a small `Copy` state that knows the rules and nothing else ([`Giuthi`], [`Kiothi`]);
//! - [`Position`]: a state with its history, so that it knows repetition and the outcome;
//! - [`VecEnv`]: many games side by side, the environment of reinforcement learning; [`BatchEngine`] steps large batches, [`Foreteller`]
//!   finds out in the same way what replies a move has;
//! - [`GameSpec`]: a game id with its options, the closed choice of games at the edge.
//!
//! ```
//! use mancala_env::{Game, Giuthi, GiuthiRules, Position};
//!
//! let mut position = Position::<Giuthi>::initial(GiuthiRules::new(10, 9).unwrap());
//! let action = position.state().parse_action("10ccw").unwrap();
//! let played = position.play(action).unwrap();
//! assert_eq!(played.captured, 10);
//! ```

mod batch;
mod features;
mod game;
mod giuthi;
mod kiothi;
mod notation;
mod observation;
mod opening;
mod perft;
mod position;
mod replies;
mod saved;
mod spec;
mod trace;
mod vec_env;

pub use batch::{BatchEngine, BatchGame, Foreteller};
pub use features::{ACTION_FEATURES, ActionInfo};
pub use game::{Action, Actions, End, Game, IllegalAction, MAX_LEGAL_ACTIONS, Played, Player};
pub use giuthi::{Capture, Direction, Giuthi, GiuthiRules, MAX_GIUTHI_SEEDS};
pub use kiothi::{Kiothi, KiothiRules, MAX_WARRIORS, Phase};
pub use notation::ParseError;
pub use opening::{Stream, random_action, random_opening, random_opening_actions, stream};
pub use perft::perft;
pub use position::Position;
pub use replies::Replies;
pub use saved::SavedError;
pub use spec::{AnyPosition, GameSpec, SpecError};
pub use trace::{Lap, Trace};
pub use vec_env::{
    ActionFeatures, Arrays, Buffers, Cell, RESULTS, RaggedFeatures, ResetOptions, VecEnv, VecEnvConfig,
    VecEnvError,
};
