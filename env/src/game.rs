//! What a game is: a small state, its legal actions and what an action does.

use std::fmt::Debug;
use std::hash::Hash;

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use crate::batch::ForetellReplies;
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::Kiothi;
use crate::notation::ParseError;
use crate::position::Position;
use crate::trace::Trace;

/// An action number, relative to the player to move; the tables stand with each game.
pub type Action = u16;

/// No position of either game has more legal actions (Kiothi: one a warrior, 60 warriors).
pub const MAX_LEGAL_ACTIONS: usize = 60;

/// The legal actions of a position, ascending.
pub type Actions = ArrayVec<Action, MAX_LEGAL_ACTIONS>;

/// One of the two players. Player `Zero` starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Player {
    /// Player 0.
    Zero,
    /// Player 1.
    One,
}

impl Player {
    /// 0 or 1.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The player with this index.
    ///
    /// # Panics
    /// If `index` is not 0 or 1.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        match index {
            0 => Self::Zero,
            1 => Self::One,
            _ => panic!("a player's index is 0 or 1"),
        }
    }

    /// The other player.
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Zero,
        }
    }
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum End {
    /// Nobody can move (Kiothi: the player to move cannot); what was left has been swept to the scores.
    NoMoves,
    /// A position has come back: a draw.
    Repetition,
    /// The last move's laps would never have ended: a draw, the board left as it stood before it.
    Endless,
}

impl End {
    /// The word in position texts: `no-moves`, `repetition` or `endless`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoMoves => "no-moves",
            Self::Repetition => "repetition",
            Self::Endless => "endless",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::NoMoves, Self::Repetition, Self::Endless].into_iter().find(|end| end.word() == word)
    }
}

/// What one action did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Seeds taken by the capture, the effecting seed and any bonus among them; the sweep at the end is not.
    pub captured: u8,
    /// Laps sown, the first included; 0 in Kiothi's opening and in an endless sowing.
    pub laps: u16,
    /// Board number of the pit in which the last seed fell (in Kiothi's opening the boma named by the action;
    /// in an endless sowing the pit it was started from).
    pub landing: u8,
    /// At least one seed fell into the opponent's row.
    pub entered: bool,
    /// The player has earned an extra move (Giuthi).
    pub extra_move: bool,
    /// The leftmost bonus was taken (Kiothi).
    pub bonus: bool,
    /// A player without a move was passed over, and the game goes on. With `extra_move` it was the mover himself.
    pub passed: bool,
    /// The laps would never have ended; the board stands as before.
    pub endless: bool,
}

/// An action that cannot be played here. Playing it changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAction {
    /// No such action in this game.
    #[error("action {action} is out of range: this game has actions 0..={}", .num_actions - 1)]
    OutOfRange {
        /// The action as given.
        action: i64,
        /// The size of the action space.
        num_actions: usize,
    },
    /// The action is not legal in this position.
    #[error("illegal action {action} ({name}): {reason}")]
    NotLegal {
        /// The action as given.
        action: Action,
        /// The move as text, as `12ccw` or `4:3`.
        name: String,
        /// Which rule forbids it.
        reason: String,
    },
    /// The game is over.
    #[error("action {action}: the game is over ({})", .end.word())]
    GameOver {
        /// The action as given.
        action: Action,
        /// How the game ended.
        end: End,
    },
}

