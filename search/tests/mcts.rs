//! MCTS against exhaustive minimax on small boards, which are full of extra moves and passes.

use mancala_env::{Action, Capture, Game, Giuthi, GiuthiRules, Position, Stream, random_opening, stream};
use mancala_search::mcts::{MctsAgent, Settings, Tree, search, search_one};
use mancala_search::{Agent, Evaluations, Evaluator, Leaf, RolloutEvaluator, UniformEvaluator};

/// Exhaustive minimax over whole games with their true history: the outcome for Player 0. `None` beyond the node budget.
fn solve<G: Game>(position: &Position<G>, nodes: &mut u32) -> Option<f32> {
    if position.is_over() {
        return Some(position.returns()[0]);
    }
    *nodes = nodes.checked_sub(1)?;
    let sign = [1.0, -1.0][position.to_move().index()];
    let mut best = -1.0f32;
    for action in position.legal_actions() {
        let mut child = position.clone();
        child.play_unchecked(action);
        best = best.max(sign * solve(&child, nodes)?);
        if best == 1.0 {
            break;
        }
    }
    Some(sign * best)
}

/// The value of each legal action for the player to move.
type Values = Vec<(Action, f32)>;

/// A position of a small board, some random plies into the game; none where the game has ended before.
fn small_position(index: usize) -> Option<Position<Giuthi>> {
    let boards = [(2, 2), (3, 2), (2, 4), (3, 3), (4, 2)];
    let (pits, seeds) = boards[index / 2 % boards.len()];
    let capture = [Capture::Any, Capture::Occupied][index % 2];
    let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
    let mut rng = stream(Stream::Arena, 7, index as u64, 0);
    random_opening(&Position::initial(rules), 2 + (index % 12) as u32, &mut rng)
}

/// Solves every action; `None` beyond the budget.
fn solve_actions<G: Game>(position: &Position<G>) -> Option<Values> {
    let mut nodes = 60_000;
    let sign = [1.0, -1.0][position.to_move().index()];
    let value = |action| {
        let mut child = position.clone();
        child.play_unchecked(action);
        Some((action, sign * solve(&child, &mut nodes)?))
    };
    position.legal_actions().into_iter().map(value).collect()
}

/// Positions of small boards in which the choice matters, with the value of each action.
fn decisive_positions(count: usize) -> Vec<(Position<Giuthi>, Values)> {
    let mut found = Vec::new();
    for position in (0..).filter_map(small_position) {
        let Some(values) = solve_actions(&position) else { continue };
        if values.iter().any(|value| value.1 != values[0].1) {
            found.push((position, values));
        }
        if found.len() == count {
            break;
        }
    }
    found
}

fn check_agent<A: Agent<Giuthi>>(agent: impl Fn(&GiuthiRules) -> A, least: f64) {
    let positions = decisive_positions(150);
    let moves_again = |position: &Position<Giuthi>| {
        position.legal_actions().iter().any(|&action| {
            let mut child = position.clone();
            child.play_unchecked(action);
            !child.is_over() && child.to_move() == position.to_move()
        })
    };
    let again = positions.iter().filter(|(position, _)| moves_again(position)).count();
    assert!(again >= 50, "only {again} positions in which the player may move again");
    let mut kept = 0;
    for (position, values) in &positions {
        let best = values.iter().map(|value| value.1).fold(-1.0, f32::max);
        let action = agent(position.rules()).act(position).unwrap();
        let value = values.iter().find(|value| value.0 == action).expect("a legal action").1;
        kept += usize::from(value == best);
    }
    let share = kept as f64 / positions.len() as f64;
    assert!(share >= least, "kept the value in {kept} of {} positions", positions.len());
}

#[test]
fn puct_without_knowledge_finds_what_minimax_finds() {
    check_agent(|rules| MctsAgent::new(rules, UniformEvaluator, Settings::puct(20_000)), 1.0);
}

#[test]
fn gumbel_without_knowledge_finds_what_minimax_finds() {
    check_agent(|rules| MctsAgent::new(rules, UniformEvaluator, Settings::gumbel(20_000)), 1.0);
}

#[test]
fn contempt_costs_little_where_the_outcome_can_be_searched() {
    let agent = |rules: &GiuthiRules| MctsAgent::new(rules, UniformEvaluator, Settings::gumbel(20_000));
    check_agent(|rules| agent(rules).with_contempt(0.5), 0.95);
}

