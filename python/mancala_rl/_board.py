"""What environments render: boards as lines of text or as pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from . import _arguments
from .looking import render_rgb

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._core import State

RenderMode = Literal["ansi", "rgb_array"]
RENDER_MODES = ("ansi", "rgb_array")
NO_MODE = (
    "render was called without a render_mode: pass render_mode='ansi' or 'rgb_array' when the environment is made."
)


def checked(render_mode: Any) -> RenderMode | None:
    """``render_mode`` as one of the modes, or None."""
    return (
        None
        if render_mode is None
        else cast("RenderMode", _arguments.choice("render_mode", render_mode, *RENDER_MODES))
    )


def names(player: int) -> tuple[str, str]:
    """What the players are called where ``player`` is the agent's seat."""
    roles = ("agent", "opponent") if player == 0 else ("opponent", "agent")
    return f"Player 0 ({roles[0]})", f"Player 1 ({roles[1]})"


def frame(mode: str, state: State, names: tuple[str, str]) -> str | npt.NDArray[np.uint8]:
    """A state as an environment shows it."""
    return board(state, names) if mode == "ansi" else render_rgb(state, players=names)


def board(state: State, names: tuple[str, str]) -> str:
    """A position seen from Player 0's seat: Player 1's row from his right to his left, then Player 0's from his left to his right.

    ``names`` are what the players are called. A ``*`` marks a nki; who is to move, or how the game ended, stands below.
    """
    words = state.position().split()
    giuthi = state.game.startswith("giuthi")
    upper, lower = (row.split(",") for row in (words[0].split("/") if giuthi else reversed(words[0].split("/"))))
    if not giuthi:
        length, marks = len(lower), ["*" if sign == "x" else " " for sign in words[5]]
        lower = [cell + mark for cell, mark in zip(lower, marks[:length])]
        upper = [cell + mark for cell, mark in zip(upper, marks[length:])]
    width = max(map(len, names))
    lines = [
        f"{name:{width}} " + "".join(f"{cell:>4}" for cell in row) + f"   captured {score}"
        for name, row, score in ((names[1], upper[::-1], words[2]), (names[0], lower, words[1]))
    ]
    phase = "" if giuthi or words[4] == "sow" else f" ({words[4]})"
    if state.result is None:
        last = f"{names[state.to_move]} to move{phase}"
    else:
        outcome = "a draw" if state.winner is None else f"{names[state.winner]} wins"
        last = f"{outcome} by {state.result}"
    return "\n".join([*lines, last, ""])
