//! A reader of TensorBoard's event files, written from the format alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// An event: a moment's figures.
#[derive(Debug, Default)]
struct Event {
    wall_time: f64,
    step: u64,
    version: Option<String>,
    scalars: Vec<(String, f32)>,
}

/// The one event file of a run.
pub(crate) fn path(run: &Path) -> PathBuf {
    let names = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    // Exactly what TensorBoard takes for one.
    let is_events = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().contains("tfevents");
    let found: Vec<_> = names.filter(is_events).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// Checks that the file can be read up to a record that was cut off, and that no figure has two values in one iteration.
pub(crate) fn check_readable(run: &Path) {
    let (events, _) = parse(&fs::read(path(run)).unwrap());
    figures(&events);
}

/// Checks that the file has exactly what `metrics.jsonl` and `arena.jsonl` have.
pub(crate) fn check_whole(run: &Path) {
    let (events, is_whole) = parse(&fs::read(path(run)).unwrap());
    assert!(is_whole, "a record is cut off");
    assert!(events[1..].is_sorted_by_key(|event| event.step));
    let found = figures(&events);
    let mut left: BTreeSet<_> = found.keys().cloned().collect();
    let mut check = |step: u64, tag: &dyn Fn(&str) -> bool, value: f64, time: f64| {
        let of_step = found.range((step, String::new())..=(step, char::MAX.to_string()));
        let (key, found) = of_step.into_iter().find(|((_, name), _)| tag(name)).expect("every figure");
        // A float may change in its last digit on its way through text.
        assert!((f64::from(found.0) - value).abs() <= 1e-6 * value.abs(), "{key:?}: {found:?}, not {value}");
        assert_eq!(found.1, time, "{key:?}");
        left.remove(key);
    };
    for line in lines(&run.join("metrics.jsonl")) {
        let (step, time) = (line["iteration"].as_u64().unwrap(), line["time"].as_f64().unwrap());
        for (field, value) in line.as_object().unwrap() {
            if let (Some(value), false) = (value.as_f64(), ["iteration", "time"].contains(&field.as_str())) {
                check(step, &|tag| tag.split_once('/').unwrap().1 == field, value, time);
            }
        }
    }
    for line in lines(&run.join("arena.jsonl")) {
        let (step, time) = (line["iteration"].as_u64().unwrap(), line["time"].as_f64().unwrap());
        for field in ["score", "elo"] {
            let tag = format!("arena_{field}/{}", line["opponent"].as_str().unwrap());
            if let Some(value) = line[field].as_f64() {
                check(step, &|name| name == tag, value, time);
            }
        }
    }
    assert!(left.is_empty(), "nothing else: {left:?}");
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Value and time of each figure by iteration and tag.
fn figures(events: &[Event]) -> BTreeMap<(u64, String), (f32, f64)> {
    assert_eq!(events[0].version.as_deref(), Some("brain.Event:2"));
    let mut figures = BTreeMap::new();
    for event in &events[1..] {
        assert!(event.wall_time > 1.7e9 && event.version.is_none(), "{event:?}");
        for (tag, value) in &event.scalars {
            let before = figures.insert((event.step, tag.clone()), (*value, event.wall_time));
            assert!(before.is_none(), "{tag} has two values in iteration {}", event.step);
        }
    }
    figures
}

/// The events of a file, and whether it ends with the last of them.
fn parse(mut bytes: &[u8]) -> (Vec<Event>, bool) {
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let Some((length, rest)) = bytes.split_at_checked(12) else { return (events, false) };
        assert_eq!(length[8..], masked_crc32c(&length[..8]), "sum of a length");
        let length = u64::from_le_bytes(length[..8].try_into().unwrap()) as usize;
        let Some((record, rest)) = rest.split_at_checked(length + 4) else { return (events, false) };
        assert_eq!(record[length..], masked_crc32c(&record[..length]), "sum of a message");
        events.push(event(&record[..length]));
        bytes = rest;
    }
    (events, true)
}

fn event(message: &[u8]) -> Event {
    let mut event = Event::default();
    for (field, value) in fields(message) {
        match field {
            1 => event.wall_time = f64::from_le_bytes(value.try_into().unwrap()),
            2 => event.step = u64::from_le_bytes(value.try_into().unwrap()),
            3 => event.version = Some(String::from_utf8(value.to_vec()).unwrap()),
            5 => event.scalars = fields(&value).into_iter().map(|(_, value)| scalar(&value)).collect(),
            other => panic!("field {other} of an event"),
        }
    }
    event
}

fn scalar(message: &[u8]) -> (String, f32) {
    let fields: BTreeMap<_, _> = fields(message).into_iter().collect();
    let value = f32::from_le_bytes(fields[&2][..].try_into().unwrap());
    (String::from_utf8(fields[&1].clone()).unwrap(), value)
}

/// The fields of a protobuf message; a varint as its eight bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                fields.push((key >> 3, varint(&mut bytes).to_le_bytes().to_vec()));
                continue;
            }
            1 => 8,
            2 => varint(&mut bytes) as usize,
            5 => 4,
            other => panic!("wire type {other}"),
        };
        let (value, rest) = bytes.split_at(length);
        fields.push((key >> 3, value.to_vec()));
        bytes = rest;
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Bit by bit, so that no table of the writer's is believed.
fn masked_crc32c(bytes: &[u8]) -> [u8; 4] {
    let mut sum = !0u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0x82f6_3b78 & (sum & 1).wrapping_neg());
        }
    }
    let sum = !sum;
    sum.rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}
