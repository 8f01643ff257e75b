//! A move in words.

use mancala_env::{End, Lap, Played, Player, Position, Trace};

use super::board::{Board, View};

/// Of a move of more laps the last few are shown and those before the others, not all between.
const SHOWN_LAPS: usize = 100;
const SHOWN_LAST_LAPS: usize = 10;

/// A move that has been played.
#[derive(Clone, Debug)]
pub(crate) struct Ply<G: Board> {
    pub(crate) before: Position<G>,
    pub(crate) action: u16,
    pub(crate) played: Played,
}

impl<G: Board> Ply<G> {
    /// Plays a legal action.
    pub(crate) fn play(position: &mut Position<G>, action: u16) -> Self {
        let before = position.clone();
        Self { before, action, played: position.play_unchecked(action) }
    }

    pub(crate) fn mover(&self) -> Player {
        self.before.to_move()
    }

    pub(crate) fn name(&self) -> String {
        self.before.state().action_name(self.action)
    }

    /// Whether it was one of Kiothi's opening, which sows nothing.
    pub(crate) fn is_opening(&self) -> bool {
        self.played.laps == 0 && !self.played.endless
    }

    /// What happened: the move, and whose turn it is where that is not plain.
    pub(crate) fn tell(&self) -> Vec<String> {
        let Played { captured, laps, landing, extra_move, bonus, passed, endless, .. } = self.played;
        let (mover, other) = (self.mover().index(), self.mover().other().index());
        let begin = format!("Player {mover} plays {}", self.name());
        if self.is_opening() {
            return vec![format!("{begin}.")];
        }
        if endless {
            return vec![format!("{begin}: its laps would never end.")];
        }
        let laps = counted(laps.into(), "lap");
        let mut move_line = format!("{begin}: {laps}, the last {} falls into {} {landing}", G::SEED, G::PIT);
        if captured > 0 {
            move_line += &format!("; captures {}", counted(captured.into(), G::SEED));
        }
        if bonus {
            move_line += ", those of the leftmost bonus among them";
        }
        let mut lines = vec![move_line + "."];
        match (extra_move, passed) {
            (true, false) => lines.push(format!("Player {mover} has earned an extra move.")),
            (true, true) => lines.push(format!(
                "Player {mover} has earned an extra move, but no {0} of his holds two {1}s: he passes, and Player {other} moves.",
                G::PIT, G::SEED
            )),
            (false, true) => lines.push(format!(
                "Player {other} has no {} of two {}s or more and passes: Player {mover} moves again.",
                G::PIT, G::SEED
            )),
            (false, false) => {}
        }
        lines
    }

    /// The move lap by lap, with the board before it and after it.
    pub(crate) fn tell_laps(&self, view: View<'_>) -> Vec<String> {
        let mover = self.mover();
        let mut lines = vec![format!("Player {} plays {}, from", mover.index(), self.name())];
        lines.extend(view.board(self.before.state(), Some(mover)));
        let trace = self.before.state().trace_unchecked(self.action);
        if trace.laps.is_empty() {
            lines.push("It sows nothing: there are no laps in the opening.".into());
            return lines;
        }
        let first_of_last = match trace.laps.len() > SHOWN_LAPS {
            true => trace.laps.len() - SHOWN_LAST_LAPS,
            false => 0,
        };
        for (i, lap) in trace.laps.iter().enumerate() {
            if i == SHOWN_LAPS - SHOWN_LAST_LAPS && i < first_of_last {
                lines.push(format!("... {} laps like these ...", first_of_last - i));
            }
            if i < SHOWN_LAPS - SHOWN_LAST_LAPS || i >= first_of_last {
                lines.push(format!("lap {}: {}", i + 1, self.tell_lap(&trace, lap)));
                lines.extend(view.bare_rows(&lap.board, lap.landing.into()));
            }
        }
        lines.push(match trace.comes_back_to {
            Some(first) => format!("All stands as after lap {}: the laps would never end.", first + 1),
            None if trace.played.endless => {
                "From here on no lap can end in an empty boma: they would never end.".into()
            }
            None => {
                lines.push("and then".into());
                lines.extend(view.board(&trace.after, None));
                return lines;
            }
        });
        lines
    }

    /// A lap, and what ended it.
    fn tell_lap(&self, trace: &Trace<G>, lap: &Lap<G>) -> String {
        let Lap { from, seeds, direction, landing, relays, board } = lap;
        let (pit, sown) = (G::PIT, counted((*seeds).into(), G::SEED));
        let begin = format!("{sown} from {pit} {from} {}, the last into {pit} {landing}", direction.word());
        let Played { captured, extra_move, .. } = trace.played;
        if *relays {
            let lifted = board.seeds()[usize::from(*landing)];
            return format!("{begin}, occupied: a relay with {lifted}");
        }
        match captured {
            0 if extra_move => format!("{begin}, empty: an extra move"),
            0 => format!("{begin}, empty: the move is over"),
            _ => format!("{begin}, empty: a capture of {captured}"),
        }
    }
}

/// How a game ended.
pub(crate) fn tell_end<G: Board>(position: &Position<G>, end: End) -> Vec<String> {
    let (player, other) = (position.to_move().index(), position.to_move().other().index());
    let why = match (end, G::NAME) {
        (End::NoMoves, "kiothi") => {
            format!("Player {player} has no warrior in his row; those that are left go to Player {other}.")
        }
        (End::NoMoves, _) => {
            "Neither player can move; each adds what is left in his row to his score.".into()
        }
        (End::Repetition, _) => "This position has stood before.".into(),
        (End::Endless, _) => "The board is left as it stood before it.".into(),
    };
    let [zero, one] = position.scores();
    let result = match position.winner() {
        Some(winner) => {
            format!("Player {} wins, {} to {}", winner.index(), zero.max(one), zero.min(one))
        }
        None => format!("a draw, {zero} to {one}"),
    };
    vec![why, format!("The game is over ({}): {result}.", end.word())]
}

/// `1 lap`, `2 laps`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
