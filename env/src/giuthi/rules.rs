//! Board sizes and options of Giuthi.

use serde::{Deserialize, Serialize};

/// No position holds more seeds, board and scores together: what the largest board (10x9) starts with.
pub const MAX_GIUTHI_SEEDS: u16 = 180;

/// What a capture needs (rule option `capture`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capture {
    /// An empty opposite pit gives nothing, but the capture happens and the chain runs on.
    #[default]
    Any,
    /// Without a seed in the directly opposite pit nothing is taken, and the chain ends at the first empty one.
    Occupied,
}

impl Capture {
    /// `any` or `occupied`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Occupied => "occupied",
        }
    }
}

/// Board size and options of Giuthi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "UncheckedRules")]
pub struct GiuthiRules {
    pub(super) pits: u8,
    pub(super) seeds: u8,
    pub(super) capture: Capture,
}

/// What a file may say of them, whatever it is.
#[derive(Deserialize)]
struct UncheckedRules {
    pits: u8,
    seeds: u8,
    capture: Capture,
}

impl TryFrom<UncheckedRules> for GiuthiRules {
    type Error = String;

    fn try_from(rules: UncheckedRules) -> Result<Self, String> {
        let UncheckedRules { pits, seeds, capture } = rules;
        let checked = Self::new(pits, seeds).map(|checked| checked.with_capture(capture));
        checked.ok_or_else(|| format!("giuthi has no board of {pits} pits with {seeds} seeds"))
    }
}

impl GiuthiRules {
    /// A board of `pits` (2..=10) pits a row with `seeds` (2..=9) seeds in each; `None` outside those ranges.
    pub fn new(pits: u8, seeds: u8) -> Option<Self> {
        ((2..=10).contains(&pits) && (2..=9).contains(&seeds)).then_some(Self {
            pits,
            seeds,
            capture: Capture::Any,
        })
    }

    /// The same board with another `capture` option.
    pub fn with_capture(self, capture: Capture) -> Self {
        Self { capture, ..self }
    }

    /// Pits a row.
    pub fn pits(&self) -> u8 {
        self.pits
    }

    /// Seeds a pit at the start.
    pub fn seeds(&self) -> u8 {
        self.seeds
    }

    /// What a capture needs.
    pub fn capture(&self) -> Capture {
        self.capture
    }
}
