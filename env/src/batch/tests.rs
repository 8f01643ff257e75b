//! The engine against the scalar rules.

use std::fmt::Debug;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::engine::BatchEngine;
use super::foretell_tests::compare_features;
use super::isa::Level;
use super::lockstep::BatchGame;
use crate::game::{End, Game};
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::opening::{Stream, stream};
use crate::position::Position;
use crate::vec_env::{Arrays, Cell, LoopEnv, ResetOptions, VecEnvConfig};

/// Plays the same games with the engine and with `LoopEnv`, which steps scalar positions one by one, and compares every array
/// of every step, positions and histories now and then; the number of games that ended in each way.
fn compare<G: BatchGame, T: Cell + PartialEq + Debug>(
    rules: G::Rules,
    config: VecEnvConfig,
    level: Level,
    steps: usize,
    rubbish: T,
) -> [u32; 4] {
    let mut engine = BatchEngine::<G>::with_level(rules, config, level).unwrap();
    let mut scalar = LoopEnv::<G>::new(rules, VecEnvConfig { threads: 1, ..config }).unwrap();
    let games = config.num_envs;
    let arrays = || Arrays::rubbish(games, G::observation_len(&rules), G::num_actions(&rules), rubbish);
    let (mut actions, mut expected_actions) = (vec![0; games], vec![0; games]);
    let mut ends = [0; 4];
    let case = format!("{} {level:?} {config:?}", G::id(&rules));
    let (mut ours, mut theirs) = (arrays(), arrays());
    for step in 0..steps {
        if step % 3 == 0 {
            (ours, theirs) = (arrays(), arrays());
        }
        engine.sample_actions(&mut actions).unwrap();
        scalar.sample_actions(&mut expected_actions).unwrap();
        assert_eq!(actions, expected_actions, "{case} step {step}");
        engine.step(&actions, &mut ours.buffers()).unwrap();
        scalar.step(&actions, &mut theirs.buffers()).unwrap();
        if ours != theirs {
            assert_eq!(ours.final_mask, theirs.final_mask, "{case} step {step}");
            assert_eq!(ours, theirs, "{case} step {step}");
        }
        for (&ended, &result) in theirs.final_mask.iter().zip(&theirs.final_results) {
            ends[result as usize] += u32::from(ended);
        }
        if step % 16 == 0 || step + 1 == steps {
            for (ours, theirs) in (0..games).map(|env| (engine.position(env), scalar.position(env))) {
                assert_eq!(ours, theirs, "{case} step {step}");
            }
            compare_features(&mut engine);
        }
    }
    ends
}

fn giuthi(pits: u8, seeds: u8) -> GiuthiRules {
    GiuthiRules::new(pits, seeds).unwrap()
}

#[test]
fn every_size_plays_the_same_games() {
    let best = Level::detect();
    let mut ends = [0; 4];
    for pits in 2..=10 {
        for seeds in 2..=9 {
            for capture in [Capture::Any, Capture::Occupied] {
                let rules = giuthi(pits, seeds).with_capture(capture);
                let config = VecEnvConfig { num_envs: 130, seed: 9, ..Default::default() };
                for (sum, count) in
                    ends.iter_mut().zip(compare::<Giuthi, f32>(rules, config, best, 90, f32::NAN))
                {
                    *sum += count;
                }
            }
        }
    }
    assert!(ends[1..].iter().all(|&count| count > 0), "{ends:?}");
}

#[test]
fn every_instruction_set_plays_the_same_games() {
    for level in Level::supported() {
        for (pits, seeds, steps) in [(8, 8, 300), (3, 2, 400), (5, 4, 200)] {
            let config = VecEnvConfig {
                num_envs: 1100,
                seed: 3,
                max_plies: Some(70),
                random_first_player: true,
                random_opening_plies: 3,
                ..Default::default()
            };
            let ends = compare::<Giuthi, u8>(giuthi(pits, seeds), config, level, steps, 99);
            assert!(ends[..3].iter().all(|&count| pits < 8 || count > 0), "{ends:?}");
        }
    }
}

#[test]
fn kiothi_games_end_in_every_way_alike() {
    let mut ends = [0; 4];
    for (boma, warriors) in [(6, 5), (3, 1), (3, 10), (10, 3), (5, 2), (4, 7)] {
        let rules = KiothiRules::new(boma, warriors).unwrap().with_one_warrior_multiplier(3.0).unwrap();
        for level in Level::supported() {
            let config = VecEnvConfig { num_envs: 200, seed: 4, ..Default::default() };
            let steps = if level == Level::detect() { 400 } else { 120 };
            for (sum, count) in
                ends.iter_mut().zip(compare::<Kiothi, f32>(rules, config, level, steps, f32::NAN))
            {
                *sum += count;
            }
        }
        let config = VecEnvConfig {
            num_envs: 70,
            seed: 8,
            max_plies: Some(60),
            random_opening_plies: 21,
            ..Default::default()
        };
        compare::<Kiothi, u8>(rules, config, Level::detect(), 150, 77);
    }
    assert!(ends[1] > 1000 && ends[3] > 0, "{ends:?}");
}

