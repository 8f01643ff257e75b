//! Boards as numbers: all boards with the same number of seeds, folded by the mirror, without a gap.
//!
//! A board is cut into two halves that the mirror exchanges, `x` (both rows from their left to the middle) and `y` (both from
//! their right to the middle), and with an odd number of pits a row the two middle pits, which it leaves alone. A board and
//! its mirror image are the same pair {x, y}, so pairs are numbered without regard to their order: by the seeds of both
//! halves, then by the numbers of the halves among those with as many seeds, the larger first.
//!
//! Boards are seen by the player to move: pits `0..n` are his, from his own left, `n..2n` the opponent's, from the opponent's
//! own left. So the seats fold as well.

/// Halves of boards have at most so many pits (2 x 5).
const MAX_HALF: usize = 10;
/// Margins are kept in an `i8` with one value to spare, so boards hold fewer seeds than this.
pub(super) const MAX_SEEDS: u32 = 126;
/// Board numbers of one layer fit into 31 bits (5x4's largest layer: 1.03 billion).
const MAX_BOARDS: u128 = 1 << 31;

/// Numbers the boards of `pits` pits a row.
#[derive(Debug)]
pub(super) struct BoardIndex {
    /// Pits a row.
    pits: usize,
    /// Pits of a half board: `x` and `y` have so many each.
    half: usize,
    max_seeds: usize,
    /// `binomial[i][p]` = C(p + i, i + 1): what the first i + 1 pits of a half add to its number if they hold p seeds.
    binomial: Vec<Vec<u64>>,
    /// Half boards with so many seeds.
    halves: Vec<u64>,
    /// By seeds on the board: where the boards begin whose halves hold (a, b) seeds, at `a * (max_seeds + 1) + b`.
    offsets: Vec<Vec<u64>>,
    /// By seeds on the board: the blocks (a, b) in their order, with the number of their first board.
    blocks: Vec<Vec<Block>>,
    /// Boards with so many seeds.
    boards: Vec<u64>,
}

/// Boards whose halves hold `a` and `b` seeds, `a >= b`.
#[derive(Clone, Copy, Debug)]
struct Block {
    a: usize,
    b: usize,
    first: u64,
}

impl BoardIndex {
    /// Numbers boards of `pits` (2..=10) pits a row and up to `max_seeds` seeds; `None` if there are too many of them.
    pub(super) fn new(pits: u8, max_seeds: u32) -> Option<Self> {
        if max_seeds > MAX_SEEDS || compositions(2 * usize::from(pits), max_seeds as usize)? / 2 > MAX_BOARDS
        {
            return None;
        }
        let (pits, max_seeds) = (usize::from(pits), max_seeds as usize);
        let half = pits / 2 * 2;
        let count = |parts, seeds| compositions(parts, seeds).map_or(u64::MAX, |count| count as u64);
        let binomial = (0..half - 1)
            .map(|i| (0..=max_seeds).map(|p| if p == 0 { 0 } else { count(i + 2, p - 1) }).collect());
        let halves: Vec<u64> = (0..=max_seeds).map(|seeds| count(half, seeds)).collect();
        let mut index = Self {
            pits,
            half,
            max_seeds,
            binomial: binomial.collect(),
            halves,
            offsets: Vec::new(),
            blocks: Vec::new(),
            boards: Vec::new(),
        };
        for seeds in 0..=max_seeds {
            let mut offsets = vec![0; (seeds + 1) * (max_seeds + 1)];
            let (mut blocks, mut first) = (Vec::new(), 0);
            for a in 0..=seeds {
                for b in 0..=a.min(seeds - a) {
                    if index.has_middle() || a + b == seeds {
                        offsets[a * (max_seeds + 1) + b] = first;
                        blocks.push(Block { a, b, first });
                        first += index.pairs(a, b) * index.middles(seeds - a - b);
                    }
                }
            }
            index.offsets.push(offsets);
            index.blocks.push(blocks);
            index.boards.push(first);
        }
        Some(index)
    }

