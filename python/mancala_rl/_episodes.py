"""Episodes of a game against an opponent: how they begin, and how they go on until it is the agent's turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments
from ._core import State, agent
from ._opponents import Opponent
from ._spaces import observation_turn
from .errors import ActionOutOfRangeError, IllegalActionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    import numpy.typing as npt

MAX_OPENINGS = 10_000
MAX_UNSEEN = 100
WORDS = 2**64


class Episode:
    """One game between the agent and the opponent."""

    __slots__ = ("begun", "lost", "max_plies", "opponent_actions", "player", "plies", "seed", "start", "state", "tries")

    def __init__(
        self, state: State, player: int, seed: int, max_plies: int | None, start: State | None, tries: int
    ) -> None:
        self.state = state
        self.player = player
        """The agent's."""
        self.seed = seed
        """The opponent's."""
        self.max_plies = max_plies
        self.start = start
        """The position that was asked for, if one was."""
        self.tries = tries
        """How many episodes before this one were over before the agent could act."""
        self.plies = 0
        self.begun = False
        """Whether the agent has acted."""
        self.lost = False
        """By an illegal action."""
        self.opponent_actions: list[int] = []
        """Since the agent has acted last."""

    def copy(self) -> Episode:
        """The same episode, to be played on by itself."""
        twin = Episode(self.state.copy(), self.player, self.seed, self.max_plies, self.start, self.tries)
        twin.plies, twin.begun, twin.lost = self.plies, self.begun, self.lost
        twin.opponent_actions = self.opponent_actions.copy()
        return twin

    def saved(self) -> dict[str, Any]:
        """All that matters where it is the agent's turn."""
        _, moves = self.state.__reduce__()
        return {"player": self.player, "seed": self.seed, "plies": self.plies, "moves": moves}

    @property
    def terminated(self) -> bool:
        return self.lost or self.state.is_over

    @property
    def truncated(self) -> bool:
        return self.plies == self.max_plies and not self.terminated

    @property
    def over(self) -> bool:
        return self.terminated or self.plies == self.max_plies

    @property
    def waits(self) -> bool:
        """Whether it is the opponent's turn."""
        return self.state.to_move != self.player and not self.over

    @property
    def result(self) -> str:
        return "illegal" if self.lost else self.state.result or ""

    def returns(self) -> tuple[float, float]:
        """The outcome by player."""
        if self.lost:
            return (-1.0, 1.0) if self.player == 0 else (1.0, -1.0)
        return self.state.returns()

    def act(self, action: SupportsIndex, lose: bool) -> None:
        """The agent's action; one that is not legal is an error, or loses."""
        number = _arguments.index("action", action)
        try:
            self.state.play(number)
        except ActionOutOfRangeError:
            raise
        except IllegalActionError:
            if not lose:
                raise
            self.lost = True
        else:
            self.plies += 1
        self.begun = True
        self.opponent_actions = []

    def answer(self, action: int) -> None:
        """The opponent's action."""
        self.state.play(action)
        self.plies += 1
        self.opponent_actions.append(action)


