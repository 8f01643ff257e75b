//! One layer: all boards with the same number of seeds, by rounds until nothing changes.
//!
//! In round 0 a board knows what its captures and its last moves bring; in every later round, what its other moves bring,
//! judged by what the round before found. A win grows from there and never shrinks, so what is left when a round changes
//! nothing is the least fixpoint: whoever cannot force an end within any number of rounds cannot force one. The round in which
//! a margin was found is its rank: some move of the player who forces it leads to a board where he forces as much with a
//! lower rank, and every move of the other one to a board where he forces more, or as much with a lower rank.

use std::slice::IterMut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::index::BoardIndex;
use super::super::margins::Margins;
use super::super::moves::{Mover, Outcome, Reached};

/// Boards that are worked on together.
const CHUNK: usize = 1 << 16;
/// Bits of a word of marks.
const WORD: usize = 64;

/// A layer as it is when done.
pub(super) struct Layer {
    /// By board number.
    pub(super) margins: Vec<Margins>,
    /// By board number: the ranks of `won` and `lost`.
    pub(super) ranks: Vec<[u16; 2]>,
    /// Rounds that changed something.
    pub(super) rounds: u32,
}

/// What a layer is built with.
pub(super) struct LayerBuilder<'a> {
    pub(super) index: &'a BoardIndex,
    pub(super) mover: &'a Mover,
    pub(super) seeds: usize,
    pub(super) threads: usize,
    /// Bytes that moves may be kept in between rounds; what does not fit is played again.
    pub(super) moves_memory: u64,
    /// What is known of a board with fewer seeds.
    pub(super) lower: &'a (dyn Fn(usize, u64) -> Margins + Sync),
    /// Told the round and the share of the boards that have been looked at in it; says whether to go on.
    pub(super) go_on: &'a (dyn Fn(u32, f64) -> bool + Sync),
}

/// Why a layer is not done.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// It was told to stop.
    Stopped,
    /// A rank is too large for the format.
    TooManyRounds,
}

/// Some boards side by side, and what is still to find out about them.
#[derive(Default)]
struct Chunk {
    first: u64,
    len: usize,
    /// The boards that are not settled with their moves, one [`Record`] after another; `None`: not kept.
    records: Option<Vec<u32>>,
    /// What the last round found, by place in the chunk.
    changes: Vec<(u32, Margins)>,
}

/// A move to a board of the same layer: its number and, lowest, whether another player is to move there.
type Edge = u32;

/// In a stream of records: the place of the board in its chunk, what is certain (won, lost, number of edges), the edges.
const RECORD_HEAD: usize = 2;

fn pack(certain: Margins, edges: usize) -> u32 {
    let [won, lost] = certain.to_bytes();
    u32::from_le_bytes([won, lost, edges as u8, 0])
}

fn unpack(head: u32) -> (Margins, usize) {
    let [won, lost, edges, _] = head.to_le_bytes();
    (Margins::from_bytes([won, lost]), edges.into())
}

