//! The history of 64 games: has a position stood before?
//!
//! Three steps, each taken only where the one before finds something:
//! 1. The last 32 positions of every game as fingerprints of 16 bits, a row a ply, compared 64 games at a time, as far
//!    back as the longest history reaches.
//! 2. Where one is the same, the game is played over again by the scalar rules from its last capture: that position and the
//!    actions since are kept. The answer is exact.
//! 3. Histories of 32 plies and more, which are rare, are kept whole in a side table ([`LongTable`](super::long::LongTable)); so are
//!    those of restored games, of which no actions are known, up to the next capture.

use super::block::Block;
use super::isa::Isa;
use super::kind::Kind;
use super::{LANES, Row};
use crate::game::Game;

/// Plies that a trail reaches back.
pub(super) const REACH: usize = 32;

/// Tests see steps counted round.
const FIRST_TICK: u32 = if cfg!(test) { u32::MAX - 40 } else { 0 };

/// The last plies of all games, ply by ply: what one step reads and writes of a ply lies together, on few pages.
/// Row `t % 32` belongs to step `t`, in every game.
#[derive(Clone, Debug)]
pub(super) struct Rings {
    /// Steps made.
    pub(super) tick: u32,
    /// Rows from ply to ply: one for each lot, and odd, lest all plies of a lot fall on the same lines of the cache.
    stride: usize,
    /// The position after each step, shape `(32, stride, 64)`. What is older than a game's last capture can do no harm: it only
    /// costs a look.
    prints: Vec<Row<u16>>,
    /// The action of each step, shape `(32, stride, 64)`.
    actions: Vec<Row<u16>>,
}

impl Rings {
    pub(super) fn new(lots: usize) -> Self {
        let stride = lots | 1;
        let rows = vec![[0; LANES]; REACH * stride];
        Self { tick: FIRST_TICK, stride, prints: rows.clone(), actions: rows }
    }

    /// Asks for what [`Trail::record`] will read and write of a lot whose longest history has `longest` plies.
    #[inline(always)]
    pub(super) fn fetch<I: Isa>(&self, isa: I, lot: usize, longest: usize) {
        for age in 0..=longest.min(REACH) {
            isa.fetch(&self.prints[self.row(lot, age)]);
        }
        isa.fetch(&self.actions[self.row(lot, 0)]);
    }

    /// Asks for the actions of a game that is to be replayed.
    #[inline(always)]
    pub(super) fn fetch_actions<I: Isa>(&self, isa: I, lot: usize, lane: usize, since: usize) {
        for age in 0..since {
            isa.fetch(&self.actions[self.row(lot, age)][lane]);
        }
    }

    /// Where the row of the step `age` steps ago is.
    #[inline(always)]
    fn row(&self, lot: usize, age: usize) -> usize {
        (self.tick as usize).wrapping_sub(age) % REACH * self.stride + lot
    }
}

/// The histories of 64 games, but for their [`Rings`].
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Trail<const P: usize> {
    /// The number of the lot.
    lot: usize,
    /// Added to fingerprints, other for every episode, so that a new game does not meet the old one's.
    salt: Row<u16>,
    /// The position after the last capture, in the view of its mover.
    start: [Row<u8>; P],
    start_mover: Row<u8>,
}

/// Numbers without pattern: a fingerprint is the sum of `seeds * WEIGHTS[pit]`.
const WEIGHTS: [u16; 20] = [
    0x9e37, 0x79b8, 0x7f4b, 0xc15c, 0xf39e, 0xc061, 0x5ced, 0xc834, 0xdb37, 0x357e, 0x4b2d, 0x9f5f, 0xa9e3,
    0x6d1c, 0x5bb1, 0x8a56, 0xbf59, 0x476d, 0x1ce4, 0xe5b9,
];
/// The weight of the player to move.
const MOVER: u16 = 0x94d1;
const SALT: u16 = 0x3c6f;

/// Lanes of `to` where `mask` is 1 become those of `from`; without a branch.
#[inline(always)]
fn replace(to: &mut Row<u8>, mask: &Row<u8>, from: &Row<u8>) {
    for i in 0..LANES {
        let keep = mask[i].wrapping_sub(1);
        to[i] = to[i] & keep | from[i] & !keep;
    }
}

/// The fingerprints of boards, added to salts.
#[inline(always)]
pub(super) fn add_prints<const P: usize>(salts: &Row<u16>, block: &Block<P>) -> Row<u16> {
    let mut prints = *salts;
    for i in 0..LANES {
        let mut print = prints[i].wrapping_add(u16::from(block.mover[i]).wrapping_mul(MOVER));
        for (row, weight) in block.pits.iter().zip(WEIGHTS) {
            print = print.wrapping_add(u16::from(row[i]).wrapping_mul(weight));
        }
        prints[i] = print;
    }
    prints
}

