//! Positions and moves as text, both ways; errors point at the wrong field.

pub(crate) mod giuthi;
pub(crate) mod kiothi;

use crate::game::{End, Player};

/// A text that is no position, move or game of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {text:?}: {field}: {problem}")]
pub struct ParseError {
    /// What the text was to be: `position` or `move`.
    pub kind: &'static str,
    /// The text as given, cut off where it is very long.
    pub text: String,
    /// The field that is wrong, as `row of Player 1, pit 3`.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Texts longer than this are cut off in errors.
const LONGEST_QUOTE: usize = 160;

/// What is wrong with a field, before the whole text is known.
pub(crate) struct FieldError {
    field: String,
    problem: String,
}

impl FieldError {
    pub(crate) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    pub(crate) fn within(self, kind: &'static str, text: &str) -> ParseError {
        let mut quote: String = text.chars().take(LONGEST_QUOTE).collect();
        if quote.len() < text.len() {
            quote.push('…');
        }
        ParseError { kind, text: quote, field: self.field, problem: self.problem }
    }
}

pub(crate) type FieldResult<T> = Result<T, FieldError>;

/// Reads a count: ASCII digits and nothing else, at most `most`.
pub(crate) fn read_count(field: &str, text: &str, most: u16) -> FieldResult<u8> {
    debug_assert!(most <= 255);
    if let Some(digits) = text.strip_prefix('-')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Err(FieldError::new(field, format!("{text} is negative")));
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FieldError::new(field, format!("expected a number, found {text:?}")));
    }
    match text.parse::<u16>() {
        Ok(count) if count <= most => Ok(count as u8),
        _ => Err(FieldError::new(field, format!("{text} is more than {most}"))),
    }
}

/// Reads `5,0,3`: exactly as many counts as `out` has cells, of pits numbered from `first`.
pub(crate) fn read_row(
    field: &str,
    pit: &str,
    first: usize,
    text: &str,
    most: u16,
    out: &mut [u8],
) -> FieldResult<()> {
    let cells: Vec<&str> = text.split(',').collect();
    if cells.len() != out.len() {
        let problem = format!("expected {} numbers with commas, found {}", out.len(), cells.len());
        return Err(FieldError::new(field, problem));
    }
    for (i, cell) in cells.into_iter().enumerate() {
        out[i] = read_count(&format!("{field}, {pit} {}", first + i), cell, most)?;
    }
    Ok(())
}

/// Splits `row/row` in two.
pub(crate) fn split_rows(text: &str) -> FieldResult<(&str, &str)> {
    match text.split('/').collect::<Vec<_>>()[..] {
        [one, two] => Ok((one, two)),
        ref rows => {
            let problem = format!("expected two rows with one slash between them, found {}", rows.len());
            Err(FieldError::new("board", problem))
        }
    }
}

pub(crate) fn read_player(text: &str) -> FieldResult<Player> {
    match text {
        "p0" => Ok(Player::Zero),
        "p1" => Ok(Player::One),
        _ => Err(FieldError::new("player to move", format!("expected p0 or p1, found {text:?}"))),
    }
}

pub(crate) fn read_end(text: Option<&&str>) -> FieldResult<Option<End>> {
    let Some(word) = text else { return Ok(None) };
    let problem = || format!("expected no-moves, repetition or endless, found {word:?}");
    End::from_word(word).map(Some).ok_or_else(|| FieldError::new("end", problem()))
}

/// Splits a position text into its words.
pub(crate) fn words(
    text: &str,
    expected: std::ops::RangeInclusive<usize>,
    form: &str,
) -> FieldResult<Vec<String>> {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if expected.contains(&words.len()) {
        return Ok(words);
    }
    let problem = format!("expected {form:?} and perhaps how it ended, found {} words", words.len());
    Err(FieldError::new("fields", problem))
}

/// Refuses more seeds than the game can hold.
pub(crate) fn check_total(counts: impl IntoIterator<Item = u8>, most: u16, noun: &str) -> FieldResult<()> {
    let total: u32 = counts.into_iter().map(u32::from).sum();
    if total <= most.into() {
        return Ok(());
    }
    Err(FieldError::new("total", format!("{total} {noun}, board and scores together; at most {most}")))
}

/// An end word must fit the board: a no-moves end has been swept, the others leave a player to move.
pub(crate) fn check_end(end: Option<End>, seeds_on_board: u8, can_move: bool) -> FieldResult<()> {
    match end {
        Some(End::NoMoves) if seeds_on_board > 0 => {
            let problem =
                format!("no-moves, but {seeds_on_board} seeds are on the board: they would have been swept");
            Err(FieldError::new("end", problem))
        }
        Some(End::Repetition | End::Endless) if !can_move => {
            Err(FieldError::new("end", "a repetition or endless, but the player to move has no move"))
        }
        _ => Ok(()),
    }
}

/// Joins counts with commas.
pub(crate) fn write_row(row: &[u8]) -> String {
    row.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}
