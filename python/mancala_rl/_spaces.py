"""Bounds of observations: the layout of `docs/giuthi.md` and `docs/kiothi.md` in numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_GIUTHI_SEEDS = 180
MAX_WARRIORS = 60
MAX_PLIES = 255
PLIES_UNIT = 100


def _giuthi(pits: int, seeds: int) -> tuple[list[int], list[int]]:
    most, total = MAX_GIUTHI_SEEDS, 2 * pits * seeds
    high = [most] * (2 * pits) + [most] * 3 + [MAX_PLIES, 1]
    unit = [seeds] * (2 * pits) + [total] * 3 + [PLIES_UNIT, 1]
    return high, unit


def _kiothi(boma: int, warriors: int) -> tuple[list[int], list[int]]:
    most, total = MAX_WARRIORS, 2 * boma * warriors
    high = [most] * 20 + [most] * 3 + [MAX_PLIES] + [1] * 24 + [most, 19]
    unit = [warriors] * 20 + [total] * 3 + [PLIES_UNIT] + [1] * 24 + [total, 20]
    return high, unit


def _size(game: str) -> tuple[bool, int, int]:
    """Whether a game is Giuthi, and the two numbers of its id."""
    match = re.match(r"(giuthi|kiothi)-(\d+)x(\d+)", game)
    assert match is not None, game
    return match[1] == "giuthi", int(match[2]), int(match[3])


def observation_high(game: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The greatest value of each cell of an observation of any position that a text can name; the least is 0."""
    is_giuthi, first, second = _size(game)
    high, unit = (_giuthi if is_giuthi else _kiothi)(first, second)
    if dtype == np.uint8:
        return np.array(high, np.uint8)
    return np.array(high, np.float32) / np.array(unit, np.float32)


def observation_turn(game: str) -> npt.NDArray[np.intp]:
    """The cells of an observation in the order that shows it to the player who is not to move, ``(D,)``.

    The cells that belong to a player, his row, score and nki marks, change places; those that tell of the board or of the
    player to move stay as they are.
    """
    is_giuthi, pits, _ = _size(game)
    row = pits if is_giuthi else 10
    order = np.arange(2 * pits + 5 if is_giuthi else 50)
    _swap(order, 0, row)
    _swap(order, 2 * row, 1)
    if not is_giuthi:
        _swap(order, 24, 10)
    return order


def _swap(order: npt.NDArray[np.intp], start: int, length: int) -> None:
    """Exchanges two neighbouring stretches."""
    middle, end = start + length, start + 2 * length
    order[start:end] = np.concatenate([order[middle:end], order[start:middle]])
