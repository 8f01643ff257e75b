//! Fingerprints: what search tables and repetition tell positions apart by.

use std::collections::HashMap;

use mancala_env::{Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position};

/// Everything that a fingerprint must tell apart.
fn check_distinct<G: Game>(texts: impl Iterator<Item = String>, rules: G::Rules, least: usize) {
    let mut seen: HashMap<u128, String> = HashMap::new();
    let mut count = 0;
    for text in texts {
        let state = *Position::<G>::read(rules, &text).unwrap().state();
        // Scores are no part of a fingerprint, so what a no-moves end has swept is left out.
        if state.is_over() {
            continue;
        }
        let board = state.write();
        if let Some(other) = seen.insert(state.fingerprint(), board.clone()) {
            assert_eq!(other, board, "two positions with one fingerprint");
        }
        count += 1;
    }
    assert!(count >= least, "{count} positions");
}

#[test]
fn giuthi_boards_and_players_are_told_apart() {
    let boards = (0..9u32.pow(4)).map(|code| [0, 1, 2, 3].map(|i| code / 9u32.pow(i) % 9));
    let texts = boards.flat_map(|[a, b, c, d]| [0, 1].map(|player| format!("{a},{b}/{c},{d} 0 0 p{player}")));
    check_distinct::<Giuthi>(texts, GiuthiRules::new(2, 9).unwrap(), 13_000);
}

#[test]
fn kiothi_boards_marks_and_players_are_told_apart() {
    let texts = (0..5u32.pow(4)).flat_map(|code| {
        let boma = [0, 1, 2, 3].map(|i| code / 5u32.pow(i) % 5);
        let [a, b, c, d] = boma;
        let row = |one, two| format!("{one},0,0,1,0,0,0,0,0,{two}");
        let marks = (0..16u32).filter(move |marks| (0..4usize).all(|i| marks >> i & 1 == 0 || boma[i] > 0));
        let nki = |marks: u32| {
            let sign = |i: u32| if marks >> i & 1 == 1 { 'x' } else { '.' };
            format!("{}........{}{}........{}", sign(0), sign(1), sign(2), sign(3))
        };
        marks.flat_map(move |marks| {
            [0, 1].map(|player| format!("{}/{} 0 0 p{player} sow {}", row(a, b), row(c, d), nki(marks)))
        })
    });
    check_distinct::<Kiothi>(texts, KiothiRules::new(6, 5).unwrap(), 10_000);
}
