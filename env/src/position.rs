//! A game state with its history: repetition, and how the game ended.

use smallvec::SmallVec;

use crate::game::{Action, Actions, End, Game, IllegalAction, Played, Player};
use crate::notation::ParseError;
use crate::trace::Trace;

/// A position of a game in progress or over: state, history and end.
///
/// The history is the fingerprints of the positions since the last capture. A repetition is taken as confirmed by equal
/// 128-bit fingerprints: with a hundred positions in a history the odds of a false one are below 2^-114.
#[derive(Clone, Debug, PartialEq)]
pub struct Position<G: Game> {
    rules: G::Rules,
    state: G,
    end: Option<End>,
    plies: u32,
    /// Fingerprints since the last capture, the present one last.
    history: SmallVec<[u128; 16]>,
}

impl<G: Game> Position<G> {
    /// The start of a game.
    pub fn initial(rules: G::Rules) -> Self {
        Self::from_state(rules, G::initial(&rules))
    }

    /// A position that is the first of its own history. `state` must be settled, as all states are that
    /// [`Game::initial`], [`Game::read`] and [`Game::play`] return.
    pub fn from_state(rules: G::Rules, state: G) -> Self {
        let mut position = Self { rules, state, end: None, plies: 0, history: SmallVec::new() };
        if state.is_over() {
            position.end = Some(End::NoMoves);
        } else if state.counts_for_repetition() {
            position.history.push(state.fingerprint());
        }
        position
    }

    /// A position in the middle of a game that goes on; `history` is what [`history`](Self::history) tells of it.
    pub fn with_history(rules: G::Rules, state: G, history: &[u128]) -> Self {
        Self { rules, state, end: None, plies: 0, history: SmallVec::from_slice(history) }
    }

    /// A position in the middle of a game that goes on, `plies` after it was made.
    pub(crate) fn resumed(rules: G::Rules, state: G, plies: u32, history: &[u128]) -> Self {
        Self { plies, ..Self::with_history(rules, state, history) }
    }

    /// A position as it was saved, over or not.
    pub(crate) fn saved(rules: G::Rules, state: G, end: Option<End>, plies: u32, history: &[u128]) -> Self {
        Self { end, ..Self::resumed(rules, state, plies, history) }
    }

    /// The last position of a game, without its history.
    pub(crate) fn ended(rules: G::Rules, state: G, end: Option<End>) -> Self {
        Self { end, ..Self::with_history(rules, state, &[]) }
    }

    /// Reads a position text; see the rules pages for the notation.
    ///
    /// # Errors
    /// If the text is malformed or the board impossible; the error names the field.
    pub fn read(rules: G::Rules, text: &str) -> Result<Self, ParseError> {
        let (state, end) = G::read(&rules, text)?;
        let mut position = Self::from_state(rules, state);
        if end.is_some() {
            position.end = end;
        }
        Ok(position)
    }

    /// The position as text, with the word for its end if it is over.
    pub fn write(&self) -> String {
        let text = self.state.write();
        match self.end {
            Some(end) => format!("{text} {}", end.word()),
            None => text,
        }
    }

    /// Board size and options.
    pub fn rules(&self) -> &G::Rules {
        &self.rules
    }

    /// The board.
    #[inline]
    pub fn state(&self) -> &G {
        &self.state
    }

    /// The player to move.
    #[inline]
    pub fn to_move(&self) -> Player {
        self.state.to_move()
    }

    /// How the game ended; `None` while it goes on.
    #[inline]
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Whether the game is over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Plies played since this position was made.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Captured seeds of both players, by player.
    #[inline]
    pub fn scores(&self) -> [u8; 2] {
        self.state.scores()
    }

    /// The winner; `None` in a draw or while the game goes on.
    pub fn winner(&self) -> Option<Player> {
        let [zero, one] = self.scores();
        match self.end {
            Some(End::NoMoves) if zero > one => Some(Player::Zero),
            Some(End::NoMoves) if one > zero => Some(Player::One),
            _ => None,
        }
    }

