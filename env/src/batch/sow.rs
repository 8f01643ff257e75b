//! Laps of 64 games in lockstep.

use super::isa::Isa;
use super::kiothi::NKI;
use super::{LANES, Row, mask_of};
use crate::giuthi::MAX_GIUTHI_SEEDS;

/// The moves of 64 games under way: boards pit by pit, and where each move stands.
///
/// ```text
///          lane 0   1   2  ...  63
/// pits[0]      .    .    .       .     seeds in pit 0 of each game
///   ...
/// pits[P-1]    .    .    .       .
/// pit          .    .    .       .     the pit that the seeds in hand came from; in the end the landing pit
/// step        +1   -1   +1  ... +1     direction of the lap (of the last lap in the end): +1 ccw, -1 (255) cw
/// hand         3    0   17       .     seeds to sow, already off the board; 0: the move is over, its last seed in hand
/// entered      0    1    1       .     1: a seed has fallen into the enemy row
/// laps         1    4    2       .     laps sown, where they are counted
/// ```
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Window<const P: usize> {
    pub(super) pits: [Row<u8>; P],
    pub(super) pit: Row<u8>,
    pub(super) step: Row<u8>,
    pub(super) hand: Row<u8>,
    pub(super) entered: Row<u8>,
    pub(super) laps: Row<u8>,
}

impl<const P: usize> Window<P> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let row = [0; LANES];
        Self { pits: [row; P], pit: row, step: row, hand: row, entered: row, laps: row }
    }
}

/// `(m, s)` such that `h * m >> s` is `h / P` for all hands less one, in 16 bits.
struct Divide<const P: usize>;

impl<const P: usize> Divide<P> {
    const MAGIC: (u16, u32) = {
        let mut shift = 15;
        loop {
            let multiplier = (1u32 << shift).div_ceil(P as u32);
            let mut hand = 0;
            while hand < MAX_GIUTHI_SEEDS as u32
                && hand * multiplier < 1 << 16
                && (hand * multiplier) >> shift == hand / P as u32
            {
                hand += 1;
            }
            if hand == MAX_GIUTHI_SEEDS as u32 {
                break (multiplier as u16, shift);
            }
            shift -= 1;
        }
    };
}

/// Sows one lap in every game with seeds in hand. A lap is
///
/// ```text
/// distance of pit p from the origin, less one, in the direction of the lap:  d = 0 .. P-1   (the origin itself: P-1)
/// hand - 1 = q * P + s:   pit p gets  q + (d <= s)  seeds, and the last falls where d = s
/// ```
///
/// and nothing else depends on the pit: 64 games take the same steps whatever they hold. The seeds of the landing pit are
/// lifted at once: one alone has fallen into an empty pit, and the move is over (`hand` 0, that seed still off the board).
#[inline(always)]
pub(super) fn lap<const P: usize, const TURNS: bool, const COUNT: bool>(window: &mut Window<P>) {
    let (len, last) = (P as u8, P as u8 - 1);
    let Window { pits, pit, step, hand, entered, laps } = window;
    if COUNT {
        for i in 0..LANES {
            laps[i] += u8::from(hand[i] != 0);
        }
    }
    let mut quotient = [0; LANES];
    for i in 0..LANES {
        let all_but_one = hand[i].wrapping_sub(1);
        quotient[i] = if P.is_power_of_two() {
            all_but_one >> P.trailing_zeros()
        } else {
            let (multiplier, shift) = Divide::<P>::MAGIC;
            (u16::from(all_but_one).wrapping_mul(multiplier) >> shift) as u8
        };
    }
    for i in 0..LANES {
        let moving = hand[i] != 0;
        let rest = if P.is_power_of_two() {
            hand[i].wrapping_sub(1) & last
        } else {
            hand[i].wrapping_sub(1).wrapping_sub(quotient[i].wrapping_mul(len))
        };
        let rounds = if moving { quotient[i] } else { 0 };
        // Nothing is at or below these distances where no move is under way.
        let (rest, count) = if moving { (rest, rest.wrapping_add(1)) } else { (255, 0) };
        let ccw = !TURNS || step[i] == 1;
        let mut distance = if ccw { last.wrapping_sub(pit[i]) } else { pit[i].wrapping_sub(1).min(last) };
        let (onward, wrapped) = if ccw { (1, 1u8.wrapping_sub(len)) } else { (255, len.wrapping_sub(1)) };
        let mut lifted = 0;
        // Row by row: loops so short are unrolled, and only then does the loop over lanes become one of vectors.
        let (first, second) = pits.split_at_mut(P / 2);
        for rows in [first, second] {
            for row in &mut rows[..P / 2] {
                let seeds = row[i].wrapping_add(rounds).wrapping_add((distance < count).into());
                let landing = distance == rest;
                lifted = if landing { if TURNS { seeds } else { seeds & !NKI } } else { lifted };
                row[i] = if landing { 0 } else { seeds };
                distance = if P.is_power_of_two() {
                    distance.wrapping_add(onward) & last
                } else {
                    distance.wrapping_add(onward).min(distance.wrapping_add(wrapped))
                };
            }
        }
        if TURNS {
            // As long as the enemy row has not been entered the origin is an own pit.
            let to_enemy = if ccw { (len / 2).wrapping_sub(pit[i]) } else { pit[i].wrapping_add(1) };
            entered[i] |= u8::from(hand[i] >= to_enemy);
        }
        let (onward, backward) = (pit[i].wrapping_add(count), pit[i].wrapping_sub(count));
        pit[i] =
            if ccw { onward.min(onward.wrapping_sub(len)) } else { backward.min(backward.wrapping_add(len)) };
        let relays = lifted > 1;
        if TURNS {
            step[i] ^= mask_of(relays) & (1 ^ 255);
        }
        hand[i] = if relays { lifted } else { 0 };
    }
}

