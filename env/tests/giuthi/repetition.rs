//! "End: repetition".

use mancala_env::{End, Player};

use crate::{flags, giuthi, play};

// "a position that has stood before in this game ends the game as a draw"; "The first position counts".
#[test]
fn the_first_position_counts() {
    let mut position = giuthi("1,0,3/1,1,1 0 0 p1");
    play(&mut position, "2ccw");
    assert_eq!(position.end(), None);
    assert_eq!(flags(&play(&mut position, "5ccw")), "");
    assert_eq!(position.write(), "1,0,3/1,1,1 0 0 p1 repetition");
}

// "... as a draw, whatever the scores"; nothing is swept.
#[test]
fn a_repetition_is_a_draw_whatever_the_scores() {
    let mut position = giuthi("1,0,3/1,1,1 100 0 p1");
    play(&mut position, "2ccw");
    play(&mut position, "5ccw");
    assert_eq!(position.end(), Some(End::Repetition));
    assert_eq!((position.scores(), position.winner(), position.returns()), ([100, 0], None, [0.0; 2]));
    assert!(position.legal_actions().is_empty());
    assert!(position.play(0).unwrap_err().to_string().contains("repetition"));
}

// "and so do the positions between a move and its extra move": the one that comes back stood after 5cw, which earned an
// extra move.
#[test]
fn positions_between_a_move_and_its_extra_move_count() {
    let mut position = giuthi("0,1,0/0,2,2 0 2 p0");
    assert!(play(&mut position, "5cw").extra_move);
    assert_eq!(position.write(), "0,1,0/1,3,0 0 2 p0");
    play(&mut position, "4ccw");
    assert_eq!(position.end(), None);
    play(&mut position, "0cw");
    assert_eq!(position.write(), "0,1,0/1,3,0 0 2 p0 repetition");
}

// "all pits, and the player to move": the same pits with the other player to move are another position.
#[test]
fn the_same_pits_with_the_other_player_to_move_are_no_repetition() {
    let mut position = giuthi("3,0,0,1/2,0,0,1 2 0 p1");
    play(&mut position, "0ccw");
    play(&mut position, "2cw");
    assert_eq!(position.write(), "3,0,0,1/2,0,0,1 2 0 p0");
    assert_eq!(position.to_move(), Player::Zero);
}

// "nothing from before the last capture can come back": the history begins again with the position after it.
#[test]
fn a_capture_begins_the_history_anew() {
    let mut position = giuthi("1,5,4,3,2/2,0,5,2,0 0 0 p0");
    assert_eq!(position.history().len(), 1);
    assert!(play(&mut position, "8ccw").captured > 0);
    assert_eq!(position.history().len(), 1);
    play(&mut position, "2ccw");
    assert_eq!(position.history().len(), 2);
}
