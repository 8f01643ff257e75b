//! How many redistributions there are, counted over the generator's own legal actions, and that random play draws them
//! uniformly.

use std::collections::HashMap;

use mancala_env::{Game, Kiothi, KiothiRules, Phase, Player, Position};

fn start(boma: u8, warriors: u8) -> Kiothi {
    *Position::<Kiothi>::initial(KiothiRules::new(boma, warriors).unwrap()).state()
}

/// Ends of this turn's chain that can be reached: over lifts one by one, over placements by (hand, floor), on which alone
/// the legal placements depend.
fn completions(state: &Kiothi, known: &mut HashMap<(u8, u8), u128>) -> u128 {
    let key = match state.phase() {
        Phase::Place { hand, floor } => Some((hand, floor)),
        _ => None,
    };
    if let Some(&count) = key.and_then(|key| known.get(&key)) {
        return count;
    }
    let mover = state.to_move();
    let count = state.legal_actions().into_iter().map(|action| {
        let mut next = *state;
        next.play_unchecked(action);
        if next.to_move() == mover { completions(&next, known) } else { 1 }
    });
    let count = count.sum();
    known.extend(key.map(|key| (key, count)));
    count
}

fn choose(n: u128, k: u128) -> u128 {
    (1..=k).fold(1, |ways, i| ways * (n - k + i) / i)
}

// "So the first player of 6x5 has C(6,2) = 15 pairs of lifts, and each leads to C(29,10) = 20,030,010 placements."
#[test]
fn the_first_player_of_6x5_has_15_times_20_030_010_redistributions() {
    assert_eq!(choose(29, 10), 20_030_010);
    assert_eq!(completions(&start(6, 5), &mut HashMap::new()), 15 * 20_030_010);
}

#[test]
fn redistributions_are_counted_right_from_every_start() {
    for boma in 3..=10 {
        for warriors in 1..=30 / boma {
            let hand = 2 * u128::from(warriors);
            let expected = choose(boma.into(), 2) * choose(19 + hand, 19);
            assert_eq!(
                completions(&start(boma, warriors), &mut HashMap::new()),
                expected,
                "{boma}x{warriors}"
            );
        }
    }
}

/// Checks that a placement weighs as many redistributions as it leads to, here and after every legal action.
fn check_placements(state: &Kiothi, known: &mut HashMap<(u8, u8), u128>, seen: &mut HashMap<(u8, u8), ()>) {
    let Phase::Place { hand, floor } = state.phase() else { return };
    if seen.insert((hand, floor), ()).is_some() {
        return;
    }
    let mover = state.to_move();
    for action in state.legal_actions() {
        let mut next = *state;
        next.play_unchecked(action);
        let same_turn = next.to_move() == mover;
        let ways = if same_turn { completions(&next, known) } else { 1 };
        assert_eq!(u128::from(state.random_weight(action)), ways, "{action}, {hand} in hand, floor {floor}");
        if same_turn {
            check_placements(&next, known, seen);
        }
    }
}

// "Drawn at random, a redistribution is uniform over redistributions: lift pairs equally likely, a placement at j with weight
// C(h-1+19-j, h-1), h in hand." So a chain's chance is 1 / pairs / placements, whatever the chain.
#[test]
fn a_placement_weighs_the_redistributions_it_leads_to() {
    for (boma, warriors) in [(6, 5), (3, 10), (10, 1)] {
        let mut state = start(boma, warriors);
        let lift = state.legal_actions()[0];
        state.play_unchecked(lift);
        let lift = state.legal_actions()[0];
        state.play_unchecked(lift);
        assert!(!state.is_random_uniform());
        check_placements(&state, &mut HashMap::new(), &mut HashMap::new());
    }
    // The heaviest hand there can be.
    let text = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 0 p1 place:60@0 ....................";
    let (state, _) = Kiothi::read(&KiothiRules::new(6, 5).unwrap(), text).unwrap();
    check_placements(&state, &mut HashMap::new(), &mut HashMap::new());
}

#[test]
fn a_first_lift_weighs_the_second_lifts_it_leaves() {
    // Uneven boma: pairs are equally likely, whatever they hold.
    let text = "0,0,0,0,5,5,5,5,5,5/3,0,0,0,9,0,1,5,5,2 0 0 p1 lift ....................";
    let (uneven, _) = Kiothi::read(&KiothiRules::new(6, 5).unwrap(), text).unwrap();
    for state in [start(6, 5), start(3, 10), start(10, 3), uneven] {
        assert!(!state.is_random_uniform());
        for action in state.legal_actions() {
            let mut next = state;
            next.play_unchecked(action);
            assert!(next.is_random_uniform());
            let seconds = next.legal_actions();
            assert_eq!(state.random_weight(action), seconds.len() as u64, "{action}");
            assert!(seconds.iter().all(|&second| next.random_weight(second) == 1));
        }
    }
    assert_eq!(uneven.to_move(), Player::One);
}
