//! Giuthi: two rows, relays that turn round, extra moves, chained captures.

mod rules;
mod sowing;

use crate::batch::{ForetellReplies, giuthi_replies};
use crate::game::{Action, Actions, End, Game, Played, Player, mix128};
use crate::notation::{self, ParseError};
use crate::observation;
use crate::position::Position;
use crate::trace::{Recorder, Trace, Watch};

pub use rules::{Capture, GiuthiRules, MAX_GIUTHI_SEEDS};
pub use sowing::Direction;
use sowing::Sown;

/// The largest board has this many pits.
pub(crate) const MAX_PITS: usize = 20;

/// A Giuthi position, without its history.
///
/// `pits` are in ring order, as the rules number them; with n = 8, seen from Player 0's seat:
///
/// ```text
/// Player 1   7   6   5   4   3   2   1   0      <- ccw
/// Player 0   8   9  10  11  12  13  14  15      -> ccw
/// ```
///
/// Cells from 2n on are 0. Actions are `2 * k + d`: own pit k from the own left, d 0 ccw or 1 cw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Giuthi {
    pub(crate) pits: [u8; MAX_PITS],
    pub(crate) scores: [u8; 2],
    /// Pits a row.
    pub(crate) row: u8,
    pub(crate) capture: Capture,
    pub(crate) to_move: Player,
    pub(crate) extra_move: bool,
    pub(crate) plies_since_capture: u16,
}

impl Giuthi {
    /// Pits a row.
    #[inline]
    pub fn row_len(&self) -> usize {
        self.row.into()
    }

    /// Seeds in each pit, by pit number, shape `(2n,)`.
    pub fn pits(&self) -> &[u8] {
        &self.pits[..2 * self.row_len()]
    }

    /// The position with these seeds, pit by pit in ring order, settled: passed on if `to_move` cannot move, swept if nobody can.
    /// `None` unless there are `2n` pits and at most [`MAX_GIUTHI_SEEDS`] seeds, scores included.
    pub fn from_pits(rules: &GiuthiRules, pits: &[u8], scores: [u8; 2], to_move: Player) -> Option<Self> {
        let total: u32 = pits.iter().chain(&scores).map(|&seeds| u32::from(seeds)).sum();
        if pits.len() != 2 * usize::from(rules.pits) || total > MAX_GIUTHI_SEEDS.into() {
            return None;
        }
        let mut giuthi = Self::initial(rules);
        giuthi.pits[..pits.len()].copy_from_slice(pits);
        giuthi.scores = scores;
        giuthi.settle(to_move);
        Some(giuthi)
    }

    /// What a capture needs in this game.
    pub fn capture(&self) -> Capture {
        self.capture
    }

    /// The first pit of a player's row, at the player's own left.
    #[inline]
    pub(crate) fn own_left(&self, player: Player) -> usize {
        match player {
            Player::Zero => self.row_len(),
            Player::One => 0,
        }
    }

    fn row(&self, player: Player) -> &[u8] {
        let left = self.own_left(player);
        &self.pits[left..left + self.row_len()]
    }

    #[inline]
    fn can_move(&self, player: Player) -> bool {
        self.row(player).iter().any(|&seeds| seeds >= 2)
    }

    /// The pit and direction of an action of the player to move.
    #[inline]
    pub fn decode(&self, action: Action) -> (usize, Direction) {
        let direction = if action & 1 == 0 { Direction::Ccw } else { Direction::Cw };
        (self.own_left(self.to_move) + usize::from(action >> 1), direction)
    }

    /// The action that sows `pit`, which belongs to the player to move.
    pub(crate) fn encode(&self, pit: usize, direction: Direction) -> Action {
        (2 * (pit - self.own_left(self.to_move)) + direction as usize) as Action
    }