    /// The most seeds a board may hold.
    pub(super) fn max_seeds(&self) -> u32 {
        self.max_seeds as u32
    }

    /// How many boards hold so many seeds.
    pub(super) fn boards(&self, seeds: usize) -> u64 {
        self.boards[seeds]
    }

    fn has_middle(&self) -> bool {
        self.pits % 2 == 1
    }

    /// Ways to lay so many seeds into the middle pits.
    fn middles(&self, seeds: usize) -> u64 {
        if self.has_middle() { seeds as u64 + 1 } else { 1 }
    }

    /// Pairs of halves with `a` and `b` seeds.
    fn pairs(&self, a: usize, b: usize) -> u64 {
        let (of_a, of_b) = (self.halves[a], self.halves[b]);
        if a == b { of_a * (of_a + 1) / 2 } else { of_a * of_b }
    }

    /// The seeds of a half board and its number among those with as many. The cells come in the order of `x`.
    #[inline]
    fn half_number(&self, cells: impl Iterator<Item = u8>) -> (usize, u64) {
        let (mut seeds, mut number) = (0, 0);
        for (i, cell) in cells.enumerate() {
            seeds += usize::from(cell);
            // The last pit holds the rest.
            if i + 1 < self.half {
                number += self.binomial[i][seeds];
            }
        }
        (seeds, number)
    }

    /// The number of a board among those with as many seeds. `own` and `opposite` are the rows of the player to move and of
    /// the other, each from its owner's left.
    #[inline]
    pub(super) fn number(&self, seeds: usize, own: &[u8], opposite: &[u8]) -> u64 {
        let side = self.half / 2;
        let x = self.half_number(own[..side].iter().chain(&opposite[..side]).copied());
        let from_right = |row: &'_ [u8]| -> [u8; MAX_HALF / 2] {
            let mut cells = [0; MAX_HALF / 2];
            for (cell, &seeds) in cells.iter_mut().zip(row.iter().rev()).take(side) {
                *cell = seeds;
            }
            cells
        };
        let (right_own, right_opposite) = (from_right(own), from_right(opposite));
        let y = self.half_number(right_own[..side].iter().chain(&right_opposite[..side]).copied());
        let ((a, larger), (b, smaller)) = if x >= y { (x, y) } else { (y, x) };
        let pair =
            if a == b { larger * (larger + 1) / 2 + smaller } else { larger * self.halves[b] + smaller };
        let middle = if self.has_middle() { u64::from(own[side]) } else { 0 };
        self.offsets[seeds][a * (self.max_seeds + 1) + b] + pair * self.middles(seeds - a - b) + middle
    }

    /// Writes the half board with `seeds` seeds and this number.
    fn write_half(&self, mut seeds: usize, mut number: u64, cells: &mut [u8]) {
        for i in (1..self.half).rev() {
            // The most seeds that the pits before may hold.
            let before = self.binomial[i - 1][..=seeds].partition_point(|&least| least <= number) - 1;
            cells[i] = (seeds - before) as u8;
            number -= self.binomial[i - 1][before];
            seeds = before;
        }
        cells[0] = seeds as u8;
    }

    /// The board with this number among those with so many seeds: one of the two that have it. The first `2 * pits` cells of
    /// `cells` are written.
    pub(super) fn write_board(&self, seeds: usize, number: u64, cells: &mut [u8]) {
        let blocks = &self.blocks[seeds];
        let Block { a, b, first } = blocks[blocks.partition_point(|block| block.first <= number) - 1];
        let middles = self.middles(seeds - a - b);
        let (pair, middle) = ((number - first) / middles, (number - first) % middles);
        let (larger, smaller) = if a == b {
            let larger = triangle_root(pair);
            (larger, pair - larger * (larger + 1) / 2)
        } else {
            (pair / self.halves[b], pair % self.halves[b])
        };
        let (mut x, mut y) = ([0; MAX_HALF], [0; MAX_HALF]);
        self.write_half(a, larger, &mut x);
        self.write_half(b, smaller, &mut y);
        let (own, opposite) = cells[..2 * self.pits].split_at_mut(self.pits);
        let side = self.half / 2;
        for i in 0..side {
            own[i] = x[i];
            opposite[i] = x[side + i];
            own[self.pits - 1 - i] = y[i];
            opposite[self.pits - 1 - i] = y[side + i];
        }
        if self.has_middle() {
            own[side] = middle as u8;
            opposite[side] = (seeds - a - b) as u8 - middle as u8;
        }
    }
}

