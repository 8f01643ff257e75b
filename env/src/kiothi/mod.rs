//! Kiothi: an opening of free redistribution, marked boma, partial harvests, one direction.

mod actions;
mod rules;
mod sowing;

use crate::batch::{ForetellReplies, kiothi_replies};
use crate::game::{Action, Actions, End, Game, Played, Player, mix128};
use crate::notation::{self, ParseError};
use crate::observation;
use crate::trace::{Recorder, Trace, Watch};

pub(crate) use actions::{Kind, placements};
pub use rules::{KiothiRules, MAX_WARRIORS};

/// Boma of a row.
pub(crate) const ROW: usize = 10;
/// Boma of the board.
pub(crate) const BOMA: usize = 20;
pub(crate) use actions::{FIRST_LIFT, FIRST_PLACE};
const NUM_ACTIONS: usize = 630;

/// What the player to move is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The first lift of the opening.
    Lift,
    /// The second lift: own boma `first` (relative) has been emptied, its `hand` warriors are in hand.
    SecondLift {
        /// The boma lifted first, relative to the player.
        first: u8,
        /// Warriors in hand.
        hand: u8,
    },
    /// Placing: `hand` warriors in hand, the next goes to boma `floor` (relative, 0..=19) or above.
    Place {
        /// Warriors in hand.
        hand: u8,
        /// The lowest boma that may be named, relative to the player.
        floor: u8,
    },
    /// Sowing: the game proper.
    Sow,
}

/// A Kiothi position, without its history.
///
/// `boma` are in ring order; seen from Player 0's seat:
///
/// ```text
/// Player 1  19  18  17  16  15  14  13  12  11  10
/// Player 0   0   1   2   3   4   5   6   7   8   9    -> sowing
/// ```
///
/// Actions: `60 * k + (m - 1)` sows m warriors from own boma k; `600 + k` lifts own boma k; `610 + j` places a warrior
/// into boma j, all relative to the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kiothi {
    pub(crate) boma: [u8; BOMA],
    /// Bit i: boma i is a nki.
    pub(crate) nki: u32,
    pub(crate) prisons: [u8; 2],
    pub(crate) to_move: Player,
    pub(crate) phase: Phase,
    pub(crate) plies_since_capture: u16,
}

impl Kiothi {
    /// Warriors in each boma, by boma number, shape `(20,)`.
    pub fn boma(&self) -> &[u8; BOMA] {
        &self.boma
    }

    /// Whether boma `i` is a nki.
    #[inline]
    pub fn is_nki(&self, boma: usize) -> bool {
        self.nki >> boma & 1 != 0
    }

    /// What the player to move is about to do.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Warriors lifted and not yet placed.
    pub fn in_hand(&self) -> u8 {
        match self.phase {
            Phase::SecondLift { hand, .. } | Phase::Place { hand, .. } => hand,
            Phase::Lift | Phase::Sow => 0,
        }
    }

    /// The board number of a boma counted from the left of the player to move.
    #[inline]
    pub(crate) fn absolute(&self, relative: usize) -> usize {
        match self.to_move {
            Player::Zero => relative,
            Player::One => (relative + ROW) % BOMA,
        }
    }

    /// Warriors in each own boma of a player, from his left.
    pub(crate) fn row(&self, player: Player) -> &[u8] {
        let left = ROW * player.index();
        &self.boma[left..left + ROW]
    }

    /// Ends the game if the player to move has no warrior in his row: all that are left go to the other player.
    pub(crate) fn settle(&mut self) {
        if self.phase == Phase::Sow && self.is_over() {
            let left: u8 = self.boma.iter().sum();
            self.prisons[self.to_move.other().index()] += left;
            self.boma = [0; BOMA];
        }
    }

    fn play_sow(&mut self, k: usize, count: u8, watch: &mut impl Watch<Self>) -> Played {
        let before = *self;
        let mover = self.to_move;
        let from = self.absolute(k);
        let Some((landing, laps)) = self.sow(from, count, watch) else {
            *self = before;
            return Played {
                landing: from as u8,
                entered: k + usize::from(count) >= ROW,
                endless: true,
                ..Played::default()
            };
        };
        let (captured, bonus) = self.capture_from(landing);
        if captured > 0 {
            self.prisons[mover.index()] += captured;
            self.plies_since_capture = 0;
            watch.captured(|| *self);
        } else {
            self.plies_since_capture = self.plies_since_capture.saturating_add(1);
        }
        self.to_move = mover.other();
        self.settle();
        // A relay can only begin in the enemy row, so the first lap alone tells whether it was entered.
        let entered = k + usize::from(count) >= ROW;
        Played { captured, laps, landing: landing as u8, entered, bonus, ..Played::default() }
    }

