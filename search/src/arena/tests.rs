use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use mancala_env::{Action, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Player, Position};

use super::{
    Effort, MatchError, MatchGame, MatchResult, MatchSettings, Pentanomial, Side, Sprt, Tally, Verdict, elo,
    openings, play_games_until, play_match,
};
use crate::{Agent, AgentError, AgentSpec, Analysis, Stop};

fn giuthi(pits: u8, seeds: u8) -> GiuthiRules {
    GiuthiRules::new(pits, seeds).unwrap()
}

fn play_with_effort<G: Game>(
    rules: &G::Rules,
    a: &str,
    b: &str,
    settings: &MatchSettings,
) -> Result<(MatchResult, Vec<MatchGame>), MatchError> {
    let [a, b] = [a, b].map(|spec| spec.parse::<AgentSpec>().unwrap());
    let (a, b) = (|| a.build::<G>(rules), || b.build::<G>(rules));
    play_match(rules, &a, &b, settings, &mut |_| ControlFlow::Continue(()))
}

/// A match without what the games took, which is never twice the same.
fn play<G: Game>(
    rules: &G::Rules,
    a: &str,
    b: &str,
    settings: &MatchSettings,
) -> Result<(MatchResult, Vec<MatchGame>), MatchError> {
    let (result, mut games) = play_with_effort::<G>(rules, a, b, settings)?;
    games.iter_mut().for_each(|game| game.effort = Default::default());
    Ok((result, games))
}

fn replay(rules: GiuthiRules, actions: &[Action]) -> Position<Giuthi> {
    let mut position = Position::initial(rules);
    for &action in actions {
        position.play(action).unwrap();
    }
    position
}

#[test]
fn elo_has_its_known_values() {
    assert_eq!(elo(0.5), Some(0.0));
    assert!((elo(10.0 / 11.0).unwrap() - 400.0).abs() < 1e-9);
    assert!((elo(0.64).unwrap() - 99.95).abs() < 0.01);
    assert_eq!((elo(0.0), elo(1.0), elo(-0.1), elo(1.2)), (None, None, None, None));
}

