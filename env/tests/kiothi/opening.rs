//! "The opening: redistribution" and "As single actions".

use mancala_env::{Game, Kiothi, KiothiRules, Phase, Player, Position};

use crate::{kiothi, names, play};

const START: &str = "0,0,0,0,5,5,5,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p0 lift ....................";

fn play_all(position: &mut Position<Kiothi>, moves: &[&str]) {
    for name in moves {
        play(position, name);
    }
}

fn place(position: &mut Position<Kiothi>, boma: u8, times: u8) {
    for _ in 0..times {
        play(position, &format!("place {boma}"));
    }
}

// "empties exactly two of his own occupied boma"; "two lifts: the second boma must have a higher own number than the first
// (so the first lift may not be the player's last occupied boma)".
#[test]
fn two_own_occupied_boma_are_lifted_in_order() {
    let mut position = kiothi(START);
    assert_eq!(names(&position), ["lift 4", "lift 5", "lift 6", "lift 7", "lift 8"]);
    play(&mut position, "lift 6");
    assert_eq!(names(&position), ["lift 7", "lift 8", "lift 9"]);
    assert_eq!(
        position.write(),
        "0,0,0,0,5,5,0,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p0 lift>6:5 ...................."
    );
    play(&mut position, "lift 9");
    assert_eq!(
        position.write(),
        "0,0,0,0,5,5,0,5,5,0/0,0,0,0,5,5,5,5,5,5 0 0 p0 place:10@0 ...................."
    );
}

#[test]
fn a_boma_that_may_not_be_lifted_says_why() {
    let mut position = kiothi(START);
    let why = |position: &mut Position<Kiothi>, name| {
        let action = position.state().parse_action(name).unwrap();
        position.play(action).unwrap_err().to_string()
    };
    assert!(why(&mut position, "lift 0").contains("boma 0 is empty"));
    assert!(why(&mut position, "lift 9").contains("second lift must come after"));
    assert!(why(&mut position, "4:1").contains("opening"));
    assert!(why(&mut position, "place 4").contains("opening"));
    play(&mut position, "lift 6");
    assert!(why(&mut position, "lift 5").contains("after boma 6"));
    assert!(why(&mut position, "lift 6").contains("empty"));
    assert!(why(&mut position, "place 4").contains("opening"));
    play(&mut position, "lift 7");
    assert!(why(&mut position, "lift 8").contains("10 warriors in hand"));
    assert!(why(&mut position, "4:1").contains("10 warriors in hand"));
    play(&mut position, "place 3");
    assert!(why(&mut position, "place 2").contains("boma 3"));
}

// "puts their warriors, one by one and as he likes, into any boma of the board, his own or the enemy's, the two just emptied
// included"; "a placement a warrior in hand, at a boma numbered no lower than the one before".
#[test]
fn warriors_are_placed_one_by_one_anywhere_in_order() {
    let mut position = kiothi(START);
    play_all(&mut position, &["lift 4", "lift 6"]);
    assert_eq!(names(&position), (0..20).map(|boma| format!("place {boma}")).collect::<Vec<_>>());
    play(&mut position, "place 0");
    assert_eq!(position.state().phase(), Phase::Place { hand: 9, floor: 0 });
    play_all(&mut position, &["place 0", "place 4", "place 6"]);
    assert_eq!(names(&position), (6..20).map(|boma| format!("place {boma}")).collect::<Vec<_>>());
    assert_eq!(position.state().in_hand(), 6);
    play_all(&mut position, &["place 6", "place 10", "place 19"]);
    assert_eq!(names(&position), ["place 19"]);
    assert_eq!(
        position.write(),
        "2,0,0,0,1,5,2,5,5,5/1,0,0,0,5,5,5,5,5,6 0 0 p0 place:3@19 ...................."
    );
    assert_eq!(position.state().seeds_in_play(), 60);
}

