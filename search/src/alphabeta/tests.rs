use std::time::{Duration, Instant};

use mancala_env::{
    Action, Capture, End, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_action,
    stream,
};
use rand::Rng;

use super::evaluation::{PARTS, margin_to_come};
use super::{AlphaBeta, AlphaBetaLimit, AlphaBetaOptions, in_seeds};
use crate::{Agent, AgentError};

/// The final margin, or the lead at the horizon and what is expected to come, for the player to move, in parts of a seed:
/// nothing but the definition.
fn minimax<G: Game>(position: &Position<G>, depth: u32) -> i32 {
    let scores = position.scores().map(i32::from);
    let mover = position.to_move().index();
    let lead = (scores[mover] - scores[1 - mover]) * PARTS;
    match position.end() {
        Some(End::Repetition | End::Endless) => 0,
        Some(End::NoMoves) => lead,
        None if depth == 0 => lead + margin_to_come(position.state()),
        None => {
            let actions = position.legal_actions().into_iter();
            actions.map(|action| minimax_of(position, action, depth)).max().unwrap()
        }
    }
}

fn minimax_of<G: Game>(position: &Position<G>, action: Action, depth: u32) -> i32 {
    let mut child = position.clone();
    child.play(action).unwrap();
    let value = minimax(&child, depth - 1);
    if child.to_move() == position.to_move() { value } else { -value }
}

fn giuthi(pits: u8, seeds: u8, capture: Capture) -> GiuthiRules {
    GiuthiRules::new(pits, seeds).unwrap().with_capture(capture)
}

/// Positions in the middle of random games, with their histories.
fn random_positions<G: Game>(rules: G::Rules, count: usize, max_plies: u32, seed: u64) -> Vec<Position<G>> {
    let mut rng = stream(Stream::Agent, seed, 0, 0);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::<G>::initial(rules);
        while !position.state().counts_for_repetition() {
            let action = random_action(position.state(), &mut rng).unwrap();
            position.play(action).unwrap();
        }
        for _ in 0..rng.next_u32() % (max_plies + 1) {
            let Some(action) = random_action(position.state(), &mut rng).filter(|_| !position.is_over())
            else {
                break;
            };
            position.play(action).unwrap();
        }
        if !position.is_over() {
            positions.push(position);
        }
    }
    positions
}

fn agent<G: Game>(limit: AlphaBetaLimit, table: bool, ordering: bool, early_stop: bool) -> AlphaBeta<G> {
    AlphaBeta::new(AlphaBetaOptions { limit, table, ordering, early_stop }).unwrap()
}

/// Values, choice and line against minimax, whatever is switched on or off.
fn assert_is_minimax<G: Game>(position: &Position<G>, depths: impl Iterator<Item = u32>) {
    for depth in depths {
        let expected: Vec<_> = position
            .legal_actions()
            .into_iter()
            .map(|action| (action, in_seeds(minimax_of(position, action, depth))))
            .collect();
        let most = expected.iter().map(|&(_, value)| value).fold(f64::MIN, f64::max);
        let lowest = expected.iter().find(|&&(_, value)| value == most).unwrap().0;
        for switches in 0..8 {
            let [table, ordering, early_stop] = [1, 2, 4].map(|bit| switches & bit == 0);
            let mut agent = agent::<G>(AlphaBetaLimit::Depth(depth), table, ordering, early_stop);
            let context = || format!("{} depth {depth} switches {switches}", position.write());
            let analysis = agent.analyze(position).unwrap();
            let found: Vec<_> =
                analysis.actions.iter().map(|action| (action.action, action.value.unwrap())).collect();
            assert_eq!(found, expected, "{}", context());
            assert_eq!(analysis.value, most, "{}", context());
            assert_eq!(agent.act(position).unwrap(), lowest, "{}", context());
            assert_line_leads_to(position, &analysis.line, lowest, depth, most);
        }
    }
}

