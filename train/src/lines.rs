//! The JSON-lines files of a run, with whatever fields their lines have.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

/// A line, its fields by name.
pub(crate) type Line = Map<String, Value>;

/// A line that is no JSON object.
#[derive(Debug, thiserror::Error)]
#[error("line {number}: {problem}")]
pub(crate) struct BadLine {
    /// Which, from 1.
    number: usize,
    problem: serde_json::Error,
}

/// The lines of a file; none if there is no file. A last line that has not been written to its end is none.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Result<Line, BadLine>>> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        result => result?,
    };
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let lines = text[..whole].split_inclusive(|&byte| byte == b'\n').enumerate();
    let parse = |(index, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|problem| BadLine { number: index + 1, problem })
    };
    Ok(lines.map(parse).collect())
}

/// Cuts off a last line that has not been written to its end, so that another may be appended.
pub(crate) fn mend(path: &Path) -> io::Result<()> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        result => result?,
    };
    match text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1) {
        whole if whole < text.len() => OpenOptions::new().write(true).open(path)?.set_len(whole as u64),
        _ => Ok(()),
    }
}

/// A field that is a number.
pub(crate) fn number(line: &Line, field: &str) -> Option<f64> {
    line.get(field)?.as_f64()
}

/// A field that is a text.
pub(crate) fn text<'a>(line: &'a Line, field: &str) -> Option<&'a str> {
    line.get(field)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_none_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        assert!(read(&path).unwrap().is_empty());
        mend(&path).unwrap();
        assert!(!path.exists());
        for (text, lines, kept) in [
            ("", 0, ""),
            ("{\"a\":1", 0, ""),
            ("{\"a\":1}\n{\"a\":", 1, "{\"a\":1}\n"),
            ("{\"a\":1}\n{\"a\":2}\n", 2, "{\"a\":1}\n{\"a\":2}\n"),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path).unwrap().len(), lines, "{text}");
            mend(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
        }
    }

    #[test]
    fn a_bad_line_is_told_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, b"{\"a\":1}\n\xff\n{\"a\":3}\n[]\n\n").unwrap();
        let lines = read(&path).unwrap();
        let bad: Vec<_> = lines.iter().filter_map(|line| line.as_ref().err()).map(|bad| bad.number).collect();
        assert_eq!(bad, [2, 4, 5]);
        assert_eq!(number(lines[2].as_ref().unwrap(), "a"), Some(3.0));
    }
}
