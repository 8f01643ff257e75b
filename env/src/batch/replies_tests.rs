//! The replies that are found in lockstep against those of the scalar rules.

use super::isa::Level;
use super::lockstep::{make_giuthi, make_kiothi};
use super::replies::{ForetellReplies, Foreteller, MakeReplies};
use crate::game::{Action, Game};
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules, Phase};
use crate::opening::{Stream, random_action, stream};
use crate::replies::Replies;

/// The legal moves of random games, those of openings among them.
fn random_moves<G: Game>(rules: &G::Rules, count: usize, seed: u64) -> Vec<(G, Action)> {
    let mut rng = stream(Stream::Arena, seed, 0, 0);
    let mut moves = Vec::new();
    while moves.len() < count {
        let mut state = G::initial(rules);
        // Without a history a game may go round in circles.
        for _ in 0..300 {
            moves.extend(state.legal_actions().iter().map(|&action| (state, action)));
            let Some(action) = random_action(&state, &mut rng) else { break };
            if state.play_unchecked(action).endless || moves.len() >= count {
                break;
            }
        }
    }
    moves
}

/// How often something was seen.
#[derive(Debug, Default)]
struct Seen {
    own: usize,
    none: usize,
    extra: usize,
    endless: usize,
    endless_replies: usize,
}

fn compare<G: Game>(lockstep: &mut dyn ForetellReplies<G>, moves: &[(G, Action)], seen: &mut Seen) {
    let mut found = vec![Replies { count: 99, ..Replies::default() }];
    // Fewer and more than a block, a group and the lanes hold; one call after the other.
    for part in [0..0, 0..1, 1..64, 64..500, 500..moves.len()] {
        lockstep.foretell(&moves[part], &mut found);
    }
    assert_eq!(found.len(), 1 + moves.len());
    assert_eq!(found[0].count, 99);
    for ((state, action), found) in moves.iter().zip(&found[1..]) {
        let expected = Replies::of(state, *action);
        assert_eq!(*found, expected, "{} {action}", state.write());
        seen.own += usize::from(found.is_own);
        seen.none += usize::from(found.count == 0);
        seen.extra += usize::from(found.earns_move);
        let mut after = *state;
        seen.endless += usize::from(after.play_unchecked(*action).endless);
        let is_endless = |&reply: &Action| { after }.play_unchecked(reply).endless;
        seen.endless_replies += usize::from(after.legal_actions().iter().any(is_endless));
    }
}

#[test]
fn replies_are_those_of_the_scalar_rules() {
    let mut seen = Seen::default();
    for level in Level::supported() {
        for (pits, seeds) in [(2, 3), (2, 9), (3, 2), (4, 3), (5, 4), (6, 6), (7, 2), (8, 8), (9, 5), (10, 9)]
        {
            for capture in [Capture::Any, Capture::Occupied] {
                let rules = GiuthiRules::new(pits, seeds).unwrap().with_capture(capture);
                let moves = random_moves::<Giuthi>(&rules, 2500, 1);
                compare(&mut *make_giuthi(&rules, &MakeReplies { rules, level }), &moves, &mut seen);
            }
        }
    }
    let Seen { own, none, extra, endless, endless_replies } = seen;
    assert!(own > 1000 && none > 100 && extra > 1000 && endless > 10 && endless_replies > 10, "{seen:?}");
}

#[test]
fn replies_in_kiothi_are_those_of_the_scalar_rules() {
    let mut seen = Seen::default();
    for level in Level::supported() {
        for (boma, warriors) in [(3, 2), (6, 5), (10, 3)] {
            let rules = KiothiRules::new(boma, warriors).unwrap();
            let moves = random_moves::<Kiothi>(&rules, 5000, 2);
            assert!(moves.iter().any(|(state, _)| state.phase() == Phase::Sow));
            assert!(moves.iter().any(|(state, _)| state.phase() == Phase::Lift));
            compare(&mut *make_kiothi(&MakeReplies { rules, level }), &moves, &mut seen);
        }
    }
    assert!(seen.own > 100 && seen.none > 10 && seen.extra == 0, "{seen:?}");
}

#[test]
fn endless_replies_capture_nothing() {
    for (pits, text) in [
        (2, "5,0/0,5 0 0 p1"),
        (2, "2,2/4,5 0 0 p1"),
        (3, "1,3,7/4,3,5 0 0 p1"),
        (3, "2,4,2/1,0,2 0 0 p1"),
        (5, "2,5,2,1,3/0,0,0,0,3 0 0 p1"),
    ] {
        let rules = GiuthiRules::new(pits, 4).unwrap();
        let (state, _) = Giuthi::read(&rules, text).unwrap();
        let moves: Vec<_> = state.legal_actions().iter().map(|&action| (state, action)).collect();
        let expected: Vec<_> = moves.iter().map(|(state, action)| Replies::of(state, *action)).collect();
        let mut found = Vec::new();
        // As it is made for callers.
        Foreteller::new(&rules).replies(&moves, &mut found);
        assert_eq!(found, expected, "{text}");
        for level in Level::supported() {
            let mut seen = Seen::default();
            let many: Vec<_> = moves.iter().copied().cycle().take(600).collect();
            compare(&mut *make_giuthi(&rules, &MakeReplies { rules, level }), &many, &mut seen);
            // An endless move leaves the board as it was: it is a reply to itself.
            assert!(seen.endless > 0 && seen.endless_replies > 0, "{text}: {seen:?}");
        }
    }
}
