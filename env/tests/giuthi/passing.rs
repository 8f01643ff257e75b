//! "Passing": who must pass, how often, and that a pass is no action.

use mancala_env::{Game, Giuthi, Player};

use crate::{check, flags, giuthi, names, play};

// "A player with only single seeds and empty pits has no move and must pass. The game goes on with the other player, again
// and again while only he can move; as soon as sowing gives the first player a pit of two seeds or more, he plays again."
#[test]
fn a_player_is_passed_over_again_and_again_until_he_can_move() {
    let mut position = giuthi("0,0,0,0/3,2,0,2 0 0 p0");
    for (name, after, expected) in [
        ("7ccw", "1,1,0,0/3,2,0,0 0 0 p0", "pass"),
        ("5cw", "1,1,0,1/4,0,0,0 0 0 p0", "pass"),
        ("4ccw", "1,1,0,1/0,1,0,3 0 0 p0", "pass"),
        ("7ccw", "2,2,1,1/0,1,0,0 0 0 p1", ""),
    ] {
        let played = play(&mut position, name);
        assert_eq!((position.write().as_str(), flags(&played).as_str()), (after, expected));
    }
}

// "A pass is never a choice and no action": whoever is to move has a sowing, and nothing but sowings.
#[test]
fn a_pass_is_no_action() {
    let position = giuthi("1,1,0,0/3,2,0,0 0 0 p1");
    assert_eq!(position.to_move(), Player::Zero);
    assert_eq!(names(&position), ["4ccw", "4cw", "5ccw", "5cw"]);
    assert_eq!(Giuthi::num_actions(position.rules()), 8);
    assert!(!(8..100).any(|action| position.is_legal(action)));
}

// A player is passed over after a capture as after any other move.
#[test]
fn a_player_may_be_passed_over_after_a_capture() {
    check("1,5,0,0/0,1,2,0 0 0 p0", "6ccw", "0,0,0,0/0,1,0,2 6 0 p0", "capture:6 pass");
}

// A player who can move is never passed over.
#[test]
fn who_can_move_is_not_passed_over() {
    check("1,1,2,0/0,0,2,2 0 0 p0", "6cw", "1,1,2,0/1,1,0,2 0 0 p0", "extra");
    check("0,0,2,1/3,0,0,2 0 0 p0", "7ccw", "1,1,2,1/3,0,0,0 0 0 p1", "");
}
