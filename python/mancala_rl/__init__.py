"""Fast, exact environments of the African mancalas Giuthi and Kiothi for reinforcement learning.

>>> import mancala_rl as mrl
>>> state = mrl.State("giuthi-10x9")
>>> state.play("10ccw").captured
10

``State`` is one game, ``make_vec`` many games behind Gymnasium's vector interface, ``make`` one game against an opponent behind
Gymnasium's, ``pettingzoo_env`` a game of two agents behind PettingZoo's. ``agent`` and ``match`` play, ``mcts`` searches with an
evaluator of your own, ``Tablebase`` knows Giuthi boards of few seeds perfectly, ``train`` runs the training command. ``NativeNet`` is a
net without a framework, ``mancala_rl.torch`` has the same nets for PyTorch (``pip install "mancala-rl[torch]"``). ``render_svg`` and
``render_rgb`` draw a state, ``replay`` makes a page that plays a game. NumPy is
all that the import needs; ``make`` and ``make_vec`` need Gymnasium (``pip install "mancala-rl[gym]"``), ``pettingzoo_env`` PettingZoo
(``pip install "mancala-rl[pettingzoo]"``). ``import mancala_rl.openspiel`` registers the games with OpenSpiel
(``pip install "mancala-rl[openspiel]"``). As soon as both this package and Gymnasium are imported, ``gymnasium.make`` knows the
ids ``mancala_rl/giuthi-8x8-v0`` and the like.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from . import _arguments

try:
    from ._core import (
        ACTION_FEATURES,
        Agent,
        Analysis,
        Judgement,
        Lap,
        LeafBatch,
        MatchResult,
        MatchSide,
        NativeNet,
        NetConfig,
        NetInputs,
        NetOutputs,
        Played,
        Probe,
        Probes,
        ReplayBatch,
        ReplayPositions,
        SearchResult,
        SprtResult,
        State,
        Tablebase,
        Trace,
        __version__,
        agent,
        build_tablebase,
        match,
        mcts,
        perft,
    )
except ModuleNotFoundError as _error:
    if _error.name == f"{__name__}._core":
        # Python looks into the working directory first.
        _error.msg += (
            f": {__path__[0]} is the package's source, not built; import from another folder, or run `make python`"
        )
    raise

from ._register import register_with_gymnasium
from .errors import ActionOutOfRangeError, IllegalActionError
from .training import TrainingError, TrainingInputError, train

if TYPE_CHECKING:
    from ._board import RenderMode
    from .env import MancalaVecEnv as MancalaVecEnv
    from .gym import MancalaEnv as MancalaEnv
    from .gym_vec import MancalaOpponentVecEnv as MancalaOpponentVecEnv
    from .looking import render_rgb, render_svg, replay
    from .pettingzoo import MancalaAECEnv as MancalaAECEnv


class ActsMany(Protocol):
    """A policy that is asked about many states at once."""

    def act_many(self, states: list[State], /) -> Any:
        """A legal action for each of `states`, in their order: a list of ints or an integer array."""
        ...


class Acts(Protocol):
    """A policy that is asked about one state at a time."""

    def act(self, state: State, /) -> Any:
        """A legal action in `state`, an int."""
        ...


Opponent = str | Agent | ActsMany | Acts
"""What may play against an agent."""

__all__ = [
    "ACTION_FEATURES",
    "ActionOutOfRangeError",
    "Acts",
    "ActsMany",
    "Agent",
    "Analysis",
    "IllegalActionError",
    "Judgement",
    "Lap",
    "LeafBatch",
    "MatchResult",
    "MatchSide",
    "NativeNet",
    "NetConfig",
    "NetInputs",
    "NetOutputs",
    "Played",
    "Probe",
    "Probes",
    "ReplayBatch",
    "ReplayPositions",
    "SearchResult",
    "SprtResult",
    "State",
    "Tablebase",
    "Trace",
    "TrainingError",
    "TrainingInputError",
    "__version__",
    "agent",
    "build_tablebase",
    "make",
    "make_vec",
    "match",
    "mcts",
    "perft",
    "pettingzoo_env",
    "render_rgb",
    "render_svg",
    "replay",
    "train",
]


def make(
    game: str,
    opponent: Opponent = "random",
    *,
    player: Literal[0, 1, "random"] = 0,
    illegal_action: Literal["raise", "lose"] = "raise",
    max_plies: int | None = None,
    random_opening_plies: int = 0,
    observation_dtype: Any = "float32",
    render_mode: RenderMode | None = None,
    **options: Any,
) -> MancalaEnv:
    """Makes one game in which the agent plays one seat and an opponent the other: a ``gymnasium.Env``.

    Args:
        game: A game id: ``"giuthi-8x8"``, ``"kiothi-6x5"``, or with options ``"giuthi-8x8?capture=occupied"``.
        opponent: A spec (see :func:`agent`), an agent, or an object with ``act_many(states)`` or ``act(state)`` that answers with legal
            actions. An agent plays every episode by a seed of its own, drawn from the environment's. An object that has
            ``new_game(seed)`` is told a seed in the first reset and in every reset with a seed.
        player: The agent's seat; ``"random"`` draws it for every episode. Player 0 begins.
        illegal_action: ``"raise"``: an action that is not legal is an IllegalActionError, and nothing has changed. ``"lose"``: it ends the
            episode with a reward of -1.
        max_plies: An episode in which so many actions have been played, those of both players counted, is truncated; None for
            no limit.
        random_opening_plies: Random plies played before each episode; an opening that ends the game is drawn anew.
        observation_dtype: ``"float32"`` (normalized) or ``"uint8"`` (raw counts).
        render_mode: ``"ansi"``: ``render`` returns the board as text. ``"rgb_array"``: as pixels, ``(H, W, 3)`` uint8. None: neither.
        **options: ``capture="any" | "occupied"`` (Giuthi), ``one_warrior_multiplier=1.0`` (Kiothi).

    Returns:
        A :class:`mancala_rl.gym.MancalaEnv`, which tells shapes, dtypes and ranges.

    Raises:
        ImportError: If Gymnasium is not installed.
        ValueError: If there is no such game, agent, option or value, an option of the id is given another value, or random
            openings of that length end the game.
        TypeError: If a value has the wrong type.
        FileNotFoundError: If the opponent's net or tablebase is not there.
    """
    env: MancalaEnv = __getattr__("MancalaEnv")(
        game,
        opponent,
        player=player,
        illegal_action=illegal_action,
        max_plies=max_plies,
        random_opening_plies=random_opening_plies,
        observation_dtype=observation_dtype,
        render_mode=render_mode,
        **options,
    )
    return env


@overload
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
    render_mode: RenderMode | None = None,
    action_features: Literal["dense", "ragged"] | None = None,
    opponent: None = None,
    **options: Any,
) -> MancalaVecEnv: ...
@overload
def make_vec(
    game: str,
    num_envs: int = 1,
    *,
    opponent: Opponent,
    player: Literal[0, 1, "random"] = 0,
    illegal_action: Literal["raise", "lose"] = "raise",
    seed: int = 0,
    max_plies: int | None = None,
    random_opening_plies: int = 0,
    observation_dtype: Any = "float32",
    render_mode: RenderMode | None = None,
    **options: Any,
) -> MancalaOpponentVecEnv: ...
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
    render_mode: RenderMode | None = None,
    action_features: Literal["dense", "ragged"] | None = None,
    opponent: Opponent | None = None,
    player: Literal[0, 1, "random"] = 0,
    illegal_action: Literal["raise", "lose"] = "raise",
    **options: Any,
) -> MancalaVecEnv | MancalaOpponentVecEnv:
    """Makes ``num_envs`` games of one kind, stepped in one call: a ``gymnasium.vector.VectorEnv``.

    Without an opponent every action is the agent's, whoever is to move: self-play. With one the agent plays one seat, and a
    step goes on until it is its turn again in every game.

    Args:
        game: A game id: ``"giuthi-8x8"``, ``"kiothi-6x5"``, or with options ``"giuthi-8x8?capture=occupied"``.
        num_envs: Games played side by side, B in the shapes of the two classes.
        seed: Seed of all games, 0 <= seed < 2**64, until ``reset`` gives another. Without an opponent game i of episode e is the
            same for the same (seed, i, e) and actions, whatever ``num_envs`` and ``threads``. With one game i plays the episodes that
            ``make`` plays after ``reset(seed=seed + i)``, whatever ``num_envs``.
        max_plies: An episode that has gone on for so many plies, those of both players counted, is truncated; None for no limit.
        random_opening_plies: Random plies played before each episode; an opening that ends the game is drawn anew.
        observation_dtype: ``"float32"`` (normalized) or ``"uint8"`` (raw counts).
        render_mode: ``"ansi"``: ``render`` returns the boards as B texts. ``"rgb_array"``: as B pictures, ``(H, W, 3)`` uint8. None: neither.
        threads: Threads that share the games of a step. This and the next three are of games without an opponent.
        random_first_player: Player 1 begins every other episode, by lot (Giuthi only).
        copy: Whether every step returns arrays of its own. Without, all steps return the same arrays, overwritten by the
            next step or reset.
        action_features: Whether ``info["action_features"]`` of steps and resets tells what each legal action would do, laid out as
            :meth:`mancala_rl.env.MancalaVecEnv.action_features` says; ``"dense"`` for Giuthi only.
        opponent: None, or who plays the other seat, as in :func:`make`; asked about all games in which it is to move in one call.
        player: The agent's seat, 0, 1 or ``"random"``. This and the next are of games against an opponent.
        illegal_action: ``"raise"`` or ``"lose"``, as in :func:`make`.
        **options: ``capture="any" | "occupied"`` (Giuthi), ``one_warrior_multiplier=1.0`` (Kiothi).

    Returns:
        A :class:`mancala_rl.env.MancalaVecEnv`, or with an opponent a :class:`mancala_rl.gym_vec.MancalaOpponentVecEnv`.

    Raises:
        ImportError: If Gymnasium is not installed.
        ValueError: If there is no such game, agent, option or value, an option of the id is given another value, or random
            openings of that length end the game.
        TypeError: If a value has the wrong type.
        MemoryError: If the machine has not the memory for ``num_envs`` games.
        FileNotFoundError: If the opponent's net or tablebase is not there.
    """
    common: dict[str, Any] = {
        "seed": seed,
        "max_plies": max_plies,
        "random_opening_plies": random_opening_plies,
        "observation_dtype": observation_dtype,
        "render_mode": render_mode,
        **options,
    }
    if opponent is None:
        _arguments.player(player)
        _arguments.choice("illegal_action", illegal_action, "raise", "lose")
        _refuse("is for games against an opponent", player=(player, 0), illegal_action=(illegal_action, "raise"))
        alone: MancalaVecEnv = __getattr__("MancalaVecEnv")(
            game,
            num_envs,
            threads=threads,
            random_first_player=random_first_player,
            copy=copy,
            action_features=action_features,
            **common,
        )
        return alone
    _arguments.integer("threads", threads, 1, 2**31 - 1)
    _arguments.flag("random_first_player", random_first_player)
    _arguments.flag("copy", copy)
    if action_features is not None:
        _arguments.layout("action_features", action_features)
    _refuse(
        "is for games without an opponent",
        threads=(threads, 1),
        random_first_player=(random_first_player, False),
        copy=(copy, True),
        action_features=(action_features, None),
    )
    common["seed"] = _arguments.seed(seed)
    against: MancalaOpponentVecEnv = __getattr__("MancalaOpponentVecEnv")(
        game, num_envs, opponent=opponent, player=player, illegal_action=illegal_action, **common
    )
    return against


def _refuse(why: str, **arguments: tuple[Any, Any]) -> None:
    """Options of the other kind of games, each a value and its default."""
    for name, (value, default) in arguments.items():
        if value != default:
            raise ValueError(f"{name}={value!r} {why}")


def pettingzoo_env(
    game: str,
    *,
    max_plies: int | None = None,
    random_opening_plies: int = 0,
    random_first_player: bool = False,
    observation_dtype: Any = "float32",
    render_mode: RenderMode | None = None,
    **options: Any,
) -> MancalaAECEnv:
    """Makes one game between the agents ``"player_0"`` and ``"player_1"``: a ``pettingzoo.AECEnv``.

    Args:
        game: A game id: ``"giuthi-8x8"``, ``"kiothi-6x5"``, or with options ``"giuthi-8x8?capture=occupied"``.
        max_plies: A game in which so many actions have been played is truncated; None for no limit.
        random_opening_plies: Random plies played before each game; an opening that ends the game is drawn anew.
        random_first_player: player_1 begins every other game, by lot (Giuthi only).
        observation_dtype: ``"float32"`` (normalized) or ``"uint8"`` (raw counts).
        render_mode: ``"ansi"``: ``render`` returns the board as text. ``"rgb_array"``: as pixels, ``(H, W, 3)`` uint8. None: neither.
        **options: ``capture="any" | "occupied"`` (Giuthi), ``one_warrior_multiplier=1.0`` (Kiothi).

    Returns:
        A :class:`mancala_rl.pettingzoo.MancalaAECEnv`, which tells shapes, dtypes and ranges.

    Raises:
        ImportError: If PettingZoo is not installed.
        ValueError: If there is no such game, option or value, an option of the id is given another value, or random openings
            of that length end the game.
        TypeError: If a value has the wrong type.
    """
    env: MancalaAECEnv = __getattr__("MancalaAECEnv")(
        game,
        max_plies=max_plies,
        random_opening_plies=random_opening_plies,
        random_first_player=random_first_player,
        observation_dtype=observation_dtype,
        render_mode=render_mode,
        **options,
    )
    return env


_LAZY = {
    "MancalaVecEnv": ("env", "make_vec", "Gymnasium", "gymnasium", "gym"),
    "MancalaEnv": ("gym", "make", "Gymnasium", "gymnasium", "gym"),
    "MancalaOpponentVecEnv": ("gym_vec", "make_vec", "Gymnasium", "gymnasium", "gym"),
    "MancalaAECEnv": ("pettingzoo", "pettingzoo_env", "PettingZoo", "pettingzoo", "pettingzoo"),
}
"""Of each class the module, who makes it, and what that needs: its name, module and extra."""


_LOOKING = ("render_rgb", "render_svg", "replay")


def __getattr__(name: str) -> Any:
    # Gymnasium takes longer to import than all the rest together, and pictures as long as most of it: only who asks for them waits.
    if name in _LOOKING:
        return getattr(importlib.import_module(".looking", __name__), name)
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, maker, library, needed, extra = _LAZY[name]
    try:
        importlib.import_module(needed)
    except ImportError as error:
        raise ImportError(f'{maker} needs {library}: pip install "mancala-rl[{extra}]"') from error
    return getattr(importlib.import_module(f".{module}", __name__), name)


register_with_gymnasium()