// "On turn 1 the first player, on turn 2 the second". The second counts from his own left: 10 to 19, then 0 to 9. What the
// first player has put into his row, he may lift.
#[test]
fn the_second_player_redistributes_after_the_first() {
    let mut position = kiothi(START);
    play_all(&mut position, &["lift 8", "lift 9"]);
    place(&mut position, 3, 8);
    place(&mut position, 10, 2);
    assert_eq!(position.write(), "0,0,0,8,5,5,5,5,0,0/2,0,0,0,5,5,5,5,5,5 0 0 p1 lift ....................");
    assert_eq!(names(&position), ["lift 10", "lift 14", "lift 15", "lift 16", "lift 17", "lift 18"]);
    play(&mut position, "lift 10");
    assert_eq!(position.state().phase(), Phase::SecondLift { first: 0, hand: 2 });
    play(&mut position, "lift 19");
    assert_eq!(
        position.write(),
        "0,0,0,8,5,5,5,5,0,0/0,0,0,0,5,5,5,5,5,0 0 0 p1 place:7@0 ...................."
    );
    play_all(&mut position, &["place 17", "place 2"]);
    assert_eq!(position.state().phase(), Phase::Place { hand: 5, floor: 12 });
    assert_eq!(names(&position)[..2], ["place 2", "place 3"]);
    assert_eq!(names(&position).len(), 8);
}

// "When both have done so, every boma that holds a warrior is marked as a nki", and no other; Player 0 sows.
#[test]
fn every_occupied_boma_is_marked_when_both_are_done() {
    let mut position = kiothi(START);
    play_all(&mut position, &["lift 8", "lift 9"]);
    place(&mut position, 4, 10);
    play_all(&mut position, &["lift 14", "lift 15"]);
    place(&mut position, 10, 4);
    place(&mut position, 9, 5);
    let last = "0,0,0,0,15,5,5,5,0,5/4,0,0,0,0,0,5,5,5,5 0 0 p1 place:1@19 ....................";
    assert_eq!(position.write(), last);
    place(&mut position, 9, 1);
    let first = "0,0,0,0,15,5,5,5,0,6/4,0,0,0,0,0,5,5,5,5 0 0 p0 sow ....xxxx.xx.....xxxx";
    assert_eq!(position.write(), first);
    assert_eq!((position.to_move(), position.state().phase()), (Player::Zero, Phase::Sow));
}

// "The history begins with the first position in which a player may sow: positions of the opening never count."
#[test]
fn positions_of_the_opening_never_count_for_repetition() {
    let rules = KiothiRules::new(3, 1).unwrap();
    let mut position = Position::<Kiothi>::initial(rules);
    // Both put their warriors back where they stood: the board after each turn is the one before it.
    for (lifts, placements) in
        [(["lift 7", "lift 8"], ["place 7", "place 8"]), (["lift 17", "lift 18"], ["place 17", "place 18"])]
    {
        for name in lifts.into_iter().chain(placements) {
            assert!(!position.state().counts_for_repetition());
            assert!(position.history().is_empty());
            assert_eq!(position.state().plies_since_capture(), 0);
            play(&mut position, name);
            assert!(!position.is_over());
        }
    }
    assert_eq!(position.state().phase(), Phase::Sow);
    assert_eq!(position.history(), [position.state().fingerprint()]);
    assert_eq!((position.plies(), position.state().plies_since_capture()), (8, 0));
}

// A first player who has put all he had into the enemy row has nothing to sow: only from a text, as he starts with three.
#[test]
fn an_opening_may_leave_the_first_player_without_a_move() {
    let mut position = kiothi("1,1,0,0,0,0,0,0,0,0/1,1,0,0,0,0,0,0,0,0 0 0 p0 lift ....................");
    play_all(&mut position, &["lift 0", "lift 1", "place 10", "place 10"]);
    play_all(&mut position, &["lift 10", "lift 11", "place 10", "place 10", "place 10", "place 13"]);
    assert_eq!(
        position.write(),
        "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 4 p0 sow ..........x..x...... no-moves"
    );
    assert_eq!(position.winner(), Some(Player::One));
}
