"""Giuthi and Kiothi as games of OpenSpiel; importing this module registers them.

>>> import pyspiel
>>> import mancala_rl.openspiel
>>> game = pyspiel.load_game("mancala_rl_giuthi(pits=6,seeds=6)")
>>> state = game.new_initial_state()
>>> state.action_to_string(state.legal_actions()[0])
'6ccw'

- ``mancala_rl_giuthi``: parameters ``pits=8``, ``seeds=8``, ``capture=any`` or ``occupied``, ``max_plies=1000``; 2 x pits actions.
- ``mancala_rl_kiothi``: ``boma=6``, ``warriors=5``, ``one_warrior_multiplier=1.0``, ``max_plies=1000``; 630 actions.

Both are deterministic, sequential games of two players with perfect information, zero-sum, rewarded at the end. **The same player may act
several times in a row, and one that cannot move is passed over**: read ``current_player()``, never assume turns. A game in which
``max_plies`` actions have been played and that is not over by then is a draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError('mancala_rl.openspiel needs OpenSpiel: pip install "mancala-rl[openspiel]"') from error

from . import _arguments
from ._core import Agent, State
from ._core import agent as _make_agent
from ._opponents import answered
from ._spaces import observation_turn

if TYPE_CHECKING:
    import numpy.typing as npt

    from . import Acts

__all__ = ["AgentBot", "GiuthiGame", "KiothiGame", "MancalaGame", "MancalaObserver", "MancalaState"]

TERMINAL = int(pyspiel.PlayerId.TERMINAL)

MAX_PLIES = 1000
"""The default of ``max_plies``. Of random games few are as long, and none that two players who want to win have played."""


def _game_type(name: str, long_name: str, parameters: dict[str, Any]) -> Any:
    return pyspiel.GameType(
        short_name=name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**parameters, "max_plies": MAX_PLIES},
    )


class MancalaGame(pyspiel.Game):  # type: ignore[misc]
    """What both games have in common; made by ``pyspiel.load_game``."""

    def __init__(self, game_type: Any, parameters: dict[str, Any], game: str, options: dict[str, Any]) -> None:
        max_plies = _arguments.integer("max_plies", parameters["max_plies"], 1, 2**31 - 1)
        self.initial = initial = State(game, **options)
        """The start of a game of ``mancala_rl``."""
        self.max_plies: int = max_plies
        self.turn = observation_turn(initial.game)
        """The cells of an observation in the order that shows it to the other player."""
        win = options.get("one_warrior_multiplier", 1.0)
        info = pyspiel.GameInfo(
            num_distinct_actions=initial.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-win,
            max_utility=win,
            utility_sum=0.0,
            max_game_length=max_plies,
        )
        super().__init__(game_type, info, parameters)
        other = State.from_position(initial.game, initial.position().replace(" p0", " p1"))
        self.action_names = tuple(
            tuple(state.action_name(action) for action in range(initial.num_actions)) for state in (initial, other)
        )
        """Of each player the moves by action number, as ``12ccw`` or ``4:3``."""

    def new_initial_state(self, position: str | None = None) -> MancalaState:
        """The start of a game, or ``position``, a text, with a fresh history, as in ``mancala_rl.State.from_position``.

        ValueError, naming the field, if the text is malformed; TypeError if it is no text.
        """
        if position is None:
            return MancalaState(self, self.initial)
        return MancalaState(self, State.from_position(self.initial.game, position))

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """A :class:`MancalaObserver`; for perfect recall one whose string is the history of actions.

        Args:
            iig_obs_type: What OpenSpiel wants to observe, a ``pyspiel.IIGObservationType``; None: what is public.
            params: None or empty: observers have no parameters.
        """
        if iig_obs_type is not None and not isinstance(iig_obs_type, pyspiel.IIGObservationType):
            raise TypeError(f"iig_obs_type is an IIGObservationType, not {type(iig_obs_type).__name__}")
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return MancalaObserver(self, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class MancalaState(pyspiel.State):  # type: ignore[misc]
    """A position with its history; made by ``new_initial_state``. It clones, pickles and serializes with its history."""

    def __init__(self, game: MancalaGame, state: State) -> None:
        # OpenSpiel takes whatever it is given for a game, and crashes.
        if not isinstance(game, MancalaGame):
            raise TypeError(f"game is a MancalaGame, not {type(game).__name__}")
        if not isinstance(state, State):
            raise TypeError(f"state is a State, not {type(state).__name__}")
        if state.game != game.initial.game:
            raise ValueError(f"state is one of {state.game}, not of {game.initial.game}")
        super().__init__(game)
        self._state = state.copy()
        self._plies = 0
        self._player = TERMINAL if state.is_over else state.to_move
        """Who acts. OpenSpiel asks often, and has every attribute copied with each clone."""

    @property
    def mancala_state(self) -> State:
        """The game as a ``mancala_rl.State``, a copy: for our agents, or to play on by itself. It knows nothing of ``max_plies``."""
        return self._state.copy()

    @property
    def plies(self) -> int:
        """Actions played, by both players."""
        return self._plies

    def current_player(self) -> int:
        """The player to act, 0 or 1, perhaps the one who has just acted; ``pyspiel.PlayerId.TERMINAL`` if the game is over."""
        return self._player

    def is_terminal(self) -> bool:
        """Whether the game has ended, by itself or with the last ply that is played."""
        return self._player == TERMINAL

    def returns(self) -> list[float]:
        """The outcome by player: +1 a win, -1 a loss (Kiothi: times the multiplier in a one-warrior victory), 0 a draw or unfinished."""
        # Adding zero makes a 0 of a -0.
        return [value + 0.0 for value in self._state.returns()]

    def _legal_actions(self, player: int) -> list[int]:
        """Ascending; OpenSpiel asks only for the player who is to act."""
        return self._state.legal_actions()

    def _apply_action(self, action: int) -> None:
        """IllegalActionError, a ValueError, if the action is not legal; nothing has changed then."""
        state = self._state
        state.play(action)
        self._plies += 1
        over = state.is_over or self._plies >= self.get_game().max_plies
        self._player = TERMINAL if over else state.to_move

    def _action_to_string(self, player: int, action: int) -> str:
        """An action of a player's as text, as ``12ccw`` or ``4:3``; it need not be legal."""
        names = self.get_game().action_names[_arguments.integer("player", player, 0, 1)]
        if not 0 <= action < len(names):
            raise ValueError(f"action {action} is out of range: this game has actions 0..={len(names) - 1}")
        name: str = names[action]
        return name

    def __str__(self) -> str:
        """The position as text, the plies played, and 64 bits of history and board: states of equal strings have equal futures."""
        return f"{self._state} ply {self._plies} key {self._state.key:016x}"


