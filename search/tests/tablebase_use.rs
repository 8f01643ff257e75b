//! Agents measured against a tablebase, and problems found in it.

use std::collections::HashSet;

use mancala_env::{Giuthi, GiuthiRules, Position};
use mancala_search::tablebase::{BuildSettings, Class, PuzzleFinder, Tablebase, TestSet, build, evaluate};
use mancala_search::{Agent, AgentSpec, GreedyAgent};

/// The table of 3x3 in a folder that goes with it.
fn table() -> (tempfile::TempDir, Tablebase, GiuthiRules) {
    let folder = tempfile::tempdir().unwrap();
    let (path, rules) = (folder.path().join("3x3.tb"), GiuthiRules::new(3, 3).unwrap());
    build(&path, &rules, 18, &BuildSettings::default(), &()).unwrap();
    (folder, Tablebase::open(path).unwrap(), rules)
}

fn agent(spec: &str, rules: &GiuthiRules) -> Box<dyn Agent<Giuthi>> {
    spec.parse::<AgentSpec>().unwrap().build(rules).unwrap()
}

#[test]
fn perfect_play_scores_everything_and_random_play_what_is_said_of_it() {
    let (_folder, table, rules) = table();
    let set = TestSet::draw(&table, &rules, 3_000, 1).unwrap();
    for test in &set.positions {
        let classes: HashSet<Class> = test.judgements.iter().map(|judgement| judgement.class).collect();
        assert!(classes.len() > 1 && classes.iter().max() == Some(&test.class));
    }
    let tenth = |seed| TestSet::draw(&table, &rules, 10, seed).unwrap().positions[9].position.clone();
    assert_eq!(tenth(1), set.positions[9].position);
    assert_ne!(tenth(2), set.positions[9].position);

    let perfect = evaluate(&mut *agent(&format!("tablebase:{}", table.path()), &rules), &set).unwrap();
    assert_eq!((perfect.preserving, perfect.preserving_se, perfect.regret), (1.0, 0.0, 0.0));
    let calibration = perfect.calibration.unwrap();
    assert_eq!((calibration.mean_squared_error, calibration.calibration_error), (0.0, 0.0));
    assert_eq!(calibration.bins.iter().map(|bin| bin.positions).sum::<usize>(), 3_000);
    assert!(calibration.bins.len() == 3 && calibration.bins.iter().all(|bin| bin.expected == bin.outcome));

    let random = evaluate(&mut *agent("random", &rules), &set).unwrap();
    assert!((random.preserving - random.preserving_random).abs() < 4.0 * random.preserving_se, "{random:?}");
    assert!((random.regret - random.regret_random).abs() < 0.03, "{random:?}");
    assert_eq!(random.preserving_random, perfect.preserving_random);

    let deep = evaluate(&mut *agent("alphabeta:depth=6", &rules), &set).unwrap();
    let shallow = evaluate(&mut *agent("alphabeta:depth=1", &rules), &set).unwrap();
    assert!(random.preserving < shallow.preserving && shallow.preserving < deep.preserving);
    assert!(random.regret > shallow.regret && shallow.regret > deep.regret && deep.calibration.is_none());

    let mcts =
        evaluate(&mut *agent("mcts:sims=200", &rules), &TestSet::draw(&table, &rules, 500, 3).unwrap())
            .unwrap();
    let calibration = mcts.calibration.unwrap();
    assert!(calibration.mean_squared_error < 1.0 && calibration.calibration_error < 0.5, "{calibration:?}");
}

#[test]
fn a_table_without_test_positions_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rules) = (folder.path().join("a.tb"), GiuthiRules::new(2, 2).unwrap());
    build(&path, &rules, 1, &BuildSettings::default(), &()).unwrap();
    let table = Tablebase::open(path).unwrap();
    let error = TestSet::draw(&table, &rules, 1, 0).unwrap_err().to_string();
    assert!(error.contains("up to 1 seeds"), "{error}");
    let wide = GiuthiRules::new(3, 2).unwrap();
    assert!(TestSet::draw(&table, &wide, 1, 0).unwrap_err().to_string().contains("3 pits a row"));
}

#[test]
fn problems_have_one_answer_that_is_not_easily_found() {
    let (_folder, table, rules) = table();
    let (min_laps, mut found) = (3, Vec::new());
    let mut finder = PuzzleFinder::new(&table, &rules, min_laps, 1).unwrap();
    while found.len() < 40 {
        found.extend(finder.draw().unwrap());
    }
    let mut greedy = GreedyAgent::new();
    for puzzle in &found {
        let judgements = table.judge(&puzzle.position).unwrap();
        let right: Vec<_> = judgements.iter().filter(|judgement| judgement.class == puzzle.class).collect();
        assert!(right.len() == 1 && right[0].action == puzzle.solution[0]);
        assert!(judgements.iter().all(|judgement| judgement.class <= puzzle.class));
        for seed in 0..5 {
            Agent::<Giuthi>::new_game(&mut greedy, seed);
            assert_ne!(greedy.act(&puzzle.position).unwrap(), puzzle.solution[0]);
        }
        assert_ne!(agent("alphabeta:depth=1", &rules).act(&puzzle.position).unwrap(), puzzle.solution[0]);
        // The line can be played, and ends as it should.
        let mut position: Position<Giuthi> = puzzle.position.clone();
        let laps = position.play(puzzle.solution[0]).unwrap().laps;
        assert!(laps == puzzle.laps && laps >= min_laps);
        for &action in &puzzle.solution[1..] {
            position.play(action).unwrap();
        }
        if position.is_over() {
            let expected = (puzzle.class == Class::Win).then_some(puzzle.position.to_move());
            assert_eq!(position.winner(), expected, "{}", puzzle.position.write());
        } else {
            assert!(puzzle.class == Class::Draw, "{} {:?}", puzzle.position.write(), puzzle.solution);
        }
    }
    assert!(found.iter().any(|puzzle| puzzle.class == Class::Draw));
    let texts: HashSet<String> = found.iter().map(|puzzle| puzzle.position.write()).collect();
    assert_eq!(texts.len(), found.len(), "no problem comes twice");
    // The same seed finds the same.
    let mut again = PuzzleFinder::new(&table, &rules, min_laps, 1).unwrap();
    let first = std::iter::from_fn(|| Some(again.draw().unwrap())).flatten().next().unwrap();
    assert_eq!(
        (first.position.write(), first.solution),
        (found[0].position.write(), found[0].solution.clone())
    );
}
