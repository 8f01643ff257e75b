//! "End": no moves, repetition, endless sowing, the one-warrior victory.

use mancala_env::{ActionInfo, End, Game, Kiothi, KiothiRules, Player, Position};

use crate::{UNMARKED, check, check_unmarked, kiothi, names, play};

// "the player to move has no legal move. That is so exactly when his row is empty ..., so all warriors left lie in the other
// row and go to the other player."
#[test]
fn what_is_left_goes_to_the_player_who_owns_the_row() {
    let before = "0,0,0,2,0,0,0,0,0,0/0,0,0,0,0,4,0,0,0,0 3 9 p0";
    let empty = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0";
    check(
        &format!("{before} {UNMARKED}"),
        "3:1",
        &format!("{empty} 9 9 p1 {UNMARKED} no-moves"),
        "capture:5",
    );
    // Player 0 sows his last warrior into the row of Player 1, who keeps it there: now Player 0 has none.
    let mut position = kiothi(&format!("0,0,0,0,0,0,0,0,0,1/0,0,0,0,0,0,0,0,1,0 3 9 p0 {UNMARKED}"));
    play(&mut position, "9:1");
    play(&mut position, "10:1");
    assert_eq!(position.write(), format!("{empty} 3 11 p0 {UNMARKED} no-moves"));
}

// "one warrior sown from his rightmost occupied boma is always legal".
#[test]
fn one_warrior_from_the_rightmost_occupied_boma_is_always_legal() {
    let position = kiothi(&format!("1,1,1,1,1,1,1,1,1,1/5,5,5,5,5,5,5,5,5,5 0 0 p0 {UNMARKED}"));
    assert_eq!(names(&position), ["9:1"]);
    let position = kiothi(&format!("1,1,1,1,1,1,1,0,0,0/5,5,5,5,5,5,5,5,5,5 0 0 p0 {UNMARKED}"));
    assert_eq!(names(&position), ["6:1"]);
}

// "Only the player to move is examined; there are no passes."
#[test]
fn a_player_may_empty_his_own_row() {
    let before = "0,0,0,0,0,0,0,0,0,1/0,0,0,0,1,0,0,0,0,0 0 0 p0";
    check_unmarked(before, "9:1", "0,0,0,0,0,0,0,0,0,0/1,0,0,0,1,0,0,0,0,0 0 0 p1", "");
    let before = "0,0,0,0,1,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 0 0 p1";
    check_unmarked(before, "19:1", "1,0,0,0,1,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 0 p0", "");
}

// "nki signs as they stood, the board swept in a no-moves end": such a text can be read again.
#[test]
fn marks_stand_as_they_stood_in_a_no_moves_end() {
    let mut position = kiothi("0,0,0,1,0,0,0,0,1,0/0,0,0,0,0,0,0,0,0,1 0 0 p1 sow ........x..........x");
    play(&mut position, "19:1");
    assert_eq!(position.end(), None);
    play(&mut position, "3:1");
    let ended = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 3 0 p1 sow ........x........... no-moves";
    assert_eq!(position.write(), ended);
    assert_eq!((kiothi(ended).write().as_str(), kiothi(ended).winner()), (ended, Some(Player::Zero)));
    // A text that is settled first keeps its marks as well.
    let swept = kiothi("0,0,0,0,0,0,0,0,0,0/0,1,0,0,0,2,0,0,0,0 0 9 p0 sow ...........x........");
    let ended = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 12 p0 sow ...........x........ no-moves";
    assert_eq!(swept.write(), ended);
    assert_eq!(kiothi(ended), swept);
}

fn ended(rules: KiothiRules, prisons: &str) -> Position<Kiothi> {
    let text = format!("0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 {prisons} p1 {UNMARKED} no-moves");
    Position::read(rules, &text).unwrap()
}

// "Most warriors in prison wins, equal is a draw."
#[test]
fn most_warriors_in_prison_win_and_equal_is_a_draw() {
    let rules = KiothiRules::new(6, 5).unwrap();
    for (prisons, winner, returns) in [
        ("31 29", Some(Player::Zero), [1.0, -1.0]),
        ("30 30", None, [0.0, 0.0]),
        ("10 50", Some(Player::One), [-1.0, 1.0]),
    ] {
        let position = ended(rules, prisons);
        assert_eq!((position.winner(), position.returns()), (winner, returns), "{prisons}");
    }
}

// "A win by exactly two warriors ...: both are multiplied by it when the margin is exactly two"; "default 1.0 = off".
#[test]
fn a_win_by_exactly_two_is_multiplied() {
    let rules = KiothiRules::new(6, 5).unwrap().with_one_warrior_multiplier(3.0).unwrap();
    for (prisons, returns) in [
        ("31 29", [3.0, -3.0]),
        ("29 31", [-3.0, 3.0]),
        ("30 30", [0.0, 0.0]),
        ("32 28", [1.0, -1.0]),
        ("30 29", [1.0, -1.0]),
        ("0 3", [-1.0, 1.0]),
        ("2 0", [3.0, -3.0]),
    ] {
        assert_eq!(ended(rules, prisons).returns(), returns, "{prisons}");
    }
    let unfinished = kiothi(&format!("0,0,0,0,0,0,0,0,0,1/0,0,0,0,1,0,0,0,0,0 31 27 p0 {UNMARKED}"));
    assert_eq!(unfinished.returns(), [0.0, 0.0]);
}