/// Moves at most so many laps are sown in lockstep; the few that are longer are played by the scalar rules.
const MOST_LAPS: u32 = 96;

/// Laps of each stage but the last, after which the games still moving are gathered into fewer windows.
const STAGE_LAPS: [u32; 3] = [3, 4, 6];

/// Games of a group: so many are sown together, so that those with long moves can be gathered.
pub(super) const GROUP: usize = 16;

/// Lanes of a stage, and room for a window that begins at the last.
const ROOM: usize = (GROUP + 1) * LANES;

/// Games still moving, densely packed: the rows of windows side by side.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Stage<const P: usize> {
    pits: [[u8; ROOM]; P],
    pit: [u8; ROOM],
    step: [u8; ROOM],
    hand: [u8; ROOM],
    entered: [u8; ROOM],
    laps: [u8; ROOM],
}

/// Where windows are sown.
#[derive(Clone, Debug)]
pub(super) struct Field<const P: usize> {
    pub(super) windows: Vec<Window<P>>,
    stages: Vec<Stage<P>>,
}

#[inline(always)]
fn part(row: &[u8; ROOM], at: usize) -> &Row<u8> {
    row[at..].first_chunk().expect("a stage has room")
}

#[inline(always)]
fn part_mut(row: &mut [u8; ROOM], at: usize) -> &mut Row<u8> {
    row[at..].first_chunk_mut().expect("a stage has room")
}

impl<const P: usize> Stage<P> {
    fn new() -> Self {
        let row = [0; ROOM];
        Self { pits: [row; P], pit: row, step: row, hand: row, entered: row, laps: row }
    }

    #[inline(always)]
    fn push<I: Isa, const COUNT: bool>(&mut self, isa: I, at: usize, mask: u64, from: &Window<P>) {
        for (to, from) in self.pits.iter_mut().zip(&from.pits) {
            isa.compress(mask, from, part_mut(to, at));
        }
        isa.compress(mask, &from.pit, part_mut(&mut self.pit, at));
        isa.compress(mask, &from.step, part_mut(&mut self.step, at));
        isa.compress(mask, &from.hand, part_mut(&mut self.hand, at));
        isa.compress(mask, &from.entered, part_mut(&mut self.entered, at));
        if COUNT {
            isa.compress(mask, &from.laps, part_mut(&mut self.laps, at));
        }
    }

    #[inline(always)]
    fn pop<I: Isa, const COUNT: bool>(&self, isa: I, at: usize, mask: u64, to: &mut Window<P>) {
        for (from, to) in self.pits.iter().zip(&mut to.pits) {
            isa.expand(mask, part(from, at), to);
        }
        isa.expand(mask, part(&self.pit, at), &mut to.pit);
        isa.expand(mask, part(&self.step, at), &mut to.step);
        isa.expand(mask, part(&self.hand, at), &mut to.hand);
        isa.expand(mask, part(&self.entered, at), &mut to.entered);
        if COUNT {
            isa.expand(mask, part(&self.laps, at), &mut to.laps);
        }
    }