/// The line is legal, no longer than the depth, and ends in a position worth what was promised.
fn assert_line_leads_to<G: Game>(
    position: &Position<G>,
    line: &[Action],
    first: Action,
    depth: u32,
    value: f64,
) {
    assert_eq!(line[0], first);
    assert!(line.len() <= depth as usize);
    let mut end = position.clone();
    for &action in line {
        end.play(action).unwrap();
    }
    assert!(end.is_over() || line.len() == depth as usize, "{} {line:?}", position.write());
    let last = in_seeds(minimax(&end, 0));
    let last = if end.to_move() == position.to_move() { last } else { -last };
    assert_eq!(last, value, "{} {line:?}", position.write());
}

#[test]
fn equals_minimax_on_small_giuthi_boards() {
    for capture in [Capture::Any, Capture::Occupied] {
        for (pits, seeds, count, max_depth) in [(2, 2, 60, 5), (3, 2, 60, 5), (3, 3, 50, 5), (4, 3, 20, 4)] {
            let rules = giuthi(pits, seeds, capture);
            for position in random_positions::<Giuthi>(rules, count, 12, u64::from(10 * pits + seeds)) {
                assert_is_minimax(&position, 1..=max_depth);
            }
        }
    }
}

/// The value at every depth to 6, early stop off, against minimax.
fn assert_values_are_minimax<G: Game>(rules: G::Rules, count: usize, seed: u64) {
    for position in random_positions::<G>(rules, count, 16, seed) {
        for depth in 1..=6 {
            let mut agent = agent::<G>(AlphaBetaLimit::Depth(depth), true, true, false);
            let value = agent.analyze(&position).unwrap().value;
            assert_eq!(value, in_seeds(minimax(&position, depth)), "{} depth {depth}", position.write());
        }
    }
}

#[test]
fn values_are_those_of_minimax_in_a_thousand_positions() {
    for (pits, seeds, count) in [(2, 2, 200), (2, 4, 200), (3, 2, 150), (3, 3, 50)] {
        assert_values_are_minimax::<Giuthi>(giuthi(pits, seeds, Capture::Any), count, seeds.into());
    }
    assert_values_are_minimax::<Giuthi>(giuthi(3, 2, Capture::Occupied), 100, 11);
    assert_values_are_minimax::<Kiothi>(KiothiRules::new(3, 1).unwrap(), 300, 12);
}

#[test]
#[ignore = "for make soak"]
fn values_are_those_of_minimax_on_larger_boards() {
    assert_values_are_minimax::<Giuthi>(giuthi(4, 3, Capture::Any), 1000, 13);
    assert_values_are_minimax::<Giuthi>(giuthi(5, 2, Capture::Occupied), 1000, 14);
    assert_values_are_minimax::<Kiothi>(KiothiRules::new(4, 1).unwrap(), 1000, 15);
    assert_values_are_minimax::<Kiothi>(KiothiRules::new(3, 2).unwrap(), 100, 16);
}

#[test]
fn equals_minimax_to_the_end_of_small_endgames() {
    let mut rng = stream(Stream::Agent, 77, 0, 0);
    for _ in 0..60 {
        let position = sparse_position(3, 6, &mut rng);
        if !position.is_over() {
            assert_is_minimax(&position, [9].into_iter());
        }
    }
}

#[test]
fn equals_minimax_in_kiothi() {
    for (boma, warriors, count) in [(3, 1, 60), (3, 2, 20), (4, 2, 8)] {
        let rules = KiothiRules::new(boma, warriors).unwrap();
        for position in random_positions::<Kiothi>(rules, count, 10, u64::from(boma)) {
            assert_is_minimax(&position, 1..=3);
        }
    }
}