    fn play_lift(&mut self, k: usize) -> Played {
        let boma = self.absolute(k);
        let lifted = std::mem::take(&mut self.boma[boma]);
        self.phase = match self.phase {
            Phase::SecondLift { hand, .. } => Phase::Place { hand: hand + lifted, floor: 0 },
            _ => Phase::SecondLift { first: k as u8, hand: lifted },
        };
        Played { landing: boma as u8, ..Played::default() }
    }

    fn play_place(&mut self, j: usize) -> Played {
        let boma = self.absolute(j);
        self.boma[boma] += 1;
        let hand = self.in_hand() - 1;
        if hand > 0 {
            self.phase = Phase::Place { hand, floor: j as u8 };
        } else if self.to_move == Player::Zero {
            (self.to_move, self.phase) = (Player::One, Phase::Lift);
        } else {
            (self.to_move, self.phase) = (Player::Zero, Phase::Sow);
            self.nki = (0..BOMA).filter(|&boma| self.boma[boma] > 0).map(|boma| 1 << boma).sum();
            self.settle();
        }
        Played { landing: boma as u8, entered: j >= ROW, ..Played::default() }
    }

    /// Plays a legal action; `watch` is told of every lap.
    #[inline]
    fn play_watched(&mut self, action: Action, watch: &mut impl Watch<Self>) -> Played {
        match Kind::of(action) {
            Kind::Sow { k, count } => self.play_sow(k, count, watch),
            Kind::Lift { k } => self.play_lift(k),
            Kind::Place { j } => self.play_place(j),
        }
    }
}

impl Game for Kiothi {
    type Rules = KiothiRules;

    const NAME: &'static str = "kiothi";
    const RULES_VERSION: u32 = 1;
    const OBSERVATION_VERSION: u32 = 1;
    const HAS_MIRROR: bool = false;

    fn id(rules: &KiothiRules) -> String {
        let id = format!("kiothi-{}x{}", rules.boma, rules.warriors);
        match rules.one_warrior_multiplier {
            1.0 => id,
            multiplier => format!("{id}?one_warrior_multiplier={multiplier}"),
        }
    }

    fn num_actions(_: &KiothiRules) -> usize {
        NUM_ACTIONS
    }

    fn num_pits(_: &KiothiRules) -> usize {
        BOMA
    }

    fn observation_len(_: &KiothiRules) -> usize {
        observation::KIOTHI_LEN
    }

    fn win_value(rules: &KiothiRules, margin: u8) -> f32 {
        if margin == 2 { rules.one_warrior_multiplier } else { 1.0 }
    }

    fn seed_unit(rules: &KiothiRules) -> f32 {
        rules.warriors.into()
    }

    fn total_seeds(rules: &KiothiRules) -> u16 {
        2 * u16::from(rules.boma) * u16::from(rules.warriors)
    }

    fn initial(rules: &KiothiRules) -> Self {
        let mut boma = [0; BOMA];
        let first = ROW - usize::from(rules.boma);
        boma[first..ROW].fill(rules.warriors);
        boma[ROW + first..].fill(rules.warriors);
        Self {
            boma,
            nki: 0,
            prisons: [0; 2],
            to_move: Player::Zero,
            phase: Phase::Lift,
            plies_since_capture: 0,
        }
    }

    #[inline]
    fn to_move(&self) -> Player {
        self.to_move
    }

    #[inline]
    fn scores(&self) -> [u8; 2] {
        self.prisons
    }

    fn seeds_in_play(&self) -> u8 {
        self.boma.iter().sum::<u8>() + self.in_hand()
    }

    fn plies_since_capture(&self) -> u16 {
        self.plies_since_capture
    }

    fn is_extra_move(&self) -> bool {
        false
    }

    fn resumed(self, plies_since_capture: u16, _: bool) -> Self {
        Self { plies_since_capture, ..self }
    }

    #[inline]
    fn as_kiothi(&self) -> Option<&Self> {
        Some(self)
    }

    fn lockstep_replies(rules: &KiothiRules) -> Option<Box<dyn ForetellReplies<Self>>> {
        Some(kiothi_replies(rules))
    }