#[test]
fn a_draw_is_chosen_over_a_loss_and_analyzed_without_contempt() {
    // One of the two actions draws by repetition or endless sowing, the other loses; both are seen at once.
    let is_choice = |values: &Values| values.len() == 2 && values[0].1 + values[1].1 == -1.0;
    let positions: Vec<_> =
        decisive_positions(150).into_iter().filter(|(_, values)| is_choice(values)).collect();
    assert!(!positions.is_empty());
    for (position, values) in positions {
        let draw = values.iter().find(|value| value.1 == 0.0).unwrap().0;
        let mut agent = MctsAgent::new(position.rules(), UniformEvaluator, Settings::gumbel(20_000));
        let analysis = agent.analyze(&position).unwrap();
        assert!(analysis.value.abs() < 0.05, "{analysis:?}");
        agent = agent.with_contempt(0.9);
        assert_eq!(agent.analyze(&position).unwrap(), analysis);
        assert_eq!(analysis.line[0], draw);
    }
}

#[test]
fn rollouts_find_nearly_all_of_it_soon() {
    check_agent(|rules| MctsAgent::rollouts(rules, 2_000), 0.95);
}

#[test]
fn an_answer_does_not_depend_on_its_batch_or_on_what_was_asked_before() {
    let positions = decisive_positions(150);
    let rules = *positions[0].0.rules();
    let positions: Vec<_> = positions.iter().map(|(position, _)| position).collect();
    let positions: Vec<_> = positions.into_iter().filter(|position| *position.rules() == rules).collect();
    assert!(positions.len() > 2);
    let mut agent = MctsAgent::new(&rules, RolloutEvaluator::new(), Settings::gumbel(50));
    Agent::<Giuthi>::new_game(&mut agent, 3);
    let together = agent.act_many(&positions).unwrap();
    let alone: Vec<Action> = positions.iter().map(|position| agent.act(position).unwrap()).collect();
    assert_eq!(together, alone);
    let mut fresh = MctsAgent::new(&rules, RolloutEvaluator::new(), Settings::gumbel(50));
    Agent::<Giuthi>::new_game(&mut fresh, 3);
    assert_eq!(fresh.act_many(&positions).unwrap(), together);
}