    /// Gives the turn to `next`, or past him, or ends the game and sweeps. Says whether somebody was passed over.
    pub(crate) fn settle(&mut self, next: Player) -> bool {
        self.to_move = next;
        if self.can_move(next) {
            return false;
        }
        if self.can_move(next.other()) {
            self.to_move = next.other();
            return true;
        }
        for player in [Player::Zero, Player::One] {
            self.scores[player.index()] += self.row(player).iter().sum::<u8>();
        }
        self.pits = [0; MAX_PITS];
        false
    }

    /// Plays a legal action; `watch` is told of every lap.
    #[inline]
    fn play_watched(&mut self, action: Action, watch: &mut impl Watch<Self>) -> Played {
        let before = *self;
        let mover = self.to_move;
        let (start, direction) = self.decode(action);
        let (pit, direction, laps, entered) = match self.sow(start, direction, watch) {
            Sown::Landed { pit, direction, laps, entered } => (pit, direction, laps, entered),
            Sown::Endless { entered } => {
                *self = before;
                return Played { landing: start as u8, entered, endless: true, ..Played::default() };
            }
        };
        let mut played = Played { landing: pit as u8, laps, entered, ..Played::default() };
        let own = pit.wrapping_sub(self.own_left(mover)) < self.row_len();
        if own && entered {
            played.captured = self.capture_from(pit, direction);
        }
        played.extra_move = own && !entered;
        if played.captured > 0 {
            self.scores[mover.index()] += played.captured;
            self.plies_since_capture = 0;
            watch.captured(|| *self);
        } else {
            self.plies_since_capture = self.plies_since_capture.saturating_add(1);
        }
        played.passed = self.settle(if played.extra_move { mover } else { mover.other() });
        self.extra_move = played.extra_move && !played.passed && !self.is_over();
        played
    }
}

impl Game for Giuthi {
    type Rules = GiuthiRules;

    const NAME: &'static str = "giuthi";
    const RULES_VERSION: u32 = 1;
    const OBSERVATION_VERSION: u32 = 1;
    const HAS_MIRROR: bool = true;

    fn id(rules: &GiuthiRules) -> String {
        let id = format!("giuthi-{}x{}", rules.pits, rules.seeds);
        match rules.capture {
            Capture::Any => id,
            Capture::Occupied => id + "?capture=occupied",
        }
    }

    fn num_actions(rules: &GiuthiRules) -> usize {
        2 * usize::from(rules.pits)
    }

    fn num_pits(rules: &GiuthiRules) -> usize {
        2 * usize::from(rules.pits)
    }

    fn observation_len(rules: &GiuthiRules) -> usize {
        2 * usize::from(rules.pits) + 5
    }

    fn win_value(_: &GiuthiRules, _: u8) -> f32 {
        1.0
    }

    fn seed_unit(rules: &GiuthiRules) -> f32 {
        rules.seeds.into()
    }

    fn total_seeds(rules: &GiuthiRules) -> u16 {
        2 * u16::from(rules.pits) * u16::from(rules.seeds)
    }

    fn initial(rules: &GiuthiRules) -> Self {
        let mut pits = [0; MAX_PITS];
        pits[..2 * usize::from(rules.pits)].fill(rules.seeds);
        Self {
            pits,
            scores: [0; 2],
            row: rules.pits,
            capture: rules.capture,
            to_move: Player::Zero,
            extra_move: false,
            plies_since_capture: 0,
        }
    }

    #[inline]
    fn to_move(&self) -> Player {
        self.to_move
    }

    #[inline]
    fn scores(&self) -> [u8; 2] {
        self.scores
    }

    fn seeds_in_play(&self) -> u8 {
        self.pits.iter().sum()
    }

    fn plies_since_capture(&self) -> u16 {
        self.plies_since_capture
    }

    fn is_extra_move(&self) -> bool {
        self.extra_move
    }

    fn resumed(self, plies_since_capture: u16, extra_move: bool) -> Self {
        Self { plies_since_capture, extra_move, ..self }
    }

    fn giuthi_rules(rules: &GiuthiRules) -> Option<&GiuthiRules> {
        Some(rules)
    }

