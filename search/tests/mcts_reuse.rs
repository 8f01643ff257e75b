//! A search that goes on with the tree of an earlier one.

use std::sync::{Arc, Mutex};

use mancala_env::{Capture, Giuthi, GiuthiRules, Position, Stream, random_opening, stream};
use mancala_search::mcts::{MctsAgent, Settings, Tree, search_one};
use mancala_search::{Agent, Evaluations, Evaluator, Leaf, RolloutEvaluator, UniformEvaluator};

const WIDTH: usize = 4;

/// Searches on for so many batches.
fn search_for(tree: &mut Tree<Giuthi>, mut batches: u32) {
    let go_on = || {
        batches = batches.saturating_sub(1);
        batches > 0
    };
    search_one(tree, &mut UniformEvaluator, WIDTH, go_on).unwrap();
}

fn fresh(position: &Position<Giuthi>) -> Tree<Giuthi> {
    let mut tree = Tree::new(*position.rules(), Settings::timed());
    tree.begin(position, &[]);
    tree
}

/// Games of small boards, full of extra moves, passes and repetitions.
fn positions() -> impl Iterator<Item = Position<Giuthi>> {
    let boards = [(3, 2), (2, 4), (3, 3), (4, 2), (4, 3)];
    (0..400).filter_map(move |index| {
        let (pits, seeds) = boards[index % boards.len()];
        let rules = GiuthiRules::new(pits, seeds).unwrap();
        let rules = if index % 2 == 0 { rules } else { rules.with_capture(Capture::Occupied) };
        let mut rng = stream(Stream::Arena, 8, index as u64, 0);
        random_opening(&Position::initial(rules), (index % 14) as u32, &mut rng)
    })
}

#[test]
fn a_kept_tree_knows_what_it_knew_and_proves_what_a_fresh_one_proves() {
    let (mut kept, mut proven) = (0, 0);
    for position in positions() {
        let mut tree = fresh(&position);
        search_for(&mut tree, 30);
        // Two plies on, whoever plays them.
        let mut now = position.clone();
        let mut visits = 0;
        for _ in 0..2 {
            if now.is_over() {
                break;
            }
            let outcome = tree.outcome();
            let at = outcome.visits.iter().enumerate().max_by_key(|&(_, &visits)| visits).unwrap().0;
            visits = outcome.visits[at];
            now.play(outcome.actions[at]).unwrap();
            if now.is_over() || !tree.go_on(&now) {
                visits = 0;
                break;
            }
            // One visit of the action judged the position, and the rest went on from there.
            assert_eq!(tree.simulations(), visits, "{}", now.write());
        }
        if now.is_over() || visits < 3 {
            continue;
        }
        kept += 1;
        let outcome = tree.outcome();
        assert_eq!(outcome.actions, now.legal_actions().to_vec());
        // Ends of the game within the tree are visited without an edge below being so.
        assert!(outcome.visits.iter().sum::<u32>() < visits, "{outcome:?}");
        assert_eq!(tree.new_simulations(), 0);
        let before = tree.simulations();
        let mut reference = fresh(&now);
        search_for(&mut tree, 2000);
        search_for(&mut reference, 2000);
        assert_eq!(tree.new_simulations(), tree.simulations() - before);
        if tree.is_proven() && reference.is_proven() {
            proven += 1;
            // Nothing but the proof: the means may differ.
            for tree in [&mut tree, &mut reference] {
                let action = tree.outcome().action;
                let mut after = now.clone();
                after.play(action).unwrap();
                assert_eq!(worth(&after), worth(&now), "{} {action}", now.write());
            }
        }
    }
    assert!(kept > 150 && proven > 100, "{kept} trees kept, {proven} proven");
}

/// The value for Player 0, by a search of its own.
fn worth(position: &Position<Giuthi>) -> f32 {
    if position.is_over() {
        return position.returns()[0];
    }
    let mut tree = fresh(position);
    search_for(&mut tree, 20_000);
    assert!(tree.is_proven(), "{}", position.write());
    tree.proven_value().unwrap()
}