    /// What the game is worth to each player, by player: +1 for a win and -1 for a loss, times
    /// [`Game::win_value`]; 0 in a draw and while the game goes on.
    pub fn returns(&self) -> [f32; 2] {
        let Some(winner) = self.winner() else { return [0.0; 2] };
        let [zero, one] = self.scores();
        let value = G::win_value(&self.rules, zero.abs_diff(one));
        match winner {
            Player::Zero => [value, -value],
            Player::One => [-value, value],
        }
    }

    /// The legal actions, ascending; empty exactly when the game is over.
    pub fn legal_actions(&self) -> Actions {
        if self.is_over() { Actions::new() } else { self.state.legal_actions() }
    }

    /// Whether `action` may be played.
    pub fn is_legal(&self, action: Action) -> bool {
        !self.is_over() && usize::from(action) < G::num_actions(&self.rules) && self.state.is_legal(action)
    }

    /// Takes a number for an action, if it may be played.
    ///
    /// # Errors
    /// If it is out of range or not legal, or the game is over.
    pub fn check(&self, action: i64) -> Result<Action, IllegalAction> {
        let num_actions = G::num_actions(&self.rules);
        let number = usize::try_from(action).ok().filter(|&number| number < num_actions);
        let number = number.ok_or(IllegalAction::OutOfRange { action, num_actions })? as Action;
        match self.end {
            Some(end) => Err(IllegalAction::GameOver { action: number, end }),
            None if self.state.is_legal(number) => Ok(number),
            None => {
                let (name, reason) = (self.state.action_name(number), self.state.why_illegal(number));
                Err(IllegalAction::NotLegal { action: number, name, reason })
            }
        }
    }

    /// Plays an action.
    ///
    /// # Errors
    /// If the action is out of range or not legal, or the game is over; nothing has changed then.
    pub fn play(&mut self, action: Action) -> Result<Played, IllegalAction> {
        if let Some(end) = self.end {
            return Err(IllegalAction::GameOver { action, end });
        }
        let played = self.state.play(&self.rules, action)?;
        Ok(self.record(played))
    }

    /// Plays a legal action without looking.
    ///
    /// # Panics
    /// May panic, or leave a meaningless position, if the action is not legal.
    pub fn play_unchecked(&mut self, action: Action) -> Played {
        debug_assert!(self.is_legal(action), "{action} in {}", self.write());
        let played = self.state.play_unchecked(action);
        self.record(played)
    }

    /// What an action would do, lap by lap. History has no part in it: whether a position comes back, [`play`](Self::play)
    /// tells.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn trace(&self, action: Action) -> Result<Trace<G>, IllegalAction> {
        let action = self.check(action.into())?;
        Ok(self.state.trace_unchecked(action))
    }

    fn record(&mut self, mut played: Played) -> Played {
        self.plies += 1;
        if played.endless {
            self.end = Some(End::Endless);
        } else if self.state.is_over() {
            self.end = Some(End::NoMoves);
        } else if self.state.counts_for_repetition() {
            if played.captured > 0 {
                self.history.clear();
            }
            let fingerprint = self.state.fingerprint();
            if self.history.contains(&fingerprint) {
                self.end = Some(End::Repetition);
                played.passed = false;
            } else {
                self.history.push(fingerprint);
            }
        }
        played
    }

    /// Whether a position with this fingerprint, reached without a capture, would be a repetition here.
    pub fn has_stood(&self, fingerprint: u128) -> bool {
        self.history.contains(&fingerprint)
    }

    /// The fingerprints of the positions since the last capture, oldest first, the present one last; empty in
    /// Kiothi's opening.
    pub fn history(&self) -> &[u128] {
        &self.history
    }

    /// Writes the observation of the player to move, normalized; see [`Game::observe`].
    ///
    /// # Panics
    /// If `out` is not [`Game::observation_len`] long.
    pub fn observe(&self, out: &mut [f32]) {
        self.state.observe(&self.rules, out);
    }

    /// Writes the observation as raw counts; see [`Game::observe_raw`].
    ///
    /// # Panics
    /// If `out` is not [`Game::observation_len`] long.
    pub fn observe_raw(&self, out: &mut [u8]) {
        self.state.observe_raw(&self.rules, out);
    }
}