impl LayerBuilder<'_> {
    /// Builds the layer.
    pub(super) fn run(&self) -> Result<Layer, Unfinished> {
        let boards = self.index.boards(self.seeds) as usize;
        let mut layer =
            Layer { margins: vec![Margins::NONE; boards], ranks: vec![[0; 2]; boards], rounds: 0 };
        let mut chunks: Vec<Chunk> = (0..boards)
            .step_by(CHUNK)
            .map(|first| Chunk { first: first as u64, len: CHUNK.min(boards - first), ..Chunk::default() })
            .collect();
        let kept = AtomicU64::new(0);
        let mut changed = vec![0; boards.div_ceil(WORD)];
        for round in 0.. {
            self.look(Found { margins: &layer.margins, changed: &changed }, &mut chunks, round, &kept)?;
            if chunks.iter().all(|chunk| chunk.changes.is_empty()) {
                return Ok(layer);
            }
            layer.rounds = round + 1;
            let round = u16::try_from(round).map_err(|_| Unfinished::TooManyRounds)?;
            self.change(&mut layer, &mut changed, &mut chunks, round);
        }
        unreachable!("rounds have no end")
    }

    /// Finds out what changes.
    fn look(
        &self,
        found: Found<'_>,
        chunks: &mut [Chunk],
        round: u32,
        kept: &AtomicU64,
    ) -> Result<(), Unfinished> {
        let (boards, seen) = (found.margins.len() as f64, AtomicU64::new(0));
        let is_stopped = AtomicU64::new(0);
        on_threads(self.threads, chunks.iter_mut(), |chunk| {
            if is_stopped.load(Ordering::Relaxed) == 0 {
                self.look_at(found, chunk, round, kept);
                let seen = seen.fetch_add(chunk.len as u64, Ordering::Relaxed) + chunk.len as u64;
                if !(self.go_on)(round, seen as f64 / boards) {
                    is_stopped.store(1, Ordering::Relaxed);
                }
            }
        });
        if is_stopped.into_inner() == 0 { Ok(()) } else { Err(Unfinished::Stopped) }
    }

    fn look_at(&self, found: Found<'_>, chunk: &mut Chunk, round: u32, kept: &AtomicU64) {
        let first = chunk.first as usize;
        let Chunk { len, records, changes, .. } = chunk;
        let before = records.as_ref().map_or(0, Vec::capacity);
        let mut left = match records.take() {
            None => self.play(found, first, *len, round, changes),
            Some(mut records) => {
                look_again(found, first, &mut records, changes);
                records
            }
        };
        if left.len() < left.capacity() / 2 || before == 0 {
            left.shrink_to_fit();
        }
        let [before, after] = [before, left.capacity()].map(|words| 4 * words as u64);
        // What is kept counts before it is: several threads may be here.
        let all = kept.fetch_add(after, Ordering::Relaxed) + after;
        kept.fetch_sub(before, Ordering::Relaxed);
        if all - before <= self.moves_memory {
            *records = Some(left);
        } else {
            kept.fetch_sub(after, Ordering::Relaxed);
        }
    }

    /// Plays the moves of the boards of a chunk that are not settled; returns the records of those that still are not.
    fn play(
        &self,
        found: Found<'_>,
        first: usize,
        len: usize,
        round: u32,
        changes: &mut Vec<(u32, Margins)>,
    ) -> Vec<u32> {
        let mut cells = [0; 20];
        let mut edges: Vec<Edge> = Vec::new();
        let mut records = Vec::new();
        for place in 0..len {
            if round > 0 && found.margins[first + place].is_settled() {
                continue;
            }
            self.index.write_board(self.seeds, (first + place) as u64, &mut cells);
            let Some(state) = self.mover.state(&cells) else { continue };
            let mut certain = Margins::WORST;
            edges.clear();
            self.mover.outcomes(self.index, &state, self.seeds, |outcome| match outcome {
                Outcome::Endless => certain = certain.max(Margins::NONE),
                Outcome::Over(margin) => certain = certain.max(Margins::exactly(margin)),
                Outcome::Lower(reached, captured) => {
                    let margins = (self.lower)(reached.seeds, reached.number);
                    certain = certain.max(reached.seen(margins).plus(captured));
                }
                Outcome::Same(Reached { number, is_turned, .. }) => {
                    let edge = (number as Edge) << 1 | Edge::from(is_turned);
                    if !edges.contains(&edge) {
                        edges.push(edge);
                    }
                }
            });
            let best = found.settle(&mut certain, &mut edges);
            if best != found.margins[first + place] {
                changes.push((place as u32, best));
            }
            if !edges.is_empty() && !best.is_settled() {
                records.extend([place as u32, pack(certain, edges.len())]);
                records.extend(&edges);
            }
        }
        records
    }

    /// Writes down what has changed.
    fn change(&self, layer: &mut Layer, changed: &mut [u64], chunks: &mut [Chunk], round: u16) {
        let slices = layer.margins.chunks_mut(CHUNK).zip(layer.ranks.chunks_mut(CHUNK));
        let slices = slices.zip(changed.chunks_mut(CHUNK / WORD));
        let mut parts: Vec<_> = chunks.iter_mut().zip(slices).collect();
        on_threads(self.threads, parts.iter_mut(), |(chunk, ((margins, ranks), changed))| {
            changed.fill(0);
            for (place, found) in chunk.changes.drain(..) {
                let (place, old) = (place as usize, margins[place as usize]);
                changed[place / WORD] |= 1 << (place % WORD);
                margins[place] = found;
                if found.won != old.won {
                    ranks[place][0] = round;
                }
                if found.lost != old.lost {
                    ranks[place][1] = round;
                }
            }
        });
    }
}

/// What the round before has left.
#[derive(Clone, Copy)]
struct Found<'a> {
    /// By board number.
    margins: &'a [Margins],
    /// A bit a board: whether it has changed in that round.
    changed: &'a [u64],
}

impl Found<'_> {
    fn has_changed(&self, edge: Edge) -> bool {
        let board = (edge >> 1) as usize;
        self.changed[board / WORD] >> (board % WORD) & 1 == 1
    }

    /// What a board is worth whose moves bring what is `certain` or lead along the `edges`. Those that lead to settled boards
    /// become certain.
    fn settle(&self, certain: &mut Margins, edges: &mut Vec<Edge>) -> Margins {
        let mut best = *certain;
        edges.retain(|&edge| {
            let there = self.margins[(edge >> 1) as usize];
            let seen = if edge & 1 == 1 { there.turned() } else { there };
            best = best.max(seen);
            if there.is_settled() {
                *certain = certain.max(seen);
            }
            !there.is_settled()
        });
        best
    }
}

/// Looks at the boards of a chunk one of whose moves leads to a board that has changed; drops those that are then settled.
fn look_again(found: Found<'_>, first: usize, records: &mut Vec<u32>, changes: &mut Vec<(u32, Margins)>) {
    let (mut read, mut write) = (0, 0);
    let mut edges: Vec<Edge> = Vec::new();
    while read < records.len() {
        let (place, (mut certain, count)) = (records[read], unpack(records[read + 1]));
        let next = read + RECORD_HEAD + count;
        let ways = &records[read + RECORD_HEAD..next];
        if !ways.iter().any(|&edge| found.has_changed(edge)) {
            records.copy_within(read..next, write);
            write += next - read;
        } else {
            edges.clear();
            edges.extend_from_slice(ways);
            let best = found.settle(&mut certain, &mut edges);
            if best != found.margins[first + place as usize] {
                changes.push((place, best));
            }
            if !edges.is_empty() && !best.is_settled() {
                let end = write + RECORD_HEAD + edges.len();
                records[write] = place;
                records[write + 1] = pack(certain, edges.len());
                records[write + RECORD_HEAD..end].copy_from_slice(&edges);
                write = end;
            }
        }
        read = next;
    }
    records.truncate(write);
}

/// Does something with every item, on several threads if there are several items.
fn on_threads<T: Send>(threads: usize, items: IterMut<'_, T>, each: impl Fn(&mut T) + Sync) {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.for_each(each);
    }
    let items = Mutex::new(items);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let item = items.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(item) = item else { return };
                    each(item);
                }
            });
        }
    });
}