class Table:
    """Where games are played: their rules, how they begin and when they are broken off."""

    def __init__(
        self, game: str, max_plies: Any, random_opening_plies: Any, observation_dtype: Any, options: dict[str, Any]
    ) -> None:
        limit = 2**31 - 1
        self.initial = State(game, **options)
        self.game = self.initial.game
        self.max_plies = None if max_plies is None else _arguments.integer("max_plies", max_plies, 1, limit)
        self.opening_plies = _arguments.integer("random_opening_plies", random_opening_plies, 0, limit)
        self.dtype = _arguments.observation_dtype(observation_dtype)
        self._random = agent("random", self.game)
        self._turn = observation_turn(self.game)
        self.opening(0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_random"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._random = agent("random", self.game)

    def metadata(self, known: dict[str, Any]) -> dict[str, Any]:
        """That of a class, and what is of the game."""
        return {
            **known,
            "game": self.game,
            "rules_version": self.initial.rules_version,
            "observation_version": self.initial.observation_version,
        }

    def position(self, name: str, text: Any) -> State:
        """A text as a position to begin from."""
        text = _arguments.text(name, text)
        try:
            state = State.from_position(self.game, text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if state.is_over:
            raise ValueError(f"{name} is a finished game: '{state}'")
        return state

    def opening(self, seed: int, first_player: int = 0) -> State:
        """The start of a game, and the random plies that belong to it; one that they end is drawn anew."""
        for attempt in range(MAX_OPENINGS):
            state = self.initial.copy()
            if first_player == 1:
                state = State.from_position(self.game, state.position().replace(" p0", " p1"))
            for _ in range(self.opening_plies):
                state.play(self.sample(state, seed + attempt))
                if state.is_over:
                    break
            else:
                return state
        raise ValueError(
            f"random_opening_plies={self.opening_plies} is too many: {MAX_OPENINGS} openings in a row ended the game"
        )

    def over(self, state: State, plies: int) -> bool:
        """Whether a game has ended or is broken off."""
        return state.is_over or plies == self.max_plies

    def sample(self, state: State, seed: int) -> int:
        """A random legal action; in Kiothi's opening every redistribution is equally likely."""
        self._random.new_game(seed % WORDS)
        return self._random.act(state)

    def view(self, state: State, player: int) -> npt.NDArray[Any]:
        """The observation of a position in the view of a player, whoever is to move."""
        observation = state.observation(self.dtype)
        return observation if state.to_move == player else observation[self._turn]


class Dealer(Table):
    """Begins episodes against an opponent: what all of an environment have in common."""

    def __init__(
        self,
        game: str,
        opponent: Any,
        player: Any,
        illegal_action: Any,
        max_plies: Any,
        random_opening_plies: Any,
        observation_dtype: Any,
        options: dict[str, Any],
    ) -> None:
        super().__init__(game, max_plies, random_opening_plies, observation_dtype, options)
        self.player = _arguments.player(player)
        self.lose = _arguments.choice("illegal_action", illegal_action, "raise", "lose") == "lose"
        self.opponent = Opponent(opponent, self.game)

    def deal(self, rng: np.random.Generator, start: State | None = None, tries: int = 0) -> Episode:
        """Draws an episode: the agent's seat, the opening and the opponent's seed."""
        seat, opening, seed = (int(word) for word in rng.integers(0, WORDS, 3, np.uint64))
        player = seat >> 63 if self.player is None else self.player
        state = self.opening(opening) if start is None else start.copy()
        return Episode(state, player, seed, self.max_plies, start, tries)

    def restored(self, saved: dict[str, Any]) -> Episode:
        """An episode as it was saved, at the agent's turn."""
        state = State._from_moves(*saved["moves"])
        if state.game != self.game:
            raise ValueError(f"a game of {state.game}")
        player, seed = _arguments.integer("player", saved["player"], 0, 1), _arguments.seed(saved["seed"])
        episode = Episode(state, player, seed, self.max_plies, None, 0)
        episode.plies = _arguments.integer("plies", saved["plies"], 0, 2**31 - 1)
        if episode.over or episode.waits:
            raise ValueError(f"it is not the turn of player {player} in '{state}'")
        return episode

    def made_of(self) -> dict[str, Any]:
        """What episodes depend on, but for the seed."""
        return {
            "game": self.game,
            "rules_version": self.initial.rules_version,
            "opponent": "an object" if self.opponent.spec is None else self.opponent.spec,
            "player": "random" if self.player is None else self.player,
            "illegal_action": "lose" if self.lose else "raise",
            "max_plies": self.max_plies,
            "random_opening_plies": self.opening_plies,
        }

    def deal_again(self, rng: np.random.Generator, unseen: Episode) -> Episode:
        """Draws an episode in place of one that was over before the agent could act."""
        if unseen.tries + 1 >= MAX_UNSEEN:
            limit = "" if self.max_plies is None else f" within max_plies={self.max_plies}"
            raise ValueError(
                f"player {unseen.player} never comes to move against this opponent{limit}: {MAX_UNSEEN} games in a row were over "
                f"before ('{unseen.state}')"
            )
        return self.deal(rng, unseen.start, unseen.tries + 1)

    def settle(self, episodes: list[Episode], renew: Callable[[int, Episode], Episode | None]) -> None:
        """Lets the opponent play until it is the agent's turn in all episodes, asking about all that wait at once.

        ``renew`` gives, for each that is over, the one that takes its place in ``episodes``, or None.
        """
        while True:
            for i, episode in enumerate(episodes):
                if episode.over and (other := renew(i, episode)) is not None:
                    episodes[i] = other
            waiting = [episode for episode in episodes if episode.waits]
            if not waiting:
                return
            states, seeds = [episode.state for episode in waiting], [episode.seed for episode in waiting]
            for episode, action in zip(waiting, self.opponent.answers(states, seeds)):
                episode.answer(action)
