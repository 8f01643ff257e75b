//! Moves lap by lap.

use mancala_env::{Game, GameSpec, Lap, Trace, for_position};

/// A lap as text: the pit lifted, seeds, direction, landing pit, the rows after it.
fn describe<G: Game>(lap: &Lap<G>) -> String {
    let Lap { from, seeds, direction, landing, .. } = lap;
    let text = lap.board.write();
    format!("{from} {seeds}{} {landing} {}", direction.word(), text.split(' ').next().unwrap())
}

/// The laps of a move, and the lap that the last one comes back to.
fn laps(game: &str, position: &str, name: &str) -> (Vec<String>, Option<usize>) {
    let position = GameSpec::parse(game).unwrap().read(position).unwrap();
    for_position!(position, |position| {
        let action = position.state().parse_action(name).unwrap();
        let Trace { laps, comes_back_to, .. } = position.trace(action).unwrap();
        (laps.iter().map(describe).collect(), comes_back_to)
    })
}

// The example of docs/giuthi.md.
#[test]
fn a_capture_lap_by_lap() {
    let (laps, comes_back_to) = laps("giuthi-4x4", "1,5,0,2/0,1,2,0 0 0 p0", "6ccw");
    assert_eq!(laps, ["6 2ccw 0 2,5,0,2/0,1,0,1", "0 2cw 6 0,5,0,2/0,1,1,2"]);
    assert_eq!(comes_back_to, None);
}

// Two heaps of five go round the board in sixteen laps; worked out by hand.
#[test]
fn an_endless_sowing_is_shown_until_it_comes_round() {
    let (laps, comes_back_to) = laps("giuthi-2x2", "5,0/0,5 0 0 p1", "0cw");
    assert_eq!(laps[..4], ["0 5cw 3 1,1/1,7", "3 7ccw 2 3,3/3,1", "2 3cw 3 4,4/0,2", "3 2ccw 1 5,5/0,0"]);
    assert_eq!((laps.len(), comes_back_to), (17, Some(0)));
    assert_eq!(laps[16], laps[0]);
}

// It would come round after more than a thousand million laps.
#[test]
fn an_endless_sowing_that_is_proven_is_not_followed_for_ever() {
    let text = "0,1,0,1,2,1,2,1,4,1/6,5,7,1,2,1,9,1,8,7 0 0 p1 sow ..........x.x...x.x.";
    let (laps, comes_back_to) = laps("kiothi", text, "16:9");
    assert!(comes_back_to.is_none() && laps.len() < 100);
}

// Two seeds go to pits 0 and 1, the two now in 1 go back to 0 and 7, an empty own pit: it and the two opposite are taken. Single
// seeds are left, which nobody can move: they are swept. Worked out by hand.
#[test]
fn a_capture_is_seen_before_the_sweep() {
    let position = GameSpec::parse("giuthi-4x4").unwrap().read("0,1,1,1/0,1,0,2 0 0 p0").unwrap();
    for_position!(position, |position| {
        let action = position.state().parse_action("7ccw").unwrap();
        let trace = position.trace(action).unwrap();
        let boards: Vec<_> = trace.captured.iter().chain([&trace.after]).map(Game::write).collect();
        assert_eq!(boards, ["0,0,1,1/0,1,0,0 3 0 p0", "0,0,0,0/0,0,0,0 4 2 p1"]);
    });
}

#[test]
fn the_opening_has_no_laps() {
    let start = GameSpec::parse("kiothi").unwrap().initial();
    for_position!(start, |position| {
        let action = position.state().parse_action("lift 4").unwrap();
        assert!(position.trace(action).unwrap().laps.is_empty());
        assert!(position.trace(0).unwrap_err().to_string().contains("must lift"), "as `play` refuses it");
    });
}
