use super::engine::BatchEngine;
use super::isa::Level;
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::opening::{Stream, random_action, stream};
use crate::position::Position;
use crate::vec_env::VecEnvConfig;

#[test]
fn same_games_as_scalar() {
    for level in Level::supported() {
        for (pits, seeds) in [(8, 8), (3, 2), (5, 4)] {
            let rules = GiuthiRules::new(pits, seeds).unwrap();
            let games = 600;
            let mut engine =
                BatchEngine::at(rules, VecEnvConfig { num_envs: games, seed: 5, ..Default::default() }, level);
            let mut positions = vec![Position::<Giuthi>::initial(rules); games];
            let mut samplers: Vec<_> = (0..games).map(|g| stream(Stream::Sample, 5, g as u64, 0)).collect();
            let mut actions = vec![0; games];
            let (mut longest, mut ends) = (0, [0; 3]);
            for step in 0..600 {
                engine.sample_actions(&mut actions);
                let expected: Vec<i64> = positions
                    .iter()
                    .zip(&mut samplers)
                    .map(|(position, rng)| random_action(position.state(), rng).unwrap().into())
                    .collect();
                assert_eq!(actions, expected);
                engine.step(&actions);
                let mut ended = vec![];
                engine.ended(&mut |game, state, end, plies| ended.push((game, *state, end, plies)));
                ended.sort_by_key(|&(game, ..)| game);
                let mut expected = vec![];
                for (game, (position, &action)) in positions.iter_mut().zip(&actions).enumerate() {
                    position.play(action as u16).unwrap();
                    longest = longest.max(position.history().len());
                    if position.is_over() {
                        ends[position.end().unwrap() as usize] += 1;
                        expected.push((game, *position.state(), position.end(), position.plies()));
                        *position = Position::initial(rules);
                    }
                }
                assert_eq!(ended, expected);
                for (game, (ours, theirs)) in engine.positions().zip(&positions).enumerate() {
                    assert_eq!(ours.state(), theirs.state(), "{game} step {step}");
                    assert_eq!(ours.history(), theirs.history(), "{game}");
                }
            }
            println!("{} {pits}x{seeds} longest {longest} ends {ends:?}", level.name());
        }
    }
}
