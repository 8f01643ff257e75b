//! What the engine foretells against what the scalar rules play.

use std::time::Instant;

use super::engine::BatchEngine;
use super::isa::Level;
use super::lockstep::BatchGame;
use crate::features::{ACTION_FEATURES, ActionInfo};
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::vec_env::{ActionFeatures, Arrays, RaggedFeatures, ResetOptions, VecEnvConfig};

/// Compares what an engine foretells, in both layouts, with what the scalar rules say; this.
pub(super) fn compare_features<G: BatchGame>(engine: &mut BatchEngine<G>) -> Vec<Vec<ActionInfo>> {
    let rules = *engine.rules();
    let (unit, pits, num_actions) = (G::seed_unit(&rules), G::num_pits(&rules), G::num_actions(&rules));
    let of_game = |env| {
        let position = engine.position(env);
        position.legal_actions().iter().map(|&action| ActionInfo::of(&position, action).0).collect()
    };
    let infos: Vec<Vec<ActionInfo>> = (0..engine.num_envs()).map(of_game).collect();
    let mut expected = RaggedFeatures { offsets: vec![0], ..Default::default() };
    let mut expected_dense = vec![0.0; infos.len() * num_actions * ACTION_FEATURES];
    for (infos, rows) in infos.iter().zip(expected_dense.chunks_exact_mut(num_actions * ACTION_FEATURES)) {
        for info in infos {
            let features = info.features(unit, pits);
            expected.actions.push(info.action.into());
            expected.features.extend(features);
            rows[usize::from(info.action) * ACTION_FEATURES..][..ACTION_FEATURES].copy_from_slice(&features);
        }
        expected.offsets.push(expected.actions.len() as i64);
    }
    // More than there will be, so that what is left over is seen.
    let mut ragged = RaggedFeatures {
        offsets: vec![-1; infos.len() + 9],
        actions: vec![-1; expected.actions.len() + 9],
        features: vec![f32::NAN; expected.features.len() + 9],
    };
    engine.action_features_into(&mut ragged);
    assert_eq!(
        (&ragged.offsets, &ragged.actions),
        (&expected.offsets, &expected.actions),
        "{}",
        G::id(&rules)
    );
    let rows = ragged.features.chunks(ACTION_FEATURES).zip(infos.iter().flatten());
    for (row, info) in rows {
        assert_eq!(row, info.features(unit, pits), "{} {info:?}", G::id(&rules));
    }
    assert_eq!(ragged, expected);
    let mut dense = vec![f32::NAN; expected_dense.len()];
    engine.action_features_dense(&mut dense).unwrap();
    assert!(dense == expected_dense, "{}: the layouts differ", G::id(&rules));
    assert!(engine.action_features_dense(&mut dense[1..]).is_err());
    infos
}

/// How often something was foretold while captures were shunned.
#[derive(Debug, Default)]
struct Shunned {
    repeats: usize,
    /// Those after 32 plies and more without a capture.
    late_repeats: usize,
    /// Positions after so many.
    late: usize,
}

/// Plays moves that capture nothing and end nothing where there are any, so that histories grow long and repetitions are near;
/// beside it an engine that foretells nothing, which must play the same games.
fn shun_captures<G: BatchGame>(rules: G::Rules, level: Level, steps: usize, shunned: &mut Shunned) {
    let config = VecEnvConfig { num_envs: 150, seed: 3, threads: 2, ..Default::default() };
    let [mut engine, mut silent] =
        [(); 2].map(|()| BatchEngine::<G>::with_level(rules, config, level).unwrap());
    let mut actions = vec![0; 150];
    for step in 0..steps {
        for (env, infos) in compare_features(&mut engine).iter().enumerate() {
            let repeats = infos.iter().filter(|info| info.repeats).count();
            shunned.repeats += repeats;
            if engine.position(env).state().plies_since_capture() >= 32 {
                shunned.late_repeats += repeats;
                shunned.late += 1;
            }
            let dull: Vec<_> = infos.iter().filter(|info| info.captured == 0 && !info.ends_game).collect();
            let from = if dull.is_empty() { infos.iter().collect() } else { dull };
            actions[env] = from[(step * 7 + env) % from.len()].action.into();
        }
        engine.advance(&actions).unwrap();
        silent.advance(&actions).unwrap();
    }
    assert!(engine.positions().eq(silent.positions()));
}

#[test]
fn repetitions_are_foretold_and_nothing_changes() {
    for level in Level::supported() {
        let mut shunned = Shunned::default();
        for (pits, seeds) in [(2, 3), (3, 2), (4, 3), (8, 8), (10, 2)] {
            let rules = GiuthiRules::new(pits, seeds).unwrap();
            shun_captures::<Giuthi>(rules, level, 60, &mut shunned);
        }
        assert!(shunned.repeats > 100 && shunned.late_repeats > 10, "{shunned:?}");
    }
    // No game of Kiothi was seen to repeat a position; long histories there are.
    let mut shunned = Shunned::default();
    shun_captures::<Kiothi>(KiothiRules::new(10, 3).unwrap(), Level::detect(), 80, &mut shunned);
    assert!(shunned.late > 100, "{shunned:?}");
}

