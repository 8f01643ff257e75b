//! Nki: how a mark is lost, and what it protects.

use crate::{check, kiothi, play};

// "Once a boma has been sown from, in part or whole, by its owner ..., its nki mark is gone for good."
#[test]
fn sowing_from_a_boma_in_part_or_whole_ends_its_mark() {
    let before = "0,0,0,3,0,0,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p0 sow ...x......x.........";
    let part = "0,0,0,2,1,0,0,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p1 sow ..........x.........";
    check(before, "3:1", part, "");
    let whole = "0,0,0,0,1,1,1,0,0,0/1,0,0,0,0,0,0,0,0,0 0 0 p1 sow ..........x.........";
    check(before, "3:3", whole, "");
}

// "... or by a relay of either player": of the enemy's boma 10, and of the own boma 1.
#[test]
fn a_relay_ends_the_mark_of_whosever_boma() {
    let before = "0,0,0,0,0,0,0,0,0,1/2,0,0,0,1,0,0,0,0,0 0 0 p0 sow .........xx...x.....";
    let after = "0,0,0,0,0,0,0,0,0,0/0,1,1,1,1,0,0,0,0,0 0 0 p1 sow ..............x.....";
    check(before, "9:1", after, "");
    let before = "0,1,0,0,0,0,0,0,0,10/0,0,0,0,0,0,0,0,0,1 0 0 p0 sow .x.......x.........x";
    let after = "1,0,1,0,0,0,0,0,0,0/1,1,1,1,1,1,0,1,1,0 2 0 p1 sow ....................";
    check(before, "9:10", after, "capture:2");
}

// A boma that is only sown into keeps its mark, and an empty one gets none.
#[test]
fn a_boma_that_is_only_sown_into_keeps_its_mark() {
    let before = "0,0,0,0,0,0,0,0,0,3/2,4,0,0,0,0,0,0,0,0 0 0 p0 sow ..........xx........";
    let after = "0,0,0,0,0,0,0,0,0,0/3,5,1,0,0,0,0,0,0,0 0 0 p1 sow ..........xx........";
    check(before, "9:3", after, "");
}

// "gone for good": a boma that fills again is no nki.
#[test]
fn a_mark_does_not_come_back() {
    let mut position = kiothi("0,0,2,1,0,0,0,0,0,0/1,1,0,0,0,0,0,0,0,0 0 0 p0 sow ..xx......xx........");
    play(&mut position, "3:1");
    play(&mut position, "11:1");
    play(&mut position, "2:1");
    assert_eq!(position.write(), "0,0,1,1,1,0,0,0,0,0/1,0,1,0,0,0,0,0,0,0 0 0 p1 sow ..........x.........");
}

// "If the opposite boma is ... a nki, nothing is captured and the turn ends."
#[test]
fn a_nki_is_not_captured() {
    let before = "0,0,0,1,0,0,0,0,0,0/1,0,0,0,0,4,0,0,0,0 0 0 p0 sow ...............x....";
    let after = "0,0,0,0,1,0,0,0,0,0/1,0,0,0,0,4,0,0,0,0 0 0 p1 sow ...............x....";
    check(before, "3:1", after, "");
    let unmarked = "0,0,0,1,0,0,0,0,0,0/1,0,0,0,0,4,0,0,0,0 0 0 p0 sow ..........x.........";
    let after = "0,0,0,0,0,0,0,0,0,0/1,0,0,0,0,0,0,0,0,0 5 0 p1 sow ..........x.........";
    check(unmarked, "3:1", after, "capture:5");
}
