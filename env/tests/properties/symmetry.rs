//! Laws of symmetry: the mirror (Giuthi) and the exchange of seats.

use mancala_env::{Game, Position};

pub(crate) fn check<G: Game>(position: &Position<G>) {
    if !position.is_over() {
        the_mirror_commutes_with_play(position);
        the_exchange_of_seats_commutes_with_play(position);
    }
    the_exchange_of_seats_is_observed_the_same(position);
}

/// The state as the first of its own history.
fn fresh<G: Game>(position: &Position<G>, state: G) -> Position<G> {
    Position::from_state(*position.rules(), state)
}

fn the_mirror_commutes_with_play<G: Game>(position: &Position<G>) {
    let state = *position.state();
    let mirrored = state.mirrored();
    assert_eq!(mirrored.mirrored(), state);
    assert_eq!(mirrored.scores(), state.scores());
    let mut actions: Vec<_> =
        position.legal_actions().iter().map(|&action| state.mirrored_action(action)).collect();
    actions.sort_unstable();
    assert_eq!(actions, mirrored.legal_actions()[..]);
    for action in position.legal_actions() {
        let image = state.mirrored_action(action);
        assert_eq!(state.mirrored_action(image), action);
        let (mut one, mut two) = (fresh(position, state), fresh(position, mirrored));
        let (played, image) = (one.play(action).unwrap(), two.play(image).unwrap());
        assert_eq!(one.state().mirrored(), *two.state(), "{action} in {}", position.write());
        assert_eq!(one.end(), two.end());
        let landing = if G::HAS_MIRROR { image.landing } else { played.landing };
        assert_eq!(mancala_env::Played { landing, ..played }, image);
    }
}

fn the_exchange_of_seats_commutes_with_play<G: Game>(position: &Position<G>) {
    let state = *position.state();
    let swapped = state.swapped();
    assert_eq!(swapped.swapped(), state);
    assert_eq!(swapped.to_move(), state.to_move().other());
    assert_eq!(swapped.legal_actions(), position.legal_actions());
    for action in position.legal_actions() {
        let (mut first, mut second) = (fresh(position, state), fresh(position, swapped));
        let (played, image) = (first.play(action).unwrap(), second.play(action).unwrap());
        // The opening has a first and a second player: when the second is done, the first begins to sow.
        if state.counts_for_repetition() || first.state().to_move() == state.to_move() {
            assert_eq!(first.state().swapped(), *second.state(), "{action} in {}", position.write());
            assert_eq!(first.end(), second.end());
            let [zero, one] = second.returns();
            assert_eq!(first.returns(), [one, zero]);
        }
        let landing = swapped.relative_pit(image.landing);
        assert_eq!(state.relative_pit(played.landing), landing);
        assert_eq!(mancala_env::Played { landing: image.landing, ..played }, image);
    }
}

fn the_exchange_of_seats_is_observed_the_same<G: Game>(position: &Position<G>) {
    let mut seen = [(); 2].map(|()| vec![0; G::observation_len(position.rules())]);
    position.state().observe_raw(position.rules(), &mut seen[0]);
    position.state().swapped().observe_raw(position.rules(), &mut seen[1]);
    assert_eq!(seen[0], seen[1], "{}", position.write());
}
