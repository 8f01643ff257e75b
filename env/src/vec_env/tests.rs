use super::*;
use crate::game::{End, IllegalAction};
use crate::giuthi::{Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};

/// Arrays full of rubbish, so that a cell left out is seen.
pub(super) fn arrays_of<G: BatchGame>(env: &VecEnv<G>) -> Arrays<f32> {
    let (cells, actions) = (G::observation_len(env.rules()), G::num_actions(env.rules()));
    Arrays::rubbish(env.num_envs(), cells, actions, f32::NAN)
}

pub(super) fn small() -> GiuthiRules {
    GiuthiRules::new(3, 3).unwrap()
}

pub(super) fn config(num_envs: usize) -> VecEnvConfig {
    VecEnvConfig { num_envs, seed: 7, ..VecEnvConfig::default() }
}

/// The environment played one by one and in lockstep.
pub(super) fn both<G: BatchGame>(rules: G::Rules, config: VecEnvConfig) -> [VecEnv<G>; 2] {
    [VecEnv::one_by_one(rules, config).unwrap(), VecEnv::lockstep(rules, config).unwrap()]
}

fn texts<G: BatchGame>(env: &VecEnv<G>) -> Vec<String> {
    env.positions().map(|position| position.write()).collect()
}

/// Plays `steps` sampled steps; the texts of all positions after each.
pub(super) fn play<G: BatchGame>(env: &mut VecEnv<G>, steps: usize) -> Vec<Vec<String>> {
    let mut arrays = arrays_of(env);
    let mut actions = vec![0; env.num_envs()];
    (0..steps)
        .map(|_| {
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions, &mut arrays.buffers()).unwrap();
            texts(env)
        })
        .collect()
}

#[test]
fn a_step_writes_what_positions_say() {
    let options =
        VecEnvConfig { random_first_player: true, random_opening_plies: 2, max_plies: Some(9), ..config(5) };
    for mut env in both::<Giuthi>(small(), options) {
        let mut actions = vec![0; 5];
        let mut plies = [0; 5];
        let (mut ended, mut broken_off) = (0, 0);
        let mut arrays = arrays_of(&env);
        for step in 0..300 {
            let mut shadows: Vec<_> = env.positions().collect();
            env.sample_actions(&mut actions).unwrap();
            if step % 2 == 0 {
                arrays = arrays_of(&env);
            }
            env.step(&actions, &mut arrays.buffers()).unwrap();
            for (i, shadow) in shadows.iter_mut().enumerate() {
                let mover = shadow.to_move().index();
                let played = shadow.play(actions[i] as u16).unwrap();
                plies[i] += 1;
                assert_eq!(arrays.rewards[i], shadow.returns()[mover]);
                assert_eq!(arrays.returns[2 * i..][..2], shadow.returns());
                assert_eq!(arrays.passed[i], played.passed);
                assert_eq!(arrays.terminated[i], shadow.is_over());
                assert_eq!(arrays.truncated[i], !shadow.is_over() && plies[i] == 9);
                let done = arrays.terminated[i] || arrays.truncated[i];
                assert_eq!(arrays.final_mask[i], done);
                let mut observation = vec![0.0; 11];
                let mut expected = (vec![0, 0], 0, 0, 0);
                if done {
                    shadow.observe(&mut observation);
                    expected.0 = shadow.scores().map(i16::from).to_vec();
                    expected.1 =
                        RESULTS.iter().position(|&word| word == shadow.end().map_or("", End::word)).unwrap();
                    expected.2 = std::mem::take(&mut plies[i]);
                    expected.3 = shadow.to_move().index() as i8;
                    ended += u32::from(arrays.terminated[i]);
                    broken_off += u32::from(arrays.truncated[i]);
                }
                assert_eq!(arrays.final_observations[11 * i..][..11], observation);
                assert_eq!(arrays.final_scores[2 * i..][..2], expected.0);
                assert_eq!(arrays.final_results[i] as usize, expected.1);
                assert_eq!(arrays.final_plies[i], expected.2);
                assert_eq!(arrays.final_to_move[i], expected.3);
            }
            for (i, position) in env.positions().enumerate() {
                assert!(!position.is_over());
                let mut observation = vec![0.0; 11];
                position.observe(&mut observation);
                assert_eq!(arrays.observations[11 * i..][..11], observation);
                let legal: Vec<_> = (0..6).filter(|&action| position.is_legal(action)).collect();
                let masked: Vec<_> = (0..6).filter(|&a| arrays.action_mask[6 * i + usize::from(a)]).collect();
                assert_eq!(masked, legal);
                assert_eq!(arrays.to_move[i] as usize, position.to_move().index());
                assert_eq!(arrays.scores[2 * i..][..2], position.scores().map(i16::from));
            }
        }
        assert!(ended > 20 && broken_off > 20, "{ended} ended, {broken_off} broken off");
    }
}

