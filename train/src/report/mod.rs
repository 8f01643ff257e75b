//! A run as one HTML page that needs nothing else: curves, matches, games, config.

mod chart;
mod games;
mod html;
mod page;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::config::Config;
use crate::error::Usage;
use crate::lines::{self, Line};
use games::Samples;

/// What there is of a run.
struct Report {
    /// The folder, as it was named.
    folder: PathBuf,
    /// The config as it stands in the folder, and read.
    config: Option<(String, Config)>,
    metrics: Vec<Line>,
    arena: Vec<Line>,
    /// Trainable parameters of the newest net, or why it is not known.
    parameters: Result<u64, String>,
    samples: Samples,
}

/// The page of the run in a folder, as it is now: the run may be going on, and may not have got far.
///
/// # Errors
/// If there is no run, or its config or a line of its metrics or matches is damaged: the error names file and line.
pub fn report(folder: &Path) -> anyhow::Result<String> {
    Ok(page::write(&read(folder)?))
}

fn read(folder: &Path) -> anyhow::Result<Report> {
    let shown = folder.display();
    let (config, metrics, arena) =
        (folder.join("config.toml"), folder.join("metrics.jsonl"), folder.join("arena.jsonl"));
    if !folder.is_dir() {
        return Err(Usage::new(format!("{shown}: no such folder")).into());
    }
    if !config.is_file() && !metrics.is_file() {
        let problem = format!("{shown} holds no run: there is neither config.toml nor metrics.jsonl");
        return Err(Usage::new(problem).into());
    }
    let config = match config.is_file() {
        false => None,
        true => {
            let text = std::fs::read_to_string(&config).with_context(|| config.display().to_string())?;
            Some((text, Config::load(&config, &[]).with_context(|| config.display().to_string())?))
        }
    };
    let samples = match &config {
        Some((_, config)) => games::newest(&folder.join("replay"), config),
        None => Samples::none("without config.toml the replay shards cannot be read"),
    };
    let weights = mancala_search::net::read(&folder.display().to_string());
    let parameters = weights.map(|net| net.tensors.iter().map(|tensor| tensor.data.len() as u64).sum());
    Ok(Report {
        folder: folder.into(),
        config,
        metrics: read_lines(&metrics)?,
        arena: read_lines(&arena)?,
        parameters: parameters.map_err(|error| error.to_string()),
        samples,
    })
}

fn read_lines(path: &Path) -> anyhow::Result<Vec<Line>> {
    let named = || path.display().to_string();
    let lines = lines::read(path).with_context(named)?;
    let whole = lines.into_iter().collect::<Result<_, _>>();
    whole.map_err(|bad| Usage::new(format!("{}, {bad}", named())).into())
}
