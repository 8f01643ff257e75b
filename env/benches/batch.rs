//! Random play a move: the scalar rules in a plain loop, the batch engine, the batch engine with observations.
//!
//!     cargo bench -p mancala-env
//!     cargo bench -p mancala-env -- 'giuthi-8x8/.*/4096'
//!
//! Every engine plays against the scalar rules before it is timed, and must stand where they stand.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use mancala_env::{
    Arrays, BatchEngine, BatchGame, Game, GameSpec, Position, Stream, VecEnvConfig, for_game, random_action,
    stream,
};

const SEED: u64 = 1;
/// Games of the scalar loop: few enough for the processor's cache, more are only slower.
const SCALAR_GAMES: usize = 64;
/// Moves that an engine plays before it is timed, all games together, and the fewest and most in a game: by then games are at
/// all their stages.
const CHECK_MOVES: usize = 2_000_000;
const CHECK_STEPS: (usize, usize) = (100, 5000);

/// So many games on so many threads.
type Size = (usize, usize);

/// The game that is looked at closely, and the others.
const CLOSELY: (&str, &[Size]) = (
    "giuthi-8x8",
    &[(1, 1), (64, 1), (1024, 1), (4096, 1), (4096, 2), (16_384, 1), (16_384, 2), (65_536, 1), (65_536, 2)],
);
const OTHERS: [(&str, &[Size]); 3] =
    [("giuthi-5x4", &[(4096, 1)]), ("giuthi-10x9", &[(4096, 1)]), ("kiothi-6x5", &[(1024, 1), (4096, 1)])];

/// A move in each game by the scalar rules; games that end begin anew.
struct Scalar<G: Game, R> {
    start: Position<G>,
    games: Vec<(Position<G>, R)>,
}

impl<G: Game, R: rand::Rng> Scalar<G, R> {
    fn new(rules: G::Rules, games: usize, sampler: impl Fn(u64) -> R) -> Self {
        let start = Position::initial(rules);
        Self { games: (0..games as u64).map(|game| (start.clone(), sampler(game))).collect(), start }
    }

    fn step(&mut self) {
        for (position, sampler) in &mut self.games {
            let action = random_action(position.state(), sampler).expect("the game goes on");
            position.play_unchecked(action);
            if position.is_over() {
                position.clone_from(&self.start);
            }
        }
    }
}

/// The stream of a game that `sample_actions` draws from.
fn sampler(game: u64) -> impl rand::Rng {
    stream(Stream::Sample, SEED, game, 0)
}

/// A batch, and what it tells of each step, if anything.
struct Batch<G: BatchGame> {
    engine: BatchEngine<G>,
    actions: Vec<i64>,
    arrays: Option<Arrays<f32>>,
}

impl<G: BatchGame> Batch<G> {
    /// A batch that has played the games of the scalar rules and is warm.
    fn checked(rules: G::Rules, (games, threads): Size, observing: bool) -> Self {
        let config = VecEnvConfig { num_envs: games, seed: SEED, threads, ..Default::default() };
        let arrays = || Arrays::new(games, G::observation_len(&rules), G::num_actions(&rules));
        let mut batch = Self {
            engine: BatchEngine::new(rules, config).expect("a batch that there is"),
            actions: vec![0; games],
            arrays: observing.then(arrays),
        };
        let steps = (CHECK_MOVES / games).clamp(CHECK_STEPS.0, CHECK_STEPS.1);
        (0..steps).for_each(|_| batch.step());
        for (game, found) in batch.engine.positions().enumerate() {
            let mut alone = Scalar::new(rules, 1, |_| sampler(game as u64));
            (0..steps).for_each(|_| alone.step());
            let (expected, _) = &alone.games[0];
            assert_eq!(&found, expected, "{}: game {game} after {steps} steps", G::id(&rules));
        }
        batch
    }

    fn step(&mut self) {
        self.engine.sample_actions(&mut self.actions).expect("as many actions as games");
        match &mut self.arrays {
            None => self.engine.advance(&self.actions),
            Some(arrays) => self.engine.step(&self.actions, &mut arrays.buffers()),
        }
        .expect("actions that can be played");
    }
}

/// All figures of a game.
fn bench_game<G: BatchGame>(group: &mut BenchmarkGroup<'_, WallTime>, rules: G::Rules, sizes: &[Size]) {
    // What is set up in the closures of criterion would be set up for every sample.
    let mut scalar = None;
    group.throughput(Throughput::Elements(SCALAR_GAMES as u64));
    group.bench_function("scalar", |bencher| {
        let scalar = scalar.get_or_insert_with(|| Scalar::<G, _>::new(rules, SCALAR_GAMES, sampler));
        bencher.iter(|| scalar.step());
    });
    for (name, observing) in [("rules", false), ("observations", true)] {
        for &size in sizes {
            let (games, threads) = size;
            let mut batch = None;
            group.throughput(Throughput::Elements(games as u64));
            // A linear growth from one step to twenty would take seconds where a step takes milliseconds.
            group.sampling_mode(if games < 16_384 { SamplingMode::Auto } else { SamplingMode::Flat });
            let parameter =
                if threads == 1 { games.to_string() } else { format!("{games}, {threads} threads") };
            group.bench_function(BenchmarkId::new(name, parameter), |bencher| {
                let batch = batch.get_or_insert_with(|| Batch::<G>::checked(rules, size, observing));
                bencher.iter(|| batch.step());
            });
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (game, sizes) in std::iter::once(CLOSELY).chain(OTHERS) {
        let mut group = criterion.benchmark_group(game);
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_millis(700));
        let spec = GameSpec::parse(game).expect("a game that there is");
        for_game!(spec, |rules: G| bench_game::<G>(&mut group, rules, sizes));
        group.finish();
    }
    criterion.final_summary();
}
