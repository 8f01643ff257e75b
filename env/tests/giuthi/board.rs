//! "Board": rows, pits, stores, the sowing ring.

use mancala_env::{Game, Giuthi, GiuthiRules, Player, Position};

use crate::{check, giuthi};

fn start(pits: u8, seeds: u8) -> Position<Giuthi> {
    Position::initial(GiuthiRules::new(pits, seeds).unwrap())
}

// "Two rows of n pits, s seeds in every pit at the start"; "8x8 (the standard: 128 seeds)".
#[test]
fn every_pit_starts_with_the_same_seeds() {
    assert_eq!(start(8, 8).write(), "8,8,8,8,8,8,8,8/8,8,8,8,8,8,8,8 0 0 p0");
    assert_eq!(start(2, 9).write(), "9,9/9,9 0 0 p0");
    assert_eq!(start(8, 8).state().seeds_in_play(), 128);
    assert_eq!(start(10, 9).state().seeds_in_play(), 180);
}

// "The code accepts any n in 2..=10 and s in 2..=9".
#[test]
fn two_to_ten_pits_and_two_to_nine_seeds_are_accepted() {
    for pits in 0..=12 {
        for seeds in 0..=11 {
            let accepted = (2..=10).contains(&pits) && (2..=9).contains(&seeds);
            assert_eq!(GiuthiRules::new(pits, seeds).is_some(), accepted, "{pits}x{seeds}");
        }
    }
}

// "Player 0 starts."
#[test]
fn player_zero_starts() {
    assert_eq!(start(6, 4).to_move(), Player::Zero);
}

// "No stores on the board": sowing passes from one row straight into the other at both ends.
#[test]
fn the_ring_runs_from_either_row_into_the_other() {
    check("0,0,3,0/0,0,3,0 0 0 p0", "6ccw", "1,1,3,0/0,0,0,1 0 0 p1", "");
    check("0,3,0,0/0,3,0,0 0 0 p0", "5cw", "0,3,1,1/1,0,0,0 0 0 p1", "");
    check("0,0,3,0/0,0,3,0 0 0 p1", "2ccw", "0,0,0,1/1,1,3,0 0 0 p0", "");
    check("0,3,0,0/0,2,0,0 0 0 p1", "1cw", "1,0,0,0/0,2,1,1 0 0 p0", "");
}

// "Captured seeds go off the board, to the captor's score."
#[test]
fn captured_seeds_go_to_the_captors_score() {
    check("1,5,0,2/0,1,2,0 3 4 p0", "6ccw", "0,0,0,2/0,1,0,2 9 4 p1", "capture:6");
    check("0,1,2,0/1,5,0,2 3 4 p1", "2ccw", "0,1,0,2/0,0,0,2 3 10 p0", "capture:6");
}

// "Pits are numbered 0..n-1 (Player 1's row) and n..2n-1 (Player 0's row)".
#[test]
fn the_low_pits_are_player_ones() {
    let names = |text| crate::names(&giuthi(text)).join(" ");
    assert_eq!(names("2,0,0,3/4,0,0,5 0 0 p1"), "0ccw 0cw 3ccw 3cw");
    assert_eq!(names("2,0,0,3/4,0,0,5 0 0 p0"), "4ccw 4cw 7ccw 7cw");
}

// "Reversing both rows and swapping the two directions is an exact symmetry of the game." The opener of 10x9 and its
// mirror: "By these rules 10ccw (or its mirror 19cw) takes ten: nine opposite and the effecting seed."
#[test]
fn the_opener_of_10x9_takes_ten_and_so_does_its_mirror() {
    let mut ended = vec![];
    for name in ["10ccw", "19cw"] {
        let mut position = start(10, 9);
        assert_eq!(crate::play(&mut position, name).captured, 10, "{name}");
        assert_eq!(position.scores(), [10, 0]);
        ended.push(*position.state());
    }
    assert_eq!(ended[0].mirrored(), ended[1]);
}
