//! `Played`: what a move did, and `Trace`: what it did lap by lap.

use mancala_env::{Game, Position};
use pyo3::prelude::*;

/// What one action did.
#[pyclass(module = "mancala_rl", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Played {
    /// Seeds taken by the capture, effecting seed and bonus among them; the sweep at the end is not.
    captured: u8,
    /// Laps sown, the first included; 0 in Kiothi's opening, None if they would never have ended.
    laps: Option<u16>,
    /// Board number of the pit in which the last seed fell (endless: of the pit it was started from).
    landing: u8,
    /// At least one seed fell into the opponent's row.
    entered: bool,
    /// The player has earned an extra move (Giuthi).
    extra_move: bool,
    /// The leftmost bonus was taken (Kiothi).
    bonus: bool,
    /// A player without a move was passed over, and the game goes on; with `extra_move` the mover himself.
    passed: bool,
    /// The laps would never have ended; the board stands as before.
    endless: bool,
}

impl From<mancala_env::Played> for Played {
    fn from(played: mancala_env::Played) -> Self {
        let mancala_env::Played { captured, laps, landing, entered, extra_move, bonus, passed, endless } =
            played;
        let laps = (!endless).then_some(laps);
        Self { captured, laps, landing, entered, extra_move, bonus, passed, endless }
    }
}

#[pymethods]
impl Played {
    fn __repr__(&self) -> String {
        let laps = self.laps.map_or_else(|| "None".into(), |laps| laps.to_string());
        let word = |flag| if flag { "True" } else { "False" };
        format!(
            "Played(captured={}, laps={laps}, landing={}, entered={}, extra_move={}, bonus={}, passed={}, endless={})",
            self.captured,
            self.landing,
            word(self.entered),
            word(self.extra_move),
            word(self.bonus),
            word(self.passed),
            word(self.endless),
        )
    }
}

/// One sowing of a move, until the hand is empty. Pits have their board numbers.
#[pyclass(module = "mancala_rl", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lap {
    /// The pit it was lifted from.
    from_pit: u8,
    /// The seeds sown.
    seeds: u8,
    /// Which way: "ccw", from low pit numbers to high, or "cw"; in Kiothi always "ccw".
    direction: &'static str,
    /// Where the last seed fell.
    landing: u8,
    /// That pit was occupied: all its seeds go on in the next lap.
    relays: bool,
    /// The position as text when the last seed had fallen, before a capture and with the mover still to move.
    position: String,
}

#[pymethods]
impl Lap {
    fn __repr__(&self) -> String {
        let Self { from_pit, seeds, direction, landing, relays, position } = self;
        let relays = if *relays { "True" } else { "False" };
        format!(
            "Lap(from_pit={from_pit}, seeds={seeds}, direction='{direction}', landing={landing}, relays={relays}, position='{position}')"
        )
    }
}

/// A move lap by lap; made by `State.trace`.
///
/// It is told by the rules alone: whether a position has stood before, and the game is over, only `State.play` finds out.
#[pyclass(module = "mancala_rl", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Trace {
    /// The laps, none in Kiothi's opening. An endless sowing's end where all stands as it stood before, or where it is proven.
    laps: Vec<Lap>,
    /// Of an endless sowing: the index of the lap after which all stood as after the last one here. None where the sowing ends,
    /// or was proven endless before it came round.
    comes_back_to: Option<usize>,
    /// The pits emptied by the capture and the seeds taken from each, ascending, the landing pit among them; empty without one.
    captures: Vec<(u8, u8)>,
    /// The position as text when these had gone to the score, before a sweep at the end; None without a capture.
    captured_position: Option<String>,
    /// What `play` returns, as if nothing had stood before.
    played: Played,
    /// The position as text after the action, the turn given on and at the end all swept, without a word for the end.
    position: String,
}

impl Trace {
    pub(crate) fn of<G: Game>(position: &Position<G>, trace: mancala_env::Trace<G>) -> Self {
        let pits = |board: &G| {
            let mut cells = vec![0; G::observation_len(position.rules())];
            // Seen by the same player, so that equal cells are the same pit.
            board.observe_raw(position.rules(), &mut cells);
            cells
        };
        let captures =
            trace.laps.last().zip(trace.captured.as_ref()).map_or_else(Vec::new, |(lap, board)| {
                let (full, rest) = (pits(&lap.board), pits(board));
                let taken = (0..G::num_pits(position.rules()) as u8).map(|pit| {
                    let cell = usize::from(lap.board.relative_pit(pit));
                    (pit, full[cell] - rest[cell])
                });
                taken.filter(|&(_, seeds)| seeds > 0).collect()
            });
        let laps = trace.laps.iter().map(|lap| Lap {
            from_pit: lap.from,
            seeds: lap.seeds,
            direction: lap.direction.word(),
            landing: lap.landing,
            relays: lap.relays,
            position: lap.board.write(),
        });
        Self {
            laps: laps.collect(),
            comes_back_to: trace.comes_back_to,
            captures,
            captured_position: trace.captured.as_ref().map(Game::write),
            played: trace.played.into(),
            position: trace.after.write(),
        }
    }
}

#[pymethods]
impl Trace {
    fn __repr__(&self) -> String {
        let Self { laps, captures, position, .. } = self;
        let captures: Vec<_> = captures.iter().map(|(pit, seeds)| format!("({pit}, {seeds})")).collect();
        format!("<Trace of {} laps, captures [{}], to '{position}'>", laps.len(), captures.join(", "))
    }
}
