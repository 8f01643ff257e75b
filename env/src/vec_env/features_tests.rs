//! Action features, on their own and with a step or a reset.

use super::tests::{arrays_of, both, config, play, small};
use super::*;
use crate::features::{ACTION_FEATURES, ActionInfo};
use crate::giuthi::Giuthi;
use crate::kiothi::{Kiothi, KiothiRules};

#[test]
fn action_features_agree_with_action_info() {
    for mut env in both::<Giuthi>(small(), config(4)) {
        play(&mut env, 5);
        let ragged = env.action_features();
        let mut dense = vec![f32::NAN; 4 * 6 * 8];
        env.action_features_dense(&mut dense).unwrap();
        assert_eq!(ragged.offsets.len(), 5);
        let mut rows = vec![0.0; dense.len()];
        for (env_index, position) in env.positions().enumerate() {
            let range = ragged.offsets[env_index] as usize..ragged.offsets[env_index + 1] as usize;
            let actions: Vec<i64> = position.legal_actions().into_iter().map(i64::from).collect();
            assert_eq!(ragged.actions[range.clone()], actions);
            for row in range {
                let action = ragged.actions[row] as u16;
                let features = ActionInfo::of(&position, action).0.features(3.0, 6);
                assert_eq!(ragged.features[8 * row..][..8], features);
                rows[8 * (6 * env_index + usize::from(action))..][..8].copy_from_slice(&features);
            }
        }
        assert_eq!(dense, rows);
        assert!(env.action_features_dense(&mut dense[1..]).is_err());
    }
}

/// Steps and resets that are asked for features write those of the positions that they lead to, and else what they always write.
fn ask_with_every_step<G: BatchGame>(rules: G::Rules, options: VecEnvConfig, steps: usize) {
    for mut env in both::<G>(rules, options) {
        let mut plain = VecEnv::<G>::new(rules, options).unwrap();
        let cells = options.num_envs * G::num_actions(&rules) * ACTION_FEATURES;
        let mut actions = vec![0; options.num_envs];
        let mut ragged = RaggedFeatures::default();
        for step in 0..steps {
            let (mut ours, mut theirs) = (arrays_of(&env), arrays_of(&env));
            let (mut dense, mut expected) = (vec![f32::NAN; cells], vec![0.0; cells]);
            let is_dense = step % 3 == 1;
            let mut buffers = ours.buffers();
            buffers.action_features = match is_dense {
                true => ActionFeatures::Dense(&mut dense),
                false => ActionFeatures::Ragged(&mut ragged),
            };
            plain.sample_actions(&mut actions).unwrap();
            if step % 8 == 0 {
                env.reset(&ResetOptions::default(), &mut buffers).unwrap();
                plain.reset(&ResetOptions::default(), &mut theirs.buffers()).unwrap();
            } else {
                env.step(&actions, &mut buffers).unwrap();
                plain.step(&actions, &mut theirs.buffers()).unwrap();
            }
            // By their bits: what a reset leaves alone is not a number.
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
            if is_dense {
                plain.action_features_dense(&mut expected).unwrap();
                assert_eq!(dense, expected);
            } else {
                assert_eq!(ragged, plain.action_features());
            }
        }
    }
}

#[test]
fn steps_and_resets_write_the_features_that_are_asked_for() {
    for (num_envs, threads) in [(3, 1), (70, 1), (200, 2)] {
        let options = VecEnvConfig { threads, random_opening_plies: 2, ..config(num_envs) };
        ask_with_every_step::<Giuthi>(small(), options, 40);
    }
    let options = VecEnvConfig { threads: 2, ..config(130) };
    ask_with_every_step::<Kiothi>(KiothiRules::new(3, 2).unwrap(), options, 30);
}

#[test]
fn a_wrong_length_changes_nothing() {
    for mut env in both::<Giuthi>(small(), config(20)) {
        let (mut arrays, mut features) = (arrays_of(&env), vec![0.5; 20 * 6 * ACTION_FEATURES - 1]);
        let before: Vec<_> = env.positions().collect();
        let untouched = format!("{arrays:?}");
        let mut actions = vec![0; 20];
        env.sample_actions(&mut actions).unwrap();
        for is_reset in [false, true] {
            let mut buffers = arrays.buffers();
            buffers.action_features = ActionFeatures::Dense(&mut features);
            let error = match is_reset {
                true => env.reset(&ResetOptions::default(), &mut buffers).unwrap_err(),
                false => env.step(&actions, &mut buffers).unwrap_err(),
            };
            assert_eq!(error.to_string(), "action_features: expected 960 cells, found 959");
            assert!(env.positions().eq(before.iter().cloned()));
            assert_eq!(format!("{arrays:?}"), untouched);
        }
        assert!(features.iter().all(|&cell| cell == 0.5));
    }
}
