//! `NetConfig`: what a net is for, and its sizes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use mancala_env::{ActionInfo, AnyPosition, GameSpec, for_game};
use mancala_search::net::{self, Encoded, NetHeader, WeightsError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::inputs::NetInputs;
use crate::arguments::{self, wrong_type};
use crate::options::{read_count, read_spec};
use crate::states::{KnownGame, read_states};

/// What a net is for and its sizes, as `docs/training.md` and `docs/file-formats.md` name them.
///
/// `game` is an id, with options if it has any. `channels` is the width of the trunk and `blocks` the number of its residual blocks;
/// `policy_hidden` and `value_hidden` are the hidden units of the heads, and `policy_blocks` residual blocks judge each action.
/// `count_levels` is at most 256, 0 for no tables of counts; `afterstates` needs them, and `capture_search` needs `reply_features`.
/// With `margin` there is a fourth output, the margin at the end. ValueError, naming the argument, if there is no such game or a size is
/// out of range; TypeError if one has the wrong type.
#[pyclass(module = "mancala_rl", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct NetConfig {
    pub(super) spec: GameSpec,
    pub(super) header: NetHeader,
}

impl NetConfig {
    /// That of a file.
    ///
    /// # Errors
    /// If there is no such game, or it is of another rules or observation version.
    pub(super) fn of(header: &NetHeader) -> Result<Self, WeightsError> {
        let spec =
            GameSpec::parse(&header.game).map_err(|error| WeightsError::Malformed(error.to_string()))?;
        let expected = for_game!(spec, |rules: G| NetHeader::of::<G>(&rules, header.net));
        header.check(&expected)?;
        Ok(Self { spec, header: header.clone() })
    }

    /// One that is an argument.
    ///
    /// # Errors
    /// `TypeError` if it is something else.
    pub(super) fn read<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a Self> {
        let config = value.cast::<Self>().map_err(|_| wrong_type(name, "a NetConfig", value))?;
        Ok(config.get())
    }

    /// States that are of its game.
    pub(super) fn read_states(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<AnyPosition>> {
        let positions = read_states(states, "one batch is of one game", "there is nothing to judge")?;
        match positions[0].spec() {
            spec if spec == self.spec => Ok(positions),
            other => Err(PyValueError::new_err(format!(
                "states[0] is of {}, and the net is for {}",
                other.id(),
                self.header.game
            ))),
        }
    }

    /// Arguments as `__new__` takes them.
    fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (net, keywords) = (self.header.net, PyDict::new(py));
        keywords.set_item("channels", net.channels)?;
        keywords.set_item("blocks", net.blocks)?;
        keywords.set_item("policy_hidden", net.policy_hidden)?;
        keywords.set_item("value_hidden", net.value_hidden)?;
        keywords.set_item("count_levels", net.count_levels)?;
        keywords.set_item("reply_features", net.reply_features)?;
        keywords.set_item("capture_search", net.capture_search)?;
        keywords.set_item("afterstates", net.afterstates)?;
        keywords.set_item("policy_blocks", net.policy_blocks)?;
        keywords.set_item("margin", self.header.margin)?;
        Ok(keywords)
    }
}

/// Positions with what each legal action does.
pub(super) fn with_actions<G: KnownGame>(positions: Vec<AnyPosition>) -> Vec<(G, Vec<ActionInfo>)> {
    let described = |position: &mancala_env::Position<G>| {
        let actions = position.legal_actions().into_iter();
        (*position.state(), actions.map(|action| ActionInfo::of(position, action).0).collect())
    };
    G::those_of(positions).iter().map(described).collect()
}