#[test]
fn another_position_or_history_is_not_gone_on_with() {
    let rules = GiuthiRules::new(4, 3).unwrap();
    let position = Position::<Giuthi>::initial(rules);
    let mut tree = fresh(&position);
    search_for(&mut tree, 50);
    assert!(tree.go_on(&position), "the root itself");
    let before = tree.outcome();
    let (mut rng, far) = (stream(Stream::Arena, 9, 0, 0), 12);
    let elsewhere = random_opening(&position, far, &mut rng).unwrap();
    assert!(!tree.go_on(&elsewhere), "out of reach");
    let quiet = before.actions.iter().find_map(|&action| {
        let mut after = position.clone();
        after.play(action).unwrap();
        (after.history().len() > 1).then_some(after)
    });
    let after = quiet.expect("an action that captures nothing");
    let forgetful = Position::from_state(rules, *after.state());
    assert!(!tree.go_on(&forgetful), "what has stood before is another");
    assert_eq!(tree.outcome(), before, "nothing was changed");
    assert!(tree.go_on(&after));
    tree.set_contempt(0.5);
    assert!(!tree.go_on(&after), "draws were worth something else");
}

#[test]
fn an_agent_by_time_plays_whole_games_with_its_tree() {
    let rules = GiuthiRules::new(3, 2).unwrap();
    let mut agent = MctsAgent::timed(&rules, RolloutEvaluator::new(), 0.002).with_contempt(0.25);
    for seed in 0..4 {
        Agent::<Giuthi>::new_game(&mut agent, seed);
        let mut position = Position::<Giuthi>::initial(rules);
        while !position.is_over() {
            if position.plies().is_multiple_of(3) {
                // An analysis in between has no contempt, and leaves none behind.
                agent.analyze(&position).unwrap();
            }
            let action = agent.act(&position).unwrap();
            position.play(action).unwrap();
        }
    }
    assert!(agent.nodes().unwrap() > 0);
}

/// Keeps what it has been asked about.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<Giuthi>>>);

impl Asked {
    fn has(&self, position: &Position<Giuthi>) -> bool {
        self.0.lock().unwrap().contains(position.state())
    }

    fn forget(&self) {
        self.0.lock().unwrap().clear();
    }
}

impl Evaluator<Giuthi> for Asked {
    fn evaluate(&mut self, leaves: &[Leaf<'_, Giuthi>], out: &mut Evaluations) -> Result<(), String> {
        self.0.lock().unwrap().extend(leaves.iter().map(|leaf| *leaf.state));
        UniformEvaluator.evaluate(leaves, out)
    }
}

#[test]
fn an_agent_by_time_asks_once_about_what_it_has_come_to() {
    // Too large to be proven.
    let position = Position::<Giuthi>::initial(GiuthiRules::new(6, 6).unwrap());
    let asked = Asked::default();
    let mut agent = MctsAgent::timed(position.rules(), asked.clone(), 0.005).with_contempt(0.25);
    // The answer and a reply to it, once the search has come to it: on a busy machine not at once.
    let next = loop {
        let mut after = position.clone();
        after.play(agent.act(&position).unwrap()).unwrap();
        let replies = after.legal_actions().into_iter().map(|action| {
            let mut next = after.clone();
            next.play(action).unwrap();
            next
        });
        // Contempt is that of who is to move.
        let mut met = replies.filter(|next| next.to_move() == position.to_move() && asked.has(next));
        if let Some(next) = met.next() {
            break next;
        }
    };
    asked.forget();
    agent.act(&next).unwrap();
    assert!(!asked.has(&next), "the tree was kept");
    agent.analyze(&next).unwrap();
    assert!(asked.has(&next), "an analysis begins anew");
    asked.forget();
    agent.act(&next).unwrap();
    assert!(asked.has(&next), "contempt has no part in an analysis");
    asked.forget();
    agent.act(&next).unwrap();
    assert!(!asked.has(&next), "the tree was kept");
    Agent::<Giuthi>::new_game(&mut agent, 1);
    agent.act(&next).unwrap();
    assert!(asked.has(&next), "a new game begins anew");
}
