"""Many games side by side behind Gymnasium's vector interface."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded
    from gymnasium.logger import warn
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError('mancala_rl.env needs Gymnasium: pip install "mancala-rl[gym]"') from error

from . import _arguments
from ._board import NO_MODE, RENDER_MODES, RenderMode, checked, frame
from ._core import State, VecEnv
from ._spaces import observation_high

Array = npt.NDArray[Any]
Info = dict[str, Any]

_ENGINE_BYTES = 384
"""What a game takes at least, its arrays aside."""


class MancalaVecEnv(VectorEnv[Array, Array, Array]):
    """B games of one kind, stepped in one call; made by :func:`mancala_rl.make_vec`.

    D is ``single_observation_space.shape[0]``, A is ``single_action_space.n``. Players are 0 and 1; the same player may
    move several times in a row, and a player without a move is passed over: read ``to_move``, never assume turns.

    **Observations** ``(B, D)`` float32 or uint8, in the view of the player to move; cell by cell in ``docs``.

    **Actions** ``(B,)`` of any integer dtype, relative to the player to move; the legal ones are in ``info["action_mask"]``.

    **info** of ``step`` and ``reset``:

    - ``action_mask`` ``(B, A)`` bool: the legal actions, always at least one.
    - ``to_move`` ``(B,)`` int8: 0 or 1, who moves next.
    - ``scores`` ``(B, 2)`` int16: seeds captured, by player.
    - ``returns`` ``(B, 2)`` float32: the outcome by player, 0 while a game goes on.
    - ``passed`` ``(B,)`` bool: the move left a player without a move, who was passed over.

    - ``action_features``, if asked for: what ``action_features`` returns, of the positions just reached.

    and of ``step`` alone, about games that have just ended; rows of others are zero:

    - ``final_obs`` ``(B, D)``: the last position, in the view of the player shown to move in it.
    - ``_final_obs``, ``_final_info`` ``(B,)`` bool: which games have ended, terminated or truncated.
    - ``final_info``: ``scores`` ``(B, 2)`` int16; ``to_move`` ``(B,)`` int8, the player of ``final_obs``; ``result`` ``(B,)`` str: ``"no-moves"``, ``"repetition"``, ``"endless"``,
      and ``""`` if truncated or going on; ``plies`` ``(B,)`` int32, those of a random opening not counted.

    **Autoreset** is ``SAME_STEP``: after the step that ends a game its row of the observation, ``action_mask``, ``to_move`` and
    ``scores`` is of the next episode; ``reward``, ``returns``, ``passed``, ``terminated`` and ``truncated`` are of the move just made.

    One thread at a time: a second one gets a RuntimeError.
    """

    metadata: dict[str, Any] = {
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        seed: int = 0,
        threads: int = 1,
        max_plies: int | None = None,
        random_opening_plies: int = 0,
        random_first_player: bool = False,
        copy: bool = True,
        observation_dtype: Any = "float32",
        render_mode: RenderMode | None = None,
        action_features: Literal["dense", "ragged"] | None = None,
        **options: Any,
    ) -> None:
        """See :func:`mancala_rl.make_vec`."""
        limit = 2**31 - 1
        self.num_envs = _arguments.integer("num_envs", num_envs, 1, limit)
        self.render_mode = checked(render_mode)
        self._dtype = _arguments.observation_dtype(observation_dtype)
        self._made_of: dict[str, Any] = {
            "game": game,
            "num_envs": self.num_envs,
            "seed": _arguments.seed(seed),
            "threads": _arguments.integer("threads", threads, 1, limit),
            "max_plies": None if max_plies is None else _arguments.integer("max_plies", max_plies, 1, limit),
            "random_opening_plies": _arguments.integer("random_opening_plies", random_opening_plies, 0, limit),
            "random_first_player": _arguments.flag("random_first_player", random_first_player),
            "raw": self._dtype == np.uint8,
            "copy": _arguments.flag("copy", copy),
            "action_features": None
            if action_features is None
            else _arguments.layout("action_features", action_features),
            "options": options,
        }
        start = State(game, **options)
        features = 32 * start.num_actions if action_features == "dense" else 0
        cells = start.observation_len * self._dtype.itemsize
        _arguments.memory("num_envs", self.num_envs, _ENGINE_BYTES + 4 * cells + start.num_actions + features)
        core = VecEnv(**self._made_of)
        self._core: VecEnv | None = core
        self.game = core.game
        """The game's id with its options."""
        self.metadata = {
            **type(self).metadata,
            "game": core.game,
            "rules_version": core.rules_version,
            "observation_version": core.observation_version,
        }
        high = observation_high(self.game, self._dtype)
        self.single_observation_space = spaces.Box(np.zeros_like(high), high, dtype=self._dtype.type)
        self.single_action_space = spaces.Discrete(core.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._begun: VecEnv | None = None
        """``_core`` from the first reset until it is closed."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, Info]:
        """Begins new episodes.

        With a seed, episode 0 of that seed, and the streams of ``sample_actions`` begin anew. Without, the next episode of
        each game; the first reset begins episode 0 of the constructor's seed.

        Args:
            seed: 0 <= seed < 2**64, or None.
            options: Unknown keys are ignored. ``reset_mask``: ``(B,)`` bool, only those games begin anew, the others stand as
                they are. ``positions``: B position texts to begin from (None for an ordinary start; those of games that are
                not reset are not looked at); such an episode has neither random opening nor random first player.

        Returns:
            Observations of all games, and info.

        Raises:
            TypeError, ValueError: If an argument is wrong, or a position malformed or finished. Nothing has changed.
        """
        core = self._open()
        checked_seed = None if seed is None else _arguments.seed(seed)
        mask, positions = _arguments.reset_options(options, self.num_envs)
        result = core.reset(checked_seed, mask, positions)
        super().reset(seed=checked_seed)
        self._begun = core
        return result

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, Info]:
        """Plays one action in every game; games that end begin their next episode at once.

        Args:
            actions: ``(B,)`` of an integer dtype, all legal.

        Returns:
            observations ``(B, D)``; reward ``(B,)`` float32, for the player who has just acted: +1 a win, -1 a loss, 0 a draw
            or unfinished (Kiothi: times ``one_warrior_multiplier`` in a one-warrior victory); terminated ``(B,)`` bool;
            truncated ``(B,)`` bool; info.

        Raises:
            IllegalActionError: A ValueError naming the game, the action and the rule; ActionOutOfRangeError, which is an
                IndexError too, for numbers that are no actions. All actions are checked first: nothing has changed.
            TypeError: If the actions are no integers.
            ValueError: If their shape is not ``(B,)``.
            RuntimeError: If another thread is inside this environment.
        """
        return (self._begun or self._ready()).step(actions)

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """Draws a legal action for every game, ``(B,)`` int64, each game from a stream of its own.

        Uniform, but that in Kiothi's opening every redistribution is equally likely. Draws never alter the games; successive
        calls draw on; a reset with a seed begins the streams anew.
        """
        return (self._begun or self._ready()).sample_actions()

    def positions(self) -> list[str]:
        """The positions of all games as text."""
        return self._open().positions()

    def render(self) -> tuple[str | npt.NDArray[np.uint8], ...] | None:
        """All boards, Player 0's rows below: with ``render_mode="ansi"`` as B texts, with ``"rgb_array"`` as B pictures, ``(H, W, 3)`` uint8.

        They are drawn from positions alone, without the last moves; a game that has ended shows its next episode.
        """
        if self.render_mode is None:
            warn(NO_MODE)
            return None
        core, mode = self._ready(), self.render_mode
        states = (State.from_position(self.game, position) for position in core.positions())
        return tuple(frame(mode, state, ("Player 0", "Player 1")) for state in states)

    def get_state(self) -> npt.NDArray[np.uint8]:
        """All of the games as one array, ``(N,)`` uint8, for :meth:`set_state`; ``np.save`` and pickle keep it.

        It holds whatever decides how the games go on: positions with their histories, plies, episodes, seeds and the streams of
        ``sample_actions``. It is the same whatever ``threads``, ``copy``, dtypes and machine, and it has a version and a checksum.
        Neither the arrays of the last step are in it nor Gymnasium's ``np_random``, which nothing here uses.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self._ready().save()

    def set_state(self, state: npt.ArrayLike | bytes) -> tuple[Array, Info]:
        """Goes back to where ``get_state`` was called, in this environment or in one like it, which need not have been reset.

        From then on the same calls return the same, bit for bit: observations, rewards, new episodes, sampled actions. ``seed``,
        ``threads``, ``copy``, ``observation_dtype`` and ``action_features`` of the two may differ.

        Args:
            state: What ``get_state`` has returned, an array ``(N,)`` of uint8 or its bytes.

        Returns:
            Observations of all games, and info, as ``reset`` returns them.

        Raises:
            ValueError: If the state is damaged, of another version, or was saved with another ``game``, ``num_envs``, ``max_plies``,
                ``random_opening_plies`` or ``random_first_player``: names what is wrong. Nothing has changed.
            TypeError: If its dtype is not uint8.
        """
        core = self._open()
        result = core.restore(_arguments.saved(state))
        self._begun = core
        return result

    def __getstate__(self) -> tuple[dict[str, Any], bytes | None, bool]:
        core = self._core
        kept = {name: value for name, value in vars(self).items() if name not in ("_core", "_begun")}
        return kept, None if core is None else core.save().tobytes(), self._begun is not None

    def __setstate__(self, saved: tuple[dict[str, Any], bytes | None, bool]) -> None:
        kept, state, begun = saved
        vars(self).update(kept)
        self._core = self._begun = None
        if state is not None:
            self._core = VecEnv(**self._made_of)
            self._core.restore(state)
            self._begun = self._core if begun else None

    @overload
    def action_features(self, layout: Literal["dense"]) -> npt.NDArray[np.float32]: ...
    @overload
    def action_features(
        self, layout: Literal["ragged"] = "ragged"
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]: ...
    def action_features(self, layout: str = "ragged") -> Any:
        """What each legal action would do: one ply of simulation, which no net can compute for itself.

        The F = 8 features: seeds captured / seeds a pit at the start; extra move; laps / 10; landing pit from the mover's
        left / pits; enemy row entered; would repeat a position; endless; ends the game.

        Args:
            layout: ``"ragged"``: offsets ``(B + 1,)`` int64, actions ``(K,)`` int64, features ``(K, F)`` float32; the K legal
                actions of game i are rows ``offsets[i]:offsets[i + 1]``. ``"dense"`` (Giuthi only): ``(B, A, F)`` float32, zero
                rows where an action is not legal.
        """
        return self._open().action_features(_arguments.layout("layout", layout))

    def __repr__(self) -> str:
        """``<MancalaVecEnv giuthi-6x6, num_envs=64>``."""
        return f"<{type(self).__name__} {self.game}, num_envs={self.num_envs}>"

    def close_extras(self, **kwargs: Any) -> None:
        """Lets go of the games; whatever is called afterwards raises ClosedEnvironmentError."""
        self._core = self._begun = None

    def _open(self) -> VecEnv:
        if self._core is None:
            raise ClosedEnvironmentError("this environment has been closed")
        return self._core

    def _ready(self) -> VecEnv:
        core = self._open()
        if self._begun is None:
            raise ResetNeeded("call reset before the first step")
        return core
