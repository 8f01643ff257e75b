//! "Notation": phases, marks, moves, action numbers.

use mancala_env::{End, Game, Kiothi, Phase, Player, Position};

use crate::{UNMARKED, kiothi, names};

// "phase is lift; lift>K:H ...; place:H@J ...; or sow. K (0..9) and J (0..19) are relative to the player to move".
#[test]
fn every_phase_has_its_text() {
    for (text, phase) in [
        ("0,0,0,0,5,5,5,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p0 lift", Phase::Lift),
        ("0,0,0,0,5,5,5,5,5,5/0,0,0,0,5,0,5,5,5,5 0 0 p1 lift>5:5", Phase::SecondLift { first: 5, hand: 5 }),
        ("0,0,0,0,5,5,5,5,5,5/0,0,0,0,0,0,5,5,5,5 0 0 p1 place:10@0", Phase::Place { hand: 10, floor: 0 }),
        ("0,0,0,0,5,5,5,5,5,5/0,0,0,0,0,0,5,5,5,6 0 0 p1 place:9@19", Phase::Place { hand: 9, floor: 19 }),
        ("0,0,0,0,5,5,5,5,5,5/0,0,0,0,5,5,5,5,5,5 0 0 p1 sow", Phase::Sow),
    ] {
        let text = format!("{text} ....................");
        assert_eq!(kiothi(&text).state().phase(), phase, "{text}");
        assert_eq!(kiothi(&text).write(), text);
    }
}

// "nki is 20 signs in boma order, x marked, . not."
#[test]
fn marks_are_written_in_boma_order() {
    let text = "1,0,1,0,0,0,0,0,0,1/0,1,0,0,0,0,0,0,0,1 0 0 p0 sow x.x.....x.x........x";
    assert!(mancala_env::GameSpec::parse("kiothi").unwrap().read(text).is_err(), "marks on empty boma");
    let text = "1,0,1,0,0,0,0,0,0,1/0,1,0,0,0,0,0,0,0,1 0 0 p0 sow x........x.........x";
    let position = kiothi(text);
    assert_eq!((0..20).filter(|&boma| position.state().is_nki(boma)).collect::<Vec<_>>(), [0, 9, 19]);
    assert_eq!(position.write(), text);
}

// "60*k + (m-1): sow m warriors (1..60) from own boma k (0..9); 600 + k: lift own boma k; 610 + j: place one warrior into
// boma j (0..19, relative to the player)"; "630 in all". "Moves, with boma by their ring numbers 0..19".
#[test]
fn actions_are_numbered_relative_to_the_player_and_named_by_the_ring() {
    for player in [0, 1] {
        let row = "1,1,1,1,1,1,1,1,1,1";
        let position = kiothi(&format!("{row}/{row} 0 0 p{player} {UNMARKED}"));
        let state = position.state();
        assert_eq!(Kiothi::num_actions(position.rules()), 630);
        let mut named = vec![];
        for k in 0..10 {
            named.extend((1..=60).map(|count| (60 * k + count - 1, format!("{}:{count}", k + 10 * player))));
            named.push((600 + k, format!("lift {}", k + 10 * player)));
        }
        named.extend((0..20).map(|j| (610 + j, format!("place {}", (j + 10 * player) % 20))));
        assert_eq!(named.len(), 630);
        for (action, name) in named {
            assert_eq!(state.action_name(action), name);
            assert_eq!(state.parse_action(&name), Ok(action));
        }
    }
}

// "so Player 1's `place 17` is relative 7".
#[test]
fn player_ones_place_17_is_relative_7() {
    let position = kiothi("0,0,0,0,5,5,5,5,5,5/0,0,0,0,0,0,5,5,5,5 0 0 p1 place:10@0 ....................");
    assert_eq!(position.state().parse_action("place 17"), Ok(617));
    assert_eq!(position.state().parse_action("place 2"), Ok(622));
}

// "A terminal position has the word no-moves, repetition or endless after all that".
#[test]
fn a_text_with_an_end_word_is_that_finished_game() {
    let empty = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0";
    let full = "0,2,1,3,0,1,0,1,2,0/1,0,1,0,1,0,2,1,0,3";
    for (text, end, winner) in [
        (format!("{empty} 31 29 p1 {UNMARKED} no-moves"), End::NoMoves, Some(Player::Zero)),
        (format!("{empty} 9 51 p0 sow xx.................. no-moves"), End::NoMoves, Some(Player::One)),
        (format!("{full} 30 1 p1 sow .x.................. repetition"), End::Repetition, None),
        (format!("{full} 0 0 p0 {UNMARKED} endless"), End::Endless, None),
    ] {
        let position = kiothi(&text);
        assert_eq!((position.end(), position.winner()), (Some(end), winner), "{text}");
        assert!(names(&position).is_empty());
        assert_eq!(position.write(), text);
    }
}

#[test]
fn a_position_is_settled_by_the_sweep() {
    let empty = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0";
    let row = "0,0,3,0,0,0,0,0,0,1";
    let position = kiothi(&format!("0,0,0,0,0,0,0,0,0,0/{row} 1 2 p0 {UNMARKED}"));
    assert_eq!(position.write(), format!("{empty} 1 6 p0 {UNMARKED} no-moves"));
    let position = kiothi(&format!("{row}/0,0,0,0,0,0,0,0,0,0 1 2 p1 {UNMARKED}"));
    assert_eq!(position.write(), format!("{empty} 5 2 p1 {UNMARKED} no-moves"));
    // The player to move has warriors: nothing to settle, though the other has none.
    let text = format!("{row}/0,0,0,0,0,0,0,0,0,0 1 2 p0 {UNMARKED}");
    assert_eq!(kiothi(&text).write(), text);
}

// "It is the start of its own history".
#[test]
fn a_position_is_the_first_of_its_own_history() {
    let text = format!("1,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,1,0 1 2 p0 {UNMARKED}");
    let position: Position<Kiothi> = kiothi(&text);
    assert_eq!(position.history(), [position.state().fingerprint()]);
    assert_eq!((position.plies(), position.state().plies_since_capture()), (0, 0));
}
