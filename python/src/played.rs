//! `Played`: what a move did.

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
