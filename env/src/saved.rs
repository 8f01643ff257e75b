//! Positions with their histories as bytes: what saved states are made of.
//!
//! A saved state is a line of ASCII that says what it is and in which version, then little-endian fields, then the CRC-32 of all
//! that comes before it. `docs/file-formats.md` has the tables.

use crate::game::{End, Game};
use crate::notation::ParseError;
use crate::position::Position;

/// Why bytes cannot be restored. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// They begin otherwise: something else was saved.
    #[error("state: it begins with {found:?}; what is restored here begins with {expected:?}")]
    Foreign {
        /// The line it begins with, cut off where it is long.
        found: String,
        /// The line it should begin with.
        expected: String,
    },
    /// They are cut off, or a byte has changed.
    #[error("state: damaged: its {len} bytes and their checksum do not agree")]
    Damaged {
        /// How many bytes there are.
        len: usize,
    },
    /// What was saved is of another kind than what is to be restored.
    #[error("state: saved with {what}={saved}, but here it is {here}")]
    Differs {
        /// Of which they are two kinds, as `num_envs`.
        what: &'static str,
        /// What was saved.
        saved: String,
        /// What it is here.
        here: String,
    },
    /// A value that no game can have, although the checksum agrees.
    #[error("state: {field}: {problem}")]
    Field {
        /// Which value, as `env 3, history`.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl SavedError {
    pub(crate) fn differs(what: &'static str, saved: impl ToString, here: impl ToString) -> Self {
        Self::Differs { what, saved: saved.to_string(), here: here.to_string() }
    }

    pub(crate) fn field(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Field { field: field.into(), problem: problem.into() }
    }

    /// The same, of one game of many.
    pub(crate) fn of_env(self, env: usize) -> Self {
        match self {
            Self::Field { field, problem } => Self::Field { field: format!("env {env}, {field}"), problem },
            other => other,
        }
    }
}

/// Adds the checksum.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// What stands between the line and the checksum.
pub(crate) fn open<'a>(bytes: &'a [u8], line: &str) -> Result<Reader<'a>, SavedError> {
    const LONGEST: usize = 40;
    let Some(rest) = bytes.strip_prefix(line.as_bytes()) else {
        let end = bytes.iter().take(LONGEST).position(|&byte| byte == b'\n');
        let first = &bytes[..end.unwrap_or(bytes.len().min(LONGEST))];
        let found = String::from_utf8_lossy(first).into_owned();
        return Err(SavedError::Foreign { found, expected: line.trim_end().into() });
    };
    let damaged = SavedError::Damaged { len: bytes.len() };
    let Some((fields, sum)) = rest.split_last_chunk() else { return Err(damaged) };
    match crc32fast::hash(&bytes[..bytes.len() - sum.len()]) == u32::from_le_bytes(*sum) {
        true => Ok(Reader(fields)),
        false => Err(damaged),
    }
}

/// Writes a text, its length before it.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Fields not read yet.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], SavedError> {
        let missing = || SavedError::field(field, "it is missing: the state ends before");
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(missing)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads an integer of so many bytes, without sign.
    pub(crate) fn int<const N: usize>(&mut self, field: &'static str) -> Result<u128, SavedError> {
        let mut bytes = [0; 16];
        bytes[..N].copy_from_slice(self.take(field, N)?);
        Ok(u128::from_le_bytes(bytes))
    }

    pub(crate) fn flag(&mut self, field: &'static str) -> Result<bool, SavedError> {
        match self.int::<1>(field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(SavedError::field(field, format!("it is 0 or 1, not {other}"))),
        }
    }

    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'a str, SavedError> {
        let len = self.int::<2>(field)? as usize;
        let text = std::str::from_utf8(self.take(field, len)?);
        text.map_err(|_| SavedError::field(field, "it is no text"))
    }

    /// Reads a count that has room to grow.
    pub(crate) fn count<const N: usize>(&mut self, field: &'static str) -> Result<u64, SavedError> {
        match self.int::<N>(field)? {
            count if count >> (8 * N - 1) == 0 => Ok(count as u64),
            count => Err(SavedError::field(field, format!("{count} is too many"))),
        }
    }

    /// Everything has been read.
    pub(crate) fn finish(self) -> Result<(), SavedError> {
        match self.0.len() {
            0 => Ok(()),
            len => Err(SavedError::field("end", format!("{len} bytes are left over"))),
        }
    }
}

