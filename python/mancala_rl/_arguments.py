"""Checks of arguments: the wrong type is a TypeError, the wrong value a ValueError, and both name the argument."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

SEED_LIMIT = 2**64


def integer(name: str, value: Any, low: int, high: int) -> int:
    """``value`` as an int in ``low..=high``; NumPy's integers are fine, bools and floats are not."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is an int, not a bool")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is an int, not {type(value).__name__}") from None
    if not low <= number <= high:
        shown = str(number) if number.bit_length() <= 128 else f"an int of {number.bit_length()} bits"
        raise ValueError(f"{name} is at least {low} and at most {high}, not {shown}")
    return number


def seed(value: Any) -> int:
    """``value`` as a seed, 0 <= seed < 2**64."""
    return integer("seed", value, 0, SEED_LIMIT - 1)


def flag(name: str, value: Any) -> bool:
    """``value`` as a bool; NumPy's are fine, nothing else is."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is a bool, not {type(value).__name__}")
    return bool(value)