#[test]
fn equals_minimax_at_the_end_of_kiothis_opening() {
    let rules = KiothiRules::new(3, 1).unwrap();
    let mut rng = stream(Stream::Agent, 5, 0, 0);
    for game in 0..20 {
        let mut position = Position::<Kiothi>::initial(rules);
        for _ in 0..game % 8 {
            let action = random_action(position.state(), &mut rng).unwrap();
            position.play(action).unwrap();
        }
        for depth in 1..=3 {
            let mut agent = agent::<Kiothi>(AlphaBetaLimit::Depth(depth), true, true, true);
            let analysis = agent.analyze(&position).unwrap();
            assert_eq!(analysis.value, in_seeds(minimax(&position, depth)));
            for action in &analysis.actions {
                let expected = minimax_of(&position, action.action, depth);
                assert_eq!(action.value, Some(in_seeds(expected)), "{}", position.write());
            }
            let chosen = agent.act(&position).unwrap();
            assert_eq!(analysis.line[0], chosen);
            assert_eq!(minimax_of(&position, chosen, depth), minimax(&position, depth));
        }
    }
}

#[test]
fn the_table_carries_no_value_into_another_history() {
    // Long quiet histories and few actions: lines soon come back to where they were.
    let mut rng = stream(Stream::Agent, 99, 0, 0);
    for (rules, depth) in [((3, 2), 12), ((4, 2), 12), ((5, 4), 10), ((6, 2), 10)] {
        let rules = giuthi(rules.0, rules.1, Capture::Any);
        let mut left = 150;
        while left > 0 {
            let mut position = Position::<Giuthi>::initial(rules);
            while !position.is_over() && left > 0 {
                let is_wanted = position.history().len() >= 4 && position.legal_actions().len() <= 6;
                if is_wanted && rng.next_u32().is_multiple_of(2) {
                    assert_table_makes_no_difference(&position, depth);
                    left -= 1;
                }
                let action = random_action(position.state(), &mut rng).unwrap();
                position.play(action).unwrap();
            }
        }
    }
}

fn assert_table_makes_no_difference(position: &Position<Giuthi>, depth: u32) {
    let [plain, tabled] = [false, true].map(|table| {
        let mut agent = agent::<Giuthi>(AlphaBetaLimit::Depth(depth), table, true, false);
        let analysis = agent.analyze(position).unwrap();
        (analysis.actions, agent.act(position).unwrap())
    });
    assert_eq!(plain, tabled, "{} {:?}", position.write(), position.history());
}

/// A few seeds anywhere, and any scores.
fn sparse_position(pits: usize, seeds: usize, rng: &mut impl Rng) -> Position<Giuthi> {
    let mut board = vec![0u8; 2 * pits];
    (0..seeds).for_each(|_| board[rng.next_u32() as usize % (2 * pits)] += 1);
    let row = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let [zero, one, player] = [8, 8, 2].map(|values| rng.next_u32() % values);
    let text = format!("{}/{} {zero} {one} p{player}", row(&board[..pits]), row(&board[pits..]));
    Position::read(giuthi(pits as u8, 2, Capture::Any), &text).unwrap()
}

#[test]
fn table_and_ordering_make_no_difference_on_larger_boards() {
    for position in random_positions::<Giuthi>(giuthi(6, 4, Capture::Any), 12, 30, 3) {
        let mut plain = agent::<Giuthi>(AlphaBetaLimit::Depth(6), false, false, false);
        let mut full = agent::<Giuthi>(AlphaBetaLimit::Depth(6), true, true, true);
        assert_eq!(plain.act(&position).unwrap(), full.act(&position).unwrap(), "{}", position.write());
        let (plain, full) = (plain.analyze(&position).unwrap(), full.analyze(&position).unwrap());
        assert_eq!((plain.value, plain.actions), (full.value, full.actions), "{}", position.write());
        assert!(full.nodes < plain.nodes);
    }
}

