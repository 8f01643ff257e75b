//! "Capture": what is taken, the chain, the option `capture`, whose turn it is then.
//!
//! All these moves sow `8ccw`: one seed into pit 9, one into pit 0 of the opponent, whose two go back to 9 and 8. So the
//! last lap is clockwise and ends in pit 8, opposite pit 1, and the chain runs over 7, 6 and 5, opposite 2, 3 and 4.

use mancala_env::Capture;

use crate::{check, check_with};

// "The player takes the seed that effected the capture and all the seeds of the opponent's pit directly opposite."
// "After a capture the turn goes over."
#[test]
fn the_effecting_seed_and_the_opposite_pit_are_taken_and_the_turn_goes_over() {
    let after = "0,0,4,3,2/0,0,5,0,2 6 0 p1";
    check("1,5,4,3,2/0,0,5,2,0 0 0 p0", "8ccw", after, "capture:6");
    check_with(Capture::Occupied, "1,5,4,3,2/0,0,5,2,0 0 0 p0", "8ccw", after, "capture:6");
}

// "the opponent's pits opposite all of these are taken too ... and at the end of the row": the run does not turn the corner
// into pit 4.
#[test]
fn the_chain_runs_to_the_end_of_the_row_and_no_further() {
    let before = "1,5,4,3,2/0,0,0,2,0 0 0 p0";
    check(before, "8ccw", "0,0,0,0,0/0,0,0,0,2 15 0 p0", "capture:15 pass");
    check_with(Capture::Occupied, before, "8ccw", "0,0,0,0,0/0,0,0,0,2 15 0 p0", "capture:15 pass");
    // The same for Player 1, from pit 3 down to pit 0.
    check("0,0,0,2,0/1,5,4,3,2 0 0 p1", "3ccw", "0,0,0,0,2/0,0,0,0,0 0 15 p1", "capture:15 pass");
}

// "in the direction of the last lap": its mirror runs counter-clockwise, over 7, 8 and 9.
#[test]
fn the_chain_follows_the_last_lap_counter_clockwise_too() {
    check("2,3,4,5,1/0,2,0,0,0 0 0 p0", "6cw", "0,0,0,0,0/2,0,0,0,0 15 0 p0", "capture:15 pass");
    check("0,2,0,0,0/2,3,4,5,1 0 0 p1", "1cw", "2,0,0,0,0/0,0,0,0,0 0 15 p1", "capture:15 pass");
}

// "The run ends at the first own pit that holds a seed": pit 6 stops it, though 5 is empty.
#[test]
fn the_chain_ends_at_the_first_own_seed() {
    let before = "1,5,4,3,2/0,1,0,2,0 0 0 p0";
    check(before, "8ccw", "0,0,0,3,2/0,1,0,0,2 10 0 p1", "capture:10");
    check_with(Capture::Occupied, before, "8ccw", "0,0,0,3,2/0,1,0,0,2 10 0 p1", "capture:10");
}

// "An opposite pit that is empty gives nothing and does not end the run." With "occupied": "the chain ends at the first
// empty opposite pit".
#[test]
fn an_empty_opposite_pit_ends_the_chain_only_where_capture_is_occupied() {
    let before = "1,5,0,3,2/0,0,0,2,0 0 0 p0";
    check(before, "8ccw", "0,0,0,0,0/0,0,0,0,2 11 0 p0", "capture:11 pass");
    check_with(Capture::Occupied, before, "8ccw", "0,0,0,3,2/0,0,0,0,2 6 0 p1", "capture:6");
}

// "With nothing in the opposite pit the capture still happens: the effecting seed is taken, and the chain runs." With
// "occupied": "nothing at all is taken, the effecting seed stays, and the turn goes over".
#[test]
fn an_empty_directly_opposite_pit_still_captures_unless_capture_is_occupied() {
    let before = "1,0,4,3,2/0,0,0,2,0 0 0 p0";
    check(before, "8ccw", "0,0,0,0,0/0,0,0,0,2 10 0 p0", "capture:10 pass");
    check_with(Capture::Occupied, before, "8ccw", "0,0,4,3,2/0,0,0,1,2 0 0 p1", "");
}

#[test]
fn the_effecting_seed_alone_is_a_capture_too() {
    let before = "1,0,0,0,2/0,1,0,2,0 0 0 p0";
    check(before, "8ccw", "0,0,0,0,2/0,1,0,0,2 1 0 p1", "capture:1");
    check_with(Capture::Occupied, before, "8ccw", "0,0,0,0,2/0,1,0,1,2 0 0 p1", "");
}

// "capture: any (default)".
#[test]
fn any_is_the_default() {
    assert_eq!(Capture::default(), Capture::Any);
    assert_eq!(mancala_env::GiuthiRules::new(8, 8).unwrap().capture(), Capture::Any);
}