#[test]
fn all_starts_of_kiothi_play_the_same_games() {
    let starts =
        (3..=10).flat_map(|boma| (1..=10).filter_map(move |warriors| KiothiRules::new(boma, warriors)));
    for rules in starts {
        let config = VecEnvConfig { num_envs: 70, seed: 5, ..Default::default() };
        compare::<Kiothi, f32>(rules, config, Level::detect(), 150, f32::NAN);
    }
}

#[test]
fn threads_and_batch_sizes_change_nothing() {
    for (num_envs, threads) in [(1, 1), (63, 4), (65, 2), (1500, 3)] {
        let config =
            VecEnvConfig { num_envs, threads, seed: 6, random_opening_plies: 40, ..Default::default() };
        compare::<Giuthi, f32>(giuthi(8, 8), config, Level::detect(), 60, f32::NAN);
        let config = VecEnvConfig { random_opening_plies: 0, ..config };
        compare::<Kiothi, f32>(KiothiRules::new(4, 3).unwrap(), config, Level::detect(), 60, f32::NAN);
    }
}

#[test]
fn resets_are_those_of_the_scalar_path() {
    let config = VecEnvConfig {
        num_envs: 70,
        seed: 2,
        random_opening_plies: 3,
        random_first_player: true,
        ..Default::default()
    };
    let rules = giuthi(4, 3);
    let mut engine = BatchEngine::<Giuthi>::new(rules, config).unwrap();
    let mut scalar = LoopEnv::<Giuthi>::new(rules, config).unwrap();
    let mask: Vec<bool> = (0..70).map(|env| env % 3 == 0).collect();
    let positions: Vec<_> =
        (0..70).map(|env| (env % 2 == 0).then(|| "1,0,5,2/4,4,4,0 3 1 p1".to_owned())).collect();
    let mut actions = [vec![0; 70], vec![0; 70]];
    for round in 0..6 {
        let options = match round {
            0 | 1 => ResetOptions::default(),
            2 => ResetOptions { seed: Some(77), mask: Some(&mask), positions: None },
            3 => ResetOptions { seed: None, mask: Some(&mask), positions: Some(&positions) },
            4 => ResetOptions { seed: Some(2), mask: None, positions: Some(&positions) },
            _ => ResetOptions { seed: Some(2), mask: None, positions: None },
        };
        let (mut ours, mut theirs) = (Arrays::rubbish(70, 13, 8, 9u8), Arrays::rubbish(70, 13, 8, 9));
        engine.reset(&options, &mut ours.buffers()).unwrap();
        scalar.reset(&options, &mut theirs.buffers()).unwrap();
        assert_eq!(ours, theirs, "round {round}");
        for _ in 0..20 {
            engine.sample_actions(&mut actions[0]).unwrap();
            scalar.sample_actions(&mut actions[1]).unwrap();
            assert_eq!(actions[0], actions[1]);
            engine.step(&actions[0], &mut ours.buffers()).unwrap();
            scalar.step(&actions[0], &mut theirs.buffers()).unwrap();
            assert_eq!(ours, theirs, "round {round}");
        }
        assert!((0..70).all(|env| engine.position(env) == scalar.position(env)));
    }
}

/// What the engine refuses, and how, is what `LoopEnv` refuses; nothing changes.
fn compare_errors<G: BatchGame>(rules: G::Rules, steps: usize) {
    let config = VecEnvConfig { num_envs: 67, seed: 2, ..Default::default() };
    let mut engine = BatchEngine::<G>::new(rules, config).unwrap();
    let mut scalar = LoopEnv::<G>::new(rules, config).unwrap();
    let mut arrays = Arrays::rubbish(67, G::observation_len(&rules), G::num_actions(&rules), 9u8);
    let mut actions = vec![0; 67];
    for step in 0..steps {
        let before: Vec<_> = engine.positions().collect();
        engine.sample_actions(&mut actions).unwrap();
        for wrong in (-2..G::num_actions(&rules) as i64 + 2).chain([i64::MIN, i64::MAX, 1 << 32, 65536]) {
            let mut wrongs = actions.clone();
            wrongs[66 - step % 67] = wrong;
            let ours = engine.check(&wrongs);
            let env = scalar.position(66 - step % 67);
            assert_eq!(ours.is_ok(), env.check(wrong).is_ok(), "{wrong} in {}", env.write());
            if ours.is_err() {
                assert_eq!(
                    engine.step(&wrongs, &mut arrays.buffers()),
                    scalar.step(&wrongs, &mut arrays.buffers())
                );
            }
        }
        assert!(engine.positions().eq(before));
        scalar.step(&actions, &mut arrays.buffers()).unwrap();
        engine.step(&actions, &mut arrays.buffers()).unwrap();
    }
}

