use mancala_env::{
    Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_opening_actions, stream,
};

use super::{PARTS, Terms, margin_to_come};

/// Positions of random games in which evaluations count.
fn positions<G: Game>(rules: G::Rules, opening: u32) -> impl Iterator<Item = G> {
    let mut rng = stream(Stream::Agent, 21, 0, 0);
    let start = Position::<G>::initial(rules);
    (0..100).filter_map(move |game| {
        let (position, _) = random_opening_actions(&start, opening + game % 8, &mut rng)?;
        Some(*position.state()).filter(Game::counts_for_repetition)
    })
}

fn assert_is_fair<G: Terms>(rules: G::Rules, opening: u32) {
    let mut values = Vec::new();
    for state in positions::<G>(rules, opening) {
        let value = margin_to_come(&state);
        assert_eq!(margin_to_come(&state.swapped()), value, "{state:?}");
        assert_eq!(margin_to_come(&state.mirrored()), value, "{state:?}");
        assert!(value.abs() <= i32::from(state.seeds_in_play()) * PARTS, "{state:?}");
        values.push(value);
    }
    assert!(values.len() >= 50 && values.iter().any(|&value| value != values[0]), "{}", values.len());
}

#[test]
fn values_do_not_depend_on_seat_or_mirror_and_never_exceed_what_is_in_play() {
    for (pits, seeds) in [(3, 9), (5, 4), (6, 6), (8, 8)] {
        assert_is_fair::<Giuthi>(GiuthiRules::new(pits, seeds).unwrap(), 0);
    }
    for (boma, warriors) in [(5, 2), (6, 5), (10, 3)] {
        // No redistribution takes more plies than both players have warriors, and two lifts each.
        let opening = 2 * u32::from(boma * warriors) + 4;
        assert_is_fair::<Kiothi>(KiothiRules::new(boma, warriors).unwrap(), opening);
    }
}

#[test]
fn every_term_has_a_weight() {
    assert_eq!(Giuthi::WEIGHTS.len(), Giuthi::LEN);
    assert_eq!(Kiothi::WEIGHTS.len(), Kiothi::LEN);
}
