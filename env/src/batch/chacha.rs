//! The samplers of 64 games: ChaCha8 streams, word for word those of [`stream`](crate::stream), 16 at a time.

use super::isa::Isa;
use super::{LANES, Row};
use crate::opening::Stream;

/// Words of a ChaCha block.
const WORDS: usize = 16;
/// Streams that are computed at a time: 32-bit lanes of the widest vectors.
const ABREAST: usize = 16;

/// Words in store: two blocks, so that games that draw at their own pace can compute blocks together.
const STORE: usize = 2 * WORDS;

/// The streams of [`Stream::Sample`] of 64 games, each with some words in store.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Samplers {
    words: [Row<u32>; STORE],
    /// The word that each game draws next.
    next: Row<u8>,
    /// How many are left from there, round and round.
    left: Row<u8>,
    /// The block that each game computes next.
    block: Row<u64>,
    seed: Row<u64>,
    /// The number of the game in lane 0.
    first_game: u64,
}

impl Samplers {
    pub(super) fn new(first_game: u64, seed: u64) -> Self {
        Self {
            words: [[0; LANES]; STORE],
            next: [0; LANES],
            left: [0; LANES],
            block: [0; LANES],
            seed: [seed; LANES],
            first_game,
        }
    }

    /// The stream of a game begins anew.
    pub(super) fn restart(&mut self, lane: usize, seed: u64) {
        (self.next[lane], self.left[lane]) = (0, 0);
        self.block[lane] = 0;
        self.seed[lane] = seed;
    }

    /// The words that a game has drawn.
    pub(super) fn drawn(&self, lane: usize) -> u64 {
        self.block[lane] * WORDS as u64 - u64::from(self.left[lane])
    }

    /// The stream of a game, of which so many words have been drawn.
    pub(super) fn resume(&mut self, lane: usize, seed: u64, drawn: u64) {
        self.restart(lane, seed);
        self.block[lane] = drawn / WORDS as u64;
        let (mut wanted, mut words) = ([0; LANES], [0; LANES]);
        wanted[lane] = 1;
        (0..drawn % WORDS as u64).for_each(|_| self.draw(&wanted, &mut words));
    }

    /// Asks for what tells which words the next draw needs.
    #[inline(always)]
    pub(super) fn fetch_next<I: Isa>(&self, isa: I) {
        isa.fetch(&self.next);
        isa.fetch(&self.left);
    }

    /// Asks for the words.
    #[inline(always)]
    pub(super) fn fetch_words<I: Isa>(&self, isa: I) {
        isa.fetch(&self.words[usize::from(self.next[0]) % STORE]);
    }

    /// Draws a word in every game where `wanted` is not 0; in others `words` is of no meaning.
    #[inline(always)]
    pub(super) fn draw(&mut self, wanted: &Row<u8>, words: &mut Row<u32>) {
        self.refill(wanted);
        let first = self.next[0];
        let mut together = true;
        for i in 0..LANES {
            together &= self.next[i] == first && wanted[i] != 0;
        }
        if together {
            *words = self.words[usize::from(first) % STORE];
        } else {
            let flat = self.words.as_flattened();
            for i in 0..LANES {
                words[i] = flat[usize::from(self.next[i]) % STORE * LANES + i];
            }
        }
        for i in 0..LANES {
            let drawn = u8::from(wanted[i] != 0);
            self.next[i] = (self.next[i] + drawn) % STORE as u8;
            self.left[i] -= drawn;
        }
    }

    /// If some game wants a word and has none left, computes a block for all that have room for one.
    #[inline(always)]
    fn refill(&mut self, wanted: &Row<u8>) {
        let mut dry = false;
        for i in 0..LANES {
            dry |= wanted[i] != 0 && self.left[i] == 0;
        }
        if !dry {
            return;
        }
        let mut lanes = [0u8; LANES];
        let mut count = 0;
        for i in 0..LANES {
            if usize::from(self.left[i]) <= WORDS {
                lanes[count] = i as u8;
                count += 1;
            }
        }
        for lanes in lanes[..count].chunks(ABREAST) {
            let mut input = [[0u32; ABREAST]; 6];
            let mut halves = [0; ABREAST];
            for (i, &lane) in lanes.iter().enumerate() {
                let lane = usize::from(lane) % LANES;
                let (seed, game, block) = (self.seed[lane], self.first_game + lane as u64, self.block[lane]);
                for (j, half) in
                    [seed, seed >> 32, game, game >> 32, block, block >> 32].into_iter().enumerate()
                {
                    input[j][i] = half as u32;
                }
                self.block[lane] = block + 1;
                halves[i] = (self.next[lane] + self.left[lane]) / WORDS as u8 % 2;
                self.left[lane] += WORDS as u8;
            }
            let blocks = blocks(&input);
            let first = usize::from(lanes[0]);
            if lanes.len() == ABREAST
                && usize::from(lanes[ABREAST - 1]) == first + ABREAST - 1
                && halves == [halves[0]; ABREAST]
            {
                for (row, words) in self.words[usize::from(halves[0]) * WORDS..].iter_mut().zip(&blocks) {
                    row[first..first + ABREAST].copy_from_slice(words);
                }
                continue;
            }
            for (i, words) in blocks.iter().enumerate() {
                for ((&lane, &half), &word) in lanes.iter().zip(&halves).zip(words) {
                    self.words[usize::from(half) * WORDS + i][usize::from(lane) % LANES] = word;
                }
            }
        }
    }
}

