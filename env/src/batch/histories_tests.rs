//! Repetitions about as many plies after the first position as a trail reaches back.

use super::engine::BatchEngine;
use super::isa::Level;
use crate::game::{End, Game};
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::position::Position;
use crate::vec_env::{Arrays, ResetOptions, VecEnvConfig};

const START: &str = "0,1,1,3/0,1,1,1 0 0 p0";

/// From [`START`] back to it after 31, 32, 33 and 40 plies, without a capture and through no position twice: found by a search.
const ROUNDS: [&[i64]; 4] = [
    &[6, 3, 5, 6, 2, 6, 0, 2, 0, 2, 4, 0, 2, 6, 0, 2, 0, 2, 6, 0, 2, 4, 0, 2, 6, 0, 7, 3, 0, 3, 0],
    &[6, 3, 5, 6, 2, 6, 0, 2, 0, 2, 4, 0, 2, 6, 0, 2, 0, 2, 6, 0, 2, 4, 0, 2, 6, 7, 2, 5, 6, 2, 4, 1],
    &[6, 3, 5, 6, 2, 6, 0, 2, 0, 2, 4, 0, 2, 6, 0, 2, 0, 2, 6, 0, 2, 4, 0, 2, 6, 0, 7, 3, 5, 2, 5, 3, 0],
    &[
        6, 3, 5, 6, 2, 6, 0, 2, 0, 2, 4, 0, 2, 6, 0, 2, 0, 2, 6, 0, 2, 4, 0, 2, 6, 0, 6, 3, 5, 6, 2, 6, 0, 3,
        6, 1, 5, 6, 3, 1,
    ],
];

#[test]
fn the_first_position_is_found_again_after_31_to_40_plies() {
    let rules = GiuthiRules::new(4, 4).unwrap().with_capture(Capture::Occupied);
    let config = VecEnvConfig { num_envs: 3, ..Default::default() };
    let positions = vec![Some(START.to_owned()); 3];
    let begin = ResetOptions { positions: Some(&positions), ..Default::default() };
    for (level, round) in Level::supported().flat_map(|level| ROUNDS.map(|round| (level, round))) {
        let mut scalar = Position::<Giuthi>::read(rules, START).unwrap();
        let mut engine = BatchEngine::<Giuthi>::with_level(rules, config, level).unwrap();
        let mut arrays = Arrays::new(3, Giuthi::observation_len(&rules), Giuthi::num_actions(&rules));
        engine.reset::<u8>(&begin, &mut arrays.buffers()).unwrap();
        for (i, &action) in round.iter().enumerate() {
            assert!(engine.positions().all(|position| position == scalar), "{level:?} before ply {i}");
            scalar.play(action as u16).unwrap();
            engine.step(&[action; 3], &mut arrays.buffers()).unwrap();
            assert_eq!(arrays.final_mask, [i + 1 == round.len(); 3], "{level:?} ply {i} of {}", round.len());
        }
        assert_eq!(scalar.end(), Some(End::Repetition));
        assert_eq!(arrays.final_results, [2; 3]);
        assert_eq!(arrays.final_plies, [round.len() as i32; 3]);
    }
}
