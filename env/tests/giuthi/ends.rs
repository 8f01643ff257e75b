//! "End: no moves": the sweep, the winner, and what rewards are worth.

use mancala_env::{End, Player};

use crate::{check, giuthi, play};

// "No moves: neither player can move. Each player adds the seeds left in his own row to his score."
#[test]
fn each_player_sweeps_his_own_row() {
    check("1,0,0,1/1,2,0,0 50 40 p0", "5ccw", "0,0,0,0/0,0,0,0 53 42 p0 no-moves", "extra");
}

// While one of the two can move there is no sweep.
#[test]
fn the_game_goes_on_while_one_of_the_two_can_move() {
    let mut position = giuthi("1,0,0,1/1,2,0,2 0 0 p0");
    play(&mut position, "5ccw");
    assert_eq!(position.end(), None);
}

// "The higher score wins, equal scores are a draw."
#[test]
fn the_higher_score_wins_and_equal_scores_are_a_draw() {
    for (scores, winner, returns) in [
        ("5 5", Some(Player::Zero), [1.0, -1.0]),
        ("5 6", None, [0.0, 0.0]),
        ("5 7", Some(Player::One), [-1.0, 1.0]),
    ] {
        let mut position = giuthi(&format!("1,0,0,0/0,2,0,0 {scores} p0"));
        assert_eq!((position.winner(), position.returns()), (None, [0.0; 2]), "unfinished");
        play(&mut position, "5ccw");
        assert_eq!(position.end(), Some(End::NoMoves));
        assert_eq!((position.winner(), position.returns()), (winner, returns), "{scores}");
    }
}

// "The player shown is, in a no-moves end, the one whose turn it would have been before any pass (the opponent after an
// ordinary move or a capture, the mover after an extra move)". Nobody is passed over where the game ends.
#[test]
fn the_player_shown_is_whose_turn_it_would_have_been() {
    check("0,0,0,0/0,0,0,2 0 0 p0", "7ccw", "0,0,0,0/0,0,0,0 0 2 p1 no-moves", "");
    check("1,5,0,0/0,1,2,0 0 0 p0", "6ccw", "0,0,0,0/0,1,0,2 6 0 p0", "capture:6 pass");
    check("0,0,3/6,0,0 0 0 p0", "3ccw", "0,0,0/0,0,0 7 2 p1 no-moves", "capture:5");
    check("1,0,0,0/0,2,0,0 0 0 p0", "5ccw", "0,0,0,0/0,0,0,0 2 1 p0 no-moves", "extra");
    check("0,2,0,0/1,0,0,0 0 0 p1", "1ccw", "0,0,0,0/0,0,0,0 1 2 p1 no-moves", "extra");
}

#[test]
fn nothing_can_be_played_in_a_finished_game() {
    let mut position = giuthi("1,0,0,0/0,2,0,0 0 0 p0");
    play(&mut position, "5ccw");
    let ended = position.clone();
    assert!(position.legal_actions().is_empty());
    let error = position.play(2).unwrap_err().to_string();
    assert!(error.contains("over") && error.contains("no-moves"), "{error}");
    assert_eq!(position, ended);
}
