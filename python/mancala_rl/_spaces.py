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


def observation_high(game: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The greatest value of each cell of an observation of any position that a text can name; the least is 0."""
    match = re.match(r"(giuthi|kiothi)-(\d+)x(\d+)", game)
    assert match is not None, game
    bounds = _giuthi if match[1] == "giuthi" else _kiothi
    high, unit = bounds(int(match[2]), int(match[3]))
    if dtype == np.uint8:
        return np.array(high, np.uint8)
    return np.array(high, np.float32) / np.array(unit, np.float32)