#[test]
fn illegal_actions_are_refused_alike() {
    compare_errors::<Giuthi>(giuthi(5, 3), 40);
    compare_errors::<Kiothi>(KiothiRules::new(3, 2).unwrap(), 30);
}

#[test]
fn endless_and_long_moves_end_alike() {
    for (pits, text, action, end) in [
        (2, "5,0/0,5 0 0 p1", 1, Some(End::Endless)),
        (2, "2,2/4,5 0 0 p1", 0, Some(End::Endless)),
        (3, "1,3,7/4,3,5 0 0 p1", 2, Some(End::Endless)),
        (3, "2,4,2/1,0,2 0 0 p1", 5, Some(End::Endless)),
        (5, "2,5,2,1,3/0,0,0,0,3 0 0 p1", 0, Some(End::Endless)),
    ] {
        let rules = giuthi(pits, 4);
        let mut scalar = Position::<Giuthi>::read(rules, text).unwrap();
        let mut engine =
            BatchEngine::<Giuthi>::new(rules, VecEnvConfig { num_envs: 3, ..Default::default() }).unwrap();
        let (cells, actions) = (Giuthi::observation_len(&rules), Giuthi::num_actions(&rules));
        let mut arrays = Arrays::rubbish(3, cells, actions, 9u8);
        let positions = vec![Some(text.to_owned()); 3];
        engine
            .reset(&ResetOptions { positions: Some(&positions), ..Default::default() }, &mut arrays.buffers())
            .unwrap();
        scalar.play(action).unwrap();
        assert_eq!(scalar.end(), end);
        engine.step(&[action.into(); 3], &mut arrays.buffers()).unwrap();
        let mut observation = vec![0; cells];
        scalar.observe_raw(&mut observation);
        assert_eq!(arrays.final_observations[..cells], observation);
        assert_eq!(arrays.final_results, [3; 3]);
        assert_eq!(arrays.final_scores[..2], scalar.scores().map(i16::from));
    }
}

/// Boards that no game from the start reaches: all 180 seeds on few pits, 60 warriors in one boma.
#[test]
fn crowded_boards_are_played_alike() {
    let mut rng = stream(Stream::Arena, 3, 0, 0);
    for (pits, most) in (2..=10).flat_map(|pits| [(pits, 180), (pits, 60), (pits, 12)]) {
        let board = |rng: &mut ChaCha8Rng| {
            let mut seeds = vec![0u32; 2 * usize::from(pits)];
            seeds[0] = 2;
            for _ in 2..most {
                // Crowds draw crowds.
                let pit = rng.next_u32() as usize % seeds.len();
                let other = rng.next_u32() as usize % seeds.len();
                let fuller = if seeds[other] > seeds[pit] { other } else { pit };
                seeds[fuller] += 1;
            }
            let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            let (one, zero) = seeds.split_at(pits.into());
            Some(format!("{}/{} 0 0 p{}", row(one), row(zero), rng.next_u32() % 2))
        };
        let positions: Vec<_> = (0..100).map(|_| board(&mut rng)).collect();
        compare_from::<Giuthi>(giuthi(pits, 9), &positions, 30);
    }
    let board = |rng: &mut ChaCha8Rng| {
        let mut warriors = [0u32; 20];
        for _ in 0..60 {
            let (boma, other) = (rng.next_u32() as usize % 20, rng.next_u32() as usize % 20);
            let fuller = if warriors[other] > warriors[boma] { other } else { boma };
            warriors[fuller] += 1;
        }
        let nki: String = warriors
            .iter()
            .map(|&w| if w > 0 && rng.next_u32().is_multiple_of(3) { 'x' } else { '.' })
            .collect();
        let row = |row: &[u32]| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        Some(format!(
            "{}/{} 0 0 p{} sow {nki}",
            row(&warriors[..10]),
            row(&warriors[10..]),
            rng.next_u32() % 2
        ))
    };
    let positions: Vec<_> = (0..300).map(|_| board(&mut rng)).collect();
    compare_from::<Kiothi>(KiothiRules::new(6, 5).unwrap(), &positions, 4);
}