impl<G: Game> Position<G> {
    const LINE: &str = "mancala-rl position 1\n";

    /// The position with its history as bytes, for [`restore`](Self::restore). They are the same on every machine.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Self::LINE.as_bytes().to_vec();
        write_text(&G::id(self.rules()), &mut out);
        out.extend(G::RULES_VERSION.to_le_bytes());
        self.write_saved(&mut out);
        seal(out)
    }

    /// Reads what [`save`](Self::save) has written: an equal position.
    ///
    /// # Errors
    /// If it is damaged, of other rules, or no position of a game.
    pub fn restore(rules: G::Rules, saved: &[u8]) -> Result<Self, SavedError> {
        let mut fields = open(saved, Self::LINE)?;
        check_rules::<G>(&rules, &mut fields)?;
        let position = Self::read_saved(rules, &mut fields)?;
        fields.finish()?;
        Ok(position)
    }

    /// 64 bits of all that can tell the games to come apart: rules, board, history, end. The same on every machine.
    pub fn key(&self) -> u64 {
        let mut bytes = Vec::new();
        write_text(&G::id(self.rules()), &mut bytes);
        self.write_state(&mut bytes);
        self.write_history(&mut bytes);
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    pub(crate) fn write_saved(&self, out: &mut Vec<u8>) {
        self.write_state(out);
        out.extend(self.plies().to_le_bytes());
        self.write_history(out);
    }

    /// The text, and what it leaves out.
    fn write_state(&self, out: &mut Vec<u8>) {
        write_text(&self.write(), out);
        out.push(self.state().is_extra_move().into());
        out.extend(self.state().plies_since_capture().to_le_bytes());
    }

    fn write_history(&self, out: &mut Vec<u8>) {
        out.extend((self.history().len() as u32).to_le_bytes());
        for print in self.history() {
            out.extend(print.to_le_bytes());
        }
    }

    pub(crate) fn read_saved(rules: G::Rules, fields: &mut Reader<'_>) -> Result<Self, SavedError> {
        let text = fields.text("position")?;
        let (state, end) = G::read(&rules, text)
            .map_err(|error: ParseError| SavedError::field("position", error.to_string()))?;
        let extra_move = fields.flag("extra move")?;
        let since = fields.int::<2>("plies since the last capture")? as u16;
        let plies = fields.count::<4>("plies")? as u32;
        let len = fields.int::<4>("history")? as usize;
        let prints = fields.take("history", len.saturating_mul(size_of::<u128>()))?;
        let history: Vec<_> = prints.as_chunks().0.iter().map(|&bytes| u128::from_le_bytes(bytes)).collect();
        let over = end.is_some() || state.is_over();
        let state = state.resumed(since, extra_move);
        if !over {
            check_history(&state, since, &history)?;
        }
        let end = end.or(state.is_over().then_some(End::NoMoves));
        Ok(Self::saved(rules, state, end, plies, &history))
    }
}

/// Refuses a history that no game in this state has: fingerprints of another version, say.
fn check_history<G: Game>(state: &G, since: u16, history: &[u128]) -> Result<(), SavedError> {
    let problem = if !state.counts_for_repetition() {
        (!history.is_empty() || since > 0).then(|| "the opening has none".to_owned())
    } else if history.len() <= usize::from(since)
        || history.len() > 1 + usize::from(since) && since < u16::MAX
    {
        Some(format!("{} positions, with {since} plies since the last capture", history.len()))
    } else {
        (history.last() != Some(&state.fingerprint()))
            .then(|| "its last position is not the present one".to_owned())
    };
    problem.map_or(Ok(()), |problem| Err(SavedError::field("history", problem)))
}

/// Refuses other rules.
pub(crate) fn check_rules<G: Game>(rules: &G::Rules, fields: &mut Reader<'_>) -> Result<(), SavedError> {
    let (id, here) = (fields.text("game")?, G::id(rules));
    if id != here {
        return Err(SavedError::differs("game", id, here));
    }
    match fields.int::<4>("rules version")? as u32 {
        version if version == G::RULES_VERSION => Ok(()),
        version => Err(SavedError::differs("rules_version", version, G::RULES_VERSION)),
    }
}