#[test]
fn mirrored_positions_have_mirrored_values() {
    for position in random_positions::<Giuthi>(giuthi(5, 4, Capture::Any), 10, 20, 4) {
        let fresh = Position::from_state(*position.rules(), *position.state());
        let mirrored = Position::from_state(*position.rules(), position.state().mirrored());
        let mut agent = agent::<Giuthi>(AlphaBetaLimit::Depth(5), true, true, true);
        let mut values = agent.analyze(&mirrored).unwrap().actions;
        for action in &mut values {
            action.action = mirrored.state().mirrored_action(action.action);
        }
        values.sort_by_key(|action| action.action);
        assert_eq!(agent.analyze(&fresh).unwrap().actions, values);
    }
}

#[test]
fn answers_do_not_depend_on_what_was_asked_before() {
    let positions = random_positions::<Giuthi>(giuthi(5, 4, Capture::Any), 20, 30, 6);
    for limit in [AlphaBetaLimit::Depth(6), AlphaBetaLimit::Nodes(3000)] {
        let mut used = agent::<Giuthi>(limit, true, true, true);
        for position in &positions {
            let mut fresh = agent::<Giuthi>(limit, true, true, true);
            assert_eq!(used.analyze(position).unwrap(), fresh.analyze(position).unwrap());
            assert_eq!(used.act(position).unwrap(), fresh.act(position).unwrap());
        }
        let all: Vec<_> = positions.iter().collect();
        let one_by_one: Vec<_> = positions.iter().map(|position| used.act(position).unwrap()).collect();
        assert_eq!(used.act_many(&all).unwrap(), one_by_one);
    }
}

#[test]
fn avoids_or_seeks_repetition_by_the_score() {
    // Every value of 0 that minimax gives a player who is behind is a draw by repetition or endless sowing.
    let mut draws = 0;
    for position in random_positions::<Giuthi>(giuthi(2, 2, Capture::Any), 200, 20, 8) {
        let [zero, one] = position.scores();
        let value = in_seeds(minimax(&position, 5));
        let mut agent = agent::<Giuthi>(AlphaBetaLimit::Depth(5), true, true, true);
        assert_eq!(agent.analyze(&position).unwrap().value, value);
        draws += usize::from(zero != one && value == 0.0);
    }
    assert!(draws > 0, "no position of the sample rests on a draw");
}

#[test]
fn respects_its_limits() {
    let mut times = Vec::new();
    for position in random_positions::<Giuthi>(giuthi(8, 8, Capture::Any), 5, 30, 9) {
        for nodes in [100, 1000, 50_000] {
            let mut agent = agent::<Giuthi>(AlphaBetaLimit::Nodes(nodes), true, true, true);
            let analysis = agent.analyze(&position).unwrap();
            assert!(analysis.nodes <= nodes && analysis.depth >= Some(1));
            assert!(position.is_legal(agent.act(&position).unwrap()));
        }
        let mut agent = agent::<Giuthi>(AlphaBetaLimit::Time(0.02), true, true, true);
        let start = Instant::now();
        assert!(position.is_legal(agent.act(&position).unwrap()));
        times.push(start.elapsed());
    }
    // Half of them, as a busy machine may hold any one up.
    times.sort();
    assert!(times[times.len() / 2] < Duration::from_millis(500), "{times:?}");
    let position = Position::<Kiothi>::initial(KiothiRules::new(6, 5).unwrap());
    let mut agent = agent::<Kiothi>(AlphaBetaLimit::Nodes(1), true, true, true);
    assert!(position.is_legal(agent.act(&position).unwrap()));
}

#[test]
fn a_cut_off_iteration_does_not_speak_for_what_it_has_not_seen() {
    // Unordered, the first action searched is not the best of the iteration before.
    for position in random_positions::<Giuthi>(giuthi(6, 6, Capture::Any), 30, 20, 10) {
        let mut cut = agent::<Giuthi>(AlphaBetaLimit::Nodes(3000), true, false, true);
        let deepest = cut.search(&position, false).unwrap();
        let mut whole = agent::<Giuthi>(AlphaBetaLimit::Depth(deepest.depth), true, false, true);
        assert_eq!(cut.act(&position).unwrap(), whole.act(&position).unwrap(), "{}", position.write());
    }
}

