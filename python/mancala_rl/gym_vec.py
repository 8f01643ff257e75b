"""Many games against an opponent side by side behind Gymnasium's vector interface."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded
    from gymnasium.logger import warn
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError('mancala_rl.gym_vec needs Gymnasium: pip install "mancala-rl[gym]"') from error

from . import _arguments, _saved
from ._board import NO_MODE, RENDER_MODES, RenderMode, checked, frame, names
from ._core import State
from ._episodes import WORDS, Dealer, Episode
from ._spaces import observation_high
from .errors import IllegalActionError

STATE = "mancala-rl opponent-vec-env 1"
"""What saved states begin with."""

_EPISODE_BYTES = 1536
"""What a game takes at least, its arrays aside."""

Array = npt.NDArray[Any]
Info = dict[str, Any]


class MancalaOpponentVecEnv(VectorEnv[Array, Array, Array]):
    """B games, each one of :class:`mancala_rl.gym.MancalaEnv`, stepped in one call; made by ``mancala_rl.make_vec(..., opponent=...)``.

    Game i of ``reset(seed=s)`` plays the episodes that a single environment plays after ``reset(seed=s + i)``, as in Gymnasium's
    own ``SyncVectorEnv``, whatever B is. The opponent is asked about all games in which it is to move in one call.

    D is ``single_observation_space.shape[0]``, A is ``single_action_space.n``. Whatever is shown is the agent's turn.

    **Observations** ``(B, D)`` float32 or uint8, in the agent's view; cell by cell in ``docs``.

    **Actions** ``(B,)`` of any integer dtype, relative to the agent; the legal ones are in ``info["action_mask"]``.

    **info** of ``step`` and ``reset``:

    - ``action_mask`` ``(B, A)`` bool: the legal actions, always at least one.
    - ``player`` ``(B,)`` int8: the agent's seat, 0 or 1, in the episode that is shown.
    - ``scores`` ``(B, 2)`` int16: seeds captured, by player.
    - ``returns`` ``(B, 2)`` float32: the outcome by player, 0 while a game goes on.

    and of ``step`` alone, about games that have just ended; rows of others are zero:

    - ``final_obs`` ``(B, D)``: the last position, in the agent's view.
    - ``_final_obs``, ``_final_info`` ``(B,)`` bool: which games have ended, terminated or truncated.
    - ``final_info``: ``scores`` ``(B, 2)`` int16; ``player`` ``(B,)`` int8; ``result`` ``(B,)`` str: ``"no-moves"``,
      ``"repetition"``, ``"endless"``, ``"illegal"``, and ``""`` if truncated or going on; ``plies`` ``(B,)`` int32, those of both
      players, a random opening's not counted.

    **Autoreset** is ``SAME_STEP``: after the step that ends a game its row of the observation, ``action_mask``, ``player`` and ``scores``
    is of the next episode; ``reward``, ``returns``, ``terminated`` and ``truncated`` are of the step just made.

    All arrays are new ones every time. One thread at a time.
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
        opponent: Any = "random",
        player: Literal[0, 1, "random"] = 0,
        illegal_action: Literal["raise", "lose"] = "raise",
        seed: int | None = None,
        max_plies: int | None = None,
        random_opening_plies: int = 0,
        observation_dtype: Any = "float32",
        render_mode: RenderMode | None = None,
        **options: Any,
    ) -> None:
        """See :func:`mancala_rl.make_vec`; without a seed the first reset draws one."""
        self.num_envs = _arguments.integer("num_envs", num_envs, 1, 2**31 - 1)
        self.render_mode = checked(render_mode)
        self._seed = None if seed is None else self._checked(seed)
        self._dealer = dealer = Dealer(
            game, opponent, player, illegal_action, max_plies, random_opening_plies, observation_dtype, options
        )
        self.game = dealer.game
        """The game's id with its options."""
        self.metadata = dealer.metadata(type(self).metadata)
        high = observation_high(self.game, dealer.dtype)
        _arguments.memory("num_envs", self.num_envs, _EPISODE_BYTES + 3 * high.nbytes)
        self.single_observation_space = spaces.Box(np.zeros_like(high), high, dtype=dealer.dtype.type)
        self.single_action_space = spaces.Discrete(dealer.initial.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._episodes: list[Episode] = []
        """Empty before the first reset."""
        self._rngs: list[np.random.Generator] = []
        self._samplers: list[int] = []
        """The seed of each game's next sampled action."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, Info]:
        """Begins new episodes, and lets the opponent play until it is the agent's turn in all.

        With a seed s game i begins as a single environment does after ``reset(seed=s + i)``, and the streams of ``sample_actions``
        begin anew. Without, the next episode of each game; the first reset begins with the constructor's seed, or a random one.

        Args:
            seed: 0 <= seed <= 2**64 - B, or None.
            options: Unknown keys are ignored. ``reset_mask``: ``(B,)`` bool, only those games begin anew, the others stand as they
                are (the first reset begins all). ``positions``: B position texts to begin from (None for an ordinary start; those
                of games that are not reset are not looked at); such an episode has no random opening.

        Returns:
            Observations of all games, and info.

        Raises:
            TypeError, ValueError: If an argument is wrong, a position malformed or finished, or the agent never comes to move. Nothing
                has changed.
        """
        self._open()
        games, starts = self._reset_options(options)
        base = None if seed is None else self._checked(seed)
        if base is None and not self._episodes:
            base = self._first_seed()
        before = (self._np_random, self._np_random_seed)
        super().reset(seed=base)
        nothing: list[Any] = [None] * self.num_envs
        rngs: list[np.random.Generator] = self._rngs.copy() or nothing.copy()
        samplers: list[int] = self._samplers.copy() or nothing.copy()
        episodes: list[Episode] = self._episodes.copy() or nothing
        states = {}
        try:
            for i in games:
                if base is None:
                    states[i] = rngs[i].bit_generator.state
                    continue
                rngs[i] = seeding.np_random(base + i)[0]
                samplers[i] = int(rngs[i].integers(0, WORDS, dtype=np.uint64))
            if base is not None and games:
                # An object hears of one seed, that of the first game.
                self._dealer.opponent.told(samplers[games[0]])
            dealt = [self._dealer.deal(rngs[i], starts[i]) for i in games]
            self._dealer.settle(dealt, lambda k, unseen: self._dealer.deal_again(rngs[games[k]], unseen))
        except BaseException:
            self._np_random, self._np_random_seed = before
            for i, state in states.items():
                rngs[i].bit_generator.state = state
            raise
        for i, episode in zip(games, dealt):
            episodes[i] = episode
        self._episodes, self._rngs, self._samplers = episodes, rngs, samplers
        return self._observations(), self._info(np.zeros((self.num_envs, 2), np.float32))

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, Info]:
        """Plays one action of the agent's in every game, and the opponent's answers.

        Args:
            actions: ``(B,)`` of an integer dtype, all legal.

        Returns:
            observations ``(B, D)``; reward ``(B,)`` float32, in the agent's view: +1 a win, -1 a loss or an illegal action that loses, 0 a
            draw or unfinished (Kiothi: times ``one_warrior_multiplier`` in a one-warrior victory); terminated ``(B,)`` bool; truncated
            ``(B,)`` bool; info.

        Raises:
            IllegalActionError: A ValueError naming the game, the action and the rule, if ``illegal_action`` is "raise";
                ActionOutOfRangeError, which is an IndexError too, for numbers that are no actions, in either case.
            TypeError: If the actions are no integers.
            ValueError: If their shape is not ``(B,)``.
            gymnasium.error.ResetNeeded: Before the first reset.

            Whatever the opponent raises goes on to the caller. After any error nothing has changed.
        """
        episodes = [episode.copy() for episode in self._begun()]
        for i, action in enumerate(_arguments.actions(actions, self.num_envs).tolist()):
            try:
                episodes[i].act(action, self._dealer.lose)
            except IllegalActionError as error:
                raise type(error)(f"env {i}: {error}") from None
        ended: dict[int, Episode] = {}
        states = {}

        def renew(i: int, episode: Episode) -> Episode:
            if not episode.begun:
                return self._dealer.deal_again(self._rngs[i], episode)
            ended[i] = episode
            states[i] = self._rngs[i].bit_generator.state
            return self._dealer.deal(self._rngs[i])

        try:
            self._dealer.settle(episodes, renew)
        except BaseException:
            for i, state in states.items():
                self._rngs[i].bit_generator.state = state
            raise
        self._episodes = episodes
        return self._result(ended)

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """Draws a legal action for every game, ``(B,)`` int64, each game from a stream of its own.

        Uniform, but that in Kiothi's opening every redistribution is equally likely. Draws never alter the games; successive
        calls draw on; a reset with a seed begins the streams anew.
        """
        episodes = self._begun()
        drawn = [self._dealer.sample(episode.state, seed) for episode, seed in zip(episodes, self._samplers)]
        self._samplers = [seed + 1 for seed in self._samplers]
        return np.array(drawn, np.int64)

    def states(self) -> list[State]:
        """Copies of all games, to look at or to play on by themselves."""
        return [episode.state.copy() for episode in self._begun()]

    def positions(self) -> list[str]:
        """The positions of all games as text."""
        return [episode.state.position() for episode in self._begun()]

    def render(self) -> tuple[str | npt.NDArray[np.uint8], ...] | None:
        """All boards, Player 0's rows below: with ``render_mode="ansi"`` as B texts, with ``"rgb_array"`` as B pictures, ``(H, W, 3)`` uint8.

        The pixels show the last moves too; a game that has ended shows its next episode.
        """
        if self.render_mode is None:
            warn(NO_MODE)
            return None
        mode = self.render_mode
        return tuple(frame(mode, episode.state, names(episode.player)) for episode in self._begun())

    def get_state(self) -> npt.NDArray[np.uint8]:
        """All of the games as one array, ``(N,)`` uint8, for :meth:`set_state`; ``np.save`` and pickle keep it.

        It holds whatever decides how the games go on: positions with their histories, plies, seats, seeds and random streams. It is the
        same on every machine, and it has a version and a checksum. Neither what an opponent that is an object remembers is in it nor
        Gymnasium's ``np_random``, which nothing here uses.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        games = [
            {"episode": episode.saved(), "rng": rng.bit_generator.state, "sampler": sampler}
            for episode, rng, sampler in zip(self._begun(), self._rngs, self._samplers)
        ]
        return _saved.seal(STATE, {"made_of": self._made_of(), "games": games})

    def set_state(self, state: npt.ArrayLike | bytes) -> tuple[Array, Info]:
        """Goes back to where ``get_state`` was called, in this environment or in one like it, which need not have been reset.

        From then on the same calls return the same, bit for bit, if the opponent answers the same. ``seed`` and ``observation_dtype`` of the
        two may differ.

        Args:
            state: What ``get_state`` has returned, an array ``(N,)`` of uint8 or its bytes.

        Returns:
            Observations of all games, and info, as ``reset`` returns them.

        Raises:
            ValueError: If the state is damaged, of another version, or was saved with another ``game``, ``num_envs``, ``opponent``,
                ``player``, ``illegal_action``, ``max_plies`` or ``random_opening_plies``: names what is wrong. Nothing has changed.
            TypeError: If its dtype is not uint8.
        """
        self._open()
        data = _saved.unseal(STATE, state)
        try:
            _saved.check(data["made_of"], self._made_of())
            games = data["games"]
            if len(games) != self.num_envs:
                raise ValueError(f"state: {len(games)} games, not {self.num_envs}")
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"state: {error!r}") from None
        restored = [self._restored(i, game) for i, game in enumerate(games)]
        self._episodes, self._rngs, self._samplers = (list(column) for column in zip(*restored))
        return self._observations(), self._info(np.zeros((self.num_envs, 2), np.float32))

    def _made_of(self) -> dict[str, Any]:
        return {**self._dealer.made_of(), "num_envs": self.num_envs}

    def _restored(self, i: int, game: Any) -> tuple[Episode, np.random.Generator, int]:
        """A saved game with its random streams."""
        rng = seeding.np_random(0)[0]
        try:
            episode = self._dealer.restored(game["episode"])
            rng.bit_generator.state = game["rng"]
            return episode, rng, _arguments.index("sampler", game["sampler"])
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            problem = error if isinstance(error, ValueError) else repr(error)
            raise ValueError(f"state: env {i}: {problem}") from None

    def close_extras(self, **kwargs: Any) -> None:
        """Lets go of the games; whatever is called afterwards raises ClosedEnvironmentError."""
        self._episodes = []

    def __repr__(self) -> str:
        """``<MancalaOpponentVecEnv giuthi-6x6 against greedy, num_envs=64>``."""
        return f"<{type(self).__name__} {self.game} against {self._dealer.opponent.name}, num_envs={self.num_envs}>"

    def _observations(self) -> Array:
        rows = np.empty(self.observation_space.shape or (), self._dealer.dtype)
        for row, episode in zip(rows, self._episodes):
            row[:] = episode.state.observation(self._dealer.dtype)
        return rows

    def _info(self, returns: Array) -> Info:
        return {
            "action_mask": np.stack([episode.state.action_mask() for episode in self._episodes]),
            "player": np.array([episode.player for episode in self._episodes], np.int8),
            "scores": np.array([episode.state.scores for episode in self._episodes], np.int16),
            "returns": returns,
        }

    def _result(self, ended: dict[int, Episode]) -> tuple[Array, Array, Array, Array, Info]:
        games = self.num_envs
        final_obs = np.zeros(self.observation_space.shape or (), self._dealer.dtype)
        reward, returns = np.zeros(games, np.float32), np.zeros((games, 2), np.float32)
        terminated, truncated, scores = np.zeros(games, bool), np.zeros(games, bool), np.zeros((games, 2), np.int16)
        player, plies, result = np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros(games, "<U10")
        for i, episode in ended.items():
            final_obs[i] = self._dealer.view(episode.state, episode.player)
            returns[i] = episode.returns()
            reward[i] = returns[i, episode.player]
            terminated[i], truncated[i] = episode.terminated, episode.truncated
            scores[i], player[i] = episode.state.scores, episode.player
            plies[i], result[i] = episode.plies, episode.result
        info = self._info(returns)
        info["final_obs"] = final_obs
        info["final_info"] = {"scores": scores, "player": player, "result": result, "plies": plies}
        info["_final_obs"] = info["_final_info"] = terminated | truncated
        return self._observations(), reward, terminated, truncated, info

    def _checked(self, seed: Any) -> int:
        return _arguments.integer("seed", seed, 0, _arguments.SEED_LIMIT - self.num_envs)

    def _first_seed(self) -> int:
        if self._seed is not None:
            return self._seed
        return int(seeding.np_random()[0].integers(0, WORDS - self.num_envs, dtype=np.uint64))

    def _open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("this environment has been closed")

    def _begun(self) -> list[Episode]:
        self._open()
        if not self._episodes:
            raise ResetNeeded("call reset before the first step")
        return self._episodes

    def _reset_options(self, options: dict[str, Any] | None) -> tuple[list[int], list[State | None]]:
        """The games that begin anew, and where all begin."""
        mask, texts = _arguments.reset_options(options, self.num_envs)
        begun = bool(self._episodes)
        games = [i for i in range(self.num_envs) if mask is None or mask[i] or not begun]
        starts: list[State | None] = [None] * self.num_envs
        for i, text in enumerate(texts or ()):
            if text is not None:
                starts[i] = self._dealer.position(f"positions[{i}]", text)
        return games, starts
