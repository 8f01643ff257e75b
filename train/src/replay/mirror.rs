//! A position seen in the mirror.

use mancala_env::Game;
use mancala_search::self_play::Sample;

/// The sample in the mirror of its game: board, actions with what they do, and policy. Itself where the game has no mirror.
pub fn mirrored<G: Game>(rules: &G::Rules, sample: &Sample<G>) -> Sample<G> {
    if !G::HAS_MIRROR {
        return sample.clone();
    }
    let (row, pits) = (G::num_pits(rules) / 2, G::num_pits(rules));
    let image = |i: usize| {
        let mut info = sample.actions[i];
        info.action = sample.state.mirrored_action(info.action);
        // Both rows are reversed: along the ring, counted from the own left, pit p becomes row - 1 - p.
        info.landing = ((row + pits - 1 - usize::from(info.landing)) % pits) as u8;
        info
    };
    let mut order: Vec<usize> = (0..sample.actions.len()).collect();
    order.sort_unstable_by_key(|&i| sample.state.mirrored_action(sample.actions[i].action));
    Sample {
        state: sample.state.mirrored(),
        actions: order.iter().map(|&i| image(i)).collect(),
        foreseen: in_order(&sample.foreseen, &order),
        policy: in_order(&sample.policy, &order),
        outcome: sample.outcome,
        margin: sample.margin,
        value: sample.value,
    }
}

/// What there is for each action, in another order, if there is anything.
fn in_order<T: Copy>(all: &[T], order: &[usize]) -> Vec<T> {
    match all.is_empty() {
        true => Vec::new(),
        false => order.iter().map(|&i| all[i]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::tests::random_samples;
    use mancala_env::{ActionInfo, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position};
    use mancala_search::net::Foreseen;

    #[test]
    fn what_actions_do_in_the_mirror_is_what_the_rules_say() {
        for (pits, seeds) in [(2, 2), (5, 4), (8, 8)] {
            let rules = GiuthiRules::new(pits, seeds).unwrap();
            for mut sample in random_samples::<Giuthi>(rules, 300, 3) {
                let foreseen = |info: &ActionInfo| Foreseen::of(&sample.state, info.action, true);
                sample.foreseen = sample.actions.iter().map(foreseen).collect();
                let image = mirrored(&rules, &sample);
                let position = Position::from_state(rules, image.state);
                let legal = position.legal_actions();
                assert!(image.actions.iter().map(|info| info.action).eq(legal.iter().copied()));
                for (i, info) in image.actions.iter().enumerate() {
                    // Repetition rests on the history, which a bare state has not.
                    let (mut found, _) = ActionInfo::of(&position, info.action);
                    found.repeats = info.repeats;
                    found.ends_game |= info.repeats;
                    assert_eq!(*info, found);
                    assert_eq!(image.foreseen[i], Foreseen::of(&image.state, info.action, true));
                    let original = sample.state.mirrored_action(info.action);
                    let from = sample.actions.iter().position(|info| info.action == original).unwrap();
                    if !sample.policy.is_empty() {
                        assert_eq!(image.policy[i], sample.policy[from]);
                    }
                }
                assert_eq!(mirrored(&rules, &image), sample);
            }
        }
    }

    #[test]
    fn without_a_mirror_nothing_changes() {
        let rules = KiothiRules::new(3, 2).unwrap();
        for sample in random_samples::<Kiothi>(rules, 50, 3) {
            assert_eq!(mirrored(&rules, &sample), sample);
        }
    }
}
