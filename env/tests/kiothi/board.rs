//! "Board": rows, start positions, who begins.

use mancala_env::{Game, Kiothi, KiothiRules, Player, Position};

use crate::kiothi;

fn start(boma: u8, warriors: u8) -> Position<Kiothi> {
    Position::initial(KiothiRules::new(boma, warriors).unwrap())
}

// "Start: each player has w warriors in each of his f rightmost boma. f=6, w=5 (30 a side, the default); other accounts give
// 5x5 and 5x6". "Player 0 begins."
#[test]
fn each_player_starts_with_his_rightmost_boma_full() {
    let lift = "0 0 p0 lift ....................";
    for (boma, warriors, row, seeds) in [
        (6, 5, "0,0,0,0,5,5,5,5,5,5", 60),
        (5, 5, "0,0,0,0,0,5,5,5,5,5", 50),
        (5, 6, "0,0,0,0,0,6,6,6,6,6", 60),
        (3, 10, "0,0,0,0,0,0,0,10,10,10", 60),
        (10, 1, "1,1,1,1,1,1,1,1,1,1", 20),
    ] {
        let position = start(boma, warriors);
        assert_eq!(position.write(), format!("{row}/{row} {lift}"));
        assert_eq!(position.state().seeds_in_play(), seeds);
        assert_eq!(Kiothi::total_seeds(position.rules()), u16::from(seeds));
    }
}

// "Accepted: f 3..=10 and w from 1 with 2·f·w at most 60."
#[test]
fn starts_of_at_most_sixty_warriors_are_accepted() {
    for boma in 0..=12u8 {
        for warriors in 0..=70u8 {
            let total = 2 * u32::from(boma) * u32::from(warriors);
            let accepted = (3..=10).contains(&boma) && warriors >= 1 && total <= 60;
            assert_eq!(KiothiRules::new(boma, warriors).is_some(), accepted, "{boma}x{warriors}");
        }
    }
}

// "Player 0 owns 0..9, Player 1 owns 10..19, both from their own left to their own right"; "the text form below writes
// Player 0's row first".
#[test]
fn boma_are_numbered_by_the_ring_and_player_zeros_are_written_first() {
    let position = kiothi("0,1,2,3,4,5,0,0,0,0/9,8,7,6,0,0,0,0,0,0 2 3 p1 sow ....................");
    assert_eq!(position.state().boma(), &[0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 9, 8, 7, 6, 0, 0, 0, 0, 0, 0]);
    assert_eq!((position.scores(), position.to_move()), ([2, 3], Player::One));
    assert_eq!(position.state().relative_pit(10), 0);
    assert_eq!(position.state().relative_pit(3), 13);
}

#[test]
fn a_multiplier_is_finite_and_at_least_one() {
    let rules = KiothiRules::new(6, 5).unwrap();
    assert_eq!(rules.one_warrior_multiplier(), 1.0);
    for refused in [0.5, 0.0, -2.0, f32::NAN, f32::INFINITY] {
        assert_eq!(rules.with_one_warrior_multiplier(refused), None, "{refused}");
    }
    assert_eq!(rules.with_one_warrior_multiplier(10.0).unwrap().one_warrior_multiplier(), 10.0);
}
