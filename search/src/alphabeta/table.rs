//! The transposition table: what is known of positions met before, whatever the scores and folded by the mirror.
//!
//! A value is worth nothing without the history it was found under, for a line below may come back to a position of one
//! history and not of another. So an entry is found by the position alone, and its action helps to order whoever finds it;
//! but its value counts only under the same set of positions since the last capture, told by a signature of 64 bits.

use mancala_env::{Action, Game};

use super::values::{Found, Rests};

/// Buckets of two entries, 64 bytes each.
const MOST_BUCKET_BITS: u32 = 18;
const LEAST_BUCKET_BITS: u32 = 10;
/// Of so many positions that a search reaches, about one is worth a bucket.
const POSITIONS_A_BUCKET: u64 = 4;

const SALT_KEY: u64 = 0x1f83_d9ab_fb41_bd6b;
const SALT_LEAD: u64 = 0x3c6e_f372_fe94_f82b;

/// What the searched value says of the true one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true value is at least this.
    #[default]
    Lower,
    /// The true value is at most this.
    Upper,
    /// The true value is this.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// 64 bits of the folded position.
    pub(super) key: u64,
    /// The positions since the last capture as a set, in the frame of the folded position; where the value rests on the
    /// scores, the lead is mixed in.
    pub(super) signature: u64,
    /// The value less the lead of the player to move: the margin to come.
    pub(super) margin_to_come: i16,
    /// The best action known, in the frame of the folded position.
    pub(super) action: Action,
    /// Plies searched.
    pub(super) depth: u8,
    /// What the value says.
    pub(super) bound: Bound,
    /// No line below reached the horizon: a deeper search would find the same.
    pub(super) is_complete: bool,
    /// The value rests on the scores.
    on_scores: bool,
    generation: u8,
}

/// A table. It is emptied for each search by counting generations.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Vec<[Entry; 2]>,
    generation: u8,
    bucket_bits: u32,
}

impl Table {
    /// An empty table, which takes its memory when first used. It is no larger than searches of so many positions need: a small
    /// table stays in the processor's cache, and a fifth of the time can go by in waiting for a large one.
    pub(super) fn for_positions(positions: u64) -> Self {
        let buckets = (positions / POSITIONS_A_BUCKET).clamp(1 << LEAST_BUCKET_BITS, 1 << MOST_BUCKET_BITS);
        Self { buckets: Vec::new(), generation: 0, bucket_bits: buckets.ilog2() }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if self.buckets.is_empty() || self.generation == u8::MAX {
            self.buckets.clear();
            self.buckets.resize(1 << self.bucket_bits, Default::default());
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// What is known of a position, its value perhaps under another history.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<&Entry> {
        self.buckets[self.index(key)]
            .iter()
            .find(|entry| entry.key == key && entry.generation == self.generation)
    }

    /// Remembers an entry. The first of a bucket gives way to the same position, to a deeper search or to anything if it is
    /// of an earlier generation; else the second does.
    #[inline]
    pub(super) fn store(&mut self, entry: Entry) {
        let entry = Entry { generation: self.generation, ..entry };
        let index = self.index(entry.key);
        let [deep, recent] = &mut self.buckets[index];
        if deep.generation != entry.generation || deep.key == entry.key {
            *deep = entry;
        } else if entry.depth >= deep.depth {
            *recent = *deep;
            *deep = entry;
        } else {
            *recent = entry;
        }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        (key >> (64 - self.bucket_bits)) as usize
    }
}

/// A position as it stands (0) and mirrored (1).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frames {
    /// The position's fingerprints.
    pub(super) fingerprints: [u128; 2],
    /// Signatures of the set of positions since the last capture, this one included.
    pub(super) signatures: [u64; 2],
}

/// A position in that one of its two frames by which the table knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folded {
    /// 64 bits of the position.
    pub(super) key: u64,
    signature: u64,
    is_mirrored: bool,
}

impl Folded {
    /// Chooses the frame.
    #[inline]
    pub(super) fn of(frames: Frames) -> Self {
        let [plain, mirrored] = frames.fingerprints;
        let is_mirrored = mirrored < plain;
        Self {
            key: mix64(plain.min(mirrored), SALT_KEY),
            signature: frames.signatures[usize::from(is_mirrored)],
            is_mirrored,
        }
    }

    /// An action of `state` in the folded frame, or the other way round.
    #[inline]
    pub(super) fn turn<G: Game>(&self, state: &G, action: Action) -> Action {
        if self.is_mirrored { state.mirrored_action(action) } else { action }
    }

    /// What an entry says of a search `depth` plies deep with this window, if it says enough.
    ///
    /// Only the same depth will do, or a smaller one that saw every line to its end: so values are those of plain minimax. To
    /// be `lenient` a greater depth will do as well, and another history unless the value rests on the scores, as all draws
    /// by repetition do.
    #[inline]
    pub(super) fn answer(
        &self,
        entry: &Entry,
        depth: u32,
        lead: i32,
        alpha: i32,
        beta: i32,
        lenient: bool,
    ) -> Option<Found> {
        let entry_depth = u32::from(entry.depth);
        let is_deep_enough =
            entry_depth == depth || if entry_depth < depth { entry.is_complete } else { lenient };
        if !is_deep_enough {
            return None;
        }
        let signature = if entry.on_scores { self.signature_with(lead) } else { self.signature };
        let same_history = entry.signature == signature;
        if !same_history && (entry.on_scores || !lenient) {
            return None;
        }
        let value = lead + i32::from(entry.margin_to_come);
        let is_enough = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        // Of another history it is not known what a deeper search would find.
        let on_horizon = !(entry.is_complete && same_history);
        is_enough.then_some(Found { value, rests: Rests { on_scores: entry.on_scores, on_horizon } })
    }

