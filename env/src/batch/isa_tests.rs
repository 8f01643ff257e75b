//! What the compiler does not find by itself is the same with every instruction set.

use rand::Rng;

use super::isa::{Isa, Kernel, Level};
use super::{LANES, Row};
use crate::opening::{Stream, stream};

/// All operations on some rows.
struct Operations {
    mask: u64,
    row: Row<u8>,
    other: Row<u8>,
    words: [Row<u16>; 2],
}

#[derive(Debug, PartialEq)]
struct Results {
    nonzero: u64,
    compressed: Vec<u8>,
    places: Vec<u8>,
    expanded: Row<u8>,
    equal: u64,
    spread: [bool; LANES],
    selected: Vec<u32>,
}

impl Kernel for &Operations {
    type Output = Results;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Results {
        let (mut compressed, mut places) = ([77; LANES], [77; LANES]);
        let (mut expanded, mut spread) = (self.other, [false; LANES]);
        isa.compress(self.mask, &self.row, &mut compressed);
        isa.places(self.mask, &mut places);
        isa.expand(self.mask, &self.row, &mut expanded);
        isa.spread(self.mask, &mut spread);
        Results {
            nonzero: isa.nonzero(&self.row),
            compressed: compressed[..self.mask.count_ones() as usize].to_vec(),
            places: places[..self.mask.count_ones() as usize].to_vec(),
            expanded,
            equal: isa.equal(&self.words[0], &self.words[1]),
            spread,
            selected: (0..=255).map(|index| isa.select(self.mask, index)).collect(),
        }
    }
}

impl Operations {
    fn expected(&self) -> Results {
        let lanes: Vec<usize> = (0..LANES).filter(|lane| self.mask >> lane & 1 != 0).collect();
        let bits =
            |truth: &dyn Fn(usize) -> bool| (0..LANES).map(|lane| u64::from(truth(lane)) << lane).sum();
        let mut expanded = self.other;
        for (&lane, &value) in lanes.iter().zip(&self.row) {
            expanded[lane] = value;
        }
        Results {
            nonzero: bits(&|lane| self.row[lane] != 0),
            compressed: lanes.iter().map(|&lane| self.row[lane]).collect(),
            places: lanes.iter().map(|&lane| lane as u8).collect(),
            expanded,
            equal: bits(&|lane| self.words[0][lane] == self.words[1][lane]),
            spread: std::array::from_fn(|lane| lanes.contains(&lane)),
            selected: (0..=255).map(|index| lanes.get(index).map_or(64, |&lane| lane as u32)).collect(),
        }
    }
}

#[test]
fn operations_are_the_same_with_every_instruction_set() {
    let mut rng = stream(Stream::Arena, 4, 0, 0);
    for round in 0..300 {
        let mask = match round {
            0 => 0,
            1 => u64::MAX,
            2..66 => 1 << (round - 2),
            _ if round % 2 == 0 => rng.next_u64() & rng.next_u64(),
            _ => rng.next_u64(),
        };
        let most = if round % 3 == 0 { 256 } else { 3 };
        let mut row = || std::array::from_fn(|_| (rng.next_u32() % most) as u8);
        let (row, other, low) = (row(), row(), row());
        let words = [0u16, 0x101].map(|high| low.map(|word: u8| u16::from(word) * 0x100 + high % 256));
        let words =
            [words[0], std::array::from_fn(|i| if other[i] & 1 == 0 { words[0][i] } else { words[1][i] })];
        let operations = Operations { mask, row, other, words };
        for level in Level::supported() {
            assert_eq!(level.run(&operations), operations.expected(), "{level:?} round {round}");
        }
    }
}
