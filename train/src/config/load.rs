//! Reading a config: the file, then `--set`, then types, then sense.

use std::path::Path;

use mancala_search::net::NetConfig;
use toml::{Table, Value};

use super::Config;

/// Keys that may change from one start of a run to the next: how long, how often, how measured, but not how learned.
const CHANGEABLE: [&str; 5] = ["iterations", "minutes", "threads", "checkpoint", "evaluation"];

/// Keys that came after runs had been begun without them. Where they are as a config without them has them, they are left out of what
/// binds a checkpoint to its run, so that those runs go on.
pub(super) const ADDED: [&str; 18] = [
    "net.count_levels",
    "net.reply_features",
    "net.capture_search",
    "net.afterstates",
    "net.policy_blocks",
    "self_play.selection",
    "self_play.full_share",
    "self_play.fast_simulations",
    "self_play.exploration",
    "self_play.noise_part",
    "self_play.noise_alpha",
    "self_play.sampled_plies",
    "self_play.temperature",
    "self_play.fork_share",
    "replay.growth_start",
    "replay.growth_exponent",
    "replay.growth_slope",
    "learner.margin_weight",
];

/// Why there is no config. Errors name the key by its dotted path.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("config {path}: {error}")]
    Io {
        /// Which file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no TOML.
    #[error("config {path}, line {line}: {problem}")]
    Syntax {
        /// Which file.
        path: String,
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// An override is not of the form `key=value`.
    #[error("--set {0:?}: expected key=value, with a dotted key as learner.batch")]
    Override(String),
    /// A key is unknown, missing, or has a value that will not do.
    #[error("config key {key}: {problem}")]
    Key {
        /// Its dotted path.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ConfigError {
    pub(super) fn key(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Key { key: key.into(), problem: problem.into() }
    }
}

impl Config {
    /// Reads a file, overrides what `key=value` texts say and checks the whole.
    ///
    /// # Errors
    /// Names the first key that is wrong.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::Io { path: path.display().to_string(), error })?;
        let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count();
            ConfigError::Syntax { path: path.display().to_string(), line, problem: error.message().into() }
        })?;
        for text in overrides {
            set(&mut table, text)?;
        }
        Self::from_table(table)
    }

    /// A config from its text alone.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let table = text.parse().map_err(|error: toml::de::Error| ConfigError::key(".", error.message()))?;
        Self::from_table(table)
    }

    fn from_table(table: Table) -> Result<Self, ConfigError> {
        let config: Self = serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let problem = error.inner().message().to_owned();
            ConfigError::key(blamed_key(&error.path().to_string(), &problem), problem)
        })?;
        config.validate()?;
        Ok(config)
    }

    /// The config as a TOML file with every key.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is TOML")
    }

    /// The part of the config that learning depends on, as text: equal texts learn the same.
    pub fn learning_part(&self) -> String {
        let plain = Self {
            self_play: Default::default(),
            replay: Default::default(),
            learner: Default::default(),
            net: NetConfig::plain(
                self.net.channels,
                self.net.blocks,
                self.net.policy_hidden,
                self.net.value_hidden,
            ),
            ..self.clone()
        };
        let leaves = self.leaves().into_iter().zip(plain.leaves());
        leaves
            .filter(|(own, plain)| own != plain || !ADDED.contains(&own.0.as_str()))
            .map(|((key, value), _)| format!("{key} = {value}\n"))
            .collect()
    }

    /// Refuses to go on with a run that was begun with another config. The keys that say how long a run takes, and how it
    /// is kept and measured, may differ.
    ///
    /// # Errors
    /// Names the first key that differs, with both values.
    pub fn check_continues(&self, begun: &Self) -> Result<(), ConfigError> {
        let (ours, theirs) = (self.leaves(), begun.leaves());
        match ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs) {
            None => Ok(()),
            Some(((key, now), (_, then))) => {
                Err(ConfigError::key(key, format!("the run was begun with {then}, now it is {now}")))
            }
        }
    }

    /// Dotted keys with their values, without [`CHANGEABLE`] ones. Every config has the same keys.
    pub(super) fn leaves(&self) -> Vec<(String, Value)> {
        let table = Table::try_from(self).expect("a config is TOML");
        let mut leaves = Vec::new();
        for (key, value) in table.into_iter().filter(|(key, _)| !CHANGEABLE.contains(&key.as_str())) {
            match value {
                Value::Table(section) => {
                    leaves
                        .extend(section.into_iter().map(|(inner, value)| (format!("{key}.{inner}"), value)));
                }
                value => leaves.push((key, value)),
            }
        }
        leaves
    }
}

/// Sets a dotted key to a TOML value, or to a bare string where the text is no value.
fn set(table: &mut Table, text: &str) -> Result<(), ConfigError> {
    let malformed = || ConfigError::Override(text.into());
    let (key, value) = text.split_once('=').ok_or_else(malformed)?;
    let (key, value) = (key.trim(), value.trim());
    let mut path: Vec<&str> = key.split('.').collect();
    if path.iter().any(|part| part.is_empty()) {
        return Err(malformed());
    }
    let value = match format!("value = {value}").parse::<Table>() {
        Ok(mut parsed) if parsed.len() == 1 => parsed.remove("value").expect("the one key"),
        _ => Value::String(value.into()),
    };
    let last = path.pop().expect("a split text has a part");
    let mut inner = table;
    for (depth, part) in path.iter().enumerate() {
        let entry = inner.entry(*part).or_insert_with(|| Value::Table(Table::new()));
        let problem = "is a value, not a section";
        inner = entry.as_table_mut().ok_or_else(|| ConfigError::key(path[..=depth].join("."), problem))?;
    }
    inner.insert(last.into(), value);
    Ok(())
}

/// The dotted path to blame: that of the place, with the key that the problem names where the place is its section.
fn blamed_key(place: &str, problem: &str) -> String {
    let named = ["missing field `", "unknown field `"]
        .into_iter()
        .find_map(|start| problem.strip_prefix(start)?.split_once('`'))
        .map(|(name, _)| name);
    match named {
        Some(name) if place == "." => name.into(),
        Some(name) if place == name || place.ends_with(&format!(".{name}")) => place.into(),
        Some(name) => format!("{}.{name}", place.trim_end_matches(".?")),
        None => place.into(),
    }
}
