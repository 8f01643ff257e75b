//! Laws of traces: they tell what playing does.

use std::collections::HashSet;

use mancala_env::{Direction, Game, Position, Trace};

pub(crate) fn check<G: Game>(position: &Position<G>) {
    for action in position.legal_actions() {
        let trace = position.trace(action).unwrap();
        let at = format!("{action} in {}", position.write());
        it_agrees_with_playing(position, action, &trace, &at);
        every_lap_starts_where_the_last_one_ended(position, &trace, &at);
        a_capture_takes_from_the_last_lap(position, &trace, &at);
        if trace.played.endless {
            an_endless_trace_ends_where_it_comes_round(&trace, &at);
        }
    }
}

/// The two rows as text.
fn rows<G: Game>(state: &G) -> String {
    state.write().split(' ').next().unwrap().to_owned()
}

/// Seeds by pit, in ring order from the left of the player to move.
fn pits<G: Game>(position: &Position<G>, state: &G) -> Vec<u8> {
    let mut cells = vec![0; G::observation_len(position.rules())];
    state.observe_raw(position.rules(), &mut cells);
    cells.truncate(G::num_pits(position.rules()));
    cells
}

fn it_agrees_with_playing<G: Game>(position: &Position<G>, action: u16, trace: &Trace<G>, at: &str) {
    let mut after = *position.state();
    let played = after.play(position.rules(), action).unwrap();
    assert_eq!((trace.played, trace.after), (played, after), "{at}");
    if !position.state().counts_for_repetition() {
        assert!(trace.laps.is_empty(), "no laps in an opening: {at}");
        return;
    }
    let last = trace.laps.last().expect(at);
    if played.endless {
        return;
    }
    assert_eq!((trace.laps.len(), last.landing), (played.laps.into(), played.landing), "{at}");
    assert_eq!(last.board.scores(), position.scores(), "{at}");
    if !after.is_over() {
        assert_eq!(last.board.seeds_in_play() - played.captured, after.seeds_in_play(), "{at}");
        assert!(played.captured > 0 || rows(&last.board) == rows(&after), "{at}");
    }
}

fn every_lap_starts_where_the_last_one_ended<G: Game>(position: &Position<G>, trace: &Trace<G>, at: &str) {
    let relative = |pit: u8| usize::from(position.state().relative_pit(pit));
    let ring = G::num_pits(position.rules());
    let mut before = pits(position, position.state());
    for (i, lap) in trace.laps.iter().enumerate() {
        let board = pits(position, &lap.board);
        let held = before[relative(lap.from)];
        if let Some(last) = i.checked_sub(1).map(|last| &trace.laps[last]) {
            assert_eq!((lap.from, lap.seeds), (last.landing, held), "{at}");
            assert_eq!(lap.direction == last.direction, G::NAME == "kiothi", "{at}");
        }
        assert!(0 < lap.seeds && lap.seeds <= held, "{at}");
        assert!(lap.direction == Direction::Ccw || G::NAME == "giuthi", "{at}");
        let way = if lap.direction == Direction::Ccw {
            lap.seeds.into()
        } else {
            256 * ring - usize::from(lap.seeds)
        };
        assert_eq!(relative(lap.landing), (relative(lap.from) + way) % ring, "{at}");
        assert_eq!(lap.relays, board[relative(lap.landing)] > 1, "{at}");
        assert_eq!(lap.relays, trace.played.endless || i + 1 < trace.laps.len(), "{at}");
        before = board;
    }
}

fn a_capture_takes_from_the_last_lap<G: Game>(position: &Position<G>, trace: &Trace<G>, at: &str) {
    let taken = trace.played.captured;
    assert_eq!(trace.captured.is_some(), taken > 0, "{at}");
    let Some(board) = &trace.captured else { return };
    let (before, after) = (&trace.laps.last().expect(at).board, board);
    let (full, rest) = (pits(position, before), pits(position, after));
    let gone: u8 = full.iter().zip(&rest).map(|(&full, &rest)| full - rest).sum();
    assert!(full.iter().zip(&rest).all(|(&full, &rest)| rest == full || rest == 0), "whole pits: {at}");
    let mut scores = position.scores();
    scores[position.to_move().index()] += taken;
    assert_eq!((gone, after.scores()), (taken, scores), "{at}");
    assert_eq!(after.to_move(), position.to_move(), "{at}");
    assert!(trace.after.is_over() || rows(after) == rows(&trace.after), "{at}");
}

fn an_endless_trace_ends_where_it_comes_round<G: Game>(trace: &Trace<G>, at: &str) {
    let state = |i: usize| (trace.laps[i].board, trace.laps[i].landing, trace.laps[i].direction);
    let distinct: HashSet<_> = (0..trace.laps.len()).map(state).collect();
    let last = trace.laps.len() - 1;
    match trace.comes_back_to {
        Some(first) => {
            assert!(first < last && state(first) == state(last), "{at}");
            assert_eq!(distinct.len(), last, "nothing else came round: {at}");
        }
        // Its classes proved it, before it came round.
        None => assert!(G::NAME == "kiothi" && distinct.len() == trace.laps.len(), "{at}"),
    }
}
