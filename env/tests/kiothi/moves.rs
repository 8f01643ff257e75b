//! "A move": partial harvests, the first lap, relays.

use mancala_env::Game;

use crate::{UNMARKED, check_unmarked, kiothi, names};

/// How many warriors may be sown from boma 3, the only one of the player's row that is occupied.
fn counts(warriors: u8) -> Vec<u8> {
    let position = kiothi(&format!("0,0,0,{warriors},0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 0 p0 {UNMARKED}"));
    let names = names(&position);
    names.iter().map(|name| name.strip_prefix("3:").unwrap().parse().unwrap()).collect()
}

// "The player lifts any number of warriors, from one to all, from one of his own boma".
#[test]
fn any_number_of_warriors_may_be_lifted() {
    assert_eq!(counts(3), [1, 2, 3]);
    let before = "0,0,0,3,0,0,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p0";
    check_unmarked(before, "3:1", "0,0,0,2,1,0,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p1", "");
    check_unmarked(before, "3:2", "0,0,0,1,1,1,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p1", "");
    check_unmarked(before, "3:3", "0,0,0,0,1,1,1,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p1", "");
}

#[test]
fn no_more_than_all_and_only_own_warriors_may_be_lifted() {
    let mut position = kiothi(&format!("0,0,0,3,0,0,0,0,0,0/4,0,0,0,0,0,0,0,0,0 0 0 p0 {UNMARKED}"));
    assert_eq!(names(&position), ["3:1", "3:2", "3:3"]);
    let action = position.state().parse_action("3:4").unwrap();
    let error = position.play(action).unwrap_err().to_string();
    assert!(error.contains("boma 3 holds 3, not 4"), "{error}");
    assert!(position.state().parse_action("10:1").is_err());
    assert!(position.play(600).unwrap_err().to_string().contains("opening is over"));
}

// "sows them one by one counter-clockwise into the next boma", round both ends of the board.
#[test]
fn sowing_runs_counter_clockwise_round_the_ring() {
    let before = "0,0,0,0,1,0,0,0,0,2/1,0,0,3,0,0,0,0,0,0 0 0 p0";
    check_unmarked(before, "9:2", "0,0,0,0,1,0,0,0,0,0/2,1,0,3,0,0,0,0,0,0 0 0 p1", "");
    let before = "0,0,0,0,1,0,0,0,0,2/1,0,0,0,0,0,0,0,0,3 0 0 p1";
    check_unmarked(before, "19:3", "1,1,1,0,1,0,0,0,0,2/1,0,0,0,0,0,0,0,0,0 0 0 p0", "");
}

// "the last warrior of the first lap must not fall into an occupied boma of the player's own row": before him or behind him.
#[test]
fn the_first_lap_may_not_end_in_an_occupied_own_boma() {
    let mut position = kiothi(&format!("0,0,0,3,0,1,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p0 {UNMARKED}"));
    assert_eq!(names(&position), ["3:1", "3:3", "5:1"]);
    let action = position.state().parse_action("3:2").unwrap();
    let error = position.play(action).unwrap_err().to_string();
    assert!(error.contains("first lap") && error.contains("boma 5"), "{error}");
    let position = kiothi(&format!("1,0,1,0,0,0,0,0,0,13/1,0,0,0,0,0,0,0,0,0 0 0 p0 {UNMARKED}"));
    let from_nine = names(&position).into_iter().filter(|name| name.starts_with("9:")).collect::<Vec<_>>();
    let legal = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map(|count| format!("9:{count}"));
    assert_eq!(from_nine, legal, "11 would fall into boma 0 and 13 into boma 2");
}

// "Every other landing is legal": an own empty boma, and whatever in the enemy row.
#[test]
fn the_first_lap_may_end_in_an_occupied_enemy_boma() {
    let position = kiothi(&format!("0,0,0,0,0,0,0,0,0,3/1,5,0,0,0,0,0,0,0,0 0 0 p0 {UNMARKED}"));
    assert_eq!(names(&position), ["9:1", "9:2", "9:3"]);
}

// "what was left behind in the boma of origin" counts: "twenty sown from a boma of exactly twenty land on the emptied origin,
// and may capture; twenty from a boma of more ... are illegal".
#[test]
fn twenty_may_be_sown_from_exactly_twenty_only() {
    assert_eq!(counts(19), (1..=19).collect::<Vec<_>>());
    assert_eq!(counts(20), (1..=20).collect::<Vec<_>>());
    assert_eq!(counts(21), (1..=19).collect::<Vec<_>>());
    let before = "0,0,0,20,0,0,0,0,0,0/0,0,0,1,0,0,5,0,2,2 15 15 p0";
    let after = "1,1,1,0,1,1,1,1,1,1/1,1,1,2,1,1,0,1,3,3 22 15 p1";
    let played = check_unmarked(before, "3:20", after, "capture:7");
    assert_eq!((played.laps, played.landing), (1, 3));
}

