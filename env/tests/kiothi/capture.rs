//! "Capture": its conditions, and the leftmost bonus.

use crate::{check, check_unmarked};

// "If that boma is in the player's own row, and the enemy boma directly opposite is occupied and no nki, its warriors and the
// warrior that effected the capture go to the player's prison."
#[test]
fn the_opposite_boma_and_the_effecting_warrior_are_captured() {
    let before = "0,0,0,1,0,0,0,0,0,0/1,0,0,0,2,4,3,0,0,0 7 8 p0";
    check_unmarked(before, "3:1", "0,0,0,0,0,0,0,0,0,0/1,0,0,0,2,0,3,0,0,0 12 8 p1", "capture:5");
    let before = "1,0,0,0,2,4,3,0,0,0/0,0,0,1,0,0,0,0,0,0 7 8 p1";
    check_unmarked(before, "13:1", "1,0,0,0,2,0,3,0,0,0/0,0,0,0,0,0,0,0,0,0 7 13 p0", "capture:5");
}

// "If the opposite boma is empty ... nothing is captured and the turn ends."
#[test]
fn an_empty_opposite_boma_captures_nothing() {
    let before = "0,0,0,1,0,0,0,0,0,0/1,0,0,0,2,0,3,0,0,0 0 0 p0";
    check_unmarked(before, "3:1", "0,0,0,0,1,0,0,0,0,0/1,0,0,0,2,0,3,0,0,0 0 0 p1", "");
}

// "If the last warrior falls into an empty enemy boma, nothing is captured": neither there nor opposite.
#[test]
fn nothing_is_captured_in_the_enemy_row() {
    let before = "0,0,0,0,0,0,0,5,0,3/0,1,0,0,0,0,0,0,0,0 0 0 p0";
    check_unmarked(before, "9:3", "0,0,0,0,0,0,0,5,0,0/1,2,1,0,0,0,0,0,0,0 0 0 p1", "");
    let before = "0,1,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,5,0,3 0 0 p1";
    check_unmarked(before, "19:3", "1,2,1,0,0,0,0,0,0,0/0,0,0,0,0,0,0,5,0,0 0 0 p0", "");
}

// "Leftmost bonus: if the capture was effected in the player's own leftmost boma, and the three enemy boma next to the captured
// one, on its right as the player sees it, are all occupied and none is a nki, their warriors are captured as well."
#[test]
fn a_capture_in_the_leftmost_boma_takes_three_more() {
    let before = "0,0,0,0,0,0,0,0,0,11/0,0,0,0,0,0,2,2,2,3 20 20 p0";
    let after = "0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,0,0,0,0 34 20 p1";
    assert!(check_unmarked(before, "9:11", after, "triple capture:14").bonus);
    let before = "0,0,0,0,0,0,2,2,2,3/0,0,0,0,0,0,0,0,0,11 20 20 p1";
    let after = "1,1,1,1,1,1,0,0,0,0/0,0,0,0,0,0,0,0,0,0 20 34 p0";
    check_unmarked(before, "19:11", after, "triple capture:14");
}

// "All three or none": each of the three may be the nki that saves them all.
#[test]
fn one_nki_among_the_three_saves_them_all() {
    for marks in ["................x...", ".................x..", "..................x."] {
        let before = format!("0,0,0,0,0,0,0,0,0,11/0,0,0,0,0,0,2,2,2,3 20 20 p0 sow {marks}");
        let after = format!("0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,3,3,3,0 25 20 p1 sow {marks}");
        assert!(!check(&before, "9:11", &after, "capture:5").bonus);
    }
    // A nki next to the three saves nobody.
    let marks = "...............x....";
    let before = format!("0,0,0,0,0,0,0,0,0,11/0,0,0,0,0,0,2,2,2,3 20 20 p0 sow {marks}");
    let error = mancala_env::GameSpec::parse("kiothi").unwrap().read(&before).unwrap_err();
    assert!(error.to_string().contains("boma 15"), "{error}");
    let before = format!("0,0,0,0,0,0,0,0,0,11/0,0,0,0,0,1,2,2,2,3 20 19 p0 sow {marks}");
    let after = format!("0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,2,0,0,0,0 34 19 p1 sow {marks}");
    check(&before, "9:11", &after, "triple capture:14");
}

// One of the three is empty: each of them has relayed its warriors on.
#[test]
fn one_empty_boma_among_the_three_saves_the_others() {
    let before = "0,0,0,0,0,0,0,0,0,9/0,0,0,0,0,0,2,2,1,3 0 0 p0";
    check_unmarked(before, "9:9", "0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,3,3,0,0 5 0 p1", "capture:5");
    let before = "0,0,0,0,0,0,0,0,0,8/0,0,0,0,0,0,2,2,2,3 0 0 p0";
    check_unmarked(before, "9:8", "0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,3,0,3,0 5 0 p1", "capture:5");
    let before = "0,0,0,0,0,0,0,0,0,7/0,0,0,0,0,0,3,2,2,3 0 0 p0";
    check_unmarked(before, "9:7", "0,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,0,3,3,0 5 0 p1", "capture:5");
}

// "no bonus where the opposite boma is empty or a nki, since then nothing was captured."
#[test]
fn there_is_no_bonus_without_a_capture() {
    let before = "0,0,0,0,0,0,0,0,0,11/0,0,0,0,0,0,2,2,2,3 20 20 p0 sow ...................x";
    let after = "1,0,0,0,0,0,0,0,0,0/1,1,1,1,1,1,3,3,3,4 20 20 p1 sow ...................x";
    check(before, "9:11", after, "");
}

// The bonus is of the leftmost boma only.
#[test]
fn a_capture_elsewhere_takes_no_more() {
    let before = "0,0,0,0,0,0,0,0,0,12/0,0,0,0,0,2,2,2,2,3 0 0 p0";
    check_unmarked(before, "9:12", "1,0,0,0,0,0,0,0,0,0/1,1,1,1,1,3,3,3,0,4 4 0 p1", "capture:4");
    // Nor of the rightmost, where a row of three would not fit.
    let before = "0,0,0,0,0,0,0,0,1,0/3,0,0,0,0,0,0,0,0,1 0 0 p0";
    check_unmarked(before, "8:1", "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,1 4 0 p1", "capture:4");
}
