"""Checks of arguments: the wrong type is a TypeError, the wrong value a ValueError, and both name the argument."""

from __future__ import annotations

import itertools
import operator
import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

SEED_LIMIT = 2**64

_LONGEST = 80


def shown(value: Any) -> str:
    """A value for a message: as Python writes it, the end of a long one left out."""
    try:
        written = repr(value)
    except Exception:
        # An int of more digits than Python writes, or an object that cannot be written.
        return f"a {type(value).__name__}"
    return written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "\u2026"


def text(name: str, value: Any) -> str:
    """``value`` as text that holds no half of a character."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is text without lone surrogates, not {shown(value)}") from None
    return value


def path(name: str, value: Any) -> str:
    """``value`` as a file's name: a str or an ``os.PathLike`` of one."""
    try:
        found = os.fspath(value)
    except TypeError:
        found = value
    if not isinstance(found, str):
        raise TypeError(f"{name} is a str or an os.PathLike, not {type(found).__name__}")
    problem = "it is empty" if not found else "it has a NUL byte" if "\0" in found else None
    try:
        os.fsencode(found)
    except UnicodeEncodeError:
        problem = "it has lone surrogates"
    if problem is not None:
        raise ValueError(f"{name} is the name of no file: {problem}: {shown(found)}")
    return found


def memory(name: str, value: int, bytes_each: int) -> None:
    """Refuses a number of things that together take more memory than the machine has."""
    if not hasattr(os, "sysconf"):
        return  # Windows does not say it so; its allocator refuses.
    needed, there = value * bytes_each, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there:
        raise MemoryError(
            f"{name}={value}: so many take about {needed / 1e9:.1f} GB, and this machine has {there / 1e9:.1f} GB"
        )


def index(name: str, value: Any) -> int:
    """``value`` as an int; NumPy's integers are fine, bools and floats are not."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is an int, not a bool")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is an int, not {type(value).__name__}") from None


def integer(name: str, value: Any, low: int, high: int) -> int:
    """``value`` as an int in ``low..=high``; NumPy's integers are fine, bools and floats are not."""
    number = index(name, value)
    if not low <= number <= high:
        shown = str(number) if number.bit_length() <= 128 else f"an int of {number.bit_length()} bits"
        raise ValueError(f"{name} is at least {low} and at most {high}, not {shown}")
    return number


def real(name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float in ``low..=high``; NumPy's numbers are fine, bools and durations are not."""
    is_other = isinstance(value, (bool, np.timedelta64))
    if is_other or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is a float, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} is at least {low:g} and at most {high:g}, not {shown(value)}")
    return float(value)


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
    return choice(name, value, "dense", "ragged")


def actions(value: npt.ArrayLike, games: int) -> npt.NDArray[np.int64]:
    """``value`` as one action a game: any integer dtype, contiguous or not."""
    array = _array("actions", value)
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


def _array(name: str, value: Any) -> npt.NDArray[Any]:
    """``value`` as an array of whatever it holds."""
    try:
        return np.asarray(value)
    except ValueError as error:
        # Rows of several lengths, for one.
        raise ValueError(f"{name} makes no array: {error}") from None


def _wide(value: npt.ArrayLike, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Ints that share no integer dtype, as 0 and 2**63, cut to int64; ``array`` if there is anything else."""
    numbers = np.asarray(value, object)
    if numbers.size == 0 or not all(type(number) is int or isinstance(number, np.integer) for number in numbers.flat):
        return array
    bounds = np.iinfo(np.int64)
    return np.array([min(max(number, bounds.min), bounds.max) for number in numbers.flat], np.int64).reshape(
        numbers.shape
    )


def saved(value: Any) -> bytes:
    """``value`` as a saved state: bytes, or an array of uint8, ``(N,)``."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    array = _array("state", value)
    if array.dtype != np.uint8:
        raise TypeError(f"state has dtype uint8, not {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"state has one dimension, not shape {array.shape}")
    return array.tobytes()


def choice(name: str, value: Any, *allowed: str) -> str:
    """``value`` as one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} is {' or '.join(map(repr, allowed))}, not {shown(value)}")
    return value


def player(value: Any) -> int | None:
    """``value`` as a player, 0 or 1; None stands for "random"."""
    if isinstance(value, str):
        if value == "random":
            return None
        raise ValueError(f"player is 0, 1 or 'random', not {shown(value)}")
    return integer("player", value, 0, 1)


def observation_dtype(value: Any) -> np.dtype[Any]:
    """``value`` as the dtype of observations."""
    try:
        dtype: np.dtype[Any] = np.dtype(value)
    except Exception:
        raise TypeError(f"observation_dtype is a dtype, not {shown(value)}") from None
    if dtype not in (np.dtype(np.float32), np.dtype(np.uint8)):
        raise ValueError(f"observation_dtype is float32 or uint8, not {dtype}")
    return dtype


def mapping(value: Any) -> dict[str, Any]:
    """``value`` as the options of a reset; None has none."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"options is a dict, not {type(value).__name__}")
    return value


def reset_options(options: Any, games: int) -> tuple[npt.NDArray[np.bool_] | None, list[str | None] | None]:
    """What a reset of many games is told: ``reset_mask`` and ``positions``; texts of games that are not reset are None."""
    options = mapping(options)
    mask = options.get("reset_mask")
    if mask is not None:
        mask = _array("reset_mask", mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"reset_mask has dtype bool, not {mask.dtype}")
        if mask.shape != (games,):
            raise ValueError(f"reset_mask has shape {(games,)}, not {mask.shape}")
        # A copy: it may be an array that the reset writes into. Bytes seen as bools may be others than 0 and 1.
        mask = mask.view(np.uint8) != 0
    positions = options.get("positions")
    if positions is not None:
        positions = _position_texts(positions, mask, games)
    return mask, positions


def _position_texts(positions: Any, mask: npt.NDArray[np.bool_] | None, games: int) -> list[str | None]:
    if isinstance(positions, str):
        raise TypeError(f"positions is a list of {games} texts, not one")
    try:
        given = iter(positions)
    except TypeError:
        raise TypeError(f"positions is a list of {games} texts, not {type(positions).__name__}") from None
    texts = list(itertools.islice(given, games + 1))
    if len(texts) != games:
        found = len(texts) if len(texts) < games else "more"
        raise ValueError(f"positions has {games} texts, one a game, not {found}")
    for i, written in enumerate(texts):
        if mask is not None and not mask[i]:
            texts[i] = None
        elif written is not None:
            text(f"positions[{i}]", written)
    return texts