/// The rules of a game as a small `Copy` state: pits, scores, mover, phase. It has no history: see
/// [`Position`](crate::Position) for repetition and the outcome.
///
/// The same player may move again and a player may be skipped: never assume that turns alternate.
pub trait Game: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// Board size and options.
    type Rules: Copy + PartialEq + Debug + Send + Sync + Serialize + for<'a> Deserialize<'a> + 'static;

    /// The family's name: `giuthi` or `kiothi`.
    const NAME: &'static str;
    /// Changes whenever the same actions may lead elsewhere.
    const RULES_VERSION: u32;
    /// Changes whenever the same position may be observed otherwise.
    const OBSERVATION_VERSION: u32;

    /// The game's id with its options, as `giuthi-8x8` or `giuthi-8x8?capture=occupied`.
    fn id(rules: &Self::Rules) -> String;
    /// The size of the action space.
    fn num_actions(rules: &Self::Rules) -> usize;
    /// The pits (boma) of both rows together.
    fn num_pits(rules: &Self::Rules) -> usize;
    /// The length of an observation.
    fn observation_len(rules: &Self::Rules) -> usize;
    /// By what a win by `margin` seeds is multiplied (1 but for Kiothi's one-warrior victory).
    fn win_value(rules: &Self::Rules, margin: u8) -> f32;
    /// The seeds a pit starts with: the unit in which observations count seeds.
    fn seed_unit(rules: &Self::Rules) -> f32;
    /// All seeds of the start position.
    fn total_seeds(rules: &Self::Rules) -> u16;

    /// The start position.
    fn initial(rules: &Self::Rules) -> Self;
    /// The player to move; at the end, as the rules page says for each kind of end.
    fn to_move(&self) -> Player;
    /// Captured seeds of both players, by player.
    fn scores(&self) -> [u8; 2];
    /// Seeds still in play (Kiothi: those in hand included).
    fn seeds_in_play(&self) -> u8;
    /// Plies since the last capture or the start of the history; Kiothi's opening does not count.
    fn plies_since_capture(&self) -> u16;
    /// Whether the player to move has just earned this move as an extra move.
    fn is_extra_move(&self) -> bool;
    /// The same position in the middle of a game: with what its text leaves out.
    #[doc(hidden)]
    fn resumed(self, plies_since_capture: u16, extra_move: bool) -> Self;

    /// The rules as Giuthi's; `None` for other games. These four are for what depends on the game, as evaluations, or is for one
    /// alone, as tablebases: the compiler knows the answer.
    fn giuthi_rules(_rules: &Self::Rules) -> Option<&GiuthiRules> {
        None
    }
    /// The state as Giuthi's; `None` for other games.
    #[inline]
    fn as_giuthi(&self) -> Option<&Giuthi> {
        None
    }
    /// The state as Kiothi's; `None` for other games.
    #[inline]
    fn as_kiothi(&self) -> Option<&Kiothi> {
        None
    }
    /// The position as Giuthi's; `None` for other games.
    fn as_giuthi_position(_position: &Position<Self>) -> Option<&Position<Giuthi>> {
        None
    }

    /// What plays the replies to moves of this game in lockstep; `None`: the scalar rules do.
    #[doc(hidden)]
    fn lockstep_replies(_rules: &Self::Rules) -> Option<Box<dyn ForetellReplies<Self>>> {
        None
    }

    /// The legal actions, ascending; empty exactly when [`is_over`](Self::is_over).
    fn legal_actions(&self) -> Actions;
    /// Whether the game has ended for lack of moves.
    fn is_over(&self) -> bool;
    /// Whether `action` is legal.
    fn is_legal(&self, action: Action) -> bool;
    /// The rule that forbids `action`, which is not legal.
    fn why_illegal(&self, action: Action) -> String;

    /// Plays a legal action: sows, captures, gives the turn on, passes, sweeps at the end.
    ///
    /// # Panics
    /// May panic, or leave a meaningless state, if the action is not legal.
    fn play_unchecked(&mut self, action: Action) -> Played;

    /// What [`play_unchecked`](Self::play_unchecked) would do, lap by lap; the same sowing tells of it.
    ///
    /// # Panics
    /// May panic, or tell nonsense, if the action is not legal.
    fn trace_unchecked(&self, action: Action) -> Trace<Self>;

    /// Plays an action.
    ///
    /// # Errors
    /// If the action is not legal; nothing has changed then.
    fn play(&mut self, rules: &Self::Rules, action: Action) -> Result<Played, IllegalAction> {
        let num_actions = Self::num_actions(rules);
        if usize::from(action) >= num_actions {
            return Err(IllegalAction::OutOfRange { action: action.into(), num_actions });
        }
        if self.is_over() {
            return Err(IllegalAction::GameOver { action, end: End::NoMoves });
        }
        if !self.is_legal(action) {
            let (name, reason) = (self.action_name(action), self.why_illegal(action));
            return Err(IllegalAction::NotLegal { action, name, reason });
        }
        Ok(self.play_unchecked(action))
    }

    /// Whether positions of this kind count for repetition (not in Kiothi's opening).
    fn counts_for_repetition(&self) -> bool;
    /// 128 bits of all that repetition compares: pits, marks, player to move.
    fn fingerprint(&self) -> u128;

    /// The same position seen in the mirror that is an exact symmetry of the game; itself where there is none.
    fn mirrored(&self) -> Self;
    /// The action that does in the mirrored position what `action` does here.
    fn mirrored_action(&self, action: Action) -> Action;
    /// Whether [`mirrored`](Self::mirrored) is more than the identity.
    const HAS_MIRROR: bool;
    /// The same position with the players' seats exchanged.
    fn swapped(&self) -> Self;

    /// Relative weight of a legal action in random play, at least 1. All 1, but for Kiothi's opening, where it makes every
    /// redistribution equally likely.
    fn random_weight(&self, action: Action) -> u64;
    /// Whether all legal actions have the same [`random_weight`](Self::random_weight).
    fn is_random_uniform(&self) -> bool;

    /// Writes the observation of the player to move, normalized; `out` has [`observation_len`](Self::observation_len) cells.
    fn observe(&self, rules: &Self::Rules, out: &mut [f32]);
    /// The same with raw counts, each at most 255.
    fn observe_raw(&self, rules: &Self::Rules, out: &mut [u8]);
    /// A pit's number counted from the left end of the row of the player to move, along the ring.
    fn relative_pit(&self, pit: u8) -> u8;

    /// A move as text, as `12ccw`, `4:3`, `lift 4` or `place 17`; `action` must be in range.
    fn action_name(&self, action: Action) -> String;
    /// The action that a text names for the player to move; it need not be legal.
    ///
    /// # Errors
    /// If the text is no move of that player.
    fn parse_action(&self, text: &str) -> Result<Action, ParseError>;
    /// The position as text, without a word for its end.
    fn write(&self) -> String;
    /// Reads a position, settled where it has no word for its end (a pass, or the sweep of a no-moves end).
    ///
    /// # Errors
    /// If the text is no position of this game; the error names the field.
    fn read(rules: &Self::Rules, text: &str) -> Result<(Self, Option<End>), ParseError>;
}

/// Mixes words and player into 128 bits. The player stands apart from the words' bits, and each word goes through an
/// invertible step: what differs in one of them alone never collides.
#[inline]
pub(crate) fn mix128(words: [u64; 3], player: Player) -> u128 {
    const MULTIPLIER: u128 = 0xdb36_357e_4b2c_9f5d_a9e2_6d1c_5bb1_8a55;
    let mut hash = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835 ^ (player.index() as u128) << 100;
    for word in words {
        hash = (hash ^ u128::from(word)).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 67;
    }
    hash
}
