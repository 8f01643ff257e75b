//! A learned net as an agent: where its file is, and the search it plays with.

use std::path::{Path, PathBuf};

use mancala_env::Game;

use super::{NetEvaluator, Weights};
use crate::agent::{Agent, AgentError};
use crate::mcts::{MctsAgent, Settings};

/// The file in a checkpoint folder that holds the net.
pub const NET_FILE: &str = "net.safetensors";
/// The newest checkpoint, within a run's folder.
pub const LATEST_CHECKPOINT: &str = "checkpoints/latest";

/// How long a net's search may run, a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NetLimit {
    /// Simulations; 0 plays the policy head alone.
    Simulations(u32),
    /// Seconds.
    Time(f64),
}

/// Finds the file that `what` names: a `.safetensors` file, a checkpoint folder, or a run's folder.
///
/// # Errors
/// If there is none; the error says where it was looked for.
pub fn locate(what: &str) -> Result<PathBuf, String> {
    let path = Path::new(what);
    if what.is_empty() {
        return Err("net: expected a run folder, a checkpoint folder or a .safetensors file".into());
    }
    if path.is_file() {
        return Ok(path.into());
    }
    let candidates = [path.join(NET_FILE), path.join(LATEST_CHECKPOINT).join(NET_FILE)];
    if let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) {
        return Ok(found.clone());
    }
    Err(match path.exists() {
        true => {
            format!("{what}: no checkpoint here (looked for {NET_FILE} and {LATEST_CHECKPOINT}/{NET_FILE})")
        }
        false => format!("{what}: no such file or folder, and no net of this name is shipped"),
    })
}

/// The agent that plays with the net that `what` names.
///
/// # Errors
/// If there is no such net, it cannot be read, or it is for another game.
pub fn agent<G: Game>(
    what: &str,
    rules: &G::Rules,
    limit: NetLimit,
) -> Result<Box<dyn Agent<G>>, AgentError> {
    let path = locate(what).map_err(AgentError::Failed)?;
    let at = |error: super::WeightsError| AgentError::Failed(format!("net {what}: {error}"));
    let weights = Weights::read(&path).map_err(at)?;
    let evaluator = NetEvaluator::<G>::new(rules, &weights).map_err(at)?;
    Ok(match limit {
        NetLimit::Simulations(simulations) => {
            Box::new(MctsAgent::new(rules, evaluator, Settings::gumbel(simulations)))
        }
        NetLimit::Time(seconds) => Box::new(MctsAgent::timed(rules, evaluator, seconds)),
    })
}
