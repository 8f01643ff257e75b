//! A learned net as an agent: where its file is, and the search it plays with.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mancala_env::Game;
use serde::Deserialize;

use super::{NetEvaluator, Weights, shipped};
use crate::agent::{Agent, AgentError};
use crate::mcts::{MctsAgent, SearchLimit, Settings};
use crate::tablebase::{Tablebase, TablebaseEvaluator};

/// The file in a checkpoint folder that holds the net.
pub const NET_FILE: &str = "net.safetensors";
/// The newest checkpoint, within a run's folder.
pub const LATEST_CHECKPOINT: &str = "checkpoints/latest";
/// The file in a checkpoint folder that tells lengths and checksums of the others.
const MANIFEST_FILE: &str = "manifest.json";

/// How a net plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetOptions {
    /// How long it searches; 0 simulations play the policy head alone.
    pub limit: SearchLimit,
    /// How much less than 0 a draw is worth to it, 0..=1. See [`Settings::contempt`].
    pub contempt: f32,
}

impl NetOptions {
    /// What [`contempt`](Self::contempt) is where nothing else is said: none, which is best against equals.
    pub const CONTEMPT: f32 = 0.0;

    /// So many simulations, the usual contempt.
    pub fn simulations(simulations: u32) -> Self {
        Self { limit: SearchLimit::Simulations(simulations), contempt: Self::CONTEMPT }
    }
}

/// Finds the file that `what` names: a `.safetensors` file, a checkpoint folder, or a run's folder.
///
/// # Errors
/// If there is none; the error says where it was looked for.
pub fn locate(what: &str) -> Result<PathBuf, String> {
    let path = Path::new(what);
    if what.is_empty() {
        return Err("net: expected the name of a net that ships, a run folder, a checkpoint folder or a .safetensors file".into());
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
        false => {
            let names: Vec<&str> = shipped::shipped().collect();
            format!("{what}: no such file or folder, nor a net that ships ({})", names.join(", "))
        }
    })
}

/// Reads the net that `what` names: one that ships ([`shipped`](super::shipped)), whatever files there are, or one that
/// [`locate`] finds. One in a checkpoint's folder is checked against the folder's manifest.
///
/// # Errors
/// If there is no such net, it cannot be read, or it is not as it was written.
pub fn read(what: &str) -> Result<Weights, AgentError> {
    let unfit = |error| AgentError::Unfit(format!("net {what}: {error}"));
    if let Some(bytes) = shipped::file(what) {
        return Weights::from_bytes(bytes).map_err(unfit);
    }
    let path = locate(what).map_err(AgentError::NotFound)?;
    let bytes = std::fs::read(&path)
        .map_err(|error| AgentError::NotFound(format!("net {what}: {}: {error}", path.display())))?;
    check_manifest(&path, &bytes)
        .map_err(|problem| AgentError::Unfit(format!("net {what}: {}: {problem}", path.display())))?;
    Weights::from_bytes(&bytes).map_err(unfit)
}

/// What a checkpoint's manifest says of its net.
#[derive(Deserialize)]
struct Listed {
    bytes: u64,
    crc32: String,
}

/// The part of a checkpoint's manifest that concerns its net.
#[derive(Deserialize)]
struct Manifest {
    files: HashMap<String, Listed>,
}

/// Checks a net against the manifest beside it, if there is one.
fn check_manifest(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if path.file_name().is_none_or(|name| name != NET_FILE) {
        return Ok(());
    }
    let text = match std::fs::read(path.with_file_name(MANIFEST_FILE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        result => result.map_err(|error| format!("{MANIFEST_FILE}: {error}"))?,
    };
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|error| format!("{MANIFEST_FILE}: {error}"))?;
    let listed = manifest.files.get(NET_FILE).ok_or(format!("{MANIFEST_FILE} does not list it"))?;
    let (length, sum) = (bytes.len() as u64, format!("{:08x}", crc32fast::hash(bytes)));
    match listed.bytes == length && listed.crc32 == sum {
        true => Ok(()),
        false => Err(format!(
            "{length} bytes with checksum {sum}, but {MANIFEST_FILE} lists {} with {}: the file has been altered",
            listed.bytes, listed.crc32
        )),
    }
}

/// The agent that plays with the net that `what` names, and looks up what a tablebase knows of its leaves.
///
/// # Errors
/// If there is no such net, it cannot be read, or it is for another game.
pub fn agent<G: Game>(
    what: &str,
    rules: &G::Rules,
    options: NetOptions,
    tablebase: Option<Arc<Tablebase>>,
) -> Result<Box<dyn Agent<G>>, AgentError> {
    let weights = read(what)?;
    let unfit = |error| AgentError::Unfit(format!("net {what}: {error}"));
    let evaluator = NetEvaluator::<G>::new(rules, &weights).map_err(unfit)?;
    let evaluator = TablebaseEvaluator::new(evaluator, tablebase);
    let agent = match options.limit {
        SearchLimit::Simulations(simulations) => {
            MctsAgent::new(rules, evaluator, Settings::gumbel(simulations))
        }
        SearchLimit::Time(seconds) => MctsAgent::timed(rules, evaluator, seconds),
    };
    Ok(Box::new(agent.with_contempt(options.contempt)))
}
