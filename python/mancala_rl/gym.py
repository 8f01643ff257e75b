"""One game against an opponent behind Gymnasium's interface."""

from __future__ import annotations

from typing import Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded
    from gymnasium.logger import warn
except ImportError as error:
    raise ImportError('mancala_rl.gym needs Gymnasium: pip install "mancala-rl[gym]"') from error

from . import _arguments
from ._board import NO_MODE, RENDER_MODES, RenderMode, checked, frame, names
from ._core import State
from ._episodes import WORDS, Dealer, Episode
from ._spaces import observation_high

Array = npt.NDArray[Any]
Info = dict[str, Any]


class MancalaEnv(gymnasium.Env[Array, SupportsIndex]):
    """One game in which the agent plays one seat and an opponent the other; made by :func:`mancala_rl.make`.

    A step is one action of the agent and whatever the opponent answers, until it is the agent's turn again or the game is over.
    The agent may act several times in a row, and so may the opponent; either may be passed over.

    D is ``observation_space.shape[0]``, A is ``action_space.n``. Players are 0 and 1.

    **Observations** ``(D,)`` float32 or uint8, in the agent's view, also where the game is over; cell by cell in ``docs``.

    **Actions** an integer from 0 to A - 1, relative to the agent; the legal ones are in ``info["action_mask"]``.

    **Rewards** a float in the agent's view: +1 a win, -1 a loss or an illegal action that loses, 0 a draw or unfinished (Kiothi: a win
    or loss by exactly two times ``one_warrior_multiplier``). A game may be lost by the agent's own move.

    **info** of ``step`` and ``reset``:

    - ``action_mask`` ``(A,)`` int8: 1 where an action is legal, as ``action_space.sample(mask)`` takes it; zeros where the game is over.
    - ``player`` int: the agent's seat, 0 or 1, in this episode.
    - ``scores`` ``(2,)`` int16: seeds captured, by player.
    - ``returns`` ``(2,)`` float32: the outcome by player, 0 while the game goes on.
    - ``plies`` int: actions of both players so far, those of a random opening not counted.
    - ``opponent_actions`` list of int: what the opponent has played since the agent acted, relative to the opponent.
    - ``result`` str: ``"no-moves"``, ``"repetition"``, ``"endless"``, ``"illegal"``; ``""`` if going on or truncated.

    One thread at a time.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        game: str,
        opponent: Any = "random",
        *,
        player: Literal[0, 1, "random"] = 0,
        illegal_action: Literal["raise", "lose"] = "raise",
        max_plies: int | None = None,
        random_opening_plies: int = 0,
        observation_dtype: Any = "float32",
        render_mode: RenderMode | None = None,
        **options: Any,
    ) -> None:
        """See :func:`mancala_rl.make`."""
        self.render_mode = checked(render_mode)
        self._dealer = dealer = Dealer(
            game, opponent, player, illegal_action, max_plies, random_opening_plies, observation_dtype, options
        )
        self.game = dealer.game
        """The game's id with its options."""
        self.metadata = dealer.metadata(type(self).metadata)
        high = observation_high(self.game, dealer.dtype)
        self.observation_space = spaces.Box(np.zeros_like(high), high, dtype=dealer.dtype.type)
        self.action_space = spaces.Discrete(dealer.initial.num_actions)
        self._episode: Episode | None = None
        self._closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, Info]:
        """Begins a new episode, and lets the opponent play until it is the agent's turn.

        All that is random, the agent's seat, the opening and the opponent's answers, comes from ``np_random``, which a seed
        begins anew: the same seed and the same actions are the same episodes. Without a seed the next episode is drawn from it. An
        episode that is over before the agent can act is drawn anew.

        Args:
            seed: 0 <= seed < 2**64, or None.
            options: Unknown keys are ignored. ``position``: a text to begin from, with a fresh history and no random opening.

        Returns:
            Observation and info.

        Raises:
            TypeError, ValueError: If an argument is wrong, the position malformed or finished, or the agent never comes to move.
                Nothing has changed.
        """
        self._open()
        start = self._start(options)
        number = None if seed is None else _arguments.seed(seed)
        first = self._episode is None
        before = (self._np_random, self._np_random_seed)
        if number is None:
            state = self.np_random.bit_generator.state
        try:
            super().reset(seed=number)
            if number is not None or first:
                self._dealer.opponent.told(int(self.np_random.integers(0, WORDS, dtype=np.uint64)))
            episodes = [self._dealer.deal(self.np_random, start)]
            self._dealer.settle(episodes, lambda _, unseen: self._dealer.deal_again(self.np_random, unseen))
        except BaseException:
            if number is None:
                self.np_random.bit_generator.state = state
            else:
                self._np_random, self._np_random_seed = before
            raise
        self._episode = episodes[0]
        return self._observation(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Array, float, bool, bool, Info]:
        """Plays the agent's action and the opponent's answers.

        Args:
            action: An int (NumPy's, or an array of shape ``()``, are fine), legal in this position.

        Returns:
            Observation, reward, terminated, truncated (``max_plies`` have been played, terminated aside), info.

        Raises:
            IllegalActionError: A ValueError naming the action and the rule, if the action is not legal and ``illegal_action`` is
                "raise"; ActionOutOfRangeError, which is an IndexError too, for a number that is no action, in either case.
            TypeError: If the action is no integer.
            gymnasium.error.ResetNeeded: If no episode is going on.

            Whatever the opponent raises goes on to the caller. After any error nothing has changed.
        """
        episode = self._running().copy()
        episode.act(action, self._dealer.lose)
        self._dealer.settle([episode], lambda _i, _episode: None)
        self._episode = episode
        reward = episode.returns()[episode.player]
        return self._observation(), reward, episode.terminated, episode.truncated, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, ``(A,)`` bool: the name by which sb3-contrib's MaskablePPO asks."""
        return self._begun().state.action_mask()

    @property
    def state(self) -> State:
        """A copy of the game, to look at or to play on by itself."""
        return self._begun().state.copy()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The board, Player 0's row below: with ``render_mode="ansi"`` as text, with ``"rgb_array"`` as pixels, ``(H, W, 3)`` uint8.

        The pixels show the last move too, the opponent's or the agent's; H and W are the same in all episodes.
        """
        if self.render_mode is None:
            warn(NO_MODE)
            return None
        episode = self._begun()
        return frame(self.render_mode, episode.state, names(episode.player))

    def close(self) -> None:
        """Lets go of the game; whatever is called afterwards raises ClosedEnvironmentError."""
        self._episode, self._closed = None, True

    def __str__(self) -> str:
        """``<MancalaEnv giuthi-6x6 against greedy>``."""
        return f"<{type(self).__name__} {self.game} against {self._dealer.opponent.name}>"

    __repr__ = __str__

    def _observation(self) -> Array:
        episode = self._begun()
        return self._dealer.view(episode.state, episode.player)

    def _info(self) -> Info:
        episode = self._begun()
        mask = episode.state.action_mask().astype(np.int8)
        if episode.over:
            mask[:] = 0
        return {
            "action_mask": mask,
            "player": episode.player,
            "scores": np.array(episode.state.scores, np.int16),
            "returns": np.array(episode.returns(), np.float32),
            "plies": episode.plies,
            "opponent_actions": episode.opponent_actions.copy(),
            "result": episode.result,
        }

    def _start(self, options: dict[str, Any] | None) -> State | None:
        position = _arguments.mapping(options).get("position")
        return None if position is None else self._dealer.position("position", position)

    def _open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment has been closed")

    def _begun(self) -> Episode:
        self._open()
        if self._episode is None:
            raise ResetNeeded("call reset before the first step")
        return self._episode

    def _running(self) -> Episode:
        episode = self._begun()
        if episode.over:
            raise ResetNeeded(f"the episode is over ({episode.result or 'truncated'}): call reset")
        return episode