    /// What to remember: `action` is in the folded frame.
    #[inline]
    pub(super) fn entry(&self, found: Found, action: Action, depth: u32, lead: i32, bound: Bound) -> Entry {
        Entry {
            key: self.key,
            signature: if found.rests.on_scores { self.signature_with(lead) } else { self.signature },
            margin_to_come: (found.value - lead) as i16,
            action,
            depth: depth as u8,
            bound,
            is_complete: !found.rests.on_horizon,
            on_scores: found.rests.on_scores,
            generation: 0,
        }
    }

    #[inline]
    fn signature_with(&self, lead: i32) -> u64 {
        self.signature ^ mix64(lead as u32 as u128, SALT_LEAD)
    }
}

/// Mixes a fingerprint down to 64 bits; `salt` tells purposes apart.
#[inline]
pub(super) fn mix64(fingerprint: u128, salt: u64) -> u64 {
    let low = (fingerprint as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut hash = low.rotate_left(32) ^ (fingerprint >> 64) as u64 ^ salt;
    hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^= hash >> 32;
    hash.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON_SCORES: Rests = Rests { on_scores: true, on_horizon: true };
    const ON_HORIZON: Rests = Rests { on_scores: false, on_horizon: true };
    const ON_NOTHING: Rests = Rests { on_scores: false, on_horizon: false };

    fn folded(signature: u64) -> Folded {
        Folded { key: 1, signature, is_mirrored: false }
    }

    /// What an entry found with a lead of 3 at depth 5 answers.
    fn answer(rests: Rests, signature: u64, depth: u32, lead: i32) -> Option<i32> {
        let entry = folded(7).entry(Found { value: 10, rests }, 0, 5, 3, Bound::Exact);
        folded(signature).answer(&entry, depth, lead, -1, 0, false).map(|found| found.value)
    }

    #[test]
    fn values_hold_for_what_they_rest_on_alone() {
        assert_eq!(answer(ON_HORIZON, 7, 5, 3), Some(10));
        assert_eq!(answer(ON_HORIZON, 7, 5, -20), Some(-13), "the margin to come is free of scores");
        assert_eq!(answer(ON_SCORES, 7, 5, 3), Some(10));
        assert_eq!(answer(ON_SCORES, 7, 5, 4), None, "a draw is worth 0 whatever the lead");
        assert_eq!(answer(ON_HORIZON, 8, 5, 3), None, "another history");
        assert_eq!(answer(ON_HORIZON, 7, 6, 3), None, "another depth");
        assert_eq!(answer(ON_NOTHING, 7, 6, 3), Some(10), "every line was seen to its end");
        assert_eq!(answer(ON_NOTHING, 7, 4, 3), None, "a shallower search would not see so far");
    }

    #[test]
    fn leniency_takes_deeper_searches_and_other_histories() {
        let answer = |rests, signature, depth, lead| {
            let entry = folded(7).entry(Found { value: 10, rests }, 0, 5, 3, Bound::Exact);
            folded(signature).answer(&entry, depth, lead, -1, 0, true)
        };
        assert_eq!(answer(ON_HORIZON, 8, 4, 3).map(|found| found.value), Some(10));
        assert_eq!(answer(ON_HORIZON, 7, 6, 3), None, "a shallower search");
        assert_eq!(answer(ON_SCORES, 8, 5, 3), None, "a draw of another history");
        assert_eq!(answer(ON_SCORES, 7, 5, 4), None, "a draw is worth 0 whatever the lead");
        let rests = |signature| answer(ON_NOTHING, signature, 5, 3).map(|found| found.rests);
        assert_eq!(rests(7), Some(ON_NOTHING));
        assert_eq!(rests(8), Some(ON_HORIZON), "this history may hold a repetition");
    }

    #[test]
    fn bounds_answer_only_what_they_settle() {
        for (bound, above, below) in
            [(Bound::Lower, false, true), (Bound::Upper, true, false), (Bound::Exact, true, true)]
        {
            let entry = folded(7).entry(Found { value: 10, rests: ON_HORIZON }, 0, 5, 0, bound);
            assert_eq!(folded(7).answer(&entry, 5, 0, 10, 11, false).is_some(), above, "{bound:?}");
            assert_eq!(folded(7).answer(&entry, 5, 0, 9, 10, false).is_some(), below, "{bound:?}");
        }
    }

    #[test]
    fn clearing_forgets() {
        let mut table = Table::for_positions(1);
        for round in 0..600 {
            table.clear();
            assert!(table.probe(1).is_none(), "round {round}");
            table.store(folded(7).entry(Found { value: 1, rests: ON_HORIZON }, 4, 2, 0, Bound::Exact));
            assert_eq!(table.probe(1).map(|entry| entry.action), Some(4));
        }
    }
}
