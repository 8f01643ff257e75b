//! `State`: one game.

use std::hash::{DefaultHasher, Hash, Hasher};

use mancala_env::{
    Action, ActionInfo, AnyPosition, End, Game, GameSpec, IllegalAction, Player, Position, for_game,
    for_position,
};
use numpy::{Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, dtype as dtype_of};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::arguments::{self, text};
use crate::errors::{self, Integer};
use crate::moves::{Played, Trace};
use crate::options::{read_count, read_spec};

/// One game: a position, its history and how it ended.
///
/// Players are 0 and 1. The same player may move several times in a row, and a player without a move is passed over: read
/// `to_move`, never assume turns. Actions are numbered relative to the player to move.
///
/// Two states are equal if all that can tell their games apart from here on is the same: board and player to move, the positions
/// since the last capture (one that comes back ends the game), end, options. Equal states have equal futures. How they came about
/// is not compared. The hash is of board and options as they stand: do not play on a state that is a key of a dict. States copy
/// and pickle with their history.
///
/// `State(game, **options)` is the start of a game. `game` is an id: "giuthi-{pits}x{seeds}", "kiothi-{boma}x{warriors}",
/// "giuthi" (8x8), "kiothi" (6x5). Options: capture="any" | "occupied" (Giuthi), one_warrior_multiplier=1.0 (Kiothi).
/// ValueError if there is no such game, option or value, or an option of the id is given another value; TypeError if a value has
/// the wrong type.
#[pyclass(module = "mancala_rl", eq)]
#[derive(Clone)]
pub(crate) struct State {
    /// Where what is known of the game began and what has been played since; `None` where that is `position` alone.
    moves: Option<Box<(AnyPosition, Vec<Action>)>>,
    /// Whether what is known is the whole game, which makes a pickle.
    whole: bool,
    pub(crate) position: AnyPosition,
}

impl PartialEq for State {
    /// Whatever can tell the games to come apart; how they came here is not compared.
    fn eq(&self, other: &Self) -> bool {
        fn same<G: Game>(one: &Position<G>, other: &Position<G>) -> bool {
            (one.rules(), one.state(), one.end(), one.history())
                == (other.rules(), other.state(), other.end(), other.history())
        }
        match (&self.position, &other.position) {
            (AnyPosition::Giuthi(one), AnyPosition::Giuthi(other)) => same(one, other),
            (AnyPosition::Kiothi(one), AnyPosition::Kiothi(other)) => same(one, other),
            _ => false,
        }
    }
}

impl State {
    fn at(start: AnyPosition) -> Self {
        Self { position: start, moves: None, whole: true }
    }

    /// A game that goes on somewhere else, of which only the position is known.
    pub(crate) fn within(position: AnyPosition) -> Self {
        Self { position, moves: None, whole: false }
    }

    fn play_action(&mut self, py: Python<'_>, action: i64) -> PyResult<Played> {
        let action = for_position!(&self.position, |position| position.check(action))
            .map_err(|error| errors::illegal_action(py, &error))?;
        let moves = self.moves.get_or_insert_with(|| Box::new((self.position.clone(), Vec::new())));
        moves.1.push(action);
        Ok(for_position!(&mut self.position, |position| position.play_unchecked(action)).into())
    }

    /// Plays what a pickle holds.
    fn play_all(&mut self, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        for action in arguments::iterate("actions", "a list of ints", actions)? {
            let action = self.number(&action?, "an action is an int")?;
            self.play_action(actions.py(), action)?;
        }
        Ok(())
    }

    /// Where what is known of the game began, and what has been played since.
    fn moves(&self) -> (&AnyPosition, &[Action]) {
        self.moves.as_deref().map_or((&self.position, &[]), |(start, actions)| (start, actions))
    }

    /// An action number as Python gives it, in range or not.
    fn number(&self, action: &Bound<'_, PyAny>, expected: &str) -> PyResult<i64> {
        match errors::integer(action, expected)? {
            Integer::Small(number) => Ok(number),
            Integer::Huge { shown, .. } => {
                let last = self.num_actions() - 1;
                let message = format!("action {shown} is out of range: this game has actions 0..={last}");
                Err(errors::out_of_range(action.py(), message))
            }
        }
    }

    /// The same of an action that may be given as text.
    fn number_or_name(&self, action: &Bound<'_, PyAny>) -> PyResult<i64> {
        match action.cast::<PyString>() {
            Ok(text) => Ok(self.action_named(&text.to_string_lossy())?.into()),
            Err(_) => self.number(action, "an action is an int or a str"),
        }
    }

    /// The action that a text names for the player to move.
    fn action_named(&self, text: &str) -> PyResult<Action> {
        for_position!(&self.position, |position| position.state().parse_action(text)).map_err(errors::parse)
    }

    fn text(&self) -> String {
        for_position!(&self.position, |position| position.write())
    }

