//! Random positions as text: boards no opening leads to, on which long relays and endless sowing are common.

use mancala_env::{MAX_GIUTHI_SEEDS, MAX_WARRIORS};
use rand::RngExt;

/// Distributes up to `most` seeds over `pits` pits, evenly, thinly or in heaps.
fn board(rng: &mut impl RngExt, pits: usize, most: u16) -> Vec<u16> {
    let mut board = vec![0; pits];
    let most = if rng.random_bool(0.5) { most.min(3 * pits as u16) } else { most };
    let mut left = rng.random_range(0..=most);
    let heap = rng.random_range(1..=6);
    while left > 0 {
        let seeds = rng.random_range(1..=heap).min(left);
        board[rng.random_range(0..pits)] += seeds;
        left -= seeds;
    }
    board
}

fn row(pits: &[u16]) -> String {
    pits.iter().map(u16::to_string).collect::<Vec<_>>().join(",")
}

pub(crate) fn giuthi(rng: &mut impl RngExt, pits: usize) -> String {
    let cells = board(rng, 2 * pits + 2, MAX_GIUTHI_SEEDS);
    let (one, zero) = (row(&cells[..pits]), row(&cells[pits..2 * pits]));
    format!("{one}/{zero} {} {} p{}", cells[2 * pits], cells[2 * pits + 1], rng.random_range(0..2))
}

pub(crate) fn kiothi(rng: &mut impl RngExt) -> String {
    let most = if rng.random_bool(0.3) { 5 } else { MAX_WARRIORS.into() };
    let cells = board(rng, 22, most);
    let marked = rng.random_range(0.0..1.0);
    let sign = |&warriors: &u16| if warriors > 0 && rng.random_bool(marked) { 'x' } else { '.' };
    let nki: String = cells[..20].iter().map(sign).collect();
    let (zero, one) = (row(&cells[..10]), row(&cells[10..20]));
    format!("{zero}/{one} {} {} p{} sow {nki}", cells[20], cells[21], rng.random_range(0..2))
}

/// A board on which `8:2` is endless, though it may take more laps than anybody can count to come round: all classes (see
/// `Kiothi::is_plainly_endless`) are even, and so no two are neighbours.
pub(crate) fn kiothi_endless(rng: &mut impl RngExt) -> String {
    let mut cells = [0; 20];
    for (boma, warriors) in cells.iter_mut().enumerate() {
        let class = |warriors: u16| (boma + usize::from(boma > 8) + usize::from(warriors)) % 21;
        while {
            *warriors = rng.random_range(0..=2);
            class(*warriors) % 2 == 1 || class(*warriors) == 20
        } {}
    }
    cells[8] += 2;
    format!("{}/{} 0 0 p0 sow ....................", row(&cells[..10]), row(&cells[10..]))
}
