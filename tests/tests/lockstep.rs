//! The golden cases (endless sowings, long relays, chains, passes) stepped by both ways that an environment has: a game alone is
//! played by the scalar rules, many together in lockstep.

use mancala_env::{
    Arrays, BatchGame, GameSpec, Giuthi, Kiothi, Position, RESULTS, RaggedFeatures, ResetOptions, VecEnv,
    VecEnvConfig,
};
use mancala_tests::{game_of, text, vectors};
use serde_json::Value;

/// What a case comes to: the arrays after its last move, the positions that are shown then, and what the legal actions before
/// that move would have done.
type Played<G> = (Arrays<u8>, Vec<Position<G>>, RaggedFeatures);

/// Plays a case in every one of `games` games.
fn play<G: BatchGame>(rules: G::Rules, games: usize, row: &Value) -> Played<G> {
    let mut env = VecEnv::<G>::new(rules, VecEnvConfig { num_envs: games, ..Default::default() }).unwrap();
    let mut arrays = Arrays::new(games, G::observation_len(&rules), G::num_actions(&rules));
    let starts = vec![Some(text(row, "start").to_owned()); games];
    let options = ResetOptions { positions: Some(&starts), ..Default::default() };
    env.reset(&options, &mut arrays.buffers()).unwrap();
    let mut features = RaggedFeatures::default();
    let one = [row["move"].clone()];
    for name in row["moves"].as_array().map_or(&one[..], Vec::as_slice) {
        env.action_features_into(&mut features);
        let action = env.position(0).state().parse_action(name.as_str().unwrap()).unwrap();
        env.step(&vec![action.into(); games], &mut arrays.buffers()).unwrap();
    }
    (arrays, env.positions().collect(), features)
}

/// All arrays of `$one`, each as often as there are games, against those of `$many`.
macro_rules! assert_repeated {
    ($one:expr, $many:expr, $games:expr, $row:expr, $($array:ident),+) => {
        $(assert_eq!($one.$array.repeat($games), $many.$array, "{} of {}", stringify!($array), $row);)+
    };
}

fn check<G: BatchGame>(rules: G::Rules, row: &Value) {
    let (alone, position, features) = play::<G>(rules, 1, row);
    match row["result"].as_str() {
        Some(result) => {
            assert_eq!(RESULTS[alone.final_results[0] as usize], result, "{row}");
            assert_eq!(alone.returns[0] > 0.0, row["winner"] == 0, "{row}");
            let end = Position::<G>::read(rules, text(row, "position")).unwrap();
            assert_eq!(alone.final_scores, end.scores().map(i16::from), "{row}");
        }
        None => assert_eq!(position[0].write(), text(row, "position"), "{row}"),
    }
    let games = 100;
    let (together, positions, all_features) = play::<G>(rules, games, row);
    assert!(positions.iter().all(|one| *one == position[0]), "{row}");
    assert_repeated!(features, all_features, games, row, actions, features);
    let offsets: Vec<_> = (0..=games as i64).map(|game| game * features.offsets[1]).collect();
    assert_eq!(all_features.offsets, offsets, "{row}");
    assert_repeated!(
        alone,
        together,
        games,
        row,
        observations,
        action_mask,
        to_move,
        scores,
        rewards,
        returns
    );
    assert_repeated!(
        alone,
        together,
        games,
        row,
        terminated,
        truncated,
        passed,
        final_observations,
        final_mask
    );
    assert_repeated!(alone, together, games, row, final_scores, final_to_move, final_results, final_plies);
}

#[test]
fn cases_are_stepped_alike() {
    for row in &vectors("cases.jsonl") {
        match game_of(row) {
            GameSpec::Giuthi(rules) => check::<Giuthi>(rules, row),
            GameSpec::Kiothi(rules) => check::<Kiothi>(rules, row),
        }
    }
}
