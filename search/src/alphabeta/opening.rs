//! Kiothi's opening, as long as its end lies beyond the horizon: a plan for the rest of the redistribution.
//!
//! A redistribution is a chain of a dozen small actions, one of twenty million for each pair of lifts; a search that sees four
//! plies sees nothing of what it comes to. So whole redistributions are compared: from a few to begin with, one warrior at a
//! time is put elsewhere for as long as that is better by the evaluation, and the best that were found are searched a little.
//! Whoever redistributes first takes it that the other will put back what he lifts.
//!
//! A plan depends on position and seed alone: it is made anew for each small action, among what can still be reached.

use std::cmp::Reverse;
use std::time::Instant;

use mancala_env::{Action, Game, Kiothi, Phase, Player};
use rand::Rng;

use super::evaluation::margin_to_come;
use super::ordering::Refutations;
use super::search::{Budget, Search};
use super::values::{INFINITY, lead};

/// Boma of a row.
const ROW: Action = 10;
/// The action that lifts own boma 0.
const FIRST_LIFT: Action = 600;
/// The action that places a warrior into own boma 0, and the one after the last of its kind.
const FIRST_PLACE: Action = 610;
const END_PLACE: Action = 630;

/// A plan never reaches many more positions.
const MAX_NODES: u64 = 400_000;
/// Plies that redistributions are searched beyond the opening, at most.
const MAX_DEPTH: u32 = 4;
/// So many of those that the evaluation likes best are searched.
const FINALISTS: usize = 12;

/// The rest of a redistribution: lifts, then placements in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    actions: Vec<Action>,
    /// How many of them are lifts.
    lifts: usize,
    /// By the evaluation, for the player who redistributes, in parts of a seed.
    value: i32,
}

/// What the player to move should do.
pub(super) struct Plan {
    /// From here to the end of his redistribution.
    pub(super) actions: Vec<Action>,
    /// Positions reached to find it.
    pub(super) nodes: u64,
}

