//! "A move": choosing, sowing, relays, and how a move ends without a capture.

use mancala_env::{Capture, Game};

use crate::{check, check_with, giuthi, names, play};

// "A single seed cannot be sown."
#[test]
fn a_single_seed_cannot_be_sown() {
    let mut position = giuthi("2,2,2,2/1,2,0,1 0 0 p0");
    assert_eq!(names(&position), ["5ccw", "5cw"]);
    let error = position.play(0).unwrap_err().to_string();
    assert!(error.contains("4ccw") && error.contains("pit 4 holds 1 seed"), "{error}");
    let error = position.play(5).unwrap_err().to_string();
    assert!(error.contains("6cw") && error.contains("pit 6 is empty"), "{error}");
}

// "The player chooses one of his own pits ... and a direction, clockwise or counter-clockwise, for the first lap."
#[test]
fn the_first_lap_goes_the_way_the_player_chooses() {
    check("0,2,0,0/0,3,0,0 0 0 p0", "5ccw", "1,2,0,0/0,0,1,1 0 0 p1", "");
    check("0,2,0,0/0,3,0,0 0 0 p0", "5cw", "0,2,1,1/1,0,0,0 0 0 p1", "");
}

// "He lifts all its seeds and sows them one by one into the next pits."
#[test]
fn all_seeds_of_the_pit_are_sown_one_by_one() {
    let played = check("0,0,0,2/5,1,1,1 0 0 p0", "4ccw", "1,1,0,2/0,2,2,2 0 0 p1", "");
    assert_eq!((played.laps, played.landing), (1, 1));
}

// "No pit is skipped: with 2n seeds or more, the pit they came from is sown too." Exactly 2n seeds end in the pit they
// came from, which is empty by then.
#[test]
fn six_seeds_on_a_ring_of_six_end_in_their_own_pit() {
    let played = check("0,0,3/6,0,0 0 0 p0", "3ccw", "0,0,0/0,0,0 7 2 p1 no-moves", "capture:5");
    assert_eq!((played.laps, played.landing), (1, 3));
}

#[test]
fn with_more_than_2n_seeds_the_pit_they_came_from_is_sown_too() {
    // 7 seeds: a whole round, and one more into pit 4; relays from 4 (two, cw) and from 2 (two, ccw) into pit 4.
    let played = check("0,0,0/7,0,0 0 0 p0", "3ccw", "1,0,0/3,0,1 2 0 p0", "capture:2 pass");
    assert_eq!((played.laps, played.landing), (3, 4));
    // 13 seeds: twice round and one more, into pit 4; relays of three from 4 (cw) and from 1 (ccw) into pit 4.
    let played = check("0,0,0/13,0,0 0 0 p0", "3ccw", "2,0,4/4,0,2 1 0 p1", "capture:1");
    assert_eq!((played.laps, played.landing), (3, 4));
}

// "all the seeds of that pit, the one just dropped among them, are lifted and sown in another lap, in the other direction":
// pit 7 held one, is sown to two, and these go back to 6 and 5.
#[test]
fn a_relay_lifts_the_seed_just_dropped_too_and_turns_round() {
    let played = check("0,0,0,2/0,2,0,1 0 0 p0", "5ccw", "0,0,0,2/0,1,2,0 0 0 p0", "extra");
    assert_eq!((played.laps, played.landing), (2, 5));
    let played = check("0,0,0,2/1,0,2,0 0 0 p0", "6cw", "0,0,0,2/0,2,1,0 0 0 p0", "extra");
    assert_eq!((played.laps, played.landing), (2, 6));
}

// "If the last seed of a lap falls into an occupied pit, on either side": pit 0 is the opponent's. Three from there go back
// to pit 5, two from 5 to 7, three from 7 to 4.
#[test]
fn a_pit_of_the_opponent_relays_as_well() {
    let played = check("2,0,0,2/0,1,2,0 0 0 p0", "6ccw", "0,0,0,0/0,1,3,0 3 0 p0", "capture:3 pass");
    assert_eq!((played.laps, played.landing), (4, 4));
}

// "Every relay turns the direction round": ccw to 7, cw to 4, ccw to 7 again.
#[test]
fn every_relay_turns_the_direction_round() {
    let played = check("0,0,0,2/2,2,0,2 0 0 p0", "5ccw", "0,0,0,2/0,2,3,1 0 0 p0", "extra");
    assert_eq!((played.laps, played.landing), (3, 7));
}

// "on the opponent's side: nothing is captured, the turn goes over", whatever stands opposite.
#[test]
fn a_move_that_ends_on_the_opponents_side_captures_nothing() {
    check("0,0,2,0/0,0,2,9 0 0 p1", "2ccw", "0,0,0,1/1,0,2,9 0 0 p0", "");
    check("0,0,2,9/0,0,0,2 0 0 p0", "7ccw", "1,1,2,9/0,0,0,0 0 0 p1", "");
}

// "on his own side, and no seed of this move fell into the opponent's row: the player has earned an extra move. It is still
// his turn".
#[test]
fn an_extra_move_is_earned_by_staying_in_the_own_row() {
    let played = check("0,0,0,2/0,2,0,0 0 0 p0", "5ccw", "0,0,0,2/0,0,1,1 0 0 p1", "extra pass");
    assert!(!played.entered);
    let mut position = giuthi("0,0,0,2/2,2,0,0 0 0 p0");
    assert!(!position.state().is_extra_move());
    assert!(!play(&mut position, "5ccw").entered);
    assert_eq!(position.write(), "0,0,0,2/2,0,1,1 0 0 p0");
    assert!(position.state().is_extra_move());
    play(&mut position, "4cw");
    assert_eq!(position.write(), "0,0,1,3/0,0,1,1 0 0 p1");
    assert!(!position.state().is_extra_move());
}

// "at least one seed of this move": the seed that entered the opponent's row may have been picked up again on the way.
#[test]
fn one_seed_in_the_opponents_row_on_the_way_forfeits_the_extra_move() {
    let played = check("1,0,0,2/0,1,2,0 0 0 p0", "6ccw", "0,0,0,2/0,1,0,2 1 0 p1", "capture:1");
    assert!(played.entered && !played.extra_move);
    let occupied = "0,0,0,2/0,1,1,2 0 0 p1";
    let played = check_with(Capture::Occupied, "1,0,0,2/0,1,2,0 0 0 p0", "6ccw", occupied, "");
    assert!(played.entered && !played.extra_move);
}

// "he must move again from any own pit with two seeds or more, the one just played included if it has filled again": and an
// extra move may earn another.
#[test]
fn the_pit_just_played_may_be_played_again() {
    let mut position = giuthi("0,0,0,2/2,2,0,2 0 0 p0");
    assert!(play(&mut position, "5ccw").extra_move);
    assert_eq!(names(&position), ["5ccw", "5cw", "6ccw", "6cw"]);
    assert!(play(&mut position, "5ccw").extra_move);
    assert_eq!(position.write(), "0,0,0,2/0,1,5,0 0 0 p0");
    assert!(position.state().is_extra_move());
}

// "If he has none, he passes": the mover himself is passed over, and has no extra move any more.
#[test]
fn an_extra_move_without_a_move_is_a_pass() {
    let mut position = giuthi("0,0,0,2/0,2,0,0 0 0 p0");
    let played = play(&mut position, "5ccw");
    assert!(played.extra_move && played.passed);
    assert_eq!(position.write(), "0,0,0,2/0,0,1,1 0 0 p1");
    assert!(!position.state().is_extra_move());
}
