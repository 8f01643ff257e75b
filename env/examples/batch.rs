//! Times the batch engine beside the scalar rules, and fails if they play other games.
//!
//!     cargo run --release -p mancala-env --example batch -- giuthi-8x8 4096 1000 1

use std::time::Instant;

use mancala_env::{
    Arrays, BatchEngine, BatchGame, GameSpec, Giuthi, Kiothi, Position, Stream, VecEnvConfig, random_action,
    stream,
};

/// Seconds that this thread has had on a processor: other work on the machine does not count.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
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
