"""One game between two agents behind PettingZoo's interface for agents that take turns."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded
    from gymnasium.logger import warn
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError('mancala_rl.pettingzoo needs PettingZoo: pip install "mancala-rl[pettingzoo]"') from error

from . import _arguments
from ._board import NO_MODE, RENDER_MODES, RenderMode, checked, frame
from ._core import State
from ._episodes import WORDS, Table
from ._spaces import observation_high

AGENTS = ("player_0", "player_1")

Observation = dict[str, npt.NDArray[Any]]


class MancalaAECEnv(AECEnv):  # type: ignore[misc]
    """One game between ``"player_0"`` and ``"player_1"``; made by :func:`mancala_rl.pettingzoo_env`.

    ``agent_selection`` is the player to move. The same agent may be selected several times in a row, and one that cannot move is
    passed over: read it, never assume turns. When a game is over the agent that has not moved last is selected first.

    D is ``observation_space(agent)["observation"].shape[0]``, A is ``action_space(agent).n``.

    **Observations** a dict, in the view of the agent that asks, whoever is to move:

    - ``observation`` ``(D,)`` float32 or uint8; cell by cell in ``docs``. Cells that tell of the player to move (Giuthi: this is an
      extra move; Kiothi: phase, warriors in hand, lowest boma) tell of him in both views.
    - ``action_mask`` ``(A,)`` int8: 1 where an action is legal, as ``action_space(agent).sample(mask)`` takes it; zeros for the agent that
      is not to move, and for both where the game is over.

    **Actions** an integer from 0 to A - 1, relative to the agent that moves.

    **Rewards** floats: +1 a win, -1 a loss, 0 a draw or unfinished (Kiothi: times ``one_warrior_multiplier`` in a one-warrior victory), to
    both agents in the step that ends the game. A game may be lost by the own move. ``last`` and ``_cumulative_rewards`` hold what an agent
    has been given since it acted last.

    **Ends**: ``terminations`` of both agents are True where the game has ended, ``truncations`` of both where ``max_plies`` have been played
    and it has not. Each agent then steps None once, as in all of PettingZoo.

    **infos** of both agents: ``scores`` ``(int, int)``, seeds captured, by player; ``plies`` int; ``passed`` bool, the last move left a player
    without a move, who was passed over; ``result`` str: ``"no-moves"``, ``"repetition"``, ``"endless"``, ``""`` if going on or truncated.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2, "is_parallelizable": False}

    def __init__(
        self,
        game: str,
        *,
        max_plies: int | None = None,
        random_opening_plies: int = 0,
        random_first_player: bool = False,
        observation_dtype: Any = "float32",
        render_mode: RenderMode | None = None,
        **options: Any,
    ) -> None:
        """See :func:`mancala_rl.pettingzoo_env`."""
        super().__init__()
        self.render_mode = checked(render_mode)
        self._table = table = Table(game, max_plies, random_opening_plies, observation_dtype, options)
        self._random_first_player = _arguments.flag("random_first_player", random_first_player)
        if self._random_first_player and not table.game.startswith("giuthi"):
            raise ValueError(f"random_first_player is for Giuthi: in {table.game} Player 0 begins")
        self.game = table.game
        """The game's id with its options."""
        self.metadata = {**table.metadata(type(self).metadata), "name": f"mancala_rl/{self.game}"}
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        high, actions = observation_high(self.game, table.dtype), table.initial.num_actions
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(high), high, dtype=table.dtype.type),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self._rng: np.random.Generator | None = None
        self._state: State | None = None
        self._plies = 0
        self._closed = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """A ``Dict`` of ``observation`` and ``action_mask``, for either ``agent``; the same object every time."""
        return self.observation_spaces[AGENTS[self._player(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """A ``Discrete``, for either ``agent``; the same object every time."""
        return self.action_spaces[AGENTS[self._player(agent)]]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game.

        Args:
            seed: 0 <= seed < 2**64, or None to draw on. Random openings and first players come from it; nothing else is random.
            options: Unknown keys are ignored. ``position``: a text to begin from, with a fresh history, no random opening and no
                random first player.

        Raises:
            TypeError, ValueError: If an argument is wrong, or the position malformed or finished. Nothing has changed.
        """
        self._open()
        position = _arguments.mapping(options).get("position")
        start = None if position is None else self._table.position("position", position)
        rng = self._rng
        if seed is not None or rng is None:
            rng = seeding.np_random(None if seed is None else _arguments.seed(seed))[0]
        first, opening = (int(word) for word in rng.integers(0, WORDS, 2, np.uint64))
        if start is None:
            start = self._table.opening(opening, first >> 63 if self._random_first_player else 0)
        self._rng, self._state, self._plies = rng, start, 0
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._tell(passed=False)
        self._skip_agent_selection = None
        self.agent_selection = AGENTS[start.to_move]

    def step(self, action: SupportsIndex | None) -> None:
        """Plays ``action``, one of ``agent_selection``; None, and nothing else, where the game is over.

        Raises:
            IllegalActionError: A ValueError naming the action and the rule; ActionOutOfRangeError, which is an IndexError too, for a
                number that is no action. Nothing has changed then.
            TypeError: If the action is no integer.
            ValueError: If the game is over and the action is not None.
            gymnasium.error.ResetNeeded: Before the first reset, and when both agents are gone.
        """
        state = self._begun()
        if not self.agents:
            raise ResetNeeded("the game is over: call reset")
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        played = state.play(_arguments.index("action", action))
        self._plies += 1
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict(zip(AGENTS, state.returns()))
        self._accumulate_rewards()
        truncated = self._plies == self._table.max_plies and not state.is_over
        self.terminations = dict.fromkeys(AGENTS, state.is_over)
        self.truncations = dict.fromkeys(AGENTS, truncated)
        self._tell(played.passed)
        over = state.is_over or truncated
        self.agent_selection = AGENTS[1 - AGENTS.index(mover)] if over else AGENTS[state.to_move]

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees, whoever is to move: see the class."""
        state, player = self._begun(), self._player(agent)
        to_move = not (self._table.over(state, self._plies) or state.to_move != player)
        mask = state.action_mask() if to_move else np.zeros(state.num_actions, bool)
        return {"observation": self._table.view(state, player), "action_mask": mask.astype(np.int8)}

    @property
    def game_state(self) -> State:
        """A copy of the game, to look at or to play on by itself."""
        return self._begun().copy()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board, player_0's row below: with ``render_mode="ansi"`` as text, with ``"rgb_array"`` as pixels, ``(H, W, 3)`` uint8.

        The pixels show the last move too; H and W are the same in all games.
        """
        if self.render_mode is None:
            warn(NO_MODE)
            return None
        return frame(self.render_mode, self._begun(), AGENTS)

    def close(self) -> None:
        """Lets go of the game; whatever is called afterwards raises ClosedEnvironmentError."""
        self._state, self._closed = None, True

    def __repr__(self) -> str:
        """``<MancalaAECEnv giuthi-6x6>``; ``str`` is the name that PettingZoo's wrappers show, ``mancala_rl/giuthi-6x6``."""
        return f"<{type(self).__name__} {self.game}>"

    def _tell(self, passed: bool) -> None:
        state = self._begun()
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"scores": state.scores, "plies": self._plies, "passed": passed, "result": state.result or ""}
            for agent in AGENTS
        }

    def _player(self, agent: str) -> int:
        return AGENTS.index(_arguments.choice("agent", agent, *AGENTS))

    def _open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment has been closed")

    def _begun(self) -> State:
        self._open()
        if self._state is None:
            raise ResetNeeded("call reset before the first step")
        return self._state
