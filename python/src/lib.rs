//! Python bindings: thin glue between numpy arrays and `mancala_env`, `mancala_search`. The documentation of what is here
//! stands in `mancala_rl/_core.pyi`.

mod agents;
mod arena;
mod arguments;
mod errors;
mod mcts;
mod moves;
mod net;
mod options;
mod perft;
mod signals;
mod state;
mod states;
mod tablebase;
mod vec_env;

/// The native half of `mancala_rl`.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::agents::{Agent, Analysis, agent};
    #[pymodule_export]
    use crate::arena::{MatchResult, MatchSide, SprtResult, play};
    #[pymodule_export]
    use crate::mcts::{LeafBatch, SearchResult, mcts};
    #[pymodule_export]
    use crate::moves::{Lap, Played, Trace};
    #[pymodule_export]
    use crate::net::{NativeNet, NetConfig, NetInputs, NetOutputs, ReplayBatch, ReplayPositions};
    #[pymodule_export]
    use crate::perft::perft;
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::tablebase::{Judgement, Probe, Probes, Tablebase, build_tablebase};
    #[pymodule_export]
    use crate::vec_env::VecEnv;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("ACTION_FEATURES", mancala_env::ACTION_FEATURES)
    }
}
