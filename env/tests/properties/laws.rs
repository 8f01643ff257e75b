//! Laws of actions, texts, seeds and returns.

use mancala_env::{ActionInfo, Game, IllegalAction, Position};

pub(crate) fn check<G: Game>(position: &Position<G>) {
    legal_actions_are_sorted_and_agree_with_is_legal(position);
    there_is_no_legal_action_exactly_when_the_game_is_over(position);
    an_illegal_action_is_refused_and_changes_nothing(position);
    every_action_name_is_read_back(position);
    the_text_is_read_back(position);
    seeds_are_conserved(position);
    the_fresh_history_is_the_position_itself(position);
    returns_fit_the_winner(position);
    both_ways_of_playing_agree(position);
    action_features_agree_with_playing(position);
}

fn num_actions<G: Game>(position: &Position<G>) -> u16 {
    G::num_actions(position.rules()) as u16
}

fn legal_actions_are_sorted_and_agree_with_is_legal<G: Game>(position: &Position<G>) {
    let legal = position.legal_actions();
    assert!(legal.is_sorted_by(|a, b| a < b), "{legal:?} in {}", position.write());
    let beyond = [num_actions(position), num_actions(position) + 1, u16::MAX];
    for action in (0..num_actions(position)).chain(beyond) {
        let listed = legal.contains(&action);
        assert_eq!(position.is_legal(action), listed, "{action} in {}", position.write());
    }
}

fn there_is_no_legal_action_exactly_when_the_game_is_over<G: Game>(position: &Position<G>) {
    assert_eq!(position.legal_actions().is_empty(), position.is_over(), "{}", position.write());
    assert_eq!(position.end().is_some(), position.is_over());
    if !position.is_over() {
        assert!(!position.state().is_over());
        assert_eq!(position.legal_actions(), position.state().legal_actions());
    }
}

fn an_illegal_action_is_refused_and_changes_nothing<G: Game>(position: &Position<G>) {
    let legal = position.legal_actions();
    let mut tried = position.clone();
    for action in (0..num_actions(position) + 2).filter(|action| !legal.contains(action)) {
        let error = tried.play(action).unwrap_err();
        assert_eq!(tried, *position, "{action}: {error}");
        let in_range = action < num_actions(position);
        match &error {
            IllegalAction::GameOver { .. } => assert!(position.is_over()),
            IllegalAction::OutOfRange { .. } => assert!(!in_range && !position.is_over()),
            IllegalAction::NotLegal { name, reason, .. } => {
                assert!(in_range && !position.is_over());
                assert_eq!(*name, position.state().action_name(action));
                assert!(!reason.is_empty() && !reason.contains("it is legal"), "{error}");
            }
        }
        assert!(error.to_string().contains(&action.to_string()), "{error}");
    }
}

fn every_action_name_is_read_back<G: Game>(position: &Position<G>) {
    for action in 0..num_actions(position) {
        let name = position.state().action_name(action);
        assert_eq!(position.state().parse_action(&name), Ok(action), "{name}");
    }
}

fn the_text_is_read_back<G: Game>(position: &Position<G>) {
    let text = position.write();
    let read = Position::<G>::read(*position.rules(), &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.write(), text);
    assert_eq!((read.end(), read.winner()), (position.end(), position.winner()), "{text}");
    assert_eq!(read.legal_actions(), position.legal_actions(), "{text}");
    assert_eq!(read.state().fingerprint(), position.state().fingerprint(), "{text}");
    assert_eq!((read.plies(), read.state().is_extra_move()), (0, false));
}

fn total<G: Game>(position: &Position<G>) -> u32 {
    let [zero, one] = position.scores().map(u32::from);
    zero + one + u32::from(position.state().seeds_in_play())
}

fn seeds_are_conserved<G: Game>(position: &Position<G>) {
    for action in position.legal_actions() {
        let mut after = position.clone();
        let played = after.play(action).unwrap();
        let at = || format!("{action} in {}", position.write());
        assert_eq!(total(&after), total(position), "{}", at());
        if after.end() != Some(mancala_env::End::NoMoves) {
            let mover = position.to_move().index();
            let (before, after) = (position.scores(), after.scores());
            assert_eq!(after[mover] - before[mover], played.captured, "{}", at());
            assert_eq!(after[1 - mover], before[1 - mover], "{}", at());
        }
    }
}

fn the_fresh_history_is_the_position_itself<G: Game>(position: &Position<G>) {
    if position.is_over() || !position.state().counts_for_repetition() {
        return;
    }
    let present = position.state().fingerprint();
    assert_eq!(position.history().last(), Some(&present));
    assert!(position.has_stood(present));
    let fresh = Position::from_state(*position.rules(), *position.state());
    assert_eq!(fresh.history(), [present]);
}

fn returns_fit_the_winner<G: Game>(position: &Position<G>) {
    let [zero, one] = position.returns();
    assert_eq!(zero + one, 0.0);
    match position.winner() {
        None => assert_eq!(zero, 0.0),
        Some(winner) => {
            assert!(position.is_over() && position.returns()[winner.index()] >= 1.0);
            let scores = position.scores();
            assert!(scores[winner.index()] > scores[winner.other().index()]);
        }
    }
}

fn both_ways_of_playing_agree<G: Game>(position: &Position<G>) {
    for action in position.legal_actions() {
        let (mut one, mut two) = (position.clone(), position.clone());
        assert_eq!(one.play(action).unwrap(), two.play_unchecked(action));
        assert_eq!(one, two);
        assert_eq!(one.plies(), position.plies() + 1);
        let mut state = *position.state();
        state.play(position.rules(), action).unwrap();
        assert_eq!(state, *one.state());
    }
}

fn action_features_agree_with_playing<G: Game>(position: &Position<G>) {
    for action in position.legal_actions() {
        let (info, state) = ActionInfo::of(position, action);
        let mut after = position.clone();
        let played = after.play(action).unwrap();
        assert_eq!(state, *after.state());
        assert_eq!(info.action, action);
        assert_eq!((info.captured, info.extra_move), (played.captured, played.extra_move));
        assert_eq!((info.endless, info.entered), (played.endless, played.entered));
        assert_eq!(u16::from(info.laps), played.laps.min(255));
        assert_eq!(info.landing, position.state().relative_pit(played.landing));
        assert_eq!(info.repeats, after.end() == Some(mancala_env::End::Repetition));
        assert_eq!(info.ends_game, after.is_over());
        let flag = |flag: bool| f32::from(u8::from(flag));
        let features = info.features(4.0, 20);
        assert_eq!(features[0], f32::from(played.captured) / 4.0);
        assert_eq!(features[1], flag(played.extra_move));
        assert_eq!(features[2], f32::from(played.laps.min(255)) / 10.0);
        assert_eq!(features[3], f32::from(info.landing) / 20.0);
        assert_eq!(features[4..], [played.entered, info.repeats, played.endless, after.is_over()].map(flag));
    }
}
