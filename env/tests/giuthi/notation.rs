//! "Notation": positions, moves, action numbers, the settling of texts.

use mancala_env::{Capture, End, Game, Giuthi, GiuthiRules, Player, Position};

use crate::{giuthi, giuthi_with, names};

// "row of Player 1/row of Player 0 score0 score1 player, the pits in numbered order with commas."
#[test]
fn a_position_lists_player_ones_row_first() {
    let position = giuthi("0,1,2,3/4,5,6,7 8 9 p1");
    assert_eq!(position.state().pits(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((position.scores(), position.to_move()), ([8, 9], Player::One));
    assert_eq!(position.write(), "0,1,2,3/4,5,6,7 8 9 p1");
}

// "The start of 8x8: ..."
#[test]
fn the_start_of_8x8_is_written_as_in_the_rules() {
    let position = Position::<Giuthi>::initial(GiuthiRules::new(8, 8).unwrap());
    assert_eq!(position.write(), "8,8,8,8,8,8,8,8/8,8,8,8,8,8,8,8 0 0 p0");
}

// "Move: the pit and the direction: 12ccw, 3cw." "Action number, relative to the player to move: 2*k + d, k the own pit
// counted from his own left (0..n-1), d 0 for counter-clockwise, 1 for clockwise. 2n actions."
#[test]
fn actions_are_numbered_from_the_own_left() {
    for (player, left) in [("p0", 8), ("p1", 0)] {
        let position = giuthi(&format!("2,2,2,2,2,2,2,2/2,2,2,2,2,2,2,2 0 0 {player}"));
        assert_eq!(Giuthi::num_actions(position.rules()), 16);
        assert_eq!(position.legal_actions()[..], (0..16).collect::<Vec<_>>());
        for k in 0..8 {
            for (d, word) in ["ccw", "cw"].into_iter().enumerate() {
                let (action, name) = (2 * k + d as u16, format!("{}{word}", left + k));
                assert_eq!(position.state().action_name(action), name);
                assert_eq!(position.state().parse_action(&name), Ok(action));
            }
        }
    }
}

// The action of a move that is not legal can be named all the same: the text is right, the move is not.
#[test]
fn a_move_need_not_be_legal_to_be_read() {
    let position = giuthi("1,1,1,1/0,2,0,0 0 0 p0");
    assert_eq!(position.state().parse_action("4cw"), Ok(1));
    assert_eq!(position.state().parse_action(" 4cw "), Ok(1));
    assert!(!position.is_legal(1));
}

// "A position given without an end word is settled first (a pass, or the sweep of a no-moves end)".
#[test]
fn a_position_is_settled_by_a_pass() {
    assert_eq!(giuthi("1,1,1,1/1,2,0,0 3 4 p1").write(), "1,1,1,1/1,2,0,0 3 4 p0");
    assert_eq!(giuthi("2,1,1,1/1,1,0,0 3 4 p0").write(), "2,1,1,1/1,1,0,0 3 4 p1");
    assert_eq!(giuthi("2,1,1,1/1,2,0,0 3 4 p1").write(), "2,1,1,1/1,2,0,0 3 4 p1");
}

#[test]
fn a_position_is_settled_by_the_sweep() {
    for player in ["p0", "p1"] {
        let position = giuthi(&format!("1,1,1,1/1,1,0,0 3 4 {player}"));
        assert_eq!(position.write(), format!("0,0,0,0/0,0,0,0 5 8 {player} no-moves"));
        assert_eq!(position.winner(), Some(Player::One));
    }
    assert_eq!(giuthi("0,0/0,0 0 0 p0").write(), "0,0/0,0 0 0 p0 no-moves");
}

// "... and is then the first position of its own history."
#[test]
fn a_position_is_the_first_of_its_own_history() {
    let position = giuthi("2,1,1,1/1,2,0,0 3 4 p1");
    assert_eq!(position.history(), [position.state().fingerprint()]);
    assert_eq!((position.plies(), position.state().plies_since_capture()), (0, 0));
    assert!(!position.state().is_extra_move());
    assert!(giuthi("1,1/1,1 0 0 p0").history().is_empty());
}

// "the word after the player tells why: no-moves, repetition, endless": such a text is that finished game.
#[test]
fn a_text_with_an_end_word_is_that_finished_game() {
    for (text, end, winner) in [
        ("0,0/0,0 3 2 p1 no-moves", End::NoMoves, Some(Player::Zero)),
        ("0,0/0,0 2 3 p0 no-moves", End::NoMoves, Some(Player::One)),
        ("2,1/0,0 30 2 p1 repetition", End::Repetition, None),
        ("5,0/0,5 0 9 p1 endless", End::Endless, None),
    ] {
        let position = giuthi(text);
        assert_eq!((position.end(), position.winner()), (Some(end), winner), "{text}");
        assert!(position.is_over() && position.legal_actions().is_empty());
        assert_eq!(position.write(), text);
    }
}

// "The text carries neither the capture option nor a history."
#[test]
fn the_text_does_not_carry_the_capture_option() {
    let text = "2,1,1,1/1,2,0,0 3 4 p1";
    let (any, occupied) = (giuthi(text), giuthi_with(Capture::Occupied, text));
    assert_eq!(any.write(), occupied.write());
    assert_ne!(any, occupied);
}

#[test]
fn only_pits_of_two_seeds_or_more_are_named_as_legal() {
    assert_eq!(names(&giuthi("0,1,2,3/1,1,1,9 0 0 p1")), ["2ccw", "2cw", "3ccw", "3cw"]);
}
