"""Checks of arguments: the wrong type is a TypeError, the wrong value a ValueError, and both name the argument."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

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


def layout(name: str, value: Any) -> str:
    """``value`` as a layout of action features."""
    if value not in ("dense", "ragged"):
        raise ValueError(f"{name} is 'dense' or 'ragged', not {value!r}")
    return str(value)


def actions(value: npt.ArrayLike, games: int) -> npt.NDArray[np.int64]:
    """``value`` as one action a game: any integer dtype, contiguous or not."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and not isinstance(value, np.ndarray):
        array = _wide(value, array)
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions have an integer dtype, not {array.dtype}")
    if array.shape != (games,):
        raise ValueError(f"actions have shape {(games,)}, not {array.shape}")
    if array.dtype == np.uint64:
        # Far out of range either way, but not to be wrapped into range.
        array = np.minimum(array, np.uint64(np.iinfo(np.int64).max))
    return np.require(array, np.int64, ("C", "A"))


def _wide(value: npt.ArrayLike, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Ints that share no integer dtype, as 0 and 2**63, cut to int64; ``array`` if there is anything else."""
    numbers = np.asarray(value, object)
    if numbers.size == 0 or not all(type(number) is int or isinstance(number, np.integer) for number in numbers.flat):
        return array
    bounds = np.iinfo(np.int64)
    return np.array([min(max(number, bounds.min), bounds.max) for number in numbers.flat], np.int64).reshape(
        numbers.shape
    )
