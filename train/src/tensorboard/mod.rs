//! The figures of a run for TensorBoard: one event file in the run's folder.
//!
//! The file is a view of `metrics.jsonl` and `arena.jsonl`: each start of the run writes it anew from them, so that it never has
//! more, less or twice what they have, wherever a process was killed.

mod event;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::curves::{group, is_label};
use crate::files;
use crate::lines::{self, Line, number, text};
use event::Event;

/// How the name of an event file begins, by which TensorBoard knows it.
const PREFIX: &str = "events.out.tfevents.";
/// The name under which it is written: TensorBoard reads whatever has `tfevents` in its name, whole or not.
const TEMPORARY: &str = ".events.tmp";

/// The event file of a run, open at its end.
#[derive(Debug)]
pub struct EventFile {
    file: File,
}

impl EventFile {
    /// Writes the file anew from the lines of both files.
    ///
    /// It gets a new name, later in the order of names than the old: a TensorBoard that has the old one open reads on in the
    /// new one. At no moment are there two, or none where there was one.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn open(folder: &Path, metrics: &Path, arena: &Path) -> io::Result<Self> {
        let now = files::unix_time();
        let events = events(&read(metrics)?, &read(arena)?);
        let begun = events.first().map_or(now, |event| event.wall_time);
        let mut bytes = Event::version_record(begun);
        bytes.extend(events.iter().flat_map(Event::to_record));

        let mut old = event_files(folder)?;
        let newest = old.pop();
        for (_, path) in &old {
            fs::remove_file(path)?;
        }
        let after = newest.as_ref().map_or(0, |(second, _)| second + 1);
        let path = folder.join(format!("{PREFIX}{:010}.mancala", after.max(now as u64)));
        let temporary = folder.join(TEMPORARY);
        files::write_synced(&temporary, &bytes)?;
        match newest {
            Some((_, newest)) => {
                fs::rename(&temporary, &newest)?;
                fs::rename(newest, &path)?;
            }
            None => fs::rename(&temporary, &path)?,
        }
        files::sync_parent(&path)?;
        Ok(Self { file: OpenOptions::new().append(true).open(path)? })
    }

    /// Adds what a line of `metrics.jsonl` or `arena.jsonl` tells.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        match serde_json::to_value(line)? {
            Value::Object(line) => self.file.write_all(&event(&line, files::unix_time()).to_record()),
            _ => Ok(()),
        }
    }
}

/// The event files of a folder by their number, ascending.
fn event_files(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(".mancala"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The lines of a file, with the time at which those that do not tell it were there.
fn read(path: &Path) -> io::Result<(Vec<Line>, f64)> {
    let lines = lines::read(path)?.into_iter().filter_map(Result::ok).collect();
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    Ok((lines, modified.map_or_else(|_| files::unix_time(), files::seconds)))
}

/// The events of a run, by iteration. Of a match that was played again (with other settings) only the last counts.
fn events((metrics, metrics_time): &(Vec<Line>, f64), (arena, arena_time): &(Vec<Line>, f64)) -> Vec<Event> {
    let matches: BTreeMap<_, _> =
        arena.iter().map(|line| ((iteration(line), text(line, "opponent")), line)).collect();
    let metrics = metrics.iter().map(|line| event(line, *metrics_time));
    let mut events: Vec<_> = metrics.chain(matches.values().map(|line| event(line, *arena_time))).collect();
    events.sort_by_key(|event| event.step);
    events
}

fn iteration(line: &Line) -> i64 {
    line.get("iteration").and_then(Value::as_i64).unwrap_or(0)
}

/// The figures of a line of either file.
fn event(line: &Line, otherwise: f64) -> Event {
    let figure = |name: &str| number(line, name);
    let scalars = match text(line, "opponent") {
        Some(opponent) => ["score", "elo"]
            .into_iter()
            .filter_map(|name| Some((format!("arena_{name}/{opponent}"), figure(name)? as f32)))
            .collect(),
        None => line
            .keys()
            .filter(|field| !is_label(field))
            .filter_map(|field| Some((format!("{}/{field}", group(field)), figure(field)? as f32)))
            .collect(),
    };
    let wall_time = figure("time").filter(|&time| time > 0.0).unwrap_or(otherwise);
    Event { wall_time, step: iteration(line), scalars }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(value: Value) -> Line {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn figures_of_lines_get_tags() {
        let metrics =
            json!({"iteration": 7, "time": 5.5, "value_loss": 0.25, "buffer": 3, "gap": null, "colour": 2});
        let found = event(&line(metrics), 1.0);
        assert_eq!((found.step, found.wall_time), (7, 5.5));
        let mut scalars = found.scalars;
        scalars.sort_by(|one, other| one.0.cmp(&other.0));
        let expected = [("loss/value_loss", 0.25), ("other/colour", 2.0), ("run/buffer", 3.0)];
        assert!(scalars.iter().map(|(tag, value)| (tag.as_str(), *value)).eq(expected));
        let played = json!({"iteration": 9, "opponent": "random", "games": 4, "score": 1.0, "elo": null});
        let found = event(&line(played), 1.0);
        assert_eq!((found.step, found.wall_time), (9, 1.0));
        assert_eq!(found.scalars, [("arena_score/random".to_owned(), 1.0)]);
    }

    #[test]
    fn each_start_writes_one_file_under_a_later_name() {
        let folder = tempfile::tempdir().unwrap();
        let (metrics, arena) = (folder.path().join("metrics.jsonl"), folder.path().join("arena.jsonl"));
        fs::write(&arena, "{\"iteration\":1,\"opponent\":\"random\",\"score\":0.5}\nrubbish\n{\"iter")
            .unwrap();
        let mut names = Vec::new();
        for start in 0..3u32 {
            let mut file = EventFile::open(folder.path(), &metrics, &arena).unwrap();
            let found = event_files(folder.path()).unwrap();
            assert_eq!(found.len(), 1, "start {start}");
            let bytes = fs::read(&found[0].1).unwrap();
            file.append(&json!({"iteration": 2, "value_loss": 1.0})).unwrap();
            assert!(fs::metadata(&found[0].1).unwrap().len() > bytes.len() as u64);
            names.push((found[0].0, bytes.len()));
        }
        assert!(names.is_sorted_by(|one, other| one.0 < other.0), "{names:?}");
        assert_eq!(names[0].1, names[2].1, "what was appended and is in no line is gone");
        assert!(!folder.path().join(TEMPORARY).exists());
    }
}
