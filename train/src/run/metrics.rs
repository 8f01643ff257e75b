//! `metrics.jsonl`: one line an iteration.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use mancala_env::End;
use mancala_search::self_play::{GameRecord, SelfPlayStats};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::learner::Learned;
use crate::lines::{self, number};

/// What an iteration was like; `docs/training.md` explains the fields. Those that are not in a line of an older run are 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct Metrics {
    pub iteration: u64,
    pub games: u64,
    pub positions: u64,
    pub total_games: u64,
    pub total_positions: u64,
    pub buffer: u64,
    pub window: u64,
    pub game_length: f64,
    pub draw_rate: f64,
    pub repetition_rate: f64,
    pub endless_rate: f64,
    pub stopped_rate: f64,
    pub first_player_score: f64,
    pub fork_rate: f64,
    pub policy_positions: u64,
    pub simulations_per_move: f64,
    pub batch_rows: f64,
    pub steps: u64,
    pub total_steps: u64,
    pub learning_rate: f64,
    pub policy_loss: f64,
    pub policy_kl: f64,
    pub target_entropy: f64,
    pub policy_entropy: f64,
    pub value_loss: f64,
    pub margin_loss: f64,
    pub gradient_norm: f64,
    pub games_per_second: f64,
    pub positions_per_second: f64,
    pub busy_share: Option<f64>,
    pub self_play_seconds: f64,
    pub inference_seconds: f64,
    pub search_seconds: f64,
    pub rules_seconds: f64,
    pub replay_seconds: f64,
    pub learner_seconds: f64,
    pub elapsed_seconds: f64,
    pub time: f64,
}

impl Metrics {
    /// Fills in what the games tell.
    pub fn with_games(self, games: &[GameRecord]) -> Self {
        let count = games.len() as f64;
        let share = |of: &dyn Fn(&GameRecord) -> f64| games.iter().map(of).sum::<f64>() / count;
        let ended = |end: Option<End>| share(&|game| f64::from(u8::from(game.end == end)));
        Self {
            games: games.len() as u64,
            game_length: share(&|game| (game.opening.len() + game.moves.len()) as f64),
            draw_rate: share(&|game| f64::from(u8::from(game.returns[0] == 0.0))),
            repetition_rate: ended(Some(End::Repetition)),
            endless_rate: ended(Some(End::Endless)),
            stopped_rate: ended(None),
            policy_positions: games
                .iter()
                .flat_map(|game| &game.moves)
                .filter(|played| !played.policy.is_empty())
                .count() as u64,
            first_player_score: share(&|game| match game.returns[0] {
                value if value > 0.0 => 1.0,
                value if value < 0.0 => 0.0,
                _ => 0.5,
            }),
            ..self
        }
    }

    /// Fills in what the games took: `stats` of all threads together.
    pub fn with_stats(self, stats: &SelfPlayStats, threads: usize) -> Self {
        let threads = threads as f64;
        let mean = |sum: u64, count: u64| sum as f64 / count.max(1) as f64;
        Self {
            fork_rate: mean(stats.forks, self.games),
            simulations_per_move: mean(stats.simulations, stats.searched),
            batch_rows: mean(stats.rows, stats.calls),
            inference_seconds: stats.inference_seconds / threads,
            search_seconds: stats.search_seconds() / threads,
            rules_seconds: stats.rules_seconds / threads,
            ..self
        }
    }

    /// Fills in what the learner tells.
    pub fn with_learned(self, learned: &Learned) -> Self {
        let sums = &learned.sums;
        let searched = sums.searched.max(1.0);
        Self {
            steps: learned.steps,
            learning_rate: learned.rate,
            policy_loss: sums.policy / searched,
            policy_kl: (sums.policy - sums.target_entropy) / searched,
            target_entropy: sums.target_entropy / searched,
            policy_entropy: sums.policy_entropy / searched,
            value_loss: sums.value / sums.positions,
            margin_loss: sums.margin / sums.positions,
            gradient_norm: learned.gradient,
            ..self
        }
    }
}

/// The file, open at its end.
#[derive(Debug)]
pub struct MetricsFile {
    file: File,
    /// Seconds that the iterations in it took.
    pub elapsed: f64,
}

impl MetricsFile {
    /// Opens the file of a run that goes on after `iteration`: lines of later iterations, which will be done anew, and a
    /// line that was cut off, go.
    ///
    /// # Errors
    /// If the file cannot be read or written, or a line of it is damaged: what stands behind it is not thrown away unasked.
    pub fn open(path: &Path, iteration: u64) -> io::Result<Self> {
        let parsed = lines::read(path)?;
        let text = if parsed.is_empty() { Vec::new() } else { std::fs::read(path)? };
        let (mut kept, mut elapsed) = (Vec::new(), 0.0);
        for (text, line) in text.split_inclusive(|&byte| byte == b'\n').zip(parsed) {
            let line = line.map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad))?;
            if number(&line, "iteration").is_none_or(|number| number > iteration as f64) {
                continue;
            }
            elapsed = number(&line, "elapsed_seconds").unwrap_or(elapsed);
            kept.extend_from_slice(text);
        }
        files::write_atomic(path, &kept)?;
        Ok(Self { file: OpenOptions::new().append(true).open(path)?, elapsed })
    }

    /// Adds a line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, metrics: &Metrics) -> io::Result<()> {
        let mut line = serde_json::to_string(metrics)?;
        line.push('\n');
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterations(path: &Path) -> Vec<u64> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Metrics>(line).unwrap().iteration).collect()
    }

    #[test]
    fn there_is_one_stream_whatever_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut file = MetricsFile::open(&path, 0).unwrap();
        for iteration in 1..=4 {
            let metrics =
                Metrics { iteration, elapsed_seconds: 10.0 * iteration as f64, ..Default::default() };
            file.append(&metrics).unwrap();
        }
        file.file.write_all(b"{\"iteration\": 5, \"ga").unwrap();
        drop(file);
        let mut file = MetricsFile::open(&path, 3).unwrap();
        assert_eq!((iterations(&path), file.elapsed), (vec![1, 2, 3], 30.0));
        file.append(&Metrics { iteration: 4, ..Default::default() }).unwrap();
        assert_eq!(iterations(&path), [1, 2, 3, 4]);
    }

    #[test]
    fn a_damaged_line_is_named_and_nothing_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let text = "{\"iteration\":1}\n{\"iterat\n{\"iteration\":3}\n";
        std::fs::write(&path, text).unwrap();
        let error = MetricsFile::open(&path, 3).unwrap_err().to_string();
        assert!(error.starts_with("line 2: "), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn lines_that_stay_are_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let mut file = MetricsFile::open(&path, 0).unwrap();
        let thirds =
            Metrics { iteration: 1, value_loss: 1.0 / 3.0, elapsed_seconds: 2e-7, ..Default::default() };
        file.append(&thirds).unwrap();
        let before = std::fs::read(&path).unwrap();
        MetricsFile::open(&path, 1).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