#[test]
fn endless_moves_are_foretold() {
    for (pits, text, action) in [
        (2, "5,0/0,5 0 0 p1", 1),
        (2, "2,2/4,5 0 0 p1", 0),
        (3, "1,3,7/4,3,5 0 0 p1", 2),
        (3, "2,4,2/1,0,2 0 0 p1", 5),
        (5, "2,5,2,1,3/0,0,0,0,3 0 0 p1", 0),
    ] {
        for level in Level::supported() {
            let config = VecEnvConfig { num_envs: 70, ..Default::default() };
            let mut engine =
                BatchEngine::<Giuthi>::with_level(GiuthiRules::new(pits, 4).unwrap(), config, level).unwrap();
            let mut arrays = Arrays::<u8>::new(70, 2 * usize::from(pits) + 5, 2 * usize::from(pits));
            let positions: Vec<_> = (0..70).map(|env| (env % 3 != 1).then(|| text.to_owned())).collect();
            let options = ResetOptions { positions: Some(&positions), ..Default::default() };
            let mut ragged = RaggedFeatures::default();
            let mut buffers = arrays.buffers();
            buffers.action_features = ActionFeatures::Ragged(&mut ragged);
            engine.reset(&options, &mut buffers).unwrap();
            let infos = compare_features(&mut engine);
            assert!(infos[69].iter().any(|info| info.action == action && info.endless));
            assert_eq!(ragged.offsets[70], infos.iter().flatten().count() as i64);
        }
    }
}

/// `cargo test --release -- --ignored --nocapture speed_of_foretelling`: nanoseconds a legal action, for `docs/batch-engine.md`.
#[test]
#[ignore = "prints times"]
fn speed_of_foretelling() {
    fn time(times: &mut Vec<f64>, actions: &mut usize, work: impl FnOnce() -> usize) {
        let begin = Instant::now();
        *actions = work();
        times.push(begin.elapsed().as_secs_f64() * 1e9 / *actions as f64);
    }
    fn measure<G: BatchGame>(rules: G::Rules, num_envs: usize) {
        let (unit, pits, num_actions) = (G::seed_unit(&rules), G::num_pits(&rules), G::num_actions(&rules));
        for level in Level::supported() {
            let config = VecEnvConfig { num_envs, seed: 1, ..Default::default() };
            let mut engine = BatchEngine::<G>::with_level(rules, config, level).unwrap();
            let (mut actions, mut ragged) = (vec![0; num_envs], RaggedFeatures::default());
            let mut dense = vec![0.0; num_envs.min(4096) * num_actions * ACTION_FEATURES];
            let (mut times, mut count) = ([vec![], vec![], vec![]], 0);
            for step in 0..300 {
                engine.sample_actions(&mut actions).unwrap();
                engine.advance(&actions).unwrap();
                if step < 100 {
                    continue;
                }
                time(&mut times[0], &mut count, || {
                    engine.action_features_into(&mut ragged);
                    ragged.actions.len()
                });
                if num_envs <= 4096 {
                    time(&mut times[1], &mut count, || {
                        engine.action_features_dense(&mut dense).unwrap();
                        ragged.actions.len()
                    });
                }
                if step % 10 == 0 {
                    let positions: Vec<_> = engine.positions().collect();
                    time(&mut times[2], &mut count, || {
                        let mut rows = ragged.features.chunks(ACTION_FEATURES);
                        for position in &positions {
                            for action in position.legal_actions() {
                                let features = ActionInfo::of(position, action).0.features(unit, pits);
                                assert_eq!(rows.next().unwrap(), features);
                            }
                        }
                        ragged.actions.len()
                    });
                }
            }
            // A low one: others may use the machine.
            let decile = |mut times: Vec<f64>| {
                times.sort_by(f64::total_cmp);
                times.get(times.len() / 10).copied().unwrap_or(f64::NAN)
            };
            let [ragged, dense, scalar] = times.map(decile);
            let (game, level) = (G::id(&rules), level.name());
            println!("{game} {num_envs} {level}: ragged {ragged:.1}, dense {dense:.1}, scalar {scalar:.1}");
        }
    }
    for (pits, seeds, num_envs) in
        [(8, 8, 4096), (5, 4, 4096), (10, 9, 4096), (8, 8, 16), (8, 8, 64), (8, 8, 65536)]
    {
        measure::<Giuthi>(GiuthiRules::new(pits, seeds).unwrap(), num_envs);
    }
    measure::<Kiothi>(KiothiRules::new(6, 5).unwrap(), 1024);
    measure::<Kiothi>(KiothiRules::new(3, 3).unwrap(), 1024);
}