/// Plans the rest of a redistribution; whole ones are searched up to `depth` plies beyond the opening. A budget so small that
/// nothing can be compared still yields a plan.
pub(super) fn plan(kiothi: &Kiothi, rng: &mut impl Rng, depth: u32, budget: Budget) -> Plan {
    let depth = depth.min(MAX_DEPTH);
    let budget = Budget { nodes: budget.nodes.min(MAX_NODES), ..budget };
    let mut refutations = Refutations::default();
    refutations.clear(usize::from(END_PLACE));
    let mut planner = Planner { start: *kiothi, refutations, budget, nodes: 0 };
    let mut found: Vec<Candidate> = Vec::new();
    for by_lot in [false, true] {
        for lifts in lifts_left(kiothi) {
            if !found.is_empty() && planner.is_spent() {
                break;
            }
            let mut candidate = begin(kiothi, &lifts, by_lot, rng);
            candidate.value = planner.value(&candidate.actions, 0, -INFINITY, INFINITY);
            planner.climb(&mut candidate, 0);
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    found.sort_by_key(|candidate| Reverse(candidate.value));
    found.truncate(FINALISTS);
    let mut best = found[0].clone();
    best.value = -INFINITY;
    for mut candidate in found {
        if planner.is_spent() {
            break;
        }
        candidate.value = planner.value(&candidate.actions, depth, best.value, INFINITY);
        if candidate.value > best.value {
            best = candidate;
        }
    }
    planner.climb(&mut best, depth);
    Plan { actions: best.actions, nodes: planner.nodes }
}

/// The lifts that may still be chosen.
fn lifts_left(kiothi: &Kiothi) -> Vec<Vec<Action>> {
    match kiothi.phase() {
        Phase::Place { .. } | Phase::Sow => vec![Vec::new()],
        Phase::SecondLift { .. } => kiothi.legal_actions().iter().map(|&second| vec![second]).collect(),
        Phase::Lift => {
            let after = |first: Action| {
                let mut after = *kiothi;
                after.play_unchecked(first);
                after.legal_actions().into_iter().map(move |second| vec![first, second])
            };
            kiothi.legal_actions().into_iter().flat_map(after).collect()
        }
    }
}

/// A redistribution to begin with: back to where they came from, as far as that is known, or by lot.
fn begin(kiothi: &Kiothi, lifts: &[Action], by_lot: bool, rng: &mut impl Rng) -> Candidate {
    let mut after = *kiothi;
    let mut actions = lifts.to_vec();
    let mut home = Vec::new();
    let note = |lift: Action, warriors: u8, home: &mut Vec<Action>| {
        home.extend(std::iter::repeat_n(lift - FIRST_LIFT + FIRST_PLACE, warriors.into()));
    };
    if let Phase::SecondLift { first, hand } = kiothi.phase() {
        note(FIRST_LIFT + Action::from(first), hand, &mut home);
    }
    for &lift in lifts {
        let before = after.in_hand();
        after.play_unchecked(lift);
        note(lift, after.in_hand() - before, &mut home);
    }
    let floor = floor(&after);
    let any = |rng: &mut _| -> Action {
        let random: u32 = Rng::next_u32(rng);
        floor + ((u64::from(random) * u64::from(END_PLACE - floor)) >> 32) as Action
    };
    let mut placements: Vec<Action> = match () {
        () if by_lot => (0..after.in_hand()).map(|_| any(rng)).collect(),
        // Of warriors lifted before, nobody knows from where: they go where they may, one in each.
        () if home.is_empty() => {
            (0..after.in_hand()).map(|one| (floor + Action::from(one)).min(END_PLACE - 1)).collect()
        }
        () => home,
    };
    placements.sort_unstable();
    actions.extend(placements);
    Candidate { actions, lifts: lifts.len(), value: 0 }
}

/// The lowest placement allowed.
fn floor(kiothi: &Kiothi) -> Action {
    match kiothi.phase() {
        Phase::Place { floor, .. } => FIRST_PLACE + Action::from(floor),
        _ => FIRST_PLACE,
    }
}

struct Planner {
    start: Kiothi,
    refutations: Refutations,
    budget: Budget,
    nodes: u64,
}

impl Planner {
    fn is_spent(&self) -> bool {
        self.nodes >= self.budget.nodes
            || self.budget.stop.is_asked()
            || self.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Puts one warrior elsewhere for as long as that is better.
    fn climb(&mut self, candidate: &mut Candidate, depth: u32) {
        let floor = if candidate.lifts > 0 { FIRST_PLACE } else { floor(&self.start) };
        loop {
            let mut best: Option<Candidate> = None;
            for moved in candidate.lifts..candidate.actions.len() {
                if moved > candidate.lifts && candidate.actions[moved] == candidate.actions[moved - 1] {
                    continue;
                }
                for place in (floor..END_PLACE).filter(|&place| place != candidate.actions[moved]) {
                    if self.is_spent() {
                        break;
                    }
                    let mut next = candidate.clone();
                    next.actions[moved] = place;
                    next.actions[candidate.lifts..].sort_unstable();
                    let most = best.as_ref().map_or(candidate.value, |best| best.value);
                    next.value = self.value(&next.actions, depth, most, most + 1);
                    if next.value > most {
                        if depth > 0 {
                            next.value = self.value(&next.actions, depth, most, INFINITY);
                        }
                        best = Some(next);
                    }
                }
            }
            let Some(best) = best else { break };
            *candidate = best;
        }
    }

    /// What a redistribution is worth to the player who makes it, `depth` plies after the opening.
    fn value(&mut self, actions: &[Action], depth: u32, alpha: i32, beta: i32) -> i32 {
        let player = self.start.to_move();
        let mut after = self.start;
        for &action in actions {
            after.play_unchecked(action);
        }
        if player == Player::Zero {
            put_back(&mut after);
        }
        self.nodes += 1;
        let is_turned = after.to_move() != player;
        let value = if after.is_over() {
            lead(&after)
        } else if depth == 0 || !after.counts_for_repetition() {
            lead(&after) + margin_to_come(&after)
        } else {
            let left = Budget { nodes: self.budget.nodes.saturating_sub(self.nodes), ..self.budget.clone() };
            let mut search = Search::new(after, &[], None, Some(&mut self.refutations), left);
            search.keeps_lines = false;
            search.is_limited = true;
            let (alpha, beta) = if is_turned { (-beta, -alpha) } else { (alpha, beta) };
            let found = search.root_value(depth, alpha, beta);
            self.nodes += search.nodes;
            // What could not be searched to the end is not held better than what could.
            let not_better = if is_turned { beta } else { alpha };
            found.map_or(not_better, |found| found.value)
        };
        if is_turned { -value } else { value }
    }
}

/// Lets the player to move lift two boma and put everything back.
fn put_back(kiothi: &mut Kiothi) {
    let left = match kiothi.to_move() {
        Player::Zero => 0,
        Player::One => usize::from(ROW),
    };
    let row: [u8; ROW as usize] = std::array::from_fn(|k| kiothi.boma()[left + k]);
    for _ in 0..2 {
        let Some(&first) = kiothi.legal_actions().first() else { return };
        kiothi.play_unchecked(first);
    }
    for k in 0..ROW {
        while kiothi.in_hand() > 0 && kiothi.boma()[left + usize::from(k)] < row[usize::from(k)] {
            kiothi.play_unchecked(FIRST_PLACE + k);
        }
    }
}

#[cfg(test)]
mod tests {
    use mancala_env::{KiothiRules, Stream, random_action, stream};

    use super::*;
    use crate::stop::Stop;

    const UNLIMITED: Budget = Budget { nodes: u64::MAX, deadline: None, stop: Stop::never() };

    fn start() -> Kiothi {
        Kiothi::initial(&KiothiRules::new(6, 5).unwrap())
    }

    /// Plays what is planned; every action must be legal, and the redistribution must be over after the last and no sooner.
    fn play(mut kiothi: Kiothi, plan: &Plan) -> Kiothi {
        let player = kiothi.to_move();
        for &action in &plan.actions {
            assert!(kiothi.to_move() == player && kiothi.is_legal(action), "{action} in {}", kiothi.write());
            kiothi.play_unchecked(action);
        }
        assert!(kiothi.to_move() != player, "{}", kiothi.write());
        kiothi
    }

    #[test]
    fn plans_are_whole_and_legal_from_wherever_one_is() {
        let mut rng = stream(Stream::Agent, 1, 0, 0);
        for budget in [0, 1, 1000, 50_000] {
            let mut kiothi = start();
            while !kiothi.counts_for_repetition() {
                let plan = plan(&kiothi, &mut rng, 2, Budget { nodes: budget, ..UNLIMITED });
                play(kiothi, &plan);
                assert!(plan.nodes <= budget + 5_000, "{} nodes of {budget}", plan.nodes);
                let action = random_action(&kiothi, &mut rng).unwrap();
                kiothi.play_unchecked(action);
            }
        }
    }

    #[test]
    fn putting_back_changes_no_boma() {
        let before = start();
        let mut after = before;
        put_back(&mut after);
        assert_eq!((after.boma(), after.to_move(), after.phase()), (before.boma(), Player::One, Phase::Lift));
        put_back(&mut after);
        assert_eq!((after.boma(), after.to_move(), after.phase()), (before.boma(), Player::Zero, Phase::Sow));
    }

    #[test]
    fn the_second_player_plans_better_than_he_draws() {
        let mut rng = stream(Stream::Agent, 2, 0, 0);
        let mut gain = 0;
        for _ in 0..5 {
            let mut kiothi = start();
            while kiothi.to_move() == Player::Zero {
                kiothi.play_unchecked(random_action(&kiothi, &mut rng).unwrap());
            }
            let planned = play(kiothi, &plan(&kiothi, &mut rng, 2, UNLIMITED));
            let mut drawn = kiothi;
            while !drawn.counts_for_repetition() {
                drawn.play_unchecked(random_action(&drawn, &mut rng).unwrap());
            }
            let [planned, drawn] = [planned, drawn].map(|after| {
                // Deeper than planned for; the first player is to move.
                let mut search = Search::new(after, &[], None, None, UNLIMITED);
                -search.root_value(5, -INFINITY, INFINITY).unwrap().value
            });
            gain += planned - drawn;
        }
        assert!(gain > 0, "{gain}");
    }
}