class MancalaObserver:
    """Observes a state in the view of a player, whoever is to act; made by ``MancalaGame.make_py_observer``.

    ``tensor`` ``(D + 2,)`` float32 has three pieces, which ``dict`` names:

    - ``observation`` ``(D,)``: normalized, own pits first, as everywhere in ``mancala_rl``; cell by cell in ``docs``. Cells that tell of the
      player to move (Giuthi: this is an extra move; Kiothi: phase, warriors in hand, lowest boma) tell of him in both views.
    - ``to_move`` ``(1,)``: 1 if the observer is to act.
    - ``plies`` ``(1,)``: the share of ``max_plies`` that has been played, 0 to 1.
    """

    def __init__(self, game: MancalaGame, params: dict[str, Any] | None) -> None:
        if not isinstance(game, MancalaGame):
            raise TypeError(f"game is a MancalaGame, not {type(game).__name__}")
        if params is not None and not (isinstance(params, dict) and not params):
            raise ValueError(f"params: observers have no parameters, but {_arguments.shown(params)} were given")
        self._game = game.initial.game
        self._turn = game.turn
        self._max_plies = game.max_plies
        cells = len(game.turn)
        self.tensor: npt.NDArray[np.float32] = np.zeros(cells + 2, np.float32)
        self.dict = {"observation": self.tensor[:cells], "to_move": self.tensor[cells:-1], "plies": self.tensor[-1:]}

    def set_from(self, state: MancalaState, player: int) -> None:
        """Writes ``tensor``, the memory that ``dict`` looks into as well: ``state`` in the view of ``player``."""
        player = _arguments.integer("player", player, 0, 1)
        if _checked(state)._state.game != self._game:
            raise ValueError(f"state is one of {state._state.game}, not of {self._game}")
        view = state._state.observation()
        self.tensor[:-2] = view if state._state.to_move == player else view[self._turn]
        self.tensor[-2] = state._player == player
        self.tensor[-1] = state.plies / self._max_plies

    def string_from(self, state: MancalaState, player: int) -> str:
        """The text of ``state``, the same whoever ``player`` is: nothing is hidden."""
        _arguments.integer("player", player, 0, 1)
        return str(_checked(state))