/// Plays from given positions with the engine and with `LoopEnv`.
fn compare_from<G: BatchGame>(rules: G::Rules, positions: &[Option<String>], steps: usize) {
    let games = positions.len();
    let config = VecEnvConfig { num_envs: games, seed: 2, ..Default::default() };
    let mut engine = BatchEngine::<G>::new(rules, config).unwrap();
    let mut scalar = LoopEnv::<G>::new(rules, config).unwrap();
    let arrays = || Arrays::rubbish(games, G::observation_len(&rules), G::num_actions(&rules), 9u8);
    let options = ResetOptions { positions: Some(positions), ..Default::default() };
    let (mut ours, mut theirs) = (arrays(), arrays());
    // Boards on which nobody can move are refused, alike; the others are played.
    let playable: Vec<_> = positions
        .iter()
        .map(|text| text.clone().filter(|text| !Position::<G>::read(rules, text).unwrap().is_over()))
        .collect();
    if playable != positions {
        let refusals =
            (engine.reset(&options, &mut ours.buffers()), scalar.reset(&options, &mut theirs.buffers()));
        assert_eq!(refusals.0, refusals.1);
    }
    let options = ResetOptions { positions: Some(&playable), ..options };
    engine.reset(&options, &mut ours.buffers()).unwrap();
    scalar.reset(&options, &mut theirs.buffers()).unwrap();
    assert_eq!(ours, theirs);
    let mut actions = vec![0; games];
    for _ in 0..steps {
        engine.sample_actions(&mut actions).unwrap();
        let mut expected = vec![0; games];
        scalar.sample_actions(&mut expected).unwrap();
        assert_eq!(actions, expected);
        engine.step(&actions, &mut ours.buffers()).unwrap();
        scalar.step(&actions, &mut theirs.buffers()).unwrap();
        assert_eq!(ours, theirs);
        compare_features(&mut engine);
    }
}

#[test]
fn what_is_asked_of_memory_ahead_changes_nothing() {
    let config = VecEnvConfig { num_envs: 16_500, seed: 10, random_opening_plies: 6, ..Default::default() };
    compare::<Giuthi, u8>(giuthi(4, 3), config, Level::detect(), 40, 9);
    compare::<Kiothi, u8>(KiothiRules::new(3, 1).unwrap(), config, Level::detect(), 20, 9);
}

/// `cargo test --release -- --ignored soak`: more than a hundred million moves of every size and option.
#[test]
#[ignore = "long"]
fn soak() {
    let levels = Level::supported().count();
    for level in Level::supported() {
        for pits in 2..=10 {
            for seeds in 2..=9 {
                for capture in [Capture::Any, Capture::Occupied] {
                    let rules = giuthi(pits, seeds).with_capture(capture);
                    let config = VecEnvConfig {
                        num_envs: 1000,
                        seed: u64::from(seeds),
                        random_opening_plies: 2,
                        ..Default::default()
                    };
                    compare::<Giuthi, f32>(rules, config, level, 750 / levels, f32::NAN);
                }
            }
        }
        for (boma, warriors) in [(3, 1), (3, 5), (4, 2), (5, 3), (10, 1), (6, 5), (10, 3)] {
            let rules = KiothiRules::new(boma, warriors).unwrap();
            let config = VecEnvConfig { num_envs: 1000, seed: 12, ..Default::default() };
            compare::<Kiothi, f32>(rules, config, level, 750, f32::NAN);
        }
    }
}

/// `cargo test --release -- --ignored --nocapture speed`: moves a second with every instruction set, for `docs/batch-engine.md`.
#[test]
#[ignore = "prints times"]
fn speed_of_every_instruction_set() {
    for level in Level::supported() {
        for (name, rules) in
            [("giuthi-8x8", giuthi(8, 8)), ("giuthi-5x4", giuthi(5, 4)), ("giuthi-10x9", giuthi(10, 9))]
        {
            let config = VecEnvConfig { num_envs: 4096, seed: 1, ..Default::default() };
            let mut engine = BatchEngine::<Giuthi>::with_level(rules, config, level).unwrap();
            let mut actions = vec![0; 4096];
            let begin = std::time::Instant::now();
            for _ in 0..400 {
                engine.sample_actions(&mut actions).unwrap();
                engine.advance(&actions).unwrap();
            }
            let rate = 400.0 * 4096.0 / begin.elapsed().as_secs_f64() / 1e6;
            println!("{name} {}: {rate:.1} M moves/s", level.name());
        }
    }
}