    fn legal_actions(&self) -> Actions {
        let mut actions = Actions::new();
        match self.phase {
            Phase::Sow => {
                for (k, &warriors) in self.row(self.to_move).iter().enumerate() {
                    for count in 1..=warriors {
                        if self.may_sow(k, count) {
                            actions.push((60 * k) as Action + Action::from(count) - 1);
                        }
                    }
                }
            }
            Phase::Lift | Phase::SecondLift { .. } => {
                let lifts = (0..ROW).filter(|&k| self.lift_obstacle(k).is_none());
                actions.extend(lifts.map(|k| FIRST_LIFT + k as Action));
            }
            Phase::Place { floor, .. } => {
                actions.extend((floor..BOMA as u8).map(|j| FIRST_PLACE + Action::from(j)));
            }
        }
        actions
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.phase == Phase::Sow && self.row(self.to_move).iter().all(|&warriors| warriors == 0)
    }

    fn is_legal(&self, action: Action) -> bool {
        usize::from(action) < NUM_ACTIONS && self.obstacle(action).is_none()
    }

    fn why_illegal(&self, action: Action) -> String {
        self.obstacle(action).unwrap_or_else(|| "it is legal".into())
    }

    fn play_unchecked(&mut self, action: Action) -> Played {
        self.play_watched(action, &mut ())
    }

    fn trace_unchecked(&self, action: Action) -> Trace<Self> {
        let (mut after, mut recorder) = (*self, Recorder::new());
        let played = after.play_watched(action, &mut recorder);
        recorder.finish(played, after)
    }

    #[inline]
    fn counts_for_repetition(&self) -> bool {
        self.phase == Phase::Sow
    }

    fn fingerprint(&self) -> u128 {
        let (chunks, rest) = self.boma.as_chunks::<8>();
        let last = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
        let words = [
            u64::from_le_bytes(chunks[0]),
            u64::from_le_bytes(chunks[1]),
            u64::from(self.nki) << 32 | u64::from(last),
        ];
        let hash = mix128(words, self.to_move);
        match self.phase {
            Phase::Sow => hash,
            Phase::Lift => hash ^ 1 << 64,
            // Opening positions never repeat; these only keep search tables apart.
            Phase::SecondLift { first, hand } => {
                hash ^ (2 << 64 | u128::from(first) << 72 | u128::from(hand) << 80)
            }
            Phase::Place { hand, floor } => {
                hash ^ (3 << 64 | u128::from(floor) << 72 | u128::from(hand) << 80)
            }
        }
    }

    fn mirrored(&self) -> Self {
        *self
    }

    fn mirrored_action(&self, action: Action) -> Action {
        action
    }

    fn swapped(&self) -> Self {
        let mut swapped = *self;
        swapped.boma.rotate_left(ROW);
        swapped.nki = (self.nki >> ROW | self.nki << ROW) & ((1 << BOMA) - 1);
        swapped.prisons.swap(0, 1);
        swapped.to_move = self.to_move.other();
        swapped
    }

    fn random_weight(&self, action: Action) -> u64 {
        match (self.phase, Kind::of(action)) {
            (Phase::Lift, Kind::Lift { k }) => {
                self.row(self.to_move)[k + 1..].iter().filter(|&&warriors| warriors > 0).count() as u64
            }
            (Phase::Place { hand, .. }, Kind::Place { j }) => placements(hand - 1, j),
            _ => 1,
        }
    }

    fn is_random_uniform(&self) -> bool {
        matches!(self.phase, Phase::SecondLift { .. } | Phase::Sow)
    }

    fn observe(&self, rules: &KiothiRules, out: &mut [f32]) {
        observation::observe_kiothi(self, rules, out);
    }

    fn observe_raw(&self, _: &KiothiRules, out: &mut [u8]) {
        observation::observe_kiothi_raw(self, out);
    }

    fn relative_pit(&self, pit: u8) -> u8 {
        (pit + (ROW * self.to_move.index()) as u8) % BOMA as u8
    }

    fn action_name(&self, action: Action) -> String {
        notation::kiothi::action_name(self, action)
    }

    fn parse_action(&self, text: &str) -> Result<Action, ParseError> {
        notation::kiothi::parse_action(self, text)
    }

    fn write(&self) -> String {
        notation::kiothi::write(self)
    }

    fn read(rules: &KiothiRules, text: &str) -> Result<(Self, Option<End>), ParseError> {
        notation::kiothi::read(rules, text)
    }
}
