//! Fits alpha-beta's evaluation to games that it plays against itself, and prints the weights.
//!
//!     cargo run --release --package mancala-search --example tune_evaluation -- giuthi
//!
//! Games begin with up to twelve random plies (after Kiothi's opening) and one action in ten is random throughout. The weights
//! that best tell the margin still to come are found by least squares. A drawn game ends with a margin of 0: what was still to
//! come is the lead with its sign changed.

use mancala_env::{
    End, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_action, stream,
};
use mancala_search::evaluation::{PHASES, Terms, WEIGHT_UNIT};
use mancala_search::{Agent, AlphaBeta, AlphaBetaLimit, AlphaBetaOptions};
use rand::Rng;

/// Pits, seeds a pit, depth of the search, games.
const GIUTHI_BOARDS: [(u8, u8, u32, u64); 4] =
    [(4, 4, 6, 3000), (5, 4, 6, 4000), (6, 6, 5, 9000), (8, 8, 4, 4000)];
/// Boma, warriors in each, depth of the search, games.
const KIOTHI_BOARDS: [(u8, u8, u32, u64); 4] =
    [(4, 3, 4, 6000), (5, 4, 3, 6000), (6, 5, 3, 12_000), (10, 3, 3, 6000)];
/// Holds weights that are hardly ever needed near 0.
const RIDGE: f64 = 11.0;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("giuthi") => tune::<Giuthi>(
            &GIUTHI_BOARDS
                .map(|(pits, seeds, depth, games)| (GiuthiRules::new(pits, seeds).unwrap(), depth, games)),
        ),
        Some("kiothi") => {
            tune::<Kiothi>(&KIOTHI_BOARDS.map(|(boma, warriors, depth, games)| {
                (KiothiRules::new(boma, warriors).unwrap(), depth, games)
            }))
        }
        _ => {
            eprintln!("which game: giuthi or kiothi?");
            std::process::exit(2);
        }
    }
}

/// Positions of one game, each with the margin that came.
fn play<G: Game>(rules: &G::Rules, agent: &mut AlphaBeta<G>, rng: &mut impl Rng) -> Vec<(G, f64)> {
    let mut position = Position::<G>::initial(*rules);
    let mut random_plies = rng.next_u32() % 13;
    let mut states = Vec::new();
    while !position.is_over() {
        let is_opening = !position.state().counts_for_repetition();
        let action = if is_opening || random_plies > 0 || rng.next_u32().is_multiple_of(10) {
            random_plies = random_plies.saturating_sub(u32::from(!is_opening));
            random_action(position.state(), rng).unwrap()
        } else {
            agent.act(&position).unwrap()
        };
        if !is_opening && random_plies == 0 {
            states.push(*position.state());
        }
        position.play_unchecked(action);
    }
    let last = position.state();
    let is_drawn = position.end() != Some(End::NoMoves);
    let margin = |state: &G| if is_drawn { 0.0 } else { lead_of(last, state) };
    states.into_iter().map(|state| (state, margin(&state) - lead_of(&state, &state))).collect()
}

/// The lead in `state` of the player to move in `seen_from`.
fn lead_of<G: Game>(state: &G, seen_from: &G) -> f64 {
    let scores = state.scores().map(f64::from);
    let mover = seen_from.to_move().index();
    scores[mover] - scores[1 - mover]
}

/// Two inputs a term: how often it occurs, shared out between the full board and the empty one.
fn inputs<G: Terms>(state: &G) -> Vec<(usize, f64)> {
    let mut terms = Vec::new();
    let (_, phase) = state.for_each_term(|term| terms.push(term));
    let full = f64::from(phase) / f64::from(PHASES);
    terms.into_iter().flat_map(|term| [(2 * term, full), (2 * term + 1, 1.0 - full)]).collect()
}

fn tune<G: Terms>(boards: &[(G::Rules, u32, u64)]) {
    let len = 2 * G::LEN;
    // The normal equations, right-hand side last.
    let mut equations = vec![vec![0.0; len + 1]; len];
    let mut held_out = Vec::new();
    for (rules, depth, games) in boards {
        let mut agent = AlphaBeta::<G>::new(AlphaBetaOptions::new(AlphaBetaLimit::Depth(*depth))).unwrap();
        let weight = 10.0 / f64::from(G::total_seeds(rules));
        let (mut positions, mut tests) = (0, Vec::new());
        for game in 0..*games {
            let states = play(rules, &mut agent, &mut stream(Stream::SelfPlay, 1, game, 0));
            positions += states.len();
            if game % 10 == 0 {
                tests.extend(states);
                continue;
            }
            for (state, margin) in states {
                let inputs = inputs(&state);
                for &(row, factor) in &inputs {
                    inputs
                        .iter()
                        .for_each(|&(column, other)| equations[row][column] += weight * factor * other);
                    equations[row][len] += weight * factor * margin;
                }
            }
        }
        eprintln!("{}: depth {depth}, {games} games, {positions} positions", G::id(rules));
        held_out.push((rules, tests));
    }
    let weights = solve(equations);
    for (rules, tests) in &held_out {
        let (mut squares, mut errors) = (0.0, 0.0);
        for (state, margin) in tests {
            let value: f64 = inputs(state).iter().map(|&(input, factor)| weights[input] * factor).sum();
            squares += margin * margin;
            errors += (margin - value).powi(2);
        }
        eprintln!("{}: {:.3} of the variance of games held out", G::id(rules), 1.0 - errors / squares);
    }
    println!("pub(super) const {}: [[i16; 2]; {}] = [", G::NAME.to_uppercase(), G::LEN);
    let rounded: Vec<_> =
        weights.iter().map(|weight| (weight * f64::from(WEIGHT_UNIT)).round() as i16).collect();
    for line in rounded.chunks(16) {
        let pairs: Vec<_> = line.chunks(2).map(|pair| format!("[{}, {}]", pair[0], pair[1])).collect();
        println!("    {},", pairs.join(", "));
    }
    println!("];");
}

/// Gauss and Jordan on positive definite equations.
fn solve(mut equations: Vec<Vec<f64>>) -> Vec<f64> {
    let len = equations.len();
    equations.iter_mut().enumerate().for_each(|(index, row)| row[index] += RIDGE);
    for pivot in 0..len {
        let row: Vec<_> = equations[pivot].iter().map(|cell| cell / equations[pivot][pivot]).collect();
        for (index, other) in equations.iter_mut().enumerate() {
            let factor = if index == pivot { 0.0 } else { other[pivot] };
            other.iter_mut().zip(&row).skip(pivot).for_each(|(cell, part)| *cell -= factor * part);
        }
        equations[pivot] = row;
    }
    equations.iter().map(|row| row[len]).collect()
}
