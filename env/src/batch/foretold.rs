//! What the legal actions of many games would do, on its way to the caller's arrays.

use super::isa::{Isa, Kernel};
use super::{LANES, Row};
use crate::features::ACTION_FEATURES;
use crate::game::Action;

/// The features of an action as counts and flags, in their order.
pub(super) type RawFeatures = [u8; ACTION_FEATURES];

/// The legal actions of a run of games and what they would do, game by game.
#[derive(Clone, Debug, Default)]
pub struct Foretold {
    /// Legal actions of each game.
    pub(super) counts: Vec<u8>,
    /// The actions, ascending within a game.
    pub(super) actions: Vec<Action>,
    /// What each would do.
    pub(super) features: Vec<RawFeatures>,
}

impl Foretold {
    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.actions.clear();
        self.features.clear();
    }
}

/// By what raw features are divided, for the actions of 64 lanes.
pub(super) type FeatureUnits = Row<[f32; ACTION_FEATURES]>;

/// Divides raw features by their units. All cells alike: a loop over actions became one that shuffles eight of them at a time.
#[inline(always)]
fn normalize(raw: &[RawFeatures], units: &FeatureUnits, out: &mut [f32]) {
    for ((out, &raw), unit) in out.iter_mut().zip(raw.as_flattened()).zip(units.as_flattened()) {
        *out = f32::from(raw) / unit;
    }
}

/// Writes a row for every action, zero where it is not legal: `out` has shape `(games, actions, ACTION_FEATURES)`.
pub(super) struct WriteDense<'a, 'b> {
    pub(super) foretold: &'a Foretold,
    pub(super) units: &'a FeatureUnits,
    pub(super) num_actions: usize,
    pub(super) out: &'b mut [f32],
}

impl Kernel for WriteDense<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { foretold, units, num_actions, out } = self;
        let (rows, _) = out.as_chunks_mut::<ACTION_FEATURES>();
        let (mut actions, mut features) = (&foretold.actions[..], &foretold.features[..]);
        let mut normalized = [[0.0; ACTION_FEATURES]; LANES];
        for (&count, rows) in foretold.counts.iter().zip(rows.chunks_exact_mut(num_actions)) {
            let (these, others) = features.split_at(count.into());
            normalize(these, units, normalized.as_flattened_mut());
            features = others;
            let (these, others) = actions.split_at(count.into());
            rows.fill([0.0; ACTION_FEATURES]);
            for (&action, normalized) in these.iter().zip(&normalized) {
                rows[usize::from(action)] = *normalized;
            }
            actions = others;
        }
    }
}

/// Writes a row for every legal action.
pub(super) struct WriteRagged<'a, 'b> {
    pub(super) foretold: &'a Foretold,
    pub(super) units: &'a FeatureUnits,
    pub(super) actions: &'b mut [i64],
    pub(super) features: &'b mut [f32],
}

impl Kernel for WriteRagged<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { foretold, units, actions, features } = self;
        for (out, &action) in actions.iter_mut().zip(&foretold.actions) {
            *out = action.into();
        }
        for (out, raw) in features.chunks_mut(ACTION_FEATURES * LANES).zip(foretold.features.chunks(LANES)) {
            normalize(raw, units, out);
        }
    }
}

/// The legal actions of 64 games, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Legal {
    /// Where those of each game begin.
    starts: [u16; LANES + 1],
    /// Ascending within a game; room for a row that begins at the last.
    actions: [Action; (LANES + 1) * LANES],
    games: usize,
    len: usize,
}

impl Legal {
    pub(super) fn new() -> Self {
        Self { starts: [0; _], actions: [0; _], games: 0, len: 0 }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.games, self.len) = (0, 0);
    }

    /// Adds action `first + b` for every bit `b` of a word to those of the next game.
    #[inline(always)]
    pub(super) fn add<I: Isa>(&mut self, isa: I, first: Action, bits: u64) {
        let mut places = [0; LANES];
        isa.places(bits, &mut places);
        let actions: &mut Row<Action> = self.actions[self.len..].first_chunk_mut().expect("room for a row");
        for i in 0..LANES {
            actions[i] = first + Action::from(places[i]);
        }
        self.len += bits.count_ones() as usize;
    }

    /// All actions of the next game have been added.
    #[inline(always)]
    pub(super) fn end_game(&mut self) {
        self.games += 1;
        self.starts[self.games] = self.len as u16;
    }

    /// How many actions a game has.
    #[inline(always)]
    pub(super) fn count(&self, lane: usize) -> usize {
        usize::from(self.starts[lane + 1] - self.starts[lane])
    }

    /// The actions of a game, as far as there are so many.
    #[inline(always)]
    pub(super) fn of<const N: usize>(&self, lane: usize) -> &[Action; N] {
        self.actions[self.starts[lane].into()..].first_chunk().expect("room for a row")
    }
}