    #[inline]
    fn as_giuthi(&self) -> Option<&Giuthi> {
        Some(self)
    }

    fn as_giuthi_position(position: &Position<Self>) -> Option<&Position<Giuthi>> {
        Some(position)
    }

    fn lockstep_replies(rules: &GiuthiRules) -> Option<Box<dyn ForetellReplies<Self>>> {
        Some(giuthi_replies(rules))
    }

    fn legal_actions(&self) -> Actions {
        let mut actions = Actions::new();
        for (k, &seeds) in self.row(self.to_move).iter().enumerate() {
            if seeds >= 2 {
                actions.push(2 * k as Action);
                actions.push(2 * k as Action + 1);
            }
        }
        actions
    }

    #[inline]
    fn is_over(&self) -> bool {
        // States are settled: whoever is to move can move, or nobody can.
        !self.can_move(self.to_move)
    }

    fn is_legal(&self, action: Action) -> bool {
        let k = usize::from(action >> 1);
        k < self.row_len() && self.row(self.to_move)[k] >= 2
    }

    fn why_illegal(&self, action: Action) -> String {
        let (pit, _) = self.decode(action);
        match self.pits[pit] {
            0 => format!("pit {pit} is empty"),
            seeds => format!("pit {pit} holds {seeds} seed; a move needs at least two"),
        }
    }

    fn play_unchecked(&mut self, action: Action) -> Played {
        self.play_watched(action, &mut ())
    }

    fn trace_unchecked(&self, action: Action) -> Trace<Self> {
        let (mut after, mut recorder) = (*self, Recorder::new());
        let played = after.play_watched(action, &mut recorder);
        recorder.finish(played, after)
    }

    fn counts_for_repetition(&self) -> bool {
        true
    }

    #[inline]
    fn fingerprint(&self) -> u128 {
        let mut words = [0u64; 3];
        let (chunks, rest) = self.pits.as_chunks::<8>();
        words[0] = u64::from_le_bytes(chunks[0]);
        words[1] = u64::from_le_bytes(chunks[1]);
        words[2] = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]).into();
        mix128(words, self.to_move)
    }

    fn mirrored(&self) -> Self {
        let mut mirrored = *self;
        let row = self.row_len();
        mirrored.pits[..row].reverse();
        mirrored.pits[row..2 * row].reverse();
        mirrored
    }

    fn mirrored_action(&self, action: Action) -> Action {
        2 * Action::from(self.row) - 1 - action
    }

    fn swapped(&self) -> Self {
        let mut swapped = *self;
        swapped.pits[..2 * self.row_len()].rotate_left(self.row_len());
        swapped.scores.swap(0, 1);
        swapped.to_move = self.to_move.other();
        swapped
    }

    fn random_weight(&self, _: Action) -> u64 {
        1
    }

    #[inline]
    fn is_random_uniform(&self) -> bool {
        true
    }

    fn observe(&self, rules: &GiuthiRules, out: &mut [f32]) {
        observation::observe_giuthi(self, rules, out);
    }

    fn observe_raw(&self, _: &GiuthiRules, out: &mut [u8]) {
        observation::observe_giuthi_raw(self, out);
    }

    fn relative_pit(&self, pit: u8) -> u8 {
        match self.to_move {
            Player::Zero => (pit + self.row) % (2 * self.row),
            Player::One => pit,
        }
    }

    fn action_name(&self, action: Action) -> String {
        let (pit, direction) = self.decode(action);
        format!("{pit}{}", direction.word())
    }

    fn parse_action(&self, text: &str) -> Result<Action, ParseError> {
        notation::giuthi::parse_action(self, text)
    }

    fn write(&self) -> String {
        notation::giuthi::write(self)
    }

    fn read(rules: &GiuthiRules, text: &str) -> Result<(Self, Option<End>), ParseError> {
        notation::giuthi::read(rules, text)
    }
}
