//! Start positions and options of Kiothi.

use serde::{Deserialize, Serialize};

/// No position holds more warriors, boma, prisons and hand together.
pub const MAX_WARRIORS: u8 = 60;

/// Start position and options of Kiothi.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedRules")]
pub struct KiothiRules {
    pub(super) boma: u8,
    pub(super) warriors: u8,
    pub(super) one_warrior_multiplier: f32,
}

/// What a file may say of them, whatever it is.
#[derive(Deserialize)]
struct UncheckedRules {
    boma: u8,
    warriors: u8,
    one_warrior_multiplier: f32,
}

impl TryFrom<UncheckedRules> for KiothiRules {
    type Error = String;

    fn try_from(rules: UncheckedRules) -> Result<Self, String> {
        let UncheckedRules { boma, warriors, one_warrior_multiplier } = rules;
        let checked = Self::new(boma, warriors);
        let checked = checked.and_then(|checked| checked.with_one_warrior_multiplier(one_warrior_multiplier));
        checked.ok_or_else(|| {
            format!("kiothi has no start of {boma} boma with {warriors} warriors and multiplier {one_warrior_multiplier}")
        })
    }
}

impl KiothiRules {
    /// `warriors` (1 and more) in each of the `boma` (3..=10) rightmost boma of either player, at most 30 a side;
    /// `None` outside those ranges.
    pub fn new(boma: u8, warriors: u8) -> Option<Self> {
        ((3..=10).contains(&boma) && warriors >= 1 && 2 * u16::from(boma) * u16::from(warriors) <= 60)
            .then_some(Self { boma, warriors, one_warrior_multiplier: 1.0 })
    }

    /// The same start with rewards multiplied by `multiplier` in a win by exactly two; `None` unless finite and at least 1.
    pub fn with_one_warrior_multiplier(self, multiplier: f32) -> Option<Self> {
        (multiplier.is_finite() && multiplier >= 1.0)
            .then_some(Self { one_warrior_multiplier: multiplier, ..self })
    }

    /// Occupied boma a side at the start.
    pub fn boma(&self) -> u8 {
        self.boma
    }

    /// Warriors in each of them.
    pub fn warriors(&self) -> u8 {
        self.warriors
    }

    /// By what rewards are multiplied in a win by exactly two; 1 by default.
    pub fn one_warrior_multiplier(&self) -> f32 {
        self.one_warrior_multiplier
    }
}