/// The greatest r with r (r + 1) / 2 <= `number`.
fn triangle_root(number: u64) -> u64 {
    let mut root = ((8 * number + 1).isqrt() - 1) / 2;
    while root * (root + 1) / 2 > number {
        root -= 1;
    }
    root
}

/// Ways to lay `seeds` seeds into `parts` pits: C(seeds + parts - 1, parts - 1); `None` beyond all measure.
fn compositions(parts: usize, seeds: usize) -> Option<u128> {
    (1..parts as u128).try_fold(1u128, |count, i| Some(count.checked_mul(seeds as u128 + i)? / i))
}

/// All boards of `pits` pits a row with at most `seeds` seeds, before folding.
pub(super) fn unfolded_boards(pits: u8, seeds: u32) -> Option<u128> {
    compositions(2 * usize::from(pits) + 1, seeds as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirrored(cells: &[u8], pits: usize) -> Vec<u8> {
        let (own, opposite) = cells.split_at(pits);
        own.iter().rev().chain(opposite.iter().rev()).copied().collect()
    }

    #[test]
    fn numbers_and_boards_belong_together() {
        for (pits, most) in [(2, 12), (3, 8), (4, 7), (5, 5), (6, 4), (7, 4), (10, 3)] {
            let index = BoardIndex::new(pits, most).unwrap();
            let pits = usize::from(pits);
            for seeds in 0..=most as usize {
                let mut unfolded = 0;
                for number in 0..index.boards(seeds) {
                    let mut cells = vec![0; 2 * pits];
                    index.write_board(seeds, number, &mut cells);
                    assert_eq!(cells.iter().map(|&cell| usize::from(cell)).sum::<usize>(), seeds);
                    assert_eq!(index.number(seeds, &cells[..pits], &cells[pits..]), number, "{cells:?}");
                    let mirrored = mirrored(&cells, pits);
                    assert_eq!(index.number(seeds, &mirrored[..pits], &mirrored[pits..]), number);
                    unfolded += if mirrored == cells { 1 } else { 2 };
                }
                // As every number gives its own board, all boards have been met.
                assert_eq!(Some(unfolded), compositions(2 * pits, seeds), "{pits} pits, {seeds} seeds");
            }
        }
    }

    #[test]
    fn boards_are_counted() {
        assert_eq!(unfolded_boards(4, 24), Some(10_518_300));
        assert_eq!(unfolded_boards(5, 20), Some(30_045_015));
        assert_eq!(unfolded_boards(4, 32), Some(76_904_685));
        assert_eq!(unfolded_boards(5, 30), Some(847_660_528));
        assert_eq!(unfolded_boards(5, 40), Some(10_272_278_170));
        assert!(BoardIndex::new(5, 40).is_some(), "5x4 fits");
        assert!(BoardIndex::new(8, 128).is_none());
        assert!(BoardIndex::new(2, 127).is_none());
    }

    #[test]
    fn triangles_have_roots() {
        for root in (0..1000).chain([1 << 20, 1 << 28]) {
            let triangle = root * (root + 1) / 2;
            assert_eq!(triangle_root(triangle), root);
            assert_eq!(triangle_root(triangle + root), root);
        }
    }
}