/// One block of each of 16 streams: `input` is the halves of seed, game and block number; the episode is 0.
#[inline(always)]
fn blocks(input: &[[u32; ABREAST]; 6]) -> [[u32; ABREAST]; WORDS] {
    let same = |word: u32| [word; ABREAST];
    let [seed, seed_high, game, game_high, block, block_high] = *input;
    let start = [
        same(0x6170_7865),
        same(0x3320_646e),
        same(0x7962_2d32),
        same(0x6b20_6574),
        seed,
        seed_high,
        game,
        game_high,
        same(0),
        same(0),
        same(Stream::Sample as u32),
        same(0),
        block,
        block_high,
        same(0),
        same(0),
    ];
    let mut words = start;
    for _ in 0..4 {
        for i in 0..ABREAST {
            let mut x = [0; WORDS];
            for (x, row) in x.iter_mut().zip(&words) {
                *x = row[i];
            }
            quarter(&mut x, 0, 4, 8, 12);
            quarter(&mut x, 1, 5, 9, 13);
            quarter(&mut x, 2, 6, 10, 14);
            quarter(&mut x, 3, 7, 11, 15);
            quarter(&mut x, 0, 5, 10, 15);
            quarter(&mut x, 1, 6, 11, 12);
            quarter(&mut x, 2, 7, 8, 13);
            quarter(&mut x, 3, 4, 9, 14);
            for (row, x) in words.iter_mut().zip(x) {
                row[i] = x;
            }
        }
    }
    for (row, start) in words.iter_mut().zip(&start) {
        for (word, start) in row.iter_mut().zip(start) {
            *word = word.wrapping_add(*start);
        }
    }
    words
}

#[inline(always)]
fn quarter(x: &mut [u32; WORDS], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::opening::stream;

    #[test]
    fn the_streams_are_those_of_the_scalar_path() {
        let mut samplers = Samplers::new(640, 11);
        samplers.restart(5, u64::MAX - 3);
        let seed = |lane| if lane == 5 { u64::MAX - 3 } else { 11 };
        let mut scalar: Vec<_> =
            (0..LANES).map(|lane| stream(Stream::Sample, seed(lane), 640 + lane as u64, 0)).collect();
        let mut words = [0; LANES];
        for round in 0..200usize {
            let mut wanted = [0; LANES];
            for (lane, wanted) in wanted.iter_mut().enumerate() {
                *wanted = u8::from(round < 40 || !(round * 7 + lane * lane).is_multiple_of(5));
            }
            samplers.draw(&wanted, &mut words);
            for lane in (0..LANES).filter(|&lane| wanted[lane] != 0) {
                assert_eq!(words[lane], scalar[lane].next_u32());
            }
        }
    }

    #[test]
    fn streams_go_on_from_any_word() {
        let mut samplers = Samplers::new(0, 11);
        let (mut words, mut wanted) = ([0; LANES], [0; LANES]);
        wanted.iter_mut().step_by(3).for_each(|wanted| *wanted = 1);
        for drawn in [0, 1, 15, 16, 17, 31, 32, 33, 1000, i64::MAX as u64] {
            samplers.resume(9, 5, drawn);
            let mut scalar = stream(Stream::Sample, 5, 9, 0);
            scalar.set_word_pos(drawn.into());
            for i in 0..40 {
                assert_eq!(samplers.drawn(9), drawn + i);
                samplers.draw(&wanted, &mut words);
                assert_eq!(words[9], scalar.next_u32(), "{drawn} + {i}");
            }
        }
    }

    #[test]
    fn blocks_are_counted_in_64_bits() {
        let mut samplers = Samplers::new(0, 11);
        let mut scalar = stream(Stream::Sample, 11, 7, 0);
        let block = u64::from(u32::MAX) - 1;
        samplers.block[7] = block;
        scalar.set_word_pos(u128::from(block) * WORDS as u128);
        let mut words = [0; LANES];
        for _ in 0..4 * WORDS {
            samplers.draw(&[1; LANES], &mut words);
            assert_eq!(words[7], scalar.next_u32());
        }
    }
}
