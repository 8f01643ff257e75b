"""Boards as lines of text, for ``render_mode="ansi"``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import State


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
