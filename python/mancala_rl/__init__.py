"""Fast, exact environments of the African mancalas Giuthi and Kiothi for reinforcement learning.

>>> import mancala_rl as mrl
>>> state = mrl.State("giuthi-10x9")
>>> state.play("10ccw").captured
10

``State`` is one game, ``make_vec`` many games behind Gymnasium's vector interface, ``agent`` and ``match`` play,
``mcts`` searches with an evaluator of your own, ``Tablebase`` knows Giuthi boards of few seeds perfectly, ``train`` runs the
training command. NumPy is all that the import needs; ``make_vec`` needs Gymnasium
(``pip install mancala-rl[gym]``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ._core import (
    ACTION_FEATURES,
    Agent,
    Analysis,
    Judgement,
    LeafBatch,
    MatchResult,
    MatchSide,
    Played,
    Probe,
    Probes,
    SearchResult,
    SprtResult,
    State,
    Tablebase,
    __version__,
    agent,
    build_tablebase,
    match,
    mcts,
    perft,
)
from .errors import ActionOutOfRangeError, IllegalActionError
from .training import TrainingError, TrainingInputError, train

if TYPE_CHECKING:
    from .env import MancalaVecEnv as MancalaVecEnv

__all__ = [
    "ACTION_FEATURES",
    "ActionOutOfRangeError",
    "Agent",
    "Analysis",
    "IllegalActionError",
    "Judgement",
    "LeafBatch",
    "MatchResult",
    "MatchSide",
    "Played",
    "Probe",
    "Probes",
    "SearchResult",
    "SprtResult",
    "State",
    "Tablebase",
    "TrainingError",
    "TrainingInputError",
    "__version__",
    "agent",
    "build_tablebase",
    "make_vec",
    "match",
    "mcts",
    "perft",
    "train",
]


def make_vec(
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
    action_features: Literal["dense", "ragged"] | None = None,
    **options: Any,
) -> MancalaVecEnv:
    """Makes ``num_envs`` games of one kind, stepped in one call: a ``gymnasium.vector.VectorEnv``.

    Args:
        game: A game id: ``"giuthi-8x8"``, ``"kiothi-6x5"``, or with options ``"giuthi-8x8?capture=occupied"``.
        num_envs: Games played side by side, B in the shapes of :class:`mancala_rl.env.MancalaVecEnv`.
        seed: Seed of all games, 0 <= seed < 2**64, until ``reset`` gives another. Game i of episode e is the same for
            the same (seed, i, e) and actions, whatever ``num_envs`` and ``threads``.
        threads: Threads that share the games of a step.
        max_plies: An episode that has gone on for so many plies is truncated; None for no limit.
        random_opening_plies: Random plies played before each episode; an opening that ends the game is drawn anew.
        random_first_player: Player 1 begins every other episode, by lot (Giuthi only).
        copy: Whether every step returns arrays of its own. Without, all steps return the same arrays, overwritten by the
            next step or reset.
        observation_dtype: ``"float32"`` (normalized) or ``"uint8"`` (raw counts).
        action_features: Whether ``info["action_features"]`` of steps and resets tells what each legal action would do, laid out as
            :meth:`mancala_rl.env.MancalaVecEnv.action_features` says; ``"dense"`` for Giuthi only.
        **options: ``capture="any" | "occupied"`` (Giuthi), ``one_warrior_multiplier=1.0`` (Kiothi).

    Raises:
        ImportError: If Gymnasium is not installed.
        ValueError: If there is no such game, option or value, an option of the id is given another value, or random openings
            of that length end the game.
        TypeError: If a value has the wrong type.
    """
    env: MancalaVecEnv = __getattr__("MancalaVecEnv")(
        game,
        num_envs,
        seed=seed,
        threads=threads,
        max_plies=max_plies,
        random_opening_plies=random_opening_plies,
        random_first_player=random_first_player,
        copy=copy,
        observation_dtype=observation_dtype,
        action_features=action_features,
        **options,
    )
    return env


def __getattr__(name: str) -> Any:
    # Gymnasium takes longer to import than all the rest together: only who asks for it waits.
    if name == "MancalaVecEnv":
        try:
            import gymnasium  # noqa: F401
        except ImportError as error:
            raise ImportError("make_vec needs Gymnasium: pip install mancala-rl[gym]") from error
        from .env import MancalaVecEnv

        return MancalaVecEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
