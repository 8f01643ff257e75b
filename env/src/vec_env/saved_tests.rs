//! What is saved, and what is refused. That games go on as they would have is tested where everything is asked of them, in
//! `batch/interleaved_tests.rs`.

use rand::Rng;

use super::tests::{arrays_of, both, config, play, small};
use super::*;
use crate::game::Game;
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::opening::{Stream, stream};
use crate::saved::{SavedError, seal};

/// Restores in an environment; what it says, after a look that an error has changed nothing.
fn restore<G: BatchGame>(env: &mut VecEnv<G>, saved: &[u8]) -> Result<(), VecEnvError> {
    let mut arrays = arrays_of(env);
    let before = (env.save(), format!("{arrays:?}"));
    let result = env.restore(saved, &mut arrays.buffers());
    if result.is_err() {
        assert!((env.save(), format!("{arrays:?}")) == before, "an error has changed something");
    }
    result
}

fn refused<G: BatchGame>(env: &mut VecEnv<G>, saved: &[u8]) -> String {
    restore(env, saved).unwrap_err().to_string()
}

/// The checksum made to agree again.
fn sealed(mut saved: Vec<u8>) -> Vec<u8> {
    saved.truncate(saved.len() - 4);
    seal(saved)
}

#[test]
fn a_restored_environment_shows_what_a_reset_of_no_game_shows() {
    let rules = KiothiRules::new(4, 2).unwrap();
    for (mut env, mut other) in
        both::<Kiothi>(rules, config(70)).into_iter().zip(both::<Kiothi>(rules, config(70)))
    {
        play(&mut env, 33);
        let (mut shown, mut restored) = (arrays_of(&env), arrays_of(&env));
        env.reset(&ResetOptions { mask: Some(&[false; 70]), ..Default::default() }, &mut shown.buffers())
            .unwrap();
        other.restore(&env.save(), &mut restored.buffers()).unwrap();
        assert_eq!(shown, restored);
    }
}

#[test]
fn games_never_played_are_saved_as_such() {
    for (mut env, mut other) in
        both::<Giuthi>(small(), config(3)).into_iter().zip(both::<Giuthi>(small(), config(3)))
    {
        let mut arrays = arrays_of(&env);
        let mask = [false, true, false];
        env.reset(&ResetOptions { mask: Some(&mask), ..Default::default() }, &mut arrays.buffers()).unwrap();
        restore(&mut other, &env.save()).unwrap();
        for env in [&mut env, &mut other] {
            env.reset(&ResetOptions::default(), &mut arrays.buffers()).unwrap();
        }
        assert_eq!(env.save(), other.save());
    }
}

#[test]
fn positions_are_saved_with_all_that_belongs_to_them() {
    fn play_on<G: Game>(rules: G::Rules, games: u64) -> [usize; 4] {
        let mut seen = [0; 4];
        for game in 0..games {
            let mut rng = stream(Stream::Arena, 1, game, 0);
            let mut position = Position::<G>::initial(rules);
            loop {
                let twin = Position::restore(rules, &position.save()).unwrap();
                assert_eq!(twin, position);
                seen[0] += usize::from(position.history().len() > 5);
                seen[1] += usize::from(position.state().is_extra_move());
                let actions = position.legal_actions();
                if actions.is_empty() {
                    seen[2] += usize::from(position.end() != Some(crate::game::End::NoMoves));
                    seen[3] += 1;
                    break;
                }
                position.play_unchecked(actions[rng.next_u32() as usize % actions.len()]);
            }
        }
        seen
    }
    let giuthi = play_on::<Giuthi>(GiuthiRules::new(3, 2).unwrap().with_capture(Capture::Occupied), 200);
    assert!(giuthi.iter().all(|&count| count > 3), "{giuthi:?}");
    let kiothi =
        play_on::<Kiothi>(KiothiRules::new(6, 5).unwrap().with_one_warrior_multiplier(1.1).unwrap(), 4);
    assert!(kiothi[0] > 3 && kiothi[3] == 4, "{kiothi:?}");
}

#[test]
fn every_damaged_byte_is_seen() {
    for mut env in both::<Giuthi>(small(), config(2)) {
        play(&mut env, 20);
        let saved = env.save();
        let line = saved.iter().position(|&byte| byte == b'\n').unwrap();
        for i in 0..saved.len() {
            for change in [1, 0x80, 0xff] {
                let mut damaged = saved.clone();
                damaged[i] ^= change;
                let error = restore(&mut env, &damaged).unwrap_err();
                let expected = match i <= line {
                    true => matches!(error, VecEnvError::Saved(SavedError::Foreign { .. })),
                    false => error == VecEnvError::Saved(SavedError::Damaged { len: saved.len() }),
                };
                assert!(expected, "byte {i}: {error}");
            }
            assert!(restore(&mut env, &saved[..i]).is_err(), "cut off after {i}");
        }
        let twice = [&saved[..], &saved[..]].concat();
        assert_eq!(
            refused(&mut env, &twice),
            format!("state: damaged: its {} bytes and their checksum do not agree", twice.len())
        );
        restore(&mut env, &saved).unwrap();
    }
}

