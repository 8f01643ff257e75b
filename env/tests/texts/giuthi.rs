//! Giuthi's texts.

use mancala_env::{Game, GameSpec, Giuthi, GiuthiRules, Position};

use crate::check_refused;

#[test]
fn a_wrong_position_names_the_field() {
    check_refused(
        "giuthi-2x4",
        &[
            ("", "fields"),
            ("   ", "fields"),
            ("2,2/2,2", "fields"),
            ("2,2/2,2 0 0", "fields"),
            ("2,2/2,2 0 0 p0 no-moves more", "fields"),
            ("2,2/2,2 0 0 p0 0 0 0 0 0 0", "fields"),
            ("2,2,2,2 0 0 p0", "board"),
            ("2,2/2,2/2,2 0 0 p0", "board"),
            ("/ 0 0 p0", "row of Player 1"),
            ("2/2,2 0 0 p0", "row of Player 1"),
            ("2,2,2/2,2 0 0 p0", "row of Player 1"),
            ("2,2/2 0 0 p0", "row of Player 0"),
            ("2,2/2,2,2 0 0 p0", "row of Player 0"),
            ("2,2,/2,2 0 0 p0", "row of Player 1"),
            ("2,-2/2,2 0 0 p0", "row of Player 1, pit 1"),
            ("2,2/x,2 0 0 p0", "row of Player 0, pit 2"),
            ("2,2/2, 0 0 p0", "row of Player 0, pit 3"),
            ("2,2/2,٣ 0 0 p0", "row of Player 0, pit 3"),
            ("2,2/2,+3 0 0 p0", "row of Player 0, pit 3"),
            ("2,2/2,1.5 0 0 p0", "row of Player 0, pit 3"),
            ("181,2/2,2 0 0 p0", "row of Player 1, pit 0"),
            ("256,2/2,2 0 0 p0", "row of Player 1, pit 0"),
            ("2,2/2,99999999999999999999999 0 0 p0", "row of Player 0, pit 3"),
            ("2,2/2,2 -1 0 p0", "score of Player 0"),
            ("2,2/2,2 0 one p0", "score of Player 1"),
            ("2,2/2,2 0 181 p0", "score of Player 1"),
            ("2,2/2,2 0 0 p2", "player to move"),
            ("2,2/2,2 0 0 P0", "player to move"),
            ("2,2/2,2 0 0 0", "player to move"),
            ("2,2/2,2 0 0 p0 over", "end"),
            ("2,2/2,2 0 0 p0 No-Moves", "end"),
            ("2,2/2,2 0 0 p0 no_moves", "end"),
            ("0,0/0,1 0 0 p0 no-moves", "end"),
            ("1,1/0,1 0 0 p0 repetition", "end"),
            ("2,2/1,1 0 0 p0 endless", "end"),
            ("100,50/20,5 3 3 p0", "total"),
            ("0,0/0,0 180 1 p0 no-moves", "total"),
            ("180,180/180,180 180 180 p0", "total"),
        ],
    );
}

// "any seeds are allowed up to 180 in all (board and scores)", whatever the id names.
#[test]
fn up_to_180_seeds_are_read() {
    let spec = GameSpec::parse("giuthi-2x4").unwrap();
    for text in ["180,0/0,0 0 0 p1", "2,0/0,0 178 0 p1", "100,50/20,5 3 2 p0"] {
        assert!(spec.read(text).is_ok(), "{text}");
    }
}

#[test]
fn the_pits_must_be_as_many_as_the_game_has() {
    check_refused("giuthi-3x4", &[("2,2/2,2 0 0 p0", "row of Player 1")]);
    check_refused("giuthi", &[("8,8,8,8,8,8,8/8,8,8,8,8,8,8 0 0 p0", "row of Player 1")]);
}

#[test]
fn a_long_text_is_cut_off_in_the_error() {
    let long = "2,".repeat(100_000);
    let error = GameSpec::parse("giuthi-2x4").unwrap().read(&long).unwrap_err();
    assert!(error.text.ends_with('…') && error.to_string().len() < 1000);
}

#[test]
fn spaces_between_fields_do_not_matter() {
    let rules = GiuthiRules::new(2, 4).unwrap();
    let position = Position::<Giuthi>::read(rules, " 2,2/2,2  0\t0 p1 \n").unwrap();
    assert_eq!(position.write(), "2,2/2,2 0 0 p1");
}

#[test]
fn a_wrong_move_names_the_field() {
    let rules = GiuthiRules::new(8, 8).unwrap();
    let (zero, _) = Giuthi::read(&rules, "8,8,8,8,8,8,8,8/8,8,8,8,8,8,8,8 0 0 p0").unwrap();
    for (text, field) in [
        ("", "pit"),
        ("ccw", "pit"),
        ("-1ccw", "pit"),
        ("+9ccw", "pit"),
        ("٩ccw", "pit"),
        ("twelve", "pit"),
        ("0ccw", "pit"),
        ("7cw", "pit"),
        ("16ccw", "pit"),
        ("99999999999999999999ccw", "pit"),
        ("12", "direction"),
        ("12 ccw", "direction"),
        ("12CCW", "direction"),
        ("12ccww", "direction"),
        ("12c", "direction"),
        ("12:3", "direction"),
        ("12→", "direction"),
    ] {
        let error = zero.parse_action(text).expect_err(text);
        assert_eq!((error.field.as_str(), error.kind, error.text.as_str()), (field, "move", text), "{error}");
    }
    assert_eq!(zero.swapped().parse_action("8ccw").unwrap_err().field, "pit");
    assert!(zero.parse_action("7cw").unwrap_err().problem.contains("Player 0"));
}
