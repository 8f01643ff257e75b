//! Game ids with options, and the closed choice of games at the edge (Python, command line).

use crate::game::Game;
use crate::giuthi::{Capture, Giuthi, GiuthiRules};
use crate::kiothi::{Kiothi, KiothiRules};
use crate::notation::ParseError;
use crate::position::Position;

/// A game id or option that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {id:?}: {problem}")]
pub struct SpecError {
    /// The id as given.
    pub id: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A game with its board size and options, as `giuthi-8x8?capture=occupied` names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GameSpec {
    /// Giuthi.
    Giuthi(GiuthiRules),
    /// Kiothi.
    Kiothi(KiothiRules),
}

/// Runs the same code for whichever game a [`GameSpec`] names: `G` is the game, `$rules` its rules.
#[macro_export]
macro_rules! for_game {
    ($spec:expr, |$rules:ident: $game:ident| $body:expr) => {
        match $spec {
            $crate::GameSpec::Giuthi($rules) => {
                type $game = $crate::Giuthi;
                $body
            }
            $crate::GameSpec::Kiothi($rules) => {
                type $game = $crate::Kiothi;
                $body
            }
        }
    };
}

impl GameSpec {
    /// Reads an id with options after a question mark: `giuthi`, `giuthi-8x8?capture=occupied`,
    /// `kiothi-6x5?one_warrior_multiplier=2`.
    ///
    /// # Errors
    /// If there is no such game, size or option; the error says what there is.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let fail = |problem: String| SpecError { id: text.into(), problem };
        let (id, options) = match text.split_once('?') {
            Some((id, options)) => (id, Some(options)),
            None => (text, None),
        };
        let (name, size) = match id.split_once('-') {
            Some((name, size)) => (name, Some(size)),
            None => (id, None),
        };
        let size = size.map(|size| {
            let form = || fail(format!("expected a size as 8x8 after {name}-, found {size:?}"));
            let (one, two) = size.split_once('x').ok_or_else(form)?;
            let number = |digits: &str| {
                let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                plain.then(|| digits.parse::<u8>().unwrap_or(u8::MAX)).ok_or_else(form)
            };
            Ok((number(one)?, number(two)?))
        });
        let mut spec = match name {
            "giuthi" => {
                let (pits, seeds) = size.unwrap_or(Ok((8, 8)))?;
                let rules = GiuthiRules::new(pits, seeds);
                let problem = "giuthi has 2 to 10 pits a row and 2 to 9 seeds a pit (giuthi-{pits}x{seeds})";
                Self::Giuthi(rules.ok_or_else(|| fail(problem.into()))?)
            }
            "kiothi" => {
                let (boma, warriors) = size.unwrap_or(Ok((6, 5)))?;
                let rules = KiothiRules::new(boma, warriors);
                let problem = "kiothi has 3 to 10 boma a side and at most 30 warriors in them (kiothi-{boma}x{warriors})";
                Self::Kiothi(rules.ok_or_else(|| fail(problem.into()))?)
            }
            _ => {
                return Err(fail(
                    "no such game; there are giuthi-{pits}x{seeds} and kiothi-{boma}x{warriors}".into(),
                ));
            }
        };
        let mut seen = Vec::new();
        for option in options.into_iter().flat_map(|options| options.split('&')) {
            let Some((key, value)) = option.split_once('=') else {
                return Err(fail(format!("expected an option as key=value, found {option:?}")));
            };
            if seen.contains(&key) {
                return Err(fail(format!("option {key} is given twice")));
            }
            seen.push(key);
            spec = spec.with_option(key, value).map_err(|error| fail(error.problem))?;
        }
        Ok(spec)
    }

    /// The same game with an option set: `capture` = `any` or `occupied` (Giuthi), `one_warrior_multiplier` = a number
    /// of at least 1 (Kiothi).
    ///
    /// # Errors
    /// If the game has no such option or the option no such value.
    pub fn with_option(self, key: &str, value: &str) -> Result<Self, SpecError> {
        let fail = |problem: String| SpecError { id: self.id(), problem };
        match (self, key) {
            (Self::Giuthi(rules), "capture") => {
                let capture =
                    [Capture::Any, Capture::Occupied].into_iter().find(|capture| capture.word() == value);
                let problem = || format!("option capture is any or occupied, not {value:?}");
                let capture = capture.ok_or_else(|| fail(problem()))?;
                Ok(Self::Giuthi(rules.with_capture(capture)))
            }
            (Self::Kiothi(rules), "one_warrior_multiplier") => {
                let problem =
                    || format!("option one_warrior_multiplier is a number of at least 1, not {value:?}");
                let multiplier = value.parse::<f32>().map_err(|_| fail(problem()))?;
                let rules = rules.with_one_warrior_multiplier(multiplier).ok_or_else(|| fail(problem()))?;
                Ok(Self::Kiothi(rules))
            }
            (Self::Giuthi(_), _) => Err(fail(format!("no option {key:?}; giuthi has capture"))),
            (Self::Kiothi(_), _) => {
                Err(fail(format!("no option {key:?}; kiothi has one_warrior_multiplier")))
            }
        }
    }

    /// The id with its options, where they are not the default.
    pub fn id(&self) -> String {
        for_game!(self, |rules: G| G::id(rules))
    }

    /// The start position.
    pub fn initial(&self) -> AnyPosition {
        match *self {
            Self::Giuthi(rules) => AnyPosition::Giuthi(Position::initial(rules)),
            Self::Kiothi(rules) => AnyPosition::Kiothi(Position::initial(rules)),
        }
    }

    /// Reads a position of this game.
    ///
    /// # Errors
    /// If the text is malformed or the board impossible; the error names the field.
    pub fn read(&self, text: &str) -> Result<AnyPosition, ParseError> {
        Ok(match *self {
            Self::Giuthi(rules) => AnyPosition::Giuthi(Position::<Giuthi>::read(rules, text)?),
            Self::Kiothi(rules) => AnyPosition::Kiothi(Position::<Kiothi>::read(rules, text)?),
        })
    }
}

impl std::str::FromStr for GameSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

impl std::fmt::Display for GameSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.id())
    }
}

/// A position of either game.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyPosition {
    /// Of Giuthi.
    Giuthi(Position<Giuthi>),
    /// Of Kiothi.
    Kiothi(Position<Kiothi>),
}

/// Runs the same code for whichever game an [`AnyPosition`] is of: `$position` is the [`Position`] inside.
#[macro_export]
macro_rules! for_position {
    ($any:expr, |$position:ident| $body:expr) => {
        match $any {
            $crate::AnyPosition::Giuthi($position) => $body,
            $crate::AnyPosition::Kiothi($position) => $body,
        }
    };
}

impl AnyPosition {
    /// The game with its options.
    pub fn spec(&self) -> GameSpec {
        match self {
            Self::Giuthi(position) => GameSpec::Giuthi(*position.rules()),
            Self::Kiothi(position) => GameSpec::Kiothi(*position.rules()),
        }
    }
}