// "what this lap sowed": "any longer first lap that ends in the own row" is illegal. From boma 3, 21 to 26 fall into 4 to 9,
// 27 to 36 into the enemy row, 37 to 46 into the own row for the second time, and so on.
#[test]
fn a_first_lap_of_more_than_twenty_may_not_end_in_the_own_row() {
    let legal = (1..=60u8).filter(|count| matches!(count, 1..=19 | 27..=36 | 47..=56));
    assert_eq!(counts(60), legal.collect::<Vec<_>>());
    let legal = (1..=40u8).filter(|count| matches!(count, 1..=19 | 27..=36));
    assert_eq!(counts(40), legal.collect::<Vec<_>>());
}

// "No boma is skipped": the boma of origin is sown too.
#[test]
fn the_boma_of_origin_is_sown_too() {
    // 27 from boma 3 go round once and on to boma 10, whose twenty go round and end where they came from.
    let before = "0,0,0,27,0,0,0,0,0,0/18,0,0,0,0,0,0,0,0,0 0 0 p0";
    let after = "2,2,2,2,3,3,3,3,3,3/1,2,2,2,2,2,2,2,2,2 0 0 p1";
    let played = check_unmarked(before, "3:27", after, "");
    assert_eq!((played.laps, played.landing), (2, 10));
}

// "if the last warrior of a lap falls into an occupied boma, all its warriors, the one just dropped among them, are lifted
// and sown on, counter-clockwise, in another lap."
#[test]
fn a_relay_lifts_the_warrior_just_dropped_too_and_goes_on() {
    let before = "0,0,0,0,0,0,0,0,0,1/2,0,0,0,1,0,0,0,0,0 0 0 p0";
    let played = check_unmarked(before, "9:1", "0,0,0,0,0,0,0,0,0,0/0,1,1,1,1,0,0,0,0,0 0 0 p1", "");
    assert_eq!((played.laps, played.landing), (2, 13));
}

// The restriction is of the first lap only: a later lap relays from an own boma like any other, and may capture.
#[test]
fn a_later_lap_may_end_in_an_occupied_own_boma() {
    let before = "0,1,0,0,0,0,0,0,0,10/0,0,0,0,0,0,0,0,0,1 0 0 p0";
    let after = "1,0,1,0,0,0,0,0,0,0/1,1,1,1,1,1,0,1,1,0 2 0 p1";
    let played = check_unmarked(before, "9:10", after, "capture:2");
    assert_eq!((played.laps, played.landing), (3, 3));
}

// Relays of more than a hundred and fifty laps end: the longest found by search.
#[test]
fn a_relay_of_163_laps_ends() {
    let before = "0,2,2,3,2,4,5,2,4,1/0,2,1,2,1,0,4,3,2,7 0 0 p0";
    let after = "2,1,0,4,1,0,1,0,4,9/2,1,0,10,7,1,1,0,2,1 0 0 p1";
    assert_eq!(check_unmarked(before, "8:3", after, "").laps, 163);
}

// Moves that run long are told from endless ones by 21 classes round a ring (`Kiothi::is_plainly_endless`): here only the
// classes on either side of the ring's seam, 20 and 0, are neighbours when the question is asked, and the moves end.
#[test]
fn long_relays_across_the_seam_of_the_classes_end() {
    let before = "0,1,2,1,0,1,0,1,2,2/1,2,1,2,1,1,2,1,2,1 0 0 p0";
    let after = "0,3,0,4,0,1,2,1,0,1/2,1,0,1,0,0,0,3,0,3 2 0 p1";
    assert_eq!(check_unmarked(before, "8:2", after, "capture:2").laps, 69);
    let before = "0,1,2,1,0,1,2,1,4,2/1,2,1,2,1,1,2,1,2,1 0 0 p0";
    let after = "0,3,0,4,0,1,2,1,0,1/2,1,0,1,2,0,2,3,0,3 2 0 p1";
    assert_eq!(check_unmarked(before, "8:2", after, "capture:2").laps, 63);
}

// Here only the class of the landing itself has a neighbour.
#[test]
fn a_long_relay_that_only_its_landing_class_can_end_ends() {
    let before = "1,2,1,2,2,1,2,1,4,0/1,0,1,0,1,0,1,2,1,0 0 0 p0";
    let after = "1,0,1,2,1,0,1,5,1,0/6,1,1,0,1,0,1,0,1,0 0 0 p1";
    assert_eq!(check_unmarked(before, "8:2", after, "").laps, 50);
}