#[test]
fn all_simulations_are_run_and_counted() {
    let rules = GiuthiRules::new(5, 4).unwrap();
    for settings in [Settings::gumbel(64), Settings::puct(64), Settings::gumbel(1), Settings::gumbel(0)] {
        let mut trees = vec![Tree::new(rules, settings)];
        trees[0].begin(&Position::initial(rules), &[]);
        search::<Giuthi>(&mut trees, &mut UniformEvaluator, || true).unwrap();
        let outcome = trees[0].outcome();
        assert_eq!(trees[0].simulations(), settings.simulations);
        assert_eq!(outcome.visits.iter().sum::<u32>(), settings.simulations);
        assert!((outcome.policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        assert_eq!(outcome.actions[..], Position::<Giuthi>::initial(rules).legal_actions()[..]);
    }
}

/// Would play one action, whatever its place among the legal ones.
struct Fond(Action);

impl Evaluator<Giuthi> for Fond {
    fn evaluate(&mut self, leaves: &[Leaf<'_, Giuthi>], out: &mut Evaluations) -> Result<(), String> {
        UniformEvaluator.evaluate(leaves, out)?;
        let actions = leaves.iter().flat_map(|leaf| leaf.actions);
        for (logit, info) in out.logits.iter_mut().zip(actions) {
            *logit = if info.action == self.0 { 8.0 } else { 0.0 };
        }
        Ok(())
    }
}

#[test]
fn children_are_told_apart_by_their_place_and_played_by_their_number() {
    // Positions whose first action has another number than its place, far from any end that a search could prove.
    let rules = GiuthiRules::new(5, 4).unwrap();
    let drawn = (0..).filter_map(|game| {
        random_opening(&Position::initial(rules), 6, &mut stream(Stream::Arena, 1, game, 0))
    });
    for position in drawn.filter(|position| position.legal_actions()[0] > 0).take(5) {
        check_places(&position);
    }
}

fn check_places(position: &Position<Giuthi>) {
    let legal = position.legal_actions();
    for (place, &action) in legal.iter().enumerate() {
        for settings in [Settings::gumbel(16), Settings::puct(16)] {
            let mut tree = Tree::new(*position.rules(), settings);
            tree.begin(position, &[]);
            search::<Giuthi>(std::slice::from_mut(&mut tree), &mut Fond(action), || true).unwrap();
            let outcome = tree.outcome();
            assert_eq!((outcome.action, &outcome.actions[..]), (action, &legal[..]));
            assert!(outcome.policy[place] > 0.5 || legal.len() == 1, "{outcome:?}");
        }
    }
}

#[test]
fn no_more_root_actions_are_considered_than_are_legal() {
    let position = Position::<Giuthi>::initial(GiuthiRules::new(2, 2).unwrap());
    let legal = position.legal_actions().len();
    let mut settings = Settings::gumbel(64);
    settings.selection = mancala_search::mcts::Selection::Gumbel { considered: 1000 };
    let mut tree = Tree::new(*position.rules(), settings);
    tree.begin(&position, &vec![0.0; legal]);
    search::<Giuthi>(std::slice::from_mut(&mut tree), &mut UniformEvaluator, || true).unwrap();
    let outcome = tree.outcome();
    assert_eq!((outcome.visits.len(), outcome.visits.iter().sum::<u32>()), (legal, 64));
    assert!(outcome.visits.iter().all(|&visits| visits > 0));
}

#[test]
fn a_tree_forgets_the_search_before() {
    let rules = GiuthiRules::new(5, 4).unwrap();
    let (start, mut later) = (Position::<Giuthi>::initial(rules), Position::<Giuthi>::initial(rules));
    later.play_unchecked(start.legal_actions()[2]);
    for settings in [Settings::gumbel(100), Settings::puct(100)] {
        let find = |tree: &mut Tree<Giuthi>, position: &Position<Giuthi>| {
            tree.begin(position, &[]);
            search::<Giuthi>(std::slice::from_mut(tree), &mut RolloutEvaluator::new(), || true).unwrap();
            tree.outcome()
        };
        let (mut used, mut fresh) = (Tree::new(rules, settings), Tree::new(rules, settings));
        find(&mut used, &start);
        assert_eq!(find(&mut used, &later), find(&mut fresh, &later));
        assert_eq!(used.simulations(), 100);
    }
}

#[test]
fn mixed_in_shares_become_priors_of_the_root_alone() {
    let rules = GiuthiRules::new(5, 4).unwrap();
    let start = Position::<Giuthi>::initial(rules);
    let actions = start.legal_actions().len();
    let mut shares = vec![0.0; actions];
    shares[3] = 1.0;
    let mut tree = Tree::new(rules, Settings::puct(0));
    tree.begin(&start, &[]);
    tree.mix_priors(&shares, 0.25);
    search::<Giuthi>(std::slice::from_mut(&mut tree), &mut UniformEvaluator, || true).unwrap();
    for (i, share) in tree.outcome().policy.into_iter().enumerate() {
        let expected = 0.75 / actions as f32 + if i == 3 { 0.25 } else { 0.0 };
        assert!((share - expected).abs() < 1e-6, "{i}: {share}, expected {expected}");
    }
    // The next search has priors of its own.
    tree.begin(&start, &[]);
    search::<Giuthi>(std::slice::from_mut(&mut tree), &mut UniformEvaluator, || true).unwrap();
    assert!(tree.outcome().policy.iter().all(|share| (share * actions as f32 - 1.0).abs() < 1e-5));
}

#[test]
fn a_finished_game_is_refused() {
    let position = Position::<Giuthi>::read(GiuthiRules::new(2, 2).unwrap(), "1,1/0,1 0 0 p0").unwrap();
    let mut agent = MctsAgent::rollouts(position.rules(), 10);
    assert!(agent.act(&position).unwrap_err().to_string().contains("the game is over (no-moves)"));
}

#[test]
fn a_search_without_end_is_asked_whether_to_go_on_where_all_lines_end_in_the_tree() {
    for settings in [Settings::puct(u32::MAX), Settings::gumbel(1_000_000)] {
        let (position, _) = decisive_positions(1).remove(0);
        let mut trees = [Tree::new(*position.rules(), settings)];
        trees[0].begin(&position, &[]);
        // The whole game is in the tree long before the last of these.
        let mut left = 50_000;
        search(&mut trees, &mut UniformEvaluator, || {
            left -= 1;
            left > 0
        })
        .unwrap();
        let outcome = trees[0].outcome();
        assert_eq!(trees[0].simulations(), outcome.visits.iter().sum::<u32>());
        assert!(left == 0 || trees[0].simulations() == 1_000_000);
        assert!(trees[0].simulations() > 60_000, "{}", trees[0].simulations());
    }
}

/// Searches one position until its value is proven; whether it was within so many batches.
fn prove(
    position: &Position<Giuthi>,
    settings: Settings,
    contempt: f32,
    width: usize,
    batches: usize,
) -> Option<Tree<Giuthi>> {
    let settings = Settings { contempt, ..settings };
    let mut tree = Tree::new(*position.rules(), settings);
    tree.begin(position, &[]);
    let mut left = batches;
    let go_on = || {
        left = left.saturating_sub(1);
        left > 0
    };
    search_one(&mut tree, &mut UniformEvaluator, width, go_on).unwrap();
    tree.is_proven().then_some(tree)
}

#[test]
fn what_is_proven_is_what_minimax_finds() {
    let settings = [Settings::puct(u32::MAX), Settings::timed(), Settings::timed(), Settings::timed()];
    for (settings, (contempt, width)) in settings.into_iter().zip([(0.0, 1), (0.0, 1), (0.0, 16), (0.5, 5)]) {
        let mut proven = 0;
        for (position, values) in decisive_positions(150) {
            let best = values.iter().map(|value| value.1).fold(-1.0, f32::max);
            let Some(mut tree) = prove(&position, settings, contempt, width, 3000) else { continue };
            proven += 1;
            let outcome = tree.outcome();
            let (_, value) = *values.iter().find(|value| value.0 == outcome.action).unwrap();
            assert_eq!(value, best, "{} {values:?} {outcome:?}", position.write());
            // It says what it has proven, however few have been there, and looks no further.
            let worth = if best == 0.0 { -contempt } else { best };
            let at = outcome.actions.iter().position(|&action| action == outcome.action).unwrap();
            assert_eq!((outcome.value, outcome.values[at]), (worth, Some(worth)), "{outcome:?}");
            let sign = [1.0, -1.0][position.to_move().index()];
            assert_eq!(tree.proven_value(), Some(sign * worth));
            search_one(&mut tree, &mut UniformEvaluator, width, || true).unwrap();
            assert_eq!(tree.outcome(), outcome);
        }
        assert!(proven >= 120, "{proven} of 150 with contempt {contempt}, {width} leaves a batch");
    }
}

#[test]
fn few_simulations_lose_no_game_that_another_action_keeps_open() {
    let mut saved = 0;
    for position in (0..2700).filter_map(small_position) {
        let loses_at_once = |action| {
            let mut after = position.clone();
            after.play(action).unwrap();
            after.is_over() && after.returns()[position.to_move().index()] < 0.0
        };
        let losing = position.legal_actions().into_iter().filter(|&action| loses_at_once(action)).count();
        if losing == position.legal_actions().len() {
            continue;
        }
        saved += u32::from(losing > 0);
        for simulations in [1, 2, 4] {
            let mut tree = Tree::new(*position.rules(), Settings::gumbel(simulations));
            tree.begin(&position, &[]);
            search(std::slice::from_mut(&mut tree), &mut UniformEvaluator, || true).unwrap();
            let outcome = tree.outcome();
            let all_lose = outcome.values.iter().all(|&value| value == Some(-1.0));
            assert!(all_lose || !loses_at_once(outcome.action), "{} {outcome:?}", position.write());
        }
    }
    assert!(saved > 200, "{saved} positions with an action that loses at once");
}

#[test]
fn many_leaves_are_as_many_simulations() {
    // No game ends so soon that it is seen.
    let rules = GiuthiRules::new(8, 8).unwrap();
    let position = Position::<Giuthi>::initial(rules);
    for width in [1, 3, 64] {
        let mut tree = Tree::new(rules, Settings::puct(500));
        tree.begin(&position, &[]);
        let mut seen = 0;
        let mut counting = Counting { widest: 0, leaves: 0 };
        search_one(&mut tree, &mut counting, width, || true).unwrap();
        seen += counting.leaves;
        let outcome = tree.outcome();
        assert_eq!(tree.simulations(), 500);
        assert_eq!(outcome.visits.iter().sum::<u32>(), 500);
        // The root comes on top; ends of the game need no judgement.
        assert!(seen <= 501 && counting.widest <= width && (width == 1 || counting.widest > 1), "{width}");
        // What stood in for values is gone: all values are 0.
        assert!(
            outcome.value.abs() < 1e-6 && outcome.values.iter().flatten().all(|q| q.abs() < 1e-6),
            "{outcome:?}"
        );
    }
}

/// Counts what it judges, all as 0.
struct Counting {
    widest: usize,
    leaves: usize,
}

impl<G: Game> Evaluator<G> for Counting {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G>], out: &mut Evaluations) -> Result<(), String> {
        self.widest = self.widest.max(leaves.len());
        self.leaves += leaves.len();
        UniformEvaluator.evaluate(leaves, out)
    }
}

#[test]
fn one_leaf_at_a_time_is_the_search_of_many_trees() {
    let rules = GiuthiRules::new(4, 3).unwrap();
    let position = Position::<Giuthi>::initial(rules);
    let outcomes = [false, true].map(|alone| {
        let mut tree = Tree::new(rules, Settings::puct(300));
        tree.begin(&position, &[]);
        let mut evaluator = RolloutEvaluator::new();
        match alone {
            true => search_one(&mut tree, &mut evaluator, 1, || true).unwrap(),
            false => search(std::slice::from_mut(&mut tree), &mut evaluator, || true).unwrap(),
        }
        tree.outcome()
    });
    assert_eq!(outcomes[0].visits, outcomes[1].visits);
    assert_eq!(outcomes[0].action, outcomes[1].action);
}
