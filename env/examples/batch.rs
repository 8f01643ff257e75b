//! Times the batch engine beside the scalar rules, and fails if they play other games.
//!
//!     cargo run --release -p mancala-env --example batch -- giuthi-8x8 4096 1000 1

use std::time::Instant;

use mancala_env::{
    BatchEngine, BatchGame, Buffers, Cell, GameSpec, Giuthi, Kiothi, Position, Stream, VecEnvConfig,
    random_action, stream,
};

/// Seconds that this thread has had on a processor: other work on the machine does not count.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

/// Owned arrays of every kind, as `Buffers` borrows them.
struct Arrays<T> {
    observations: Vec<T>,
    action_mask: Vec<bool>,
    to_move: Vec<i8>,
    scores: Vec<i16>,
    rewards: Vec<f32>,
    returns: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    passed: Vec<bool>,
    final_observations: Vec<T>,
    final_mask: Vec<bool>,
    final_scores: Vec<i16>,
    final_results: Vec<i8>,
    final_plies: Vec<i32>,
}

impl<T: Cell> Arrays<T> {
    fn new(games: usize, cells: usize, actions: usize) -> Self {
        Self {
            observations: vec![T::default(); games * cells],
            action_mask: vec![false; games * actions],
            to_move: vec![0; games],
            scores: vec![0; 2 * games],
            rewards: vec![0.0; games],
            returns: vec![0.0; 2 * games],
            terminated: vec![false; games],
            truncated: vec![false; games],
            passed: vec![false; games],
            final_observations: vec![T::default(); games * cells],
            final_mask: vec![false; games],
            final_scores: vec![0; 2 * games],
            final_results: vec![0; games],
            final_plies: vec![0; games],
        }
    }

    fn buffers(&mut self) -> Buffers<'_, T> {
        Buffers {
            observations: &mut self.observations,
            action_mask: &mut self.action_mask,
            to_move: &mut self.to_move,
            scores: &mut self.scores,
            rewards: &mut self.rewards,
            returns: &mut self.returns,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            passed: &mut self.passed,
            final_observations: &mut self.final_observations,
            final_mask: &mut self.final_mask,
            final_scores: &mut self.final_scores,
            final_results: &mut self.final_results,
            final_plies: &mut self.final_plies,
        }
    }
}

fn bench<G: BatchGame>(rules: G::Rules, games: usize, steps: usize, threads: usize) {
    let config = VecEnvConfig { num_envs: games, seed: 1, threads, ..Default::default() };
    let moves = (games * steps) as f64;
    let mut actions = vec![0; games];
    let mut engine = BatchEngine::<G>::new(rules, config).unwrap();
    let rate = |name: &str, begin: (Instant, f64), moves: f64| {
        let (wall, cpu) = (begin.0.elapsed().as_secs_f64(), cpu() - begin.1);
        println!(
            "  {name:24} {:7.2} M/s  {:7.2} ns on the processor ({:.2} M/s of wall clock)",
            moves / cpu / 1e6,
            cpu / moves * 1e9,
            moves / wall / 1e6
        );
    };
    println!("{} batch {games} threads {threads} {}", G::id(&rules), engine.instruction_set());
    let begin = (Instant::now(), cpu());
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
        engine.advance(&actions).unwrap();
    }
    rate("rules", begin, moves);
    let begin = (Instant::now(), cpu());
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
    }
    rate("sample alone", begin, moves);
    let (cells, num_actions) = (G::observation_len(&rules), G::num_actions(&rules));
    let mut arrays = Arrays::<f32>::new(games, cells, num_actions);
    let mut engine = BatchEngine::<G>::new(rules, config).unwrap();
    let begin = (Instant::now(), cpu());
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
        engine.step(&actions, &mut arrays.buffers()).unwrap();
    }
    rate("f32 observation, mask", begin, moves);
    let mut arrays = Arrays::<u8>::new(games, cells, num_actions);
    let begin = (Instant::now(), cpu());
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
        engine.step(&actions, &mut arrays.buffers()).unwrap();
    }
    rate("u8 observation, mask", begin, moves);

    let few = games.min(2048);
    let mut positions = vec![Position::<G>::initial(rules); few];
    let mut samplers: Vec<_> = (0..few).map(|game| stream(Stream::Sample, 1, game as u64, 0)).collect();
    let begin = (Instant::now(), cpu());
    for _ in 0..steps {
        for (position, rng) in positions.iter_mut().zip(&mut samplers) {
            let action = random_action(position.state(), rng).unwrap();
            position.play_unchecked(action);
            if position.is_over() {
                *position = Position::initial(rules);
            }
        }
    }
    rate("scalar loop", begin, (few * steps) as f64);
    let mut engine = BatchEngine::<G>::new(rules, config).unwrap();
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
        engine.advance(&actions).unwrap();
    }
    let same = engine
        .positions()
        .zip(&positions)
        .all(|(ours, theirs)| ours.state() == theirs.state() && ours.history() == theirs.history());
    assert!(same, "the engine and the scalar rules play other games");
}

fn main() {
    let mut args = std::env::args().skip(1);
    let game = args.next().unwrap_or_else(|| "giuthi-8x8".into());
    let mut number = |default| args.next().map_or(default, |text| text.parse().expect("a number"));
    let (games, steps, threads) = (number(4096), number(1000), number(1));
    match GameSpec::parse(&game).expect("a game id") {
        GameSpec::Giuthi(rules) => bench::<Giuthi>(rules, games, steps, threads),
        GameSpec::Kiothi(rules) => bench::<Kiothi>(rules, games, steps, threads),
    }
}