#[test]
fn games_depend_on_seed_and_index_alone() {
    let options = VecEnvConfig { random_first_player: true, random_opening_plies: 3, ..config(200) };
    let mut env = VecEnv::<Giuthi>::new(small(), options).unwrap();
    let all = play(&mut env, 60);
    for (num_envs, threads) in [(1, 1), (5, 1), (15, 2), (16, 2), (64, 1), (65, 2), (200, 3), (200, 40)] {
        for mut env in both::<Giuthi>(small(), VecEnvConfig { num_envs, threads, ..options }) {
            for (some, all) in play(&mut env, 60).iter().zip(&all) {
                assert_eq!(some[..], all[..num_envs]);
            }
        }
    }
    let mut other = VecEnv::<Giuthi>::new(small(), VecEnvConfig { seed: 8, ..options }).unwrap();
    assert_ne!(play(&mut other, 60), all);
}

#[test]
fn threads_write_the_same_arrays() {
    let rules = KiothiRules::new(3, 1).unwrap();
    let mut envs =
        [1, 3].map(|threads| VecEnv::<Kiothi>::new(rules, VecEnvConfig { threads, ..config(150) }).unwrap());
    for _ in 0..200 {
        let arrays = envs.each_mut().map(|env| {
            let (mut actions, mut arrays) = (vec![0; 150], arrays_of(env));
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions, &mut arrays.buffers()).unwrap();
            arrays
        });
        assert_eq!(arrays[0], arrays[1]);
    }
}

#[test]
fn sampling_does_not_alter_the_games() {
    let options = VecEnvConfig { random_opening_plies: 2, ..config(3) };
    let mut envs = both::<Giuthi>(small(), options);
    let mut spare = vec![0; 3];
    for _ in 0..100 {
        let first: Vec<i64> =
            envs[0].positions().map(|position| position.legal_actions()[0].into()).collect();
        for (env, extra) in envs.iter_mut().zip([0, 3]) {
            (0..extra).for_each(|_| env.sample_actions(&mut spare).unwrap());
            let mut arrays = arrays_of(env);
            env.step(&first, &mut arrays.buffers()).unwrap();
        }
        assert_eq!(texts(&envs[0]), texts(&envs[1]));
    }
}

#[test]
fn resets_begin_the_right_episodes() {
    let options = VecEnvConfig { random_opening_plies: 4, ..config(4) };
    let rules = GiuthiRules::new(6, 4).unwrap();
    for mut env in both::<Giuthi>(rules, options) {
        let mut arrays = arrays_of(&env);
        let mut reset = |env: &mut VecEnv<Giuthi>, seed, mask: Option<&[bool]>| {
            let options = ResetOptions { seed, mask, positions: None };
            env.reset(&options, &mut arrays.buffers()).unwrap();
            texts(env)
        };
        let first = texts(&env);
        assert_eq!(reset(&mut env, None, None), first, "the first reset begins episode 0");
        let second = reset(&mut env, None, None);
        assert!(first.iter().zip(&second).all(|(first, second)| first != second));
        assert_eq!(reset(&mut env, Some(7), None), first);
        assert_eq!(reset(&mut env, None, None), second);
        let other = reset(&mut env, Some(8), None);
        assert_ne!(other, first);
        let mixed = reset(&mut env, Some(7), Some(&[false, true, false, true]));
        assert_eq!(mixed, [&other[0], &first[1], &other[2], &first[3]].map(String::clone));
        let mixed = reset(&mut env, None, Some(&[false, true, false, false]));
        assert_eq!(mixed[1..], [&second[1], &other[2], &first[3]].map(String::clone));
        assert_eq!(reset(&mut env, None, Some(&[false; 4])), mixed);
    }
}

