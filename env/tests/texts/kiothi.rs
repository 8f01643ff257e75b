//! Kiothi's texts.

use mancala_env::{Game, GameSpec, Kiothi, KiothiRules};

use crate::check_refused;

/// The position texts with `rows` and `tail` around: ten zeros a row are tedious.
fn check(refused: &[(&str, &str, &str)]) {
    for (rows, tail, field) in refused {
        check_refused("kiothi", &[(&format!("{rows} {tail}"), field)]);
    }
}

const ROWS: &str = "0,0,0,0,5,5,5,5,5,0/0,0,0,0,5,5,5,5,5,0";
const EMPTY: &str = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0";
const NO_NKI: &str = "....................";

#[test]
fn a_wrong_board_names_the_field() {
    let tail = "0 0 p0 sow ....................";
    check(&[
        ("", "", "fields"),
        ("", tail, "fields"),
        (ROWS, "0 0 p0 sow", "fields"),
        (ROWS, "0 0 p0 sow .................... endless more", "fields"),
        ("0,0,0,0,5,5,5,5,5,0", tail, "board"),
        ("0,0,0,0,5,5,5,5,5,0/0/0", tail, "board"),
        ("0,0,0,0,5,5,5,5,5/0,0,0,0,5,5,5,5,5,0", tail, "row of Player 0"),
        ("0,0,0,0,5,5,5,5,5,0/0,0,0,0,5,5,5,5,5,0,0", tail, "row of Player 1"),
        ("0,0,0,-1,5,5,5,5,5,0/0,0,0,0,5,5,5,5,5,0", tail, "row of Player 0, boma 3"),
        ("0,0,0,0,5,5,5,5,5,0/0,0,0,0,5,5,5,5,5,z", tail, "row of Player 1, boma 19"),
        ("61,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0", tail, "row of Player 0, boma 0"),
        ("31,0,0,0,0,0,0,0,0,0/30,0,0,0,0,0,0,0,0,0", tail, "total"),
        (ROWS, "6 5 p0 sow ....................", "total"),
        (ROWS, "-1 0 p0 sow ....................", "prison of Player 0"),
        (ROWS, "0 61 p0 sow ....................", "prison of Player 1"),
        (ROWS, "0 x p0 sow ....................", "prison of Player 1"),
        (ROWS, "0 0 p3 sow ....................", "player to move"),
        (ROWS, "0 0 p0 sow .................... over", "end"),
        (ROWS, "0 0 p0 sow .................... no-moves", "end"),
        (EMPTY, "9 9 p0 sow .................... endless", "end"),
        (EMPTY, "9 9 p0 sow .................... repetition", "end"),
        (ROWS, "0 0 p0 lift .................... endless", "end"),
        (EMPTY, "9 9 p0 lift .................... no-moves", "end"),
    ]);
}

#[test]
fn a_wrong_phase_names_the_field() {
    for (phase, field) in [
        ("Sow", "phase"),
        ("lift>", "phase"),
        ("lift>4", "phase"),
        ("lift>:", "phase, first lift"),
        ("lift>:5", "phase, first lift"),
        ("lift>x:5", "phase, first lift"),
        ("lift>-1:5", "phase, first lift"),
        ("lift>10:5", "phase, first lift"),
        ("lift>9:5", "phase, first lift"),
        ("lift>4:5", "phase, first lift"),
        ("lift>3:", "phase, warriors in hand"),
        ("lift>3:0", "phase, warriors in hand"),
        ("lift>3:61", "phase, warriors in hand"),
        ("lift>3:-5", "phase, warriors in hand"),
        ("lift>3:5:5", "phase, warriors in hand"),
        ("lift>3:11", "total"),
        ("place", "phase"),
        ("place:", "phase"),
        ("place:5", "phase"),
        ("place:5@", "phase, placement floor"),
        ("place:5@20", "phase, placement floor"),
        ("place:5@-1", "phase, placement floor"),
        ("place:@0", "phase, warriors in hand"),
        ("place:0@0", "phase, warriors in hand"),
        ("place:61@0", "phase, warriors in hand"),
        ("place:11@0", "total"),
    ] {
        check(&[(ROWS, &format!("0 0 p0 {phase} {NO_NKI}"), field)]);
    }
}

