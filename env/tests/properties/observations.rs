//! Observations, made anew from the position's text by the tables in `docs/`.

use mancala_env::{Game, Giuthi, Kiothi, Position};

/// A cell: the raw count and its normalizing constant.
type Cell = (u8, f32);

/// Every cell is written, raw and normalized, and nothing but the table's counts.
fn check<G: Game>(position: &Position<G>, expected: &[Cell]) {
    let text = position.write();
    assert_eq!(G::observation_len(position.rules()), expected.len());
    let mut raw = vec![0xAA; expected.len()];
    position.observe_raw(&mut raw);
    assert_eq!(raw, expected.iter().map(|cell| cell.0).collect::<Vec<_>>(), "{text}");
    let mut normalized = vec![f32::NAN; expected.len()];
    position.observe(&mut normalized);
    let quotients: Vec<_> = expected.iter().map(|&(count, unit)| f32::from(count) / unit).collect();
    assert_eq!(normalized, quotients, "{text}");
}

fn numbers(text: &str) -> Vec<u8> {
    text.split(['/', ',']).map(|number| number.parse().unwrap()).collect()
}

pub(crate) fn check_giuthi(position: &Position<Giuthi>) {
    let text = position.write();
    let words: Vec<&str> = text.split(' ').collect();
    let (seeds, pits) = (f32::from(position.rules().seeds()), f32::from(position.rules().pits()));
    let total = 2.0 * pits * seeds;
    let mut rows = numbers(words[0]);
    let mut scores = [words[1], words[2]].map(|score| score.parse::<u8>().unwrap());
    if words[3] == "p0" {
        rows.rotate_left(position.rules().pits().into());
    } else {
        scores.swap(0, 1);
    }
    let in_play = rows.iter().sum();
    let mut cells: Vec<Cell> = rows.into_iter().map(|count| (count, seeds)).collect();
    cells.extend([(scores[0], total), (scores[1], total), (in_play, total)]);
    cells.push((position.state().plies_since_capture().min(255) as u8, 100.0));
    cells.push((position.state().is_extra_move().into(), 1.0));
    check(position, &cells);
}

pub(crate) fn check_kiothi(position: &Position<Kiothi>) {
    let text = position.write();
    let words: Vec<&str> = text.split(' ').collect();
    let warriors = f32::from(position.rules().warriors());
    let total = 2.0 * f32::from(position.rules().boma()) * warriors;
    let mut boma = numbers(words[0]);
    let mut nki: Vec<u8> = words[5].bytes().map(|sign| (sign == b'x').into()).collect();
    let mut prisons = [words[1], words[2]].map(|prison| prison.parse::<u8>().unwrap());
    if words[3] == "p1" {
        boma.rotate_left(10);
        nki.rotate_left(10);
        prisons.swap(0, 1);
    }
    let number = |text: &str| text.parse::<u8>().unwrap();
    let (phase, hand, floor) = match words[4].split(['>', ':', '@']).collect::<Vec<_>>()[..] {
        ["lift"] => (0, 0, 0),
        ["lift", first, hand] => (1, number(hand), number(first) + 1),
        ["place", hand, floor] => (2, number(hand), number(floor)),
        _ => (3, 0, 0),
    };
    let in_play = boma.iter().sum::<u8>() + hand;
    let mut cells: Vec<Cell> = boma.into_iter().map(|count| (count, warriors)).collect();
    cells.extend([(prisons[0], total), (prisons[1], total), (in_play, total)]);
    cells.push((position.state().plies_since_capture().min(255) as u8, 100.0));
    cells.extend(nki.into_iter().map(|mark| (mark, 1.0)));
    cells.extend((0..4).map(|i| (u8::from(i == phase), 1.0)));
    cells.extend([(hand, total), (floor, 20.0)]);
    check(position, &cells);
}