#[test]
fn spread_is_measured_between_pairs() {
    let result = MatchResult::of_pairs(&[[1.0, 0.5], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0]]);
    assert_eq!((result.games, result.wins, result.draws, result.losses), (8, 4, 3, 1));
    // Means of pairs 0.75, 0.5, 0.5, 1: mean 0.6875, sample variance 0.0572917, over 4 pairs.
    assert!((result.score - 0.6875).abs() < 1e-12);
    assert!((result.score_se - (0.171_875_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
    assert!((result.elo.unwrap() - 136.97).abs() < 0.01, "{:?}", result.elo);
    assert!(result.elo_low.unwrap() < result.elo.unwrap() && result.elo_high.unwrap() > result.elo.unwrap());
    // Every opening won once by either: no spread between pairs, though between games there is.
    assert_eq!(MatchResult::of_pairs(&[[1.0, 0.0], [0.0, 1.0]]).score_se, 0.0);
}

#[test]
fn results_have_the_documented_fields() {
    let result = MatchResult::of_pairs(&[[1.0, 1.0], [1.0, 1.0]]);
    let json = serde_json::to_string(&result).unwrap();
    let expected = r#"{"games":4,"wins":4,"draws":0,"losses":0,"score":1.0,"score_se":0.0,"elo":null,"elo_low":null,"elo_high":null}"#;
    assert_eq!(json, expected);
    let single = MatchResult::of_pairs(&[[1.0, 0.0]]);
    assert_eq!((single.elo, single.elo_low, single.elo_high), (Some(0.0), None, None));
}

#[test]
fn openings_are_distinct_and_the_same_for_the_same_seed() {
    let all = openings::<Giuthi>(&giuthi(6, 4), 4, 300, 1).unwrap();
    let mut seen = HashSet::new();
    for opening in &all {
        let state = opening.position.state();
        assert!(!opening.position.is_over() && opening.position.plies() == 4);
        assert!(seen.insert((state.fingerprint(), state.scores())));
        let mirrored = state.mirrored().fingerprint();
        assert!(mirrored == state.fingerprint() || !seen.contains(&(mirrored, state.scores())));
        assert_eq!(replay(giuthi(6, 4), &opening.actions), opening.position);
    }
    assert_eq!(all, openings(&giuthi(6, 4), 4, 300, 1).unwrap());
    assert_eq!(all[..100], openings(&giuthi(6, 4), 4, 100, 1).unwrap());
    assert_ne!(all, openings(&giuthi(6, 4), 4, 300, 2).unwrap());
}

/// All openings by trying every line.
fn brute_force(position: &Position<Giuthi>, plies: u32, found: &mut HashSet<(u128, [u8; 2])>) {
    if position.is_over() {
        return;
    }
    if plies == 0 {
        let state = position.state();
        found.insert((state.fingerprint().min(state.mirrored().fingerprint()), state.scores()));
        return;
    }
    for action in position.legal_actions() {
        let mut next = position.clone();
        next.play(action).unwrap();
        brute_force(&next, plies - 1, found);
    }
}

#[test]
fn too_few_openings_are_counted_exactly() {
    for (rules, plies) in [(giuthi(2, 2), 1), (giuthi(2, 2), 4), (giuthi(3, 2), 3), (giuthi(4, 2), 4)] {
        let mut all = HashSet::new();
        brute_force(&Position::initial(rules), plies, &mut all);
        assert_eq!(openings::<Giuthi>(&rules, plies, all.len(), 7).unwrap().len(), all.len());
        let error = openings::<Giuthi>(&rules, plies, all.len() + 1, 7).unwrap_err();
        assert_eq!((error.found, error.is_exact), (all.len(), true), "{rules:?} {plies}");
    }
    // From the start of 2x2 each of the four moves has its mirror image: two boards in all.
    let settings = MatchSettings { games: 100, opening_plies: 1, ..MatchSettings::default() };
    let error = play::<Giuthi>(&giuthi(2, 2), "random", "random", &settings).unwrap_err();
    assert!(error.is_usage());
    assert!(error.to_string().contains("50 are wanted, and there are 2 of 1 random plies"), "{error}");
    // A length that no game reaches.
    assert_eq!(openings::<Giuthi>(&giuthi(2, 2), 60, 1, 7).unwrap_err().found, 0);
    // The start is the one opening of no plies.
    assert_eq!(openings::<Giuthi>(&giuthi(8, 8), 0, 2, 7).unwrap_err().found, 1);
}

#[test]
fn kiothis_opening_counts_its_small_actions() {
    let rules = KiothiRules::new(3, 2).unwrap();
    assert_eq!(openings::<Kiothi>(&rules, 2, 4, 0).unwrap_err().found, 3);
    assert_eq!(openings::<Kiothi>(&rules, 4, 50, 0).unwrap().len(), 50);
}

#[test]
fn games_do_not_depend_on_threads_or_lockstep() {
    let settings = MatchSettings { games: 24, seed: 5, ..MatchSettings::default() };
    let rules = giuthi(5, 4);
    let expected = play::<Giuthi>(&rules, "alphabeta:depth=3", "random", &settings).unwrap();
    for (threads, lockstep) in [(1, 1), (2, 3), (3, 100), (40, 2)] {
        let settings = MatchSettings { threads, lockstep, ..settings };
        assert_eq!(play::<Giuthi>(&rules, "alphabeta:depth=3", "random", &settings).unwrap(), expected);
    }
    let (result, games) = expected;
    assert!(result.score > 0.8, "{result:?}");
    for (pair, games) in games.as_chunks::<2>().0.iter().enumerate() {
        let [one, two] = games;
        assert_eq!((one.game, two.game), (2 * pair as u32, 2 * pair as u32 + 1));
        assert_eq!((one.a_plays, two.a_plays), (Player::Zero, Player::One));
        assert_eq!(one.actions[..4], two.actions[..4], "the pair has one opening");
    }
    for game in &games {
        let position = replay(rules, &game.actions);
        assert_eq!((position.end(), position.scores()), (game.end, game.scores));
        let expected = match position.winner() {
            None => 0.5,
            Some(winner) => f64::from(u8::from(winner == game.a_plays)),
        };
        assert_eq!(game.a_points, expected);
    }
}

#[test]
fn tree_search_does_not_depend_on_the_games_beside_it() {
    let settings = MatchSettings { games: 6, lockstep: 1, ..MatchSettings::default() };
    let rules = giuthi(3, 2);
    let expected = play::<Giuthi>(&rules, "mcts:sims=12", "greedy", &settings).unwrap();
    let settings = MatchSettings { threads: 2, lockstep: 6, ..settings };
    assert_eq!(play::<Giuthi>(&rules, "mcts:sims=12", "greedy", &settings).unwrap(), expected);
}

#[test]
fn agents_swapped_get_the_swapped_result() {
    // Deterministic agents: A's games as Player 0 are B's as Player 0 in the match the other way round.
    let settings = MatchSettings { games: 20, seed: 3, ..MatchSettings::default() };
    let (one, _) =
        play::<Giuthi>(&giuthi(4, 3), "alphabeta:depth=4", "alphabeta:depth=1", &settings).unwrap();
    let (two, _) =
        play::<Giuthi>(&giuthi(4, 3), "alphabeta:depth=1", "alphabeta:depth=4", &settings).unwrap();
    assert_eq!((one.wins, one.draws, one.losses), (two.losses, two.draws, two.wins));
    assert!((one.score + two.score - 1.0).abs() < 1e-12);
    let (same, _) =
        play::<Giuthi>(&giuthi(4, 3), "alphabeta:depth=2", "alphabeta:depth=2", &settings).unwrap();
    assert_eq!((same.score, same.score_se), (0.5, 0.0));
}

#[test]
fn kiothi_matches_are_played_to_their_end() {
    let settings = MatchSettings { games: 6, threads: 2, ..MatchSettings::default() };
    let (result, games) =
        play::<Kiothi>(&KiothiRules::new(6, 5).unwrap(), "greedy", "random", &settings).unwrap();
    assert_eq!((result.games, games.len()), (6, 6));
    assert!(games.iter().all(|game| game.end.is_some()));
}

#[test]
fn long_games_are_stopped_and_matches_broken_off() {
    let rules = giuthi(8, 8);
    let settings = MatchSettings { games: 4, max_plies: 10, ..MatchSettings::default() };
    let (result, games) = play::<Giuthi>(&rules, "random", "random", &settings).unwrap();
    assert_eq!(result.draws, 4);
    assert!(games.iter().all(|game| game.end.is_none() && game.actions.len() == 10));
    let random = AgentSpec::Random;
    let make = || random.build::<Giuthi>(&rules);
    let error = play_match(&rules, &make, &make, &settings, &mut |_| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, MatchError::Stopped));
    for settings in [
        MatchSettings { games: 3, ..settings },
        MatchSettings { games: 0, ..settings },
        MatchSettings { games: 1_000_002, ..settings },
        MatchSettings { games: u32::MAX - 1, ..settings },
        MatchSettings { threads: 0, ..settings },
        MatchSettings { lockstep: 0, ..settings },
    ] {
        assert!(play::<Giuthi>(&rules, "random", "random", &settings).unwrap_err().is_usage());
    }
}

/// Answers with whatever it is told to.
struct Stubborn(Vec<Action>);

impl Agent<Giuthi> for Stubborn {
    fn new_game(&mut self, _: u64) {}

    fn act_many(&mut self, _: &[&Position<Giuthi>]) -> Result<Vec<Action>, AgentError> {
        Ok(self.0.clone())
    }

    fn analyze(&mut self, _: &Position<Giuthi>) -> Result<Analysis, AgentError> {
        Err(AgentError::Failed("it does not think".into()))
    }
}

#[test]
fn bad_agents_are_named() {
    let rules = giuthi(8, 8);
    let settings = MatchSettings { games: 2, lockstep: 1, ..MatchSettings::default() };
    let good = || AgentSpec::Random.build::<Giuthi>(&rules);
    for (answer, is_illegal) in [(vec![999], true), (vec![], false)] {
        let bad = || Ok(Box::new(Stubborn(answer.clone())) as Box<dyn Agent<Giuthi>>);
        let error = play_match(&rules, &good, &bad, &settings, &mut |_| ControlFlow::Continue(()));
        match error.unwrap_err() {
            MatchError::Illegal { side, .. } => assert!(is_illegal && side == Side::B),
            MatchError::Agent { side, .. } => assert!(!is_illegal && side == Side::B),
            other => panic!("{other}"),
        }
    }
}

/// Plays the first legal action, and tells in which thread it was asked about how many positions.
struct Telling(Arc<Mutex<Vec<(ThreadId, usize)>>>);

impl Agent<Giuthi> for Telling {
    fn new_game(&mut self, _: u64) {}

    fn act_many(&mut self, positions: &[&Position<Giuthi>]) -> Result<Vec<Action>, AgentError> {
        self.0.lock().unwrap().push((thread::current().id(), positions.len()));
        Ok(positions.iter().map(|position| position.legal_actions()[0]).collect())
    }

    fn analyze(&mut self, _: &Position<Giuthi>) -> Result<Analysis, AgentError> {
        Err(AgentError::Failed("it does not think".into()))
    }
}

#[test]
fn a_game_that_ends_makes_room_for_the_next() {
    let (rules, asked) = (giuthi(5, 4), Arc::new(Mutex::new(Vec::new())));
    let random = || AgentSpec::Random.build::<Giuthi>(&rules);
    let telling = || Ok(Box::new(Telling(Arc::clone(&asked))) as Box<dyn Agent<Giuthi>>);
    let lockstep = 6;
    let settings = MatchSettings { games: 60, lockstep, ..MatchSettings::default() };
    let played = play_match(&rules, &telling, &random, &settings, &mut |_| ControlFlow::Continue(()));
    let (_, games) = played.unwrap();
    let asked = asked.lock().unwrap();
    assert!(asked.iter().all(|&(thread, len)| thread == thread::current().id() && len <= lockstep));
    let moves: u64 = games.iter().map(|game| game.effort[0].moves).sum();
    assert_eq!(asked.iter().map(|&(_, len)| len as u64).sum::<u64>(), moves);
    // Of six games A is to move in three; chunks of six games each played to its end would ask twice as often.
    assert!(moves > 2 * asked.len() as u64, "{moves} moves in {} batches", asked.len());
}

#[test]
fn a_poll_breaks_a_match_off_before_a_game_has_ended() {
    let rules = giuthi(8, 8);
    let deep = "alphabeta:depth=2".parse::<AgentSpec>().unwrap();
    let make = || deep.build::<Giuthi>(&rules);
    for threads in [1, 2] {
        let settings = MatchSettings { games: 5_000, lockstep: 5_000, threads, ..MatchSettings::default() };
        let mut on_game = |_: &MatchGame| ControlFlow::Continue(());
        let stop = Stop::when(|| true);
        let played = play_games_until(&rules, &make, &make, &settings, &|_| true, &mut on_game, &stop);
        assert!(matches!(played.unwrap_err(), MatchError::Stopped));
    }
}

#[test]
fn a_poll_is_asked_while_games_end_all_the_time() {
    let rules = giuthi(8, 8);
    let make = || AgentSpec::Random.build::<Giuthi>(&rules);
    for threads in [1, 2] {
        // Half a minute of games.
        let settings = MatchSettings { games: 20_000, lockstep: 10, threads, ..MatchSettings::default() };
        let mut on_game = |_: &MatchGame| ControlFlow::Continue(());
        let stop = Stop::when(|| true);
        let played = play_games_until(&rules, &make, &make, &settings, &|_| true, &mut on_game, &stop);
        let error = played.map(drop).unwrap_err();
        assert!(matches!(error, MatchError::Stopped), "{error}");
    }
}

#[test]
fn agents_that_think_are_stopped() {
    let rules = giuthi(8, 8);
    for spec in ["alphabeta:depth=60", "alphabeta:time=1000", "mcts:sims=10000000", "mcts:time=1000"] {
        let spec = spec.parse::<AgentSpec>().unwrap();
        let make = || spec.build::<Giuthi>(&rules);
        for threads in [1, 2] {
            let settings = MatchSettings { games: 4, threads, ..MatchSettings::default() };
            let asked = AtomicU32::new(0);
            let stop = Stop::when(move || asked.fetch_add(1, Ordering::Relaxed) > 3);
            let mut on_game = |_: &MatchGame| ControlFlow::Continue(());
            let played = play_games_until(&rules, &make, &make, &settings, &|_| true, &mut on_game, &stop);
            let error = played.map(drop).unwrap_err();
            assert!(matches!(error, MatchError::Stopped), "{spec}: {error}");
        }
        // Who is stopped answers again when asked by somebody else.
        let (position, mut agent) = (Position::<Giuthi>::initial(rules), make().unwrap());
        agent.stop_when(&Stop::when(|| true));
        assert!(matches!(agent.act(&position), Err(AgentError::Stopped)));
        assert!(matches!(agent.analyze(&position), Err(AgentError::Stopped)));
    }
    let (position, fast) =
        (Position::<Giuthi>::initial(rules), "alphabeta:depth=3".parse::<AgentSpec>().unwrap());
    let [mut stopped, mut fresh] = [0; 2].map(|_| fast.build::<Giuthi>(&rules).unwrap());
    stopped.stop_when(&Stop::when(|| true));
    assert!(matches!(stopped.act(&position), Err(AgentError::Stopped)));
    stopped.stop_when(&Stop::never());
    assert_eq!(stopped.act(&position).unwrap(), fresh.act(&position).unwrap());
}

#[test]
fn what_agents_spend_is_counted() {
    let settings = MatchSettings { games: 6, lockstep: 4, ..MatchSettings::default() };
    let (_, games) = play_with_effort::<Giuthi>(&giuthi(3, 2), "mcts:sims=12", "greedy", &settings).unwrap();
    for game in &games {
        let [a, b] = game.effort;
        assert_eq!(a.moves + b.moves, u64::from(settings.max_plies).min(game.actions.len() as u64) - 4);
        assert_eq!(b.nodes, None);
        // Forced moves need no search, so at most.
        assert!(a.nodes.unwrap_or(0.0) <= 12.0 * a.moves as f64 + 1e-9, "{a:?}");
    }
    let all = games.iter().fold(Effort::default(), |all, game| all.plus(game.effort[0]));
    assert!(all.nodes.unwrap() > 6.0 * all.moves as f64, "{all:?}");
    assert_eq!(all.moves, games.iter().map(|game| game.effort[0].moves).sum::<u64>());
}

#[test]
fn alphabeta_counts_its_nodes() {
    let settings = MatchSettings { games: 4, ..MatchSettings::default() };
    let (_, games) =
        play_with_effort::<Giuthi>(&giuthi(4, 3), "alphabeta:depth=1", "random", &settings).unwrap();
    let effort = games.iter().fold(Effort::default(), |all, game| all.plus(game.effort[0]));
    // At depth 1 a node for each legal action: two directions of four pits at most, and none where there is no choice.
    let a_move = effort.nodes.unwrap() / effort.moves as f64;
    assert!(1.0 < a_move && a_move <= 8.0, "{a_move}");
}

#[test]
fn agents_limited_by_time_play_one_game_a_core() {
    let settings = MatchSettings { threads: 10_000, ..MatchSettings::default() }.one_game_a_core();
    assert_eq!(settings.lockstep, 1);
    assert!((1..10_000).contains(&settings.threads));
    let timed = |spec: &str| spec.parse::<AgentSpec>().unwrap().is_timed();
    assert!(["alphabeta:time=1", "mcts:time=1", "net:x,time=1"].into_iter().all(timed));
    assert!(!["random", "greedy", "alphabeta:nodes=9", "mcts:sims=9", "net:x,sims=9"].into_iter().any(timed));
}

/// A game of which only the result matters.
fn game(number: u32, a_points: f64) -> MatchGame {
    MatchGame {
        game: number,
        a_plays: Player::from_index(number as usize % 2),
        actions: vec![number as Action % 5],
        opening_plies: 0,
        end: None,
        scores: [0, 0],
        a_points,
        effort: [Effort::default(); 2],
    }
}

#[test]
fn games_count_in_their_order_up_to_the_pair_that_decides() {
    // A wins all games: the test decides after some pairs, in whatever order the games come in.
    let sprt = Sprt::new(0.0, 100.0).unwrap();
    let expected = (1u32..).find(|&pairs| sprt.verdict(&Pentanomial([0, 0, 0, 0, pairs])).is_some()).unwrap();
    assert!((2..30).contains(&expected));
    let mut backward = Tally::new(100, Some(sprt));
    for number in (0..100).rev() {
        assert!(backward.wants(number) && !backward.is_decided());
        backward.add(game(number, 1.0));
    }
    assert!(backward.is_decided() && !backward.wants(99));
    let summary = backward.summary();
    assert_eq!(summary.result.games, 2 * expected);
    assert_eq!(summary.duplicates, (2 * expected).saturating_sub(5));
    assert_eq!(summary.sprt.unwrap().decision, Some(Verdict::Elo1));
    // A pair that is not whole does not count, nor does what the match does not ask for.
    let mut tally = Tally::new(6, None);
    for (number, points) in [(0, 1.0), (1, 0.5), (2, 0.0), (4, 0.0), (5, 0.0), (6, 1.0)] {
        tally.add(game(number, points));
    }
    let summary = tally.summary();
    assert_eq!((summary.result.games, summary.pentanomial), (2, Pentanomial([0, 0, 0, 1, 0])));
    assert!(tally.wants(3) && !tally.wants(4) && !tally.wants(6));
}