/// Plays 9:1 on, with what stood before it and one more position in the history.
fn play_with_history(history: &str) -> Position<Kiothi> {
    let before = kiothi("0,0,0,0,1,0,0,0,0,1/0,0,0,0,0,2,0,0,1,0 0 0 p0 sow ..................x.");
    let stood = [kiothi(history).state().fingerprint(), before.state().fingerprint()];
    let mut position = Position::with_history(*before.rules(), *before.state(), &stood);
    play(&mut position, "9:1");
    position
}

// "Repetition ... A position is all boma, all nki marks and the player to move."
#[test]
fn a_position_that_has_stood_is_a_draw_by_repetition() {
    let after = "0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p1 sow ..................x.";
    let position = play_with_history(after);
    assert_eq!(position.write(), format!("{after} repetition"));
    assert_eq!((position.end(), position.winner()), (Some(End::Repetition), None));
    for other in [
        // Another player to move, another mark, another boma.
        "0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p0 sow ..................x.",
        "0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p1 sow ....................",
        "0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p1 sow ..........x.......x.",
        "0,0,0,0,0,1,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p1 sow ..................x.",
    ] {
        assert_eq!(play_with_history(other).end(), None, "{other}");
    }
}

#[test]
fn the_action_features_foretell_a_repetition() {
    let before = kiothi("0,0,0,0,1,0,0,0,0,1/0,0,0,0,0,2,0,0,1,0 0 0 p0 sow ..................x.");
    let after = kiothi("0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,2,0,0,1,0 0 0 p1 sow ..................x.");
    let stood = [after.state().fingerprint(), before.state().fingerprint()];
    let position = Position::with_history(*before.rules(), *before.state(), &stood);
    let action = before.state().parse_action("9:1").unwrap();
    let (info, state) = ActionInfo::of(&position, action);
    assert!(info.repeats && info.ends_game && !info.endless);
    assert_eq!(state.write(), after.write());
    assert!(!ActionInfo::of(&before, action).0.repeats);
}

// "An endless move is legal and leaves boma and nki marks as they stood before it."
#[test]
fn an_endless_move_leaves_boma_and_marks() {
    for (before, name) in [
        ("0,2,1,3,0,1,0,1,2,0/1,0,1,0,1,0,2,1,0,3 0 0 p0 sow ........x...........", "8:2"),
        ("0,2,1,3,0,1,0,1,2,0/1,0,1,0,1,0,2,1,0,3 20 1 p0 sow .x......x.......xx..", "8:2"),
        ("0,1,2,1,0,1,0,1,4,0/2,1,2,1,0,1,0,1,0,1 0 0 p0 sow ....................", "8:4"),
        // 120,180 laps until the same lap comes round; then 58,627,780, and more than a thousand million.
        ("2,1,3,5,4,3,2,1,3,7/2,3,4,1,4,1,2,5,2,1 0 0 p0 sow ....................", "8:3"),
        ("2,3,4,1,4,1,2,5,2,1/2,1,3,5,4,3,2,1,3,7 0 0 p1 sow ....................", "18:3"),
        ("5,1,0,2,1,3,4,6,1,7/1,5,2,3,0,3,4,3,2,1 0 0 p0 sow ....................", "7:3"),
        ("0,1,0,1,2,1,2,1,4,1/6,5,7,1,2,1,9,1,8,7 0 0 p1 sow ..........x.x...x.x.", "16:9"),
    ] {
        assert!(names(&kiothi(before)).contains(&name.to_owned()));
        let played = check(before, name, &format!("{before} endless"), "endless");
        assert_eq!((played.laps, played.captured), (0, 0));
        let mut position = kiothi(before);
        play(&mut position, name);
        assert_eq!((position.winner(), position.returns()), (None, [0.0; 2]), "a draw");
    }
}

#[test]
fn a_capture_begins_the_history_anew() {
    let mut position = kiothi(&format!("0,0,0,1,0,0,0,0,0,1/1,0,0,0,2,4,3,0,0,0 0 0 p0 {UNMARKED}"));
    play(&mut position, "9:1");
    assert_eq!((position.history().len(), position.state().plies_since_capture()), (2, 1));
    play(&mut position, "16:1");
    assert_eq!(position.history().len(), 3);
    assert!(play(&mut position, "3:1").captured > 0);
    assert_eq!((position.history().len(), position.state().plies_since_capture()), (1, 0));
}