#[test]
fn a_seed_restarts_the_samplers_and_no_seed_does_not() {
    for mut env in both::<Giuthi>(GiuthiRules::new(8, 8).unwrap(), config(3)) {
        let mut arrays = arrays_of(&env);
        let mut draw = |env: &mut VecEnv<Giuthi>, seed: Option<Option<u64>>| {
            if let Some(seed) = seed {
                env.reset(&ResetOptions { seed, ..ResetOptions::default() }, &mut arrays.buffers()).unwrap();
            }
            let mut drawn = vec![];
            for _ in 0..8 {
                let mut actions = vec![0; 3];
                env.sample_actions(&mut actions).unwrap();
                drawn.extend(actions);
            }
            drawn
        };
        let first = draw(&mut env, None);
        let second = draw(&mut env, Some(None));
        assert_ne!(first, second);
        assert_eq!(draw(&mut env, Some(Some(7))), first);
        assert_eq!(draw(&mut env, None), second);
    }
}

#[test]
fn an_illegal_action_changes_nothing() {
    for mut env in both::<Giuthi>(small(), config(3)) {
        let start = "1,0,5/4,4,4 0 0 p1";
        let positions = vec![None, None, Some(start.to_owned())];
        let mut arrays = arrays_of(&env);
        env.reset(&ResetOptions { positions: Some(&positions), ..Default::default() }, &mut arrays.buffers())
            .unwrap();
        let before = (texts(&env), arrays.clone());
        for (actions, message) in [
            ([0, 0, 6], "env 2: action 6 is out of range: this game has actions 0..=5"),
            ([-1, 0, 0], "env 0: action -1 is out of range: this game has actions 0..=5"),
            (
                [0, i64::MAX, 0],
                "env 1: action 9223372036854775807 is out of range: this game has actions 0..=5",
            ),
            ([0, 0, 1], "env 2: illegal action 1 (0cw): pit 0 holds 1 seed; a move needs at least two"),
            ([0, 0, 2], "env 2: illegal action 2 (1ccw): pit 1 is empty"),
        ] {
            let error = env.step(&actions, &mut arrays.buffers()).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!((texts(&env), arrays.clone()), before);
        }
        assert!(matches!(
            env.step(&[0, 0], &mut arrays.buffers()).unwrap_err(),
            VecEnvError::Length { array: "actions", expected: 3, found: 2 }
        ));
        arrays.passed.pop();
        let error = env.step(&[0, 0, 4], &mut arrays.buffers()).unwrap_err();
        assert_eq!(error.to_string(), "passed: expected 3 cells, found 2");
        assert_eq!(texts(&env), before.0);
    }
}

#[test]
fn positions_are_validated_before_anything_changes() {
    for mut env in both::<Giuthi>(small(), config(2)) {
        let mut arrays = arrays_of(&env);
        let before = texts(&env);
        let good = Some("2,2,2/1,1,1 5 4 p0".to_owned());
        let mut reset = |env: &mut VecEnv<Giuthi>, mask: Option<&[bool]>, bad: &str| {
            let positions = vec![good.clone(), Some(bad.to_owned())];
            let options = ResetOptions { seed: Some(3), mask, positions: Some(&positions) };
            env.reset(&options, &mut arrays.buffers())
        };
        for bad in
            ["nonsense", "0,0,0/0,0,0 9 9 p0 no-moves", "1,0,0/0,1,0 8 8 p1", "2,2,2/2,2,2 3 3 p0 repetition"]
        {
            let error = reset(&mut env, None, bad).unwrap_err();
            assert!(error.to_string().starts_with("env 1: position "), "{error}");
            assert_eq!(texts(&env), before);
        }
        reset(&mut env, Some(&[true, false]), "nonsense").unwrap();
        // Player 0 has single seeds only: the text is settled, and Player 1 moves.
        assert_eq!(texts(&env), ["2,2,2/1,1,1 5 4 p1", before[1].as_str()]);
    }
}

#[test]
fn an_end_on_the_last_ply_allowed_is_no_truncation() {
    let rules = GiuthiRules::new(2, 2).unwrap();
    for mut env in both::<Giuthi>(rules, VecEnvConfig { max_plies: Some(1), ..config(2) }) {
        let positions = vec![Some("0,0/4,0 4 0 p0".to_owned()), None];
        let mut arrays = arrays_of(&env);
        env.reset(&ResetOptions { positions: Some(&positions), ..Default::default() }, &mut arrays.buffers())
            .unwrap();
        env.step(&[1, 1], &mut arrays.buffers()).unwrap();
        assert_eq!((&arrays.terminated[..], &arrays.truncated[..]), (&[true, false][..], &[false, true][..]));
        assert_eq!(arrays.rewards, [1.0, 0.0]);
        assert_eq!(arrays.final_results, [1, 0]);
        assert_eq!(arrays.final_plies, [1, 1]);
        assert_eq!(arrays.final_scores, [7, 1, 0, 0]);
        assert_eq!(arrays.passed, [false, false]);
    }
}

