"""Who plays against the agent of an environment: an agent of ours, or any object with ``act_many`` or ``act``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _arguments
from ._core import Agent, agent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._core import State


class Opponent:
    """Answers for many games at once.

    An agent of ours is made anew, so that nobody else's is touched, and plays each game by a seed of its own. An object is asked
    about all games in one call, if it has ``act_many``; it is told one seed for all of them.
    """

    def __init__(self, opponent: Any, game: str) -> None:
        self._made_of = (opponent, game)
        self._object: Any = None
        self._many = False
        if isinstance(opponent, (str, Agent)):
            spec = opponent if isinstance(opponent, str) else opponent.spec
            self._made_of = (spec, game)
            try:
                self._agent = agent(spec, game)
            except ValueError as error:
                raise ValueError(f"opponent: {error}") from error
            self._draws = _draws_lots(spec, game)
            return
        self._object = opponent
        self._many = callable(getattr(opponent, "act_many", None))
        if isinstance(opponent, type) or not (self._many or callable(getattr(opponent, "act", None))):
            kind = f"the class {opponent.__name__}" if isinstance(opponent, type) else type(opponent).__name__
            raise TypeError(f"opponent is a spec, an agent or an object with act_many or act, not {kind}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Agents of ours neither copy nor pickle: they are made anew.
        return Opponent, self._made_of

    @property
    def spec(self) -> str | None:
        """That of an agent of ours; None for an object."""
        return self._made_of[0] if self._object is None else None

    @property
    def name(self) -> str:
        """The spec of an agent of ours, the class of an object."""
        return type(self._object).__name__ if self.spec is None else self.spec

    def told(self, seed: int) -> None:
        """Tells an object a seed, if it wants one; agents of ours get one with every question."""
        if self._object is not None and (new_game := getattr(self._object, "new_game", None)) is not None:
            new_game(seed)

    def answers(self, states: Sequence[State], seeds: Sequence[int]) -> list[int]:
        """One action for each state; of an object they may be illegal. Game i plays by ``seeds[i]``."""
        if self._object is not None:
            return self._ask_object(states)
        if not self._draws:
            return self._agent.act_many(states)
        actions = []
        for state, seed in zip(states, seeds):
            self._agent.new_game(seed)
            actions.append(self._agent.act(state))
        return actions

    def _ask_object(self, states: Sequence[State]) -> list[int]:
        copies = [state.copy() for state in states]
        if self._many:
            answers = self._object.act_many(copies)
            try:
                answers = list(answers)
            except TypeError:
                kind = type(answers).__name__
                raise TypeError(f"opponent.act_many answers with ints, not {kind}") from None
            if len(answers) != len(states):
                raise ValueError(f"opponent.act_many was asked about {len(states)} states and answered {len(answers)}")
        else:
            answers = [self._object.act(state) for state in copies]
        for i, (answer, state) in enumerate(zip(answers, states)):
            which = f"act_many, answer {i} of {len(states)}" if self._many else "act"
            answers[i] = answered(f"opponent.{which}", answer, state)
        return answers


def answered(which: str, answer: Any, state: State) -> int:
    """An answer as an action that is legal in the state."""
    try:
        action = _arguments.index("the answer", answer)
        # One that is not legal is told of as `State` tells of it.
        state.copy().play(action)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{which} (in '{state}'): {error}") from None
    return action


def _draws_lots(spec: str, game: str) -> bool:
    """Whether an agent's answers depend on its seed: then it is asked game by game, each by its own seed.

    It costs such agents nothing, for they look at one position after the other in any case. Nets want batches.
    """
    name = spec.strip().partition(":")[0]
    return not (name in ("net", "tablebase") or (name == "alphabeta" and game.startswith("giuthi")))