impl<const P: usize> Trail<P> {
    pub(super) fn new(lot: usize) -> Self {
        let row = [0; LANES];
        Self { lot, salt: [0; LANES], start: [row; P], start_mover: row }
    }

    #[inline(always)]
    fn prints_of(&self, block: &Block<P>) -> Row<u16> {
        add_prints(&self.salt, block)
    }

    /// The fingerprints of a game without its salt since its last capture, `since` plies ago, the present one first.
    #[inline(always)]
    pub(super) fn bare_prints(&self, rings: &Rings, since: usize, lane: usize) -> impl Iterator<Item = u16> {
        let print = move |age| rings.prints[rings.row(self.lot, age)][lane].wrapping_sub(self.salt[lane]);
        (0..=since).map(print)
    }

    fn print_of(&self, lane: usize, pits: &[u8; P], mover: u8) -> u16 {
        let print = self.salt[lane].wrapping_add(u16::from(mover).wrapping_mul(MOVER));
        pits.iter()
            .zip(WEIGHTS)
            .fold(print, |print, (&seeds, weight)| print.wrapping_add(u16::from(seeds).wrapping_mul(weight)))
    }

    /// Takes down the step just made; the lanes that may have stood before.
    #[inline(always)]
    pub(super) fn record<I: Isa>(
        &mut self,
        isa: I,
        rings: &mut Rings,
        block: &mut Block<P>,
        fresh: &Row<u8>,
    ) -> u64 {
        let mut longest = 0;
        for i in 0..LANES {
            let since = block.since[i].saturating_add(1) & u16::from(fresh[i]).wrapping_sub(1);
            block.since[i] = since;
            longest = longest.max(since);
        }
        block.longest = longest;
        for (start, row) in self.start.iter_mut().zip(&block.pits) {
            replace(start, fresh, row);
        }
        replace(&mut self.start_mover, fresh, &block.mover);
        let prints = self.prints_of(block);
        let mut seen = 0;
        for age in 1..=usize::from(longest).min(REACH) {
            seen |= isa.equal(&rings.prints[rings.row(self.lot, age)], &prints);
        }
        let now = rings.row(self.lot, 0);
        rings.prints[now] = prints;
        rings.actions[now] = block.action;
        seen
    }

    /// Whether the present position of a game stood before, at most [`REACH`] plies ago.
    pub(super) fn confirm<K: Kind<P>>(
        &self,
        rules: &<K::Game as Game>::Rules,
        rings: &Rings,
        block: &Block<P>,
        lane: usize,
    ) -> bool {
        let (pits, mover) = (block.column(lane), block.mover[lane]);
        let mut found = false;
        self.replay::<K>(rules, rings, block, lane, |state, age| {
            found |= age > 0 && state.to_move().index() as u8 == mover && K::column(state) == pits;
        });
        found
    }

    /// Plays a game over again from its last capture; `see` is shown every position and how many plies ago it was.
    pub(super) fn replay<K: Kind<P>>(
        &self,
        rules: &<K::Game as Game>::Rules,
        rings: &Rings,
        block: &Block<P>,
        lane: usize,
        mut see: impl FnMut(&K::Game, usize),
    ) {
        let since = usize::from(block.since[lane]);
        debug_assert!(since <= REACH, "no trail reaches back {since} plies");
        let mut state = K::state(rules, &self.start.each_ref().map(|row| row[lane]), self.start_mover[lane]);
        see(&state, since);
        for age in (0..since).rev() {
            state.play_unchecked(rings.actions[rings.row(self.lot, age)][lane]);
            see(&state, age);
        }
    }

    /// Begins the history of a game: it stood at `start` before the last `actions`, fewer than [`REACH`].
    pub(super) fn begin<K: Kind<P>>(
        &mut self,
        rings: &mut Rings,
        lane: usize,
        episode: u64,
        start: &K::Game,
        actions: &[u16],
    ) {
        self.salt[lane] = (episode as u16).wrapping_mul(SALT);
        let mut state = *start;
        for (row, seeds) in self.start.iter_mut().zip(K::column(&state)) {
            row[lane] = seeds;
        }
        self.start_mover[lane] = state.to_move().index() as u8;
        let print = |state: &K::Game| self.print_of(lane, &K::column(state), state.to_move().index() as u8);
        let first = rings.row(self.lot, actions.len());
        rings.prints[first][lane] = print(&state);
        for (i, &action) in actions.iter().enumerate() {
            state.play_unchecked(action);
            let row = rings.row(self.lot, actions.len() - 1 - i);
            rings.prints[row][lane] = print(&state);
            rings.actions[row][lane] = action;
        }
    }
}