#[test]
fn bad_options_are_refused_by_name() {
    let refused = |config| {
        let error = VecEnv::<Giuthi>::one_by_one(small(), config).unwrap_err();
        assert_eq!(VecEnv::<Giuthi>::lockstep(small(), config).unwrap_err(), error);
        error.to_string()
    };
    assert!(refused(VecEnvConfig { num_envs: 0, ..config(1) }).starts_with("option num_envs:"));
    assert!(refused(VecEnvConfig { threads: 0, ..config(1) }).starts_with("option threads:"));
    assert!(refused(VecEnvConfig { max_plies: Some(0), ..config(1) }).starts_with("option max_plies:"));
    let endless = VecEnvConfig { random_opening_plies: 5000, ..config(2) };
    assert!(refused(endless).starts_with("option random_opening_plies=5000:"));
    let kiothi = KiothiRules::new(3, 1).unwrap();
    let drawn = VecEnvConfig { random_first_player: true, ..config(1) };
    assert!(VecEnv::<Kiothi>::new(kiothi, drawn).unwrap_err().to_string().contains("random_first_player"));
}

#[test]
fn first_players_are_drawn_and_openings_go_on() {
    let options = VecEnvConfig { random_first_player: true, ..config(200) };
    let env = VecEnv::<Giuthi>::new(small(), options).unwrap();
    let ones = env.positions().filter(|position| position.to_move().index() == 1).count();
    assert!((70..=130).contains(&ones), "{ones} of 200");
    // Nearly every opening of 12 plies ends this game: autoreset must get by all the same.
    let options = VecEnvConfig { random_opening_plies: 12, ..config(2) };
    for mut env in both::<Giuthi>(GiuthiRules::new(2, 2).unwrap(), options) {
        play(&mut env, 50);
        assert!(env.positions().all(|position| position.plies() >= 12 && !position.is_over()));
    }
}

#[test]
fn check_agrees_with_play() {
    let position = Position::<Giuthi>::read(small(), "1,0,5/4,4,4 0 0 p1").unwrap();
    for action in 0..6 {
        let played = position.clone().play(action);
        assert_eq!(position.check(action.into()).err(), played.err());
    }
    let over = Position::<Giuthi>::read(small(), "0,0,0/0,0,0 9 9 p0 no-moves").unwrap();
    assert_eq!(over.check(2), Err(IllegalAction::GameOver { action: 2, end: End::NoMoves }));
}

#[test]
fn few_games_go_one_by_one_and_many_in_lockstep() {
    for (num_envs, lockstep) in [(1, false), (LOCKSTEP_FROM - 1, false), (LOCKSTEP_FROM, true), (500, true)] {
        let env = VecEnv::<Giuthi>::new(small(), config(num_envs)).unwrap();
        assert_eq!(matches!(env.0, Way::Lockstep(_)), lockstep, "{num_envs}");
        assert_eq!((env.num_envs(), env.positions().len()), (num_envs, num_envs));
    }
}

/// `cargo test --release -- --ignored --nocapture both_ways`: nanoseconds a move, to choose `LOCKSTEP_FROM` by.
#[test]
#[ignore = "prints times"]
fn speed_of_both_ways() {
    fn time<G: BatchGame>(mut env: VecEnv<G>) -> f64 {
        let (games, mut arrays) = (env.num_envs(), arrays_of(&env));
        let (steps, mut actions) = (200_000 / games, vec![0; games]);
        let begin = std::time::Instant::now();
        for _ in 0..steps {
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions, &mut arrays.buffers()).unwrap();
        }
        begin.elapsed().as_secs_f64() * 1e9 / (steps * games) as f64
    }
    fn compare<G: BatchGame>(rules: G::Rules) {
        for num_envs in [1, 4, 8, 12, 16, 20, 24, 32, 48, 64] {
            let times = both::<G>(rules, config(num_envs)).map(time);
            println!(
                "{} {num_envs:3}: {:5.0} one by one, {:5.0} in lockstep",
                G::id(&rules),
                times[0],
                times[1]
            );
        }
    }
    compare::<Giuthi>(GiuthiRules::new(8, 8).unwrap());
    compare::<Giuthi>(GiuthiRules::new(5, 4).unwrap());
    compare::<Kiothi>(KiothiRules::new(6, 5).unwrap());
    compare::<Kiothi>(KiothiRules::new(3, 1).unwrap());
}