    /// Options that are not the default, as they are given in Python.
    fn keywords(&self) -> String {
        match self.position.spec() {
            GameSpec::Giuthi(rules) if rules.capture() != Default::default() => {
                format!(", capture='{}'", rules.capture().word())
            }
            GameSpec::Kiothi(rules) if rules.one_warrior_multiplier() != 1.0 => {
                format!(", one_warrior_multiplier={:?}", rules.one_warrior_multiplier())
            }
            GameSpec::Giuthi(_) | GameSpec::Kiothi(_) => String::new(),
        }
    }

    fn observe<T: Element + Copy + Default>(&self, write: impl Fn(&AnyPosition, &mut [T])) -> Vec<T> {
        let mut out = vec![T::default(); self.observation_len()];
        write(&self.position, &mut out);
        out
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (game, **options))]
    fn new(game: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Ok(Self::at(read_spec(game, options)?.initial()))
    }

    /// A position as text, the first of its own history, settled (a pass, or the sweep of a no-moves end).
    ///
    /// With a word for its end `position` is that finished game. `game` and `options`, as of `State`, tell size and rules; the seeds may
    /// be any up to 180 in all (Kiothi: 60). ValueError, naming the field, if the text is malformed.
    #[staticmethod]
    #[pyo3(signature = (game, position, **options))]
    fn from_position(
        game: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let spec = read_spec(game, options)?;
        Ok(Self::at(spec.read(text("position", position)?).map_err(errors::parse)?))
    }

    /// The game's id, options that are not the default after a question mark.
    #[getter]
    fn game(&self) -> String {
        self.position.spec().id()
    }

    /// Another one may lead elsewhere by the same actions.
    #[getter]
    fn rules_version(&self) -> u32 {
        for_game!(self.position.spec(), |_rules: G| G::RULES_VERSION)
    }

    /// Another one may observe the same position otherwise.
    #[getter]
    fn observation_version(&self) -> u32 {
        for_game!(self.position.spec(), |_rules: G| G::OBSERVATION_VERSION)
    }

    /// The size of the action space, A.
    #[getter]
    fn num_actions(&self) -> usize {
        for_game!(self.position.spec(), |rules: G| G::num_actions(&rules))
    }

    /// Cells of an observation, D.
    #[getter]
    fn observation_len(&self) -> usize {
        for_game!(self.position.spec(), |rules: G| G::observation_len(&rules))
    }

    /// 0 or 1; at the end the player shown in the position text.
    #[getter]
    fn to_move(&self) -> usize {
        for_position!(&self.position, |position| position.to_move().index())
    }

    /// Whether the game has ended.
    #[getter]
    fn is_over(&self) -> bool {
        for_position!(&self.position, |position| position.is_over())
    }

    /// Seeds captured, by player.
    #[getter]
    fn scores(&self) -> (u8, u8) {
        for_position!(&self.position, |position| position.scores()).into()
    }

    /// How the game ended; None while it goes on.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        for_position!(&self.position, |position| position.end()).map(End::word)
    }

    /// None in a draw and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<usize> {
        for_position!(&self.position, |position| position.winner()).map(Player::index)
    }

    /// The outcome by player: +1 a win, -1 a loss (Kiothi: times the multiplier in a one-warrior victory), 0 a draw or unfinished.
    fn returns(&self) -> (f32, f32) {
        for_position!(&self.position, |position| position.returns()).into()
    }

    /// Ascending; empty exactly when the game is over.
    fn legal_actions(&self) -> Vec<Action> {
        for_position!(&self.position, |position| position.legal_actions()).to_vec()
    }

    /// Plays `action`, a number or a text ("12ccw", "4:3").
    ///
    /// IllegalActionError (a ValueError) if it is not legal or the game is over; ActionOutOfRangeError (an IndexError too) if
    /// it is no action of this game; ValueError if the text is no move of the player to move; TypeError for other types.
    /// Nothing has changed then.
    fn play(slf: &Bound<'_, Self>, action: &Bound<'_, PyAny>) -> PyResult<Played> {
        // What number an object stands for it says in Python, which may look at this state meanwhile.
        let number = slf.try_borrow()?.number_or_name(action)?;
        slf.try_borrow_mut()?.play_action(slf.py(), number)
    }

    /// What `action` would do, lap by lap; nothing is played. The errors are those of `play`.
    fn trace(&self, action: &Bound<'_, PyAny>) -> PyResult<Trace> {
        let number = self.number_or_name(action)?;
        let wrong = |error| errors::illegal_action(action.py(), &error);
        for_position!(&self.position, |position| {
            let number = position.check(number).map_err(wrong)?;
            Ok(Trace::of(position, position.trace(number).map_err(wrong)?))
        })
    }

    /// Where the game began, and the actions played since.
    ///
    /// Of a state that a match has handed out it is only what has been played on it: the game before is not known.
    fn history(&self) -> (Self, Vec<Action>) {
        let (start, actions) = self.moves();
        (Self { position: start.clone(), moves: None, whole: self.whole }, actions.to_vec())
    }

    /// The text of `action`, which is the player's to move; it need not be legal.
    fn action_name(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let (number, num_actions) = (self.number(action, "an action is an int")?, self.num_actions());
        if !(0..num_actions as i64).contains(&number) {
            let error = IllegalAction::OutOfRange { action: number, num_actions };
            return Err(errors::illegal_action(action.py(), &error));
        }
        Ok(for_position!(&self.position, |position| position.state().action_name(number as Action)))
    }

    /// The action that `text` names for the player to move; it need not be legal. ValueError if it names none.
    fn parse_action(&self, text: &Bound<'_, PyAny>) -> PyResult<Action> {
        self.action_named(arguments::text("text", text)?)
    }

    /// The position as text, the word for its end last.
    fn position(&self) -> String {
        self.text()
    }

    /// The position in the view of the player to move, shape (D,); `dtype` is float32, normalized (the default), or uint8, raw.
    #[pyo3(signature = (dtype=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let dtype = match dtype {
            None => dtype_of::<f32>(py),
            Some(dtype) => arguments::dtype("dtype", dtype)?,
        };
        if dtype.is_equiv_to(&dtype_of::<f32>(py)) {
            let out = self.observe(|any, out| for_position!(any, |position| position.observe(out)));
            return Ok(PyArray1::from_vec(py, out).into_any());
        }
        if dtype.is_equiv_to(&dtype_of::<u8>(py)) {
            let out = self.observe(|any, out| for_position!(any, |position| position.observe_raw(out)));
            return Ok(PyArray1::from_vec(py, out).into_any());
        }
        Err(PyValueError::new_err(format!("dtype is float32 (normalized) or uint8 (raw), not {dtype}")))
    }

    /// The legal actions, shape (A,).
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut mask = vec![false; self.num_actions()];
        for action in self.legal_actions() {
            mask[usize::from(action)] = true;
        }
        PyArray1::from_vec(py, mask)
    }

    /// What each legal action would do, shape (K, 8), rows in the order of `legal_actions()`.
    ///
    /// Seeds captured / seeds a pit at the start; extra move; laps / 10; landing pit from the mover's left / pits; enemy row
    /// entered; would repeat a position; endless; ends the game.
    fn action_features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let features: Vec<f32> = for_game!(self.position.spec(), |rules: G| {
            let (unit, pits) = (G::seed_unit(&rules), G::num_pits(&rules));
            for_position!(&self.position, |position| {
                let actions = position.legal_actions().into_iter();
                actions.flat_map(|action| ActionInfo::of(position, action).0.features(unit, pits)).collect()
            })
        });
        let rows = features.len() / mancala_env::ACTION_FEATURES;
        PyArray1::from_vec(py, features).reshape([rows, mancala_env::ACTION_FEATURES])
    }

    /// The same game, to be played on by itself.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game(), self.text()).hash(&mut hasher);
        hasher.finish()
    }

    /// 64 bits of all that equality compares, the same in every process and on every machine.
    #[getter]
    fn key(&self) -> u64 {
        for_position!(&self.position, |position| position.key())
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        let game = self.game();
        let id = game.split('?').next().unwrap_or_default();
        format!("State.from_position('{id}', '{}'{})", self.text(), self.keywords())
    }

    /// The board as a picture, for notebooks: what `mancala_rl.render_svg` draws.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("mancala_rl.looking")?.getattr("render_svg")?.call1((slf,))
    }

    /// Pickles the game as it went, or what is known of it.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, state) = (slf.py(), slf.borrow());
        let class = py.get_type::<Self>();
        let (start, actions) = state.moves();
        if !state.whole {
            let saved = for_position!(start, |position| position.save());
            let parts = (state.game(), PyBytes::new(py, &saved), actions.to_vec()).into_pyobject(py)?;
            return Ok((class.getattr("_from_saved")?, parts));
        }
        let start = for_position!(start, |position| position.write());
        let parts = (state.rules_version(), state.game(), start, actions.to_vec()).into_pyobject(py)?;
        Ok((class.getattr("_from_moves")?, parts))
    }

    /// What `__reduce__` has written of a game whose beginning is not known, read again.
    #[staticmethod]
    fn _from_saved(
        game: &Bound<'_, PyAny>,
        saved: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let saved = arguments::bytes("saved", saved)?;
        let position = match read_spec(game, None)? {
            GameSpec::Giuthi(rules) => Position::restore(rules, saved).map(AnyPosition::Giuthi),
            GameSpec::Kiothi(rules) => Position::restore(rules, saved).map(AnyPosition::Kiothi),
        };
        let mut state =
            position.map(Self::within).map_err(|error| PyValueError::new_err(error.to_string()))?;
        state.play_all(actions)?;
        Ok(state)
    }

    /// What `__reduce__` has written, read again.
    #[staticmethod]
    fn _from_moves(
        rules_version: &Bound<'_, PyAny>,
        game: &Bound<'_, PyAny>,
        start: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let rules_version = read_count("rules_version", rules_version)?;
        let mut state = Self::from_position(game, start, None)?;
        let ours = state.rules_version();
        if rules_version != ours {
            return Err(PyValueError::new_err(format!(
                "a state of {game} by rules version {rules_version}; this is version {ours}"
            )));
        }
        state.play_all(actions)?;
        Ok(state)
    }
}
