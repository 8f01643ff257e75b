//! Alpha-beta's table must not change an answer: positions across captures, players and boards share it.

use mancala_env::{Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_opening, stream};
use mancala_search::{Agent, AlphaBeta, AlphaBetaLimit, AlphaBetaOptions};

fn agent<G: Game>(depth: u32, table: bool, ordering: bool) -> AlphaBeta<G> {
    let options = AlphaBetaOptions { table, ordering, ..AlphaBetaOptions::new(AlphaBetaLimit::Depth(depth)) };
    AlphaBeta::new(options).unwrap()
}

fn check_same<G: Game>(position: &Position<G>, depth: u32) {
    let plain = agent::<G>(depth, false, true).analyze(position).unwrap();
    for ordering in [true, false] {
        let mut tabled = agent::<G>(depth, true, ordering);
        let found = tabled.analyze(position).unwrap();
        assert_eq!(found.actions, plain.actions, "depth {depth}, ordering {ordering}, {}", position.write());
        assert_eq!(tabled.act(position).unwrap(), plain.line[0], "depth {depth}, {}", position.write());
    }
}

#[test]
fn two_positions_that_once_shared_a_fingerprint() {
    let read = |pits, text| Position::<Giuthi>::read(GiuthiRules::new(pits, 9).unwrap(), text).unwrap();
    check_same(&read(2, "0,4/10,1 15 3 p0"), 6);
    check_same(&read(3, "5,0,0/32,1,8 7 1 p0"), 9);
}

#[test]
fn uneven_boards_with_many_seeds() {
    for game in 0..400 {
        let pits = 2 + (game % 3) as u8;
        let rules = GiuthiRules::new(pits, 9).unwrap();
        let mut rng = stream(Stream::Arena, 5, game, 0);
        let plies = (game / 3 % 15) as u32;
        let Some(position) = random_opening(&Position::<Giuthi>::initial(rules), plies, &mut rng) else {
            continue;
        };
        check_same(&position, if pits == 2 { 8 } else { 5 });
    }
}

#[test]
fn kiothi_with_few_warriors() {
    for game in 0..60 {
        let rules = KiothiRules::new(3, 2).unwrap();
        let mut rng = stream(Stream::Arena, 5, game, 0);
        // The opening takes 14 small actions here.
        let plies = 14 + (game % 8) as u32;
        let Some(position) = random_opening(&Position::<Kiothi>::initial(rules), plies, &mut rng) else {
            continue;
        };
        check_same(&position, 4);
    }
}