#[test]
fn plays_whole_games_legally() {
    let mut agent = agent::<Kiothi>(AlphaBetaLimit::Depth(2), true, true, true);
    let mut openings = Vec::new();
    for seed in 0..3 {
        agent.new_game(seed);
        let mut position = Position::<Kiothi>::initial(KiothiRules::new(6, 5).unwrap());
        while !position.is_over() {
            let action = agent.act(&position).unwrap();
            position.play(action).unwrap();
            if position.plies() == 20 {
                openings.push(position.write());
            }
        }
        assert!(matches!(agent.act(&position), Err(AgentError::GameOver { index: 0, .. })));
    }
    openings.dedup();
    assert_eq!(openings.len(), 3, "the opening is drawn anew with each seed: {openings:?}");
}

#[test]
fn plans_of_the_opening_depend_on_position_and_seed_alone() {
    for limit in [AlphaBetaLimit::Depth(2), AlphaBetaLimit::Nodes(5_000)] {
        let mut used = agent::<Kiothi>(limit, true, true, true);
        let mut position = Position::<Kiothi>::initial(KiothiRules::new(5, 4).unwrap());
        while !position.state().counts_for_repetition() {
            let mut fresh = agent::<Kiothi>(limit, true, true, true);
            let action = used.act(&position).unwrap();
            assert_eq!(fresh.act(&position).unwrap(), action, "{}", position.write());
            if let AlphaBetaLimit::Depth(_) = limit {
                assert_eq!(fresh.analyze(&position).unwrap().line[0], action, "{}", position.write());
            }
            position.play(action).unwrap();
        }
    }
}

#[test]
fn refuses_limits_out_of_range() {
    use AlphaBetaLimit::{Depth, Nodes, Time};
    let limits = [Depth(0), Depth(101), Nodes(0), Time(0.0), Time(-1.0), Time(f64::NAN), Time(f64::INFINITY)];
    for limit in limits {
        assert!(AlphaBeta::<Giuthi>::new(AlphaBetaOptions::new(limit)).is_err(), "{limit:?}");
    }
}

/// Positions of Kiothi's opening, each after so many of its small actions as the place in the list.
fn openings(rules: KiothiRules, seed: u64) -> Vec<Position<Kiothi>> {
    let mut rng = stream(Stream::Agent, seed, 1, 0);
    let mut position = Position::<Kiothi>::initial(rules);
    let mut openings = Vec::new();
    while !position.state().counts_for_repetition() {
        openings.push(position.clone());
        position.play(random_action(position.state(), &mut rng).unwrap()).unwrap();
    }
    openings
}

#[test]
fn the_order_of_the_search_does_not_choose_among_equals_in_the_opening() {
    for seed in 0..12 {
        for position in openings(KiothiRules::new(5, 4).unwrap(), seed) {
            let mut plain = agent::<Kiothi>(AlphaBetaLimit::Depth(2), true, false, true);
            let mut ordered = agent::<Kiothi>(AlphaBetaLimit::Depth(2), true, true, true);
            assert_eq!(
                plain.act(&position).unwrap(),
                ordered.act(&position).unwrap(),
                "{}",
                position.write()
            );
        }
    }
}

#[test]
fn plans_of_the_opening_keep_to_their_nodes() {
    for position in openings(KiothiRules::new(6, 5).unwrap(), 1) {
        for nodes in [10, 100, 1_000, 10_000] {
            let mut agent = agent::<Kiothi>(AlphaBetaLimit::Nodes(nodes), true, true, true);
            let analysis = agent.analyze(&position).unwrap();
            // One ply is always searched, and one redistribution looked at.
            assert!(analysis.nodes <= nodes + 61, "{nodes}: {} in {}", analysis.nodes, position.write());
        }
    }
}