#[test]
fn states_of_other_environments_are_named() {
    let ours = VecEnvConfig { max_plies: Some(40), random_opening_plies: 2, ..config(3) };
    for mut env in both::<Giuthi>(small(), ours) {
        let mut compare = |rules: GiuthiRules, config, message: &str| {
            for other in both::<Giuthi>(rules, config) {
                assert_eq!(refused(&mut env, &other.save()), message);
            }
        };
        let differs = |what, saved, here| format!("state: saved with {what}={saved}, but here it is {here}");
        compare(GiuthiRules::new(3, 4).unwrap(), ours, &differs("game", "giuthi-3x4", "giuthi-3x3"));
        let occupied = small().with_capture(Capture::Occupied);
        compare(occupied, ours, &differs("game", "giuthi-3x3?capture=occupied", "giuthi-3x3"));
        compare(small(), VecEnvConfig { num_envs: 4, ..ours }, &differs("num_envs", "4", "3"));
        compare(small(), VecEnvConfig { max_plies: None, ..ours }, &differs("max_plies", "None", "40"));
        compare(
            small(),
            VecEnvConfig { random_opening_plies: 1, ..ours },
            &differs("random_opening_plies", "1", "2"),
        );
        compare(
            small(),
            VecEnvConfig { random_first_player: true, ..ours },
            &differs("random_first_player", "true", "false"),
        );
        for (other, found) in [
            ("", ""),
            ("PK\u{3}\u{4}", "PK\u{3}\u{4}"),
            ("mancala-rl vec-env 2\nxyzu", "mancala-rl vec-env 2"),
        ] {
            let expected = format!(
                "state: it begins with {found:?}; what is restored here begins with \"mancala-rl vec-env 1\""
            );
            assert_eq!(refused(&mut env, other.as_bytes()), expected);
        }
        let position = env.position(0).save();
        assert!(refused(&mut env, &position).contains("begins with \"mancala-rl position 1\""));
        let other = VecEnv::<Giuthi>::new(small(), VecEnvConfig { threads: 9, seed: 1, ..ours }).unwrap();
        restore(&mut env, &other.save()).unwrap();
        assert_eq!(env.save(), other.save());
    }
}

#[test]
fn another_version_of_the_rules_is_named() {
    let mut env = VecEnv::<Giuthi>::new(small(), config(1)).unwrap();
    let mut saved = env.save();
    let at = b"mancala-rl vec-env 1\n".len() + 2 + "giuthi-3x3".len();
    assert_eq!(u32::from_le_bytes(saved[at..at + 4].try_into().unwrap()), Giuthi::RULES_VERSION);
    saved[at] += 1;
    let message = format!(
        "state: saved with rules_version={}, but here it is {}",
        Giuthi::RULES_VERSION + 1,
        Giuthi::RULES_VERSION
    );
    assert_eq!(refused(&mut env, &sealed(saved)), message);
}

/// What a checksum does not see: whoever makes it agree gets an error that names the game and the field, or an environment that can be
/// played on.
#[test]
fn no_bytes_crash() {
    fn mutate<G: BatchGame>(rules: G::Rules, config: VecEnvConfig, fields: &[&str]) {
        let mut rng = stream(Stream::Arena, 4, 0, 0);
        let mut named = vec![0; fields.len()];
        for way in 0..2 {
            let mut env = both::<G>(rules, config).into_iter().nth(way).unwrap();
            play(&mut env, 12);
            let saved = env.save();
            let first = saved.iter().position(|&byte| byte == b'\n').unwrap() + 1;
            for _ in 0..1500 {
                let mut changed = saved.clone();
                for _ in 0..1 + rng.next_u32() % 2 {
                    let at = first + rng.next_u32() as usize % (changed.len() - first - 4);
                    match rng.next_u32() % 4 {
                        0 => changed[at] = changed[at].wrapping_add(1),
                        1 => changed[at] = rng.next_u32() as u8,
                        2 => drop(changed.remove(at)),
                        _ => changed.insert(at, 255),
                    }
                }
                match restore(&mut env, &sealed(changed)) {
                    Ok(()) => drop(play(&mut env, 30)),
                    Err(VecEnvError::Saved(SavedError::Field { field, .. })) => {
                        for (name, count) in fields.iter().zip(&mut named) {
                            *count += usize::from(field.contains(name));
                        }
                    }
                    Err(VecEnvError::Saved(SavedError::Differs { .. })) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
        assert!(named.iter().all(|&count| count > 0), "{fields:?} {named:?}");
    }
    let fields = ["env 1, position", "env 0, history", "plies", "extra move", "untouched", "words sampled"];
    mutate::<Giuthi>(small(), VecEnvConfig { random_opening_plies: 1, ..config(2) }, &fields);
    mutate::<Kiothi>(KiothiRules::new(3, 1).unwrap(), config(2), &fields[..3]);
}
