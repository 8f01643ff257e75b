//! What table and ordering save alpha-beta on twenty positions of Giuthi 6x6, and how many positions a second it reaches.
//!
//!     cargo run --release --package mancala-search --example alphabeta_speed

use std::time::{Duration, Instant};

use mancala_env::{Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position};
use mancala_search::arena::openings;
use mancala_search::{Agent, AlphaBeta, AlphaBetaLimit, AlphaBetaOptions};

const POSITIONS: usize = 20;
const DEPTH: u32 = 10;

fn main() {
    let boards = [6, 8].map(|pits| GiuthiRules::new(pits, pits).unwrap());
    let kiothi = KiothiRules::new(6, 5).unwrap();
    compare(&positions::<Giuthi>(&boards[0], 6));
    println!();
    println!("{:<12} {:>6} {:>12} {:>14}", "game", "depth", "s a position", "M positions/s");
    speed(&positions::<Giuthi>(&boards[0], 6), 12);
    speed(&positions::<Giuthi>(&boards[1], 6), 9);
    // Ten warriors are redistributed in twelve plies: right after the opening there is most to choose from.
    speed(&positions::<Kiothi>(&kiothi, 2 * 12), 6);
}

/// The same every time.
fn positions<G: Game>(rules: &G::Rules, plies: u32) -> Vec<Position<G>> {
    openings(rules, plies, POSITIONS, 0).unwrap().into_iter().map(|opening| opening.position).collect()
}

fn agent<G: Game>(depth: u32, is_full: bool) -> AlphaBeta<G> {
    let options = AlphaBetaOptions::new(AlphaBetaLimit::Depth(depth));
    AlphaBeta::new(AlphaBetaOptions { table: is_full, ordering: is_full, ..options }).unwrap()
}

/// Time to choose an action.
fn time_to_act<G: Game>(agent: &mut AlphaBeta<G>, position: &Position<G>) -> (Duration, u16) {
    let start = Instant::now();
    let action = agent.act(position).unwrap();
    (start.elapsed(), action)
}

fn compare(positions: &[Position<Giuthi>]) {
    let (mut full, mut plain) = (agent(DEPTH, true), agent(DEPTH, false));
    let mut total = [Duration::ZERO; 2];
    println!("ms to depth {DEPTH}: {:>9} {:>14} {:>6}", "full", "both off", "times");
    for position in positions {
        let ((short, action), (long, same)) =
            (time_to_act(&mut full, position), time_to_act(&mut plain, position));
        assert_eq!(action, same, "table and ordering change no answer: {}", position.write());
        total[0] += short;
        total[1] += long;
        print_times(&position.write(), short, long);
    }
    print_times("all", total[0], total[1]);
}

fn print_times(name: &str, short: Duration, long: Duration) {
    let [short, long] = [short, long].map(|time| 1000.0 * time.as_secs_f64());
    println!("{short:>25.1} {long:>14.1} {:>6.1}   {name}", long / short);
}

fn speed<G: Game>(positions: &[Position<G>], depth: u32) {
    let mut agent = agent::<G>(depth, true);
    let act: f64 = positions.iter().map(|position| time_to_act(&mut agent, position).0.as_secs_f64()).sum();
    let start = Instant::now();
    let nodes: u64 = positions.iter().map(|position| agent.analyze(position).unwrap().nodes).sum();
    let rate = nodes as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{:<12} {depth:>6} {:>12.3} {rate:>14.2}", G::id(positions[0].rules()), act / POSITIONS as f64);
}
