//! "End: endless sowing".

use mancala_env::{ActionInfo, End, Game};

use crate::{check, giuthi, names, play};

/// Positions of one to five pits a row with a move that never ends.
const ENDLESS: &[(&str, &str)] = &[
    ("5,0/0,5 0 0 p1", "0cw"),
    ("0,5/5,0 0 0 p1", "1ccw"),
    ("2,2/4,5 0 0 p1", "0ccw"),
    ("1,3,7/4,3,5 0 0 p1", "1ccw"),
    ("1,4,1/1,3,1 0 0 p1", "1ccw"),
    ("4,4,1,1/6,3,3,0 0 0 p1", "0ccw"),
    ("2,5,2,1,3/0,0,0,0,3 0 0 p1", "0ccw"),
];

// "Such a move is legal, and the board is left as it stood before it"; "in an endless sowing the mover" is shown.
#[test]
fn an_endless_move_is_legal_and_leaves_the_board() {
    for (before, name) in ENDLESS {
        assert!(names(&giuthi(before)).contains(&(*name).to_owned()), "{name} in {before}");
        let played = check(before, name, &format!("{before} endless"), "endless");
        assert_eq!(played.laps, 0);
    }
}

// "ends the game as a draw", whatever the scores.
#[test]
fn an_endless_move_is_a_draw_whatever_the_scores() {
    let mut position = giuthi("5,0/0,5 9 90 p1");
    play(&mut position, "0cw");
    assert_eq!(position.end(), Some(End::Endless));
    assert_eq!((position.scores(), position.winner(), position.returns()), ([9, 90], None, [0.0; 2]));
    assert!(position.legal_actions().is_empty());
    assert!(position.play(0).unwrap_err().to_string().contains("endless"));
}

// It shows what one ply of simulation finds, and nothing of the board after it.
#[test]
fn an_endless_move_keeps_plies_and_history() {
    let position = giuthi("5,0/0,5 0 0 p1");
    let action = position.state().parse_action("0cw").unwrap();
    let (info, after) = ActionInfo::of(&position, action);
    assert!(info.endless && info.ends_game && info.entered && !info.repeats);
    assert_eq!(after, *position.state());
    assert_eq!(info.landing, 0, "the pit it was started from");
}

// "the same pits, the same landing pit and the same direction come round again": the same pits and direction with another
// landing pit are another state. These laps come to the same pits, and end.
#[test]
fn the_same_pits_with_another_landing_pit_are_not_endless() {
    check("5,3/0,1 0 0 p1", "1ccw", "7,0/0,0 0 2 p1", "capture:2 pass");
}

// "It must be found exactly (a repeated lap state), never guessed from a lap count": the longest relays found by search.
#[test]
fn relays_of_hundreds_of_laps_end() {
    for (before, name, after, laps) in [
        ("27,21/49,23 0 0 p0", "2ccw", "3,1/65,51 0 0 p1", 162),
        ("50,35/45,49 0 0 p0", "3cw", "1,18/73,87 0 0 p1", 425),
        ("47,55/25,35 0 0 p0", "3ccw", "1,84/6,71 0 0 p1", 531),
    ] {
        assert_eq!(check(before, name, after, "").laps, laps, "{name} in {before}");
    }
    assert_eq!(check("43,56/22,49 0 0 p0", "3cw", "0,1/134,0 35 0 p0", "capture:35 pass").laps, 274);
}