#[pymethods]
impl NetConfig {
    #[new]
    #[pyo3(signature = (
        game, *, channels, blocks, policy_hidden, value_hidden, count_levels=None, reply_features=None, capture_search=None,
        afterstates=None, policy_blocks=None, margin=None
    ), text_signature = "(game, *, channels, blocks, policy_hidden, value_hidden, count_levels=0, reply_features=False, \
        capture_search=False, afterstates=False, policy_blocks=0, margin=False)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn new(
        game: &Bound<'_, PyAny>,
        channels: &Bound<'_, PyAny>,
        blocks: &Bound<'_, PyAny>,
        policy_hidden: &Bound<'_, PyAny>,
        value_hidden: &Bound<'_, PyAny>,
        count_levels: Option<&Bound<'_, PyAny>>,
        reply_features: Option<&Bound<'_, PyAny>>,
        capture_search: Option<&Bound<'_, PyAny>>,
        afterstates: Option<&Bound<'_, PyAny>>,
        policy_blocks: Option<&Bound<'_, PyAny>>,
        margin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let spec = read_spec(game, None)?;
        let count = |name, value| read_count(name, value).map(|count| count as usize);
        let or_none = |name, value: Option<_>| value.map_or(Ok(0), |value| count(name, value));
        let flag = |name, value: Option<_>| value.map_or(Ok(false), |value| arguments::flag(name, value));
        let net = net::NetConfig {
            channels: count("channels", channels)?,
            blocks: count("blocks", blocks)?,
            policy_hidden: count("policy_hidden", policy_hidden)?,
            value_hidden: count("value_hidden", value_hidden)?,
            count_levels: or_none("count_levels", count_levels)?,
            reply_features: flag("reply_features", reply_features)?,
            capture_search: flag("capture_search", capture_search)?,
            afterstates: flag("afterstates", afterstates)?,
            policy_blocks: or_none("policy_blocks", policy_blocks)?,
        };
        net.check().map_err(PyValueError::new_err)?;
        let header =
            for_game!(spec, |rules: G| NetHeader::of::<G>(&rules, net)).with_margin(flag("margin", margin)?);
        Ok(Self { spec, header })
    }

    /// The game's id, options that are not the default after a question mark.
    #[getter]
    fn game(&self) -> &str {
        &self.header.game
    }

    /// Width of the trunk, C.
    #[getter]
    fn channels(&self) -> usize {
        self.header.net.channels
    }

    /// Residual blocks of the trunk.
    #[getter]
    fn blocks(&self) -> usize {
        self.header.net.blocks
    }

    /// Hidden units of the policy head, P.
    #[getter]
    fn policy_hidden(&self) -> usize {
        self.header.net.policy_hidden
    }

    /// Hidden units of the value head, V.
    #[getter]
    fn value_hidden(&self) -> usize {
        self.header.net.value_hidden
    }

    /// Levels of the tables of counts, L; 0: there are none.
    #[getter]
    fn count_levels(&self) -> usize {
        self.header.net.count_levels
    }

    /// Whether actions are described by the replies to them.
    #[getter]
    fn reply_features(&self) -> bool {
        self.header.net.reply_features
    }

    /// Whether actions are described by the captures of the two plies after them.
    #[getter]
    fn capture_search(&self) -> bool {
        self.header.net.capture_search
    }

    /// Whether the policy head reads the board after each action.
    #[getter]
    fn afterstates(&self) -> bool {
        self.header.net.afterstates
    }

    /// Residual blocks that judge each action.
    #[getter]
    fn policy_blocks(&self) -> usize {
        self.header.net.policy_blocks
    }

    /// Whether there is a margin head.
    #[getter]
    fn margin(&self) -> bool {
        self.header.margin
    }

    /// Cells of an observation, D.
    #[getter]
    fn observation_len(&self) -> usize {
        self.header.observation
    }

    /// The size of the action space, A.
    #[getter]
    fn num_actions(&self) -> usize {
        self.header.actions
    }

    /// Features of an action that the net reads, F: 8, 14 or 16.
    #[getter]
    fn num_features(&self) -> usize {
        self.header.features
    }

    /// Pits (boma) that tables of counts have rows for, N; 0 without tables.
    #[getter]
    fn num_pits(&self) -> usize {
        self.header.pits
    }

    /// Names and shapes of all tensors, in the order in which a file keeps them.
    fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        self.header.tensors()
    }

    /// What such a net reads of `states`, which are of its game.
    ///
    /// TypeError and ValueError, naming the index, for no states, states of another game and finished ones.
    fn inputs(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<NetInputs> {
        let positions = self.read_states(states)?;
        let net = self.header.net;
        let encoded = py.detach(|| {
            for_game!(self.spec, |rules: G| {
                let described = with_actions::<G>(positions);
                let rows: Vec<(&G, &[ActionInfo])> =
                    described.iter().map(|(state, actions)| (state, &actions[..])).collect();
                Encoded::of(&rules, net, &rows)
            })
        });
        NetInputs::new(py, &self.header, encoded)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?}", self.header).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let defaults: HashMap<&str, &str> =
            ["reply_features", "capture_search", "afterstates", "margin"].map(|name| (name, "False")).into();
        let mut text = format!("NetConfig('{}'", self.header.game);
        for (name, value) in self.keywords(py)? {
            let (name, value) = (name.to_string(), value.to_string());
            let is_default = defaults.get(&*name) == Some(&&*value)
                || (["count_levels", "policy_blocks"].contains(&&*name) && value == "0");
            if !is_default {
                text += &format!(", {name}={value}");
            }
        }
        Ok(text + ")")
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        Ok(((self.header.game.clone(),), self.keywords(py)?))
    }
}
