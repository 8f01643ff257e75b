//! Times the batch engine beside the scalar rules, and fails if they play other games.
//!
//!     cargo run --release -p mancala-env --example batch [-- games steps]


use mancala_env::{BatchEngine, GiuthiRules, Position, Giuthi, VecEnvConfig, Stream, stream, random_action, Game};

/// Seconds that this thread has had on a processor: other work on the machine does not count.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap());
    let games = args.next().unwrap_or(4096);
    let steps = args.next().unwrap_or(1000);
    let scalar = args.next().unwrap_or(1) != 0;
    let rules = GiuthiRules::new(8, 8).unwrap();
    let mut engine = BatchEngine::new(rules, VecEnvConfig { num_envs: games, seed: 1, ..Default::default() });
    let mut actions = vec![0; games];
    let (mut sampling, mut stepping) = (0.0, 0.0);
    for _ in 0..steps {
        let begin = cpu();
        engine.sample_actions(&mut actions);
        let sampled = cpu();
        engine.step(&actions);
        sampling += sampled - begin;
        stepping += cpu() - sampled;
    }
    let moves = (games * steps) as f64;
    println!("batch {games}: {:.1} M/s   sample {:.2} ns  step {:.2} ns", moves / (sampling + stepping) / 1e6, sampling / moves * 1e9, stepping / moves * 1e9);
    if scalar {
        let few = games.min(2048);
        let mut positions = vec![Position::<Giuthi>::initial(rules); few];
        let mut samplers: Vec<_> = (0..few).map(|g| stream(Stream::Sample, 1, g as u64, 0)).collect();
        let begin = cpu();
        for _ in 0..steps {
            for (position, rng) in positions.iter_mut().zip(&mut samplers) {
                let action = random_action(position.state(), rng).unwrap();
                position.play_unchecked(action);
                if position.is_over() { *position = Position::initial(rules); }
            }
        }
        let time = cpu() - begin;
        let same = engine.positions().zip(&positions).all(|(a, b)| a.state() == b.state() && a.history() == b.history());
        println!("scalar {few}: {:.2} M/s  same {same}", (few * steps) as f64 / time / 1e6);
        let _ = Giuthi::NAME;
    }
}
