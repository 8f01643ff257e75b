//! Random probes of a tablebase, from the mapped file.
//!
//!     cargo bench -p mancala-search
//!
//! The table is that of 4x3, built first, in seconds. `TABLEBASE=FILE` takes another one: a table far larger than the processor's
//! caches, but not than memory, shows what a probe of a large one costs.

use std::time::Duration;

use criterion::{Criterion, Throughput};
use mancala_env::{Game, Giuthi, GiuthiRules, Player, Stream, stream};
use mancala_search::tablebase::{BuildSettings, Tablebase, build};
use rand::{Rng, RngExt};

/// So many probes are measured together, so that the boards fit into no cache with what is asked about them.
const BOARDS: usize = 100_000;

/// A board, each of at most so many seeds being equally likely: gaps between as many bars as there are pits.
fn random_board(pits: usize, max_seeds: usize, rng: &mut impl Rng, board: &mut Vec<u8>) {
    let mut is_bar = vec![false; max_seeds + pits];
    let mut bars = 0;
    while bars < pits {
        let place = rng.random_range(0..is_bar.len());
        bars += usize::from(!std::mem::replace(&mut is_bar[place], true));
    }
    let mut seeds = 0;
    for is_bar in is_bar {
        if is_bar {
            board.push(seeds);
        }
        seeds = if is_bar { 0 } else { seeds + 1 };
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = match std::env::var_os("TABLEBASE") {
        Some(file) => Tablebase::open(file),
        None => {
            let file = folder.path().join("4x3.tb");
            let rules = GiuthiRules::new(4, 3).expect("a board");
            build(&file, &rules, 24, &BuildSettings::default(), &()).and_then(|()| Tablebase::open(&file))
        }
    }
    .expect("a tablebase");
    let pits = 2 * usize::from(table.rules().pits());
    let mut rng = stream(Stream::Tablebase, 1, 0, 0);
    let mut cells = Vec::new();
    (0..BOARDS).for_each(|_| random_board(pits, table.max_seeds() as usize, &mut rng, &mut cells));
    // States of the boards on which the first player can move, which is all but a few.
    let boards = cells.chunks_exact(pits);
    let state =
        |board| Giuthi::from_pits(table.rules(), board, [0; 2], Player::One).filter(|state| !state.is_over());
    let states: Vec<Giuthi> = boards.filter_map(state).collect();

    let mut group = criterion.benchmark_group("tablebase");
    group.sample_size(20).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(BOARDS as u64));
    group.bench_function("random boards", |bencher| {
        bencher.iter(|| {
            cells
                .chunks_exact(pits)
                .filter_map(|board| table.probe_board(board)?.win)
                .map(i64::from)
                .sum::<i64>()
        });
    });
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("random states", |bencher| {
        bencher.iter(|| {
            states.iter().filter_map(|state| table.probe(state).ok()?.win).map(i64::from).sum::<i64>()
        });
    });
    group.finish();
    criterion.final_summary();
}