class GiuthiGame(MancalaGame):
    """Giuthi; made by ``pyspiel.load_game("mancala_rl_giuthi(pits=8,seeds=8,capture=any,max_plies=1000)")``.

    ValueError, naming the parameter, if it has no such value; pyspiel.SpielError if there is no such parameter or it has another type.
    """

    game_type = _game_type("mancala_rl_giuthi", "Giuthi", {"pits": 8, "seeds": 8, "capture": "any"})

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = _parameters(self.game_type, params)
        game = f"giuthi-{_small(parameters, 'pits')}x{_small(parameters, 'seeds')}"
        super().__init__(self.game_type, parameters, game, {"capture": parameters["capture"]})


class KiothiGame(MancalaGame):
    """Kiothi; made by ``pyspiel.load_game("mancala_rl_kiothi(boma=6,warriors=5,one_warrior_multiplier=1.0,max_plies=1000)")``.

    ValueError, naming the parameter, if it has no such value; pyspiel.SpielError if there is no such parameter or it has another type.
    """

    game_type = _game_type("mancala_rl_kiothi", "Kiothi", {"boma": 6, "warriors": 5, "one_warrior_multiplier": 1.0})

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = _parameters(self.game_type, params)
        game = f"kiothi-{_small(parameters, 'boma')}x{_small(parameters, 'warriors')}"
        multiplier = parameters["one_warrior_multiplier"]
        super().__init__(self.game_type, parameters, game, {"one_warrior_multiplier": multiplier})


def _checked(state: Any) -> MancalaState:
    if not isinstance(state, MancalaState):
        raise TypeError(f"state is a MancalaState, not {type(state).__name__}")
    return state


def _parameters(game_type: Any, params: dict[str, Any] | None) -> dict[str, Any]:
    """All parameters, whoever makes the game."""
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise TypeError(f"params is a dict, not {type(params).__name__}")
    known = game_type.parameter_specification
    for name in params:
        if name not in known:
            raise ValueError(f"params: no parameter {_arguments.shown(name)}; there are {', '.join(known)}")
    return {**known, **params}


def _small(parameters: dict[str, Any], name: str) -> int:
    """A number of pits or seeds, which the game then looks at."""
    number = _arguments.index(name, parameters[name])
    if number < 0:
        raise ValueError(f"{name} is at least 1, not {_arguments.shown(number)}")
    if number > 255:
        raise ValueError(f"{name} is too large: {_arguments.shown(number)}")
    return number


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of ``mancala_rl`` among OpenSpiel's bots.

    Args:
        agent: A spec (see :func:`mancala_rl.agent`), an agent, or an object with ``act(state)`` that answers with a legal action; its states are
            ``mancala_rl.State``.
        seed: An agent of ours begins by this seed, and with every restart by the next one; 0 <= seed < 2**64. An object is not told.

    Raises:
        ValueError, TypeError: If there is no such agent.
    """

    def __init__(self, agent: str | Agent | Acts, seed: int = 0) -> None:
        super().__init__()
        if not isinstance(agent, str) and (isinstance(agent, type) or not callable(getattr(agent, "act", None))):
            raise TypeError(f"agent is a spec, an agent or an object with act, not {type(agent).__name__}")
        self._agent: Any = _make_agent(agent) if isinstance(agent, str) else agent
        self._seed = _arguments.seed(seed)
        self.restart()

    def restart(self) -> None:
        """A new game begins."""
        if isinstance(self._agent, Agent):
            self._agent.new_game(self._seed)
            self._seed = (self._seed + 1) % _arguments.SEED_LIMIT

    def restart_at(self, state: MancalaState) -> None:
        """A new game begins, at ``state``."""
        _checked(state)
        self.restart()

    def inform_action(self, state: MancalaState, player: int, action: int) -> None:
        """Nothing: that ``player`` has played ``action`` in ``state``, the next state tells."""

    def step(self, state: MancalaState) -> int:
        """The agent's action in ``state``."""
        asked = _checked(state)._state
        action = self._agent.act(asked.copy())
        if isinstance(self._agent, Agent):
            return int(action)
        return answered("agent.act", action, asked)


for _game in (GiuthiGame, KiothiGame):
    pyspiel.register_game(_game.game_type, _game)
