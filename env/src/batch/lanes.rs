//! Every legal action of many positions side by side, a lane an action.

use super::block::Block;
use super::foretold::Legal;
use super::kind::Kind;
use super::sow::{GROUP, Window};
use super::{LANES, Row};
use crate::game::Action;

/// Lanes sown together, and room for a position that begins at the last.
pub(super) const ROOM: usize = (GROUP + 1) * LANES;

/// A position's pits are written as often as it has legal actions, so that lanes are full whatever there is to choose from.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Lanes<const P: usize> {
    /// In the view of the player to move.
    pub(super) pits: [[u8; ROOM]; P],
    pub(super) mover: [u8; ROOM],
    pub(super) action: [Action; ROOM],
    pub(super) len: usize,
}

#[inline(always)]
pub(super) fn part<T, const N: usize>(row: &[T; ROOM], at: usize) -> &[T; N] {
    row[at..].first_chunk().expect("there is room")
}

#[inline(always)]
pub(super) fn part_mut<T, const N: usize>(row: &mut [T; ROOM], at: usize) -> &mut [T; N] {
    row[at..].first_chunk_mut().expect("there is room")
}

/// 1 in the first `count` lanes.
#[inline(always)]
pub(super) fn live(count: usize) -> Row<u8> {
    let (mut live, count) = ([0; LANES], count.min(LANES) as u8);
    for i in 0..LANES {
        live[i] = u8::from((i as u8) < count);
    }
    live
}

impl<const P: usize> Lanes<P> {
    pub(super) const fn new() -> Self {
        Self { pits: [[0; ROOM]; P], mover: [0; ROOM], action: [0; ROOM], len: 0 }
    }

    /// Adds the legal actions of a position, if there is room for them; whether there was.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &Block<P>, lane: usize, legal: &Legal) -> bool {
        let count = legal.count(lane);
        if self.len + count > GROUP * LANES {
            return false;
        }
        // Stores no wider than need be.
        match count {
            0..=16 => self.copy::<16>(block, lane, legal),
            17..=32 => self.copy::<32>(block, lane, legal),
            _ => self.copy::<LANES>(block, lane, legal),
        }
        self.len += count;
        true
    }

    /// Writes a position into as many lanes as it has legal actions, and more, which the next one takes.
    #[inline(always)]
    fn copy<const N: usize>(&mut self, block: &Block<P>, lane: usize, legal: &Legal) {
        for (to, from) in self.pits.iter_mut().zip(&block.pits) {
            *part_mut(to, self.len) = [from[lane]; N];
        }
        *part_mut(&mut self.mover, self.len) = [block.mover[lane]; N];
        *part_mut::<_, N>(&mut self.action, self.len) = *legal.of(lane);
    }

    /// Lifts what the actions name, 64 lanes to a window; how many windows there are. `block` is where that is done.
    #[inline(always)]
    pub(super) fn lift<K: Kind<P>>(&self, block: &mut Block<P>, windows: &mut [Window<P>]) -> usize {
        let count = self.len.div_ceil(LANES);
        for (i, window) in windows[..count].iter_mut().enumerate() {
            for (to, from) in block.pits.iter_mut().zip(&self.pits) {
                *to = *part(from, LANES * i);
            }
            block.live = live(self.len - LANES * i);
            block.action = *part(&self.action, LANES * i);
            K::lift(block, window);
        }
        count
    }
}
