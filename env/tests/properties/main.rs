//! What holds of every position of either game: a list of laws, tried along random games from every board and start, with
//! every option, and from uneven positions that no opening leads to.

mod laws;
mod observations;
mod symmetry;
mod traces;
mod uneven;

use mancala_env::{
    Capture, Game, Giuthi, GiuthiRules, Kiothi, KiothiRules, Position, Stream, random_action, stream,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Tries every law that holds of both games.
fn check<G: Game>(position: &Position<G>) {
    laws::check(position);
    symmetry::check(position);
    traces::check(position);
}

/// Visits the positions of a random game, the first among them, `most` moves long at most.
fn walk<G: Game>(mut position: Position<G>, seed: u64, most: u32, visit: impl Fn(&Position<G>)) {
    let mut rng = stream(Stream::Agent, seed, 0, 0);
    for _ in 0..most {
        visit(&position);
        if position.is_over() {
            return;
        }
        position.play_unchecked(random_action(position.state(), &mut rng).unwrap());
    }
}

#[test]
fn the_laws_hold_in_giuthi_on_every_board_with_both_captures() {
    for pits in 2..=10 {
        for seeds in 2..=9 {
            for capture in [Capture::Any, Capture::Occupied] {
                let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
                walk(Position::<Giuthi>::initial(rules), seeds.into(), 60, |position| {
                    check(position);
                    observations::check_giuthi(position);
                });
            }
        }
    }
}

#[test]
fn the_laws_hold_in_kiothi_from_every_start() {
    for boma in 3..=10 {
        for rules in (1..=10).filter_map(|warriors| KiothiRules::new(boma, warriors)) {
            let rules = rules.with_one_warrior_multiplier(boma.into()).unwrap();
            walk(Position::<Kiothi>::initial(rules), boma.into(), 150, |position| {
                check(position);
                observations::check_kiothi(position);
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_laws_hold_in_giuthi_from_uneven_positions(position in uneven::giuthi(), seed in any::<u64>()) {
        walk(position, seed, 8, |position| {
            check(position);
            observations::check_giuthi(position);
        });
    }

    #[test]
    fn the_laws_hold_in_kiothi_from_uneven_positions(position in uneven::kiothi(), seed in any::<u64>()) {
        walk(position, seed, 8, |position| {
            check(position);
            observations::check_kiothi(position);
        });
    }
}
