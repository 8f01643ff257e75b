//! Strategies: positions as texts name them, settled.

use mancala_env::{Capture, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position};
use proptest::collection::vec;
use proptest::prelude::*;

fn row(cells: &[u8]) -> String {
    cells.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

/// Boards of 2 to 10 pits a row with up to 1, 2 or 8 seeds a pit: at most 180 with the scores.
pub(crate) fn giuthi() -> impl Strategy<Value = Position<Giuthi>> {
    let cells = (2..=10usize, prop_oneof![Just(1u8), Just(2), Just(8)])
        .prop_flat_map(|(pits, most)| vec(0..=most, 2 * pits));
    (cells, vec(0..=10u8, 2), 0..=1, any::<bool>()).prop_map(|(cells, scores, player, occupied)| {
        let (one, zero) = cells.split_at(cells.len() / 2);
        let text = format!("{}/{} {} {} p{player}", row(one), row(zero), scores[0], scores[1]);
        let capture = if occupied { Capture::Occupied } else { Capture::Any };
        let rules = GiuthiRules::new(one.len() as u8, 4).unwrap().with_capture(capture);
        Position::read(rules, &text).unwrap()
    })
}

/// Up to two warriors a boma and one heap: at most 60 with the prisons; any marks.
pub(crate) fn kiothi() -> impl Strategy<Value = Position<Kiothi>> {
    (vec(0..=2u8, 22), 0..20usize, 0..=16u8, vec(any::<bool>(), 20), 0..=1).prop_map(
        |(mut cells, heap, warriors, marks, player)| {
            cells[heap] += warriors;
            let is_marked = |(&warriors, &mark): (&u8, &bool)| warriors > 0 && mark;
            let signs = cells.iter().zip(&marks).map(is_marked);
            let nki: String = signs.map(|marked| if marked { 'x' } else { '.' }).collect();
            let (zero, one) = (row(&cells[..10]), row(&cells[10..20]));
            let text = format!("{zero}/{one} {} {} p{player} sow {nki}", cells[20], cells[21]);
            Position::read(KiothiRules::new(6, 5).unwrap(), &text).unwrap()
        },
    )
}