    #[inline(always)]
    fn load<const COUNT: bool>(&self, at: usize) -> Window<P> {
        let mut window = Window::new();
        for (to, from) in window.pits.iter_mut().zip(&self.pits) {
            *to = *part(from, at);
        }
        window.pit = *part(&self.pit, at);
        window.step = *part(&self.step, at);
        window.hand = *part(&self.hand, at);
        window.entered = *part(&self.entered, at);
        if COUNT {
            window.laps = *part(&self.laps, at);
        }
        window
    }

    #[inline(always)]
    fn store<const COUNT: bool>(&mut self, at: usize, window: &Window<P>) {
        for (to, from) in self.pits.iter_mut().zip(&window.pits) {
            *part_mut(to, at) = *from;
        }
        *part_mut(&mut self.pit, at) = window.pit;
        *part_mut(&mut self.step, at) = window.step;
        *part_mut(&mut self.hand, at) = window.hand;
        *part_mut(&mut self.entered, at) = window.entered;
        if COUNT {
            *part_mut(&mut self.laps, at) = window.laps;
        }
    }
}

impl<const P: usize> Field<P> {
    pub(super) fn new() -> Self {
        Self { windows: vec![Window::new(); GROUP], stages: vec![Stage::new(); STAGE_LAPS.len()] }
    }

    /// Sows the first `count` windows until every move is over or has gone on for [`MOST_LAPS`] (`hand` is not 0 then).
    /// `meanwhile` is called once for each window. `COUNT`: laps are counted.
    #[inline(always)]
    pub(super) fn sow<I: Isa, const TURNS: bool, const COUNT: bool>(
        &mut self,
        isa: I,
        count: usize,
        meanwhile: impl Fn(usize),
    ) {
        let mut masks = [[0u64; GROUP]; STAGE_LAPS.len()];
        let mut moving = 0;
        for (i, (window, mask)) in self.windows[..count].iter_mut().zip(&mut masks[0]).enumerate() {
            meanwhile(i);
            for _ in 0..STAGE_LAPS[0] {
                lap::<P, TURNS, COUNT>(window);
            }
            *mask = isa.nonzero(&window.hand);
            self.stages[0].push::<I, COUNT>(isa, moving, *mask, window);
            moving += mask.count_ones() as usize;
        }
        let mut counts = [0; STAGE_LAPS.len()];
        for level in 0..STAGE_LAPS.len() {
            counts[level] = moving;
            *part_mut(&mut self.stages[level].hand, moving) = [0; LANES];
            let (these, further) = self.stages.split_at_mut(level + 1);
            let (stage, is_last) = (&mut these[level], further.is_empty());
            moving = 0;
            for (i, at) in (0..counts[level]).step_by(LANES).enumerate() {
                let mut window = stage.load::<COUNT>(at);
                if is_last {
                    let sown = STAGE_LAPS.iter().sum::<u32>();
                    for _ in sown..MOST_LAPS {
                        lap::<P, TURNS, COUNT>(&mut window);
                        if isa.nonzero(&window.hand) == 0 {
                            break;
                        }
                    }
                } else {
                    for _ in 0..STAGE_LAPS[level + 1] {
                        lap::<P, TURNS, COUNT>(&mut window);
                    }
                    let mask = isa.nonzero(&window.hand);
                    masks[level + 1][i] = mask;
                    further[0].push::<I, COUNT>(isa, moving, mask, &window);
                    moving += mask.count_ones() as usize;
                }
                stage.store::<COUNT>(at, &window);
            }
        }
        for level in (1..STAGE_LAPS.len()).rev() {
            let (these, further) = self.stages.split_at_mut(level);
            let mut at = 0;
            for (i, to) in (0..counts[level - 1]).step_by(LANES).enumerate() {
                let mask = masks[level][i];
                if mask != 0 {
                    let mut window = these[level - 1].load::<COUNT>(to);
                    further[0].pop::<I, COUNT>(isa, at, mask, &mut window);
                    these[level - 1].store::<COUNT>(to, &window);
                }
                at += mask.count_ones() as usize;
            }
        }
        let mut at = 0;
        for (window, &mask) in self.windows[..count].iter_mut().zip(&masks[0]) {
            self.stages[0].pop::<I, COUNT>(isa, at, mask, window);
            at += mask.count_ones() as usize;
        }
    }
}