// `lift>K:H` says that own boma K is "already empty on the board"; every lift still owed must find its boma.
#[test]
fn an_opening_that_cannot_be_finished_names_the_field() {
    let one = "1,0,0,0,0,0,0,0,0,0";
    let two = "1,1,0,0,0,0,0,0,0,0";
    for (rows, player, phase, field) in [
        (format!("{one}/{two}"), 0, "lift", "phase"),
        (format!("{two}/{one}"), 1, "lift", "phase"),
        (format!("{two}/{one}"), 0, "lift", "row of Player 1"),
        (format!("{two}/{one}"), 0, "place:2@0", "row of Player 1"),
        (format!("{two}/{two}"), 0, "lift>2:2", "phase, first lift"),
        (format!("{two}/{two}"), 1, "lift>1:2", "phase, first lift"),
    ] {
        check(&[(&rows, &format!("0 0 p{player} {phase} {NO_NKI}"), field)]);
    }
    let spec = GameSpec::parse("kiothi").unwrap();
    assert!(spec.read(&format!("{two}/{two} 0 0 p1 lift {NO_NKI}")).is_ok());
    assert!(spec.read(&format!("{one}/{two} 0 0 p1 lift {NO_NKI}")).is_ok());
}

#[test]
fn wrong_marks_name_the_boma() {
    for (nki, field) in [
        ("...................", "nki"),
        (".....................", "nki"),
        ("x", "nki"),
        ("...xx...............", "nki, boma 3"),
        ("....x..........x...x", "nki, boma 19"),
        ("....X...............", "nki, boma 4"),
        ("....é...............", "nki, boma 4"),
        ("0...................", "nki, boma 0"),
    ] {
        check(&[(ROWS, &format!("0 0 p0 sow {nki}"), field)]);
    }
    let marked = "....x...............";
    check(&[
        (ROWS, &format!("0 0 p0 lift {marked}"), "nki, boma 4"),
        (ROWS, &format!("0 0 p0 place:5@0 {marked}"), "nki, boma 4"),
        (EMPTY, &format!("0 0 p0 sow {marked}"), "nki, boma 4"),
        (EMPTY, &format!("0 0 p0 sow {marked} endless"), "nki, boma 4"),
    ]);
    // Only a no-moves end leaves marks on boma that the sweep has emptied.
    let text = format!("{EMPTY} 0 9 p0 sow {marked} no-moves");
    assert!(GameSpec::parse("kiothi").unwrap().read(&text).is_ok());
}

#[test]
fn a_wrong_move_names_the_field() {
    let text = format!("{ROWS} 0 0 p0 sow {NO_NKI}");
    let (state, _) = Kiothi::read(&KiothiRules::new(6, 5).unwrap(), &text).unwrap();
    for (text, field) in [
        ("", "move"),
        ("4", "move"),
        ("lift", "move"),
        ("lift4", "move"),
        ("place", "move"),
        ("drop 4", "move"),
        ("4:", "warriors"),
        ("4:0", "warriors"),
        ("4:61", "warriors"),
        ("4:-1", "warriors"),
        ("4:x", "warriors"),
        ("4:1:1", "warriors"),
        (":3", "boma"),
        ("-4:3", "boma"),
        ("20:3", "boma"),
        ("10:3", "boma"),
        ("9999999999999:3", "boma"),
        ("lift 10", "boma"),
        ("lift x", "boma"),
        ("lift -1", "boma"),
        ("place 20", "boma"),
        ("place -1", "boma"),
        ("place ٣", "boma"),
    ] {
        let error = state.parse_action(text).expect_err(text);
        assert_eq!((error.field.as_str(), error.kind, error.text.as_str()), (field, "move", text), "{error}");
    }
    assert!(state.swapped().parse_action("4:3").unwrap_err().problem.contains("Player 1"));
    assert!(state.swapped().parse_action("14:3").is_ok());
}
