"""Values that arguments are given by mistake, and kinds of arguments that know which of them they have to refuse."""

from __future__ import annotations

import decimal
import fractions
import numbers
import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

SURROGATE = "\ud800"
HUGE = 10**5000  # more digits than Python writes


class Unwritable:
    """Cannot be shown in a message."""

    def __repr__(self):
        raise RuntimeError("no words")


class Liar:
    """Says that it is a number, a path and an array, and is none."""

    def __index__(self):
        return "three"

    def __float__(self):
        return "three"

    def __fspath__(self):
        return 3

    def __array__(self, *_, **__):
        return "three"


class Index:
    """An int by another name."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def lists_itself():
    endless = []
    endless.append(endless)
    return endless


STRANGE = (
    None,
    True,
    np.True_,
    0,
    -1,
    2**31,
    2**32,
    2**63,
    2**64,
    -(2**63) - 1,
    HUGE,
    -HUGE,
    0.5,
    1.0,
    -0.0,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e300,
    1j,
    decimal.Decimal(1),
    fractions.Fraction(1, 3),
    "",
    " ",
    "0",
    "nonsense",
    "nul\0",
    SURROGATE,
    "\udcff",
    "x" * 10_000,
    "\N{PILE OF POO}" * 3,
    b"",
    b"bytes",
    bytearray(b"bytes"),
    memoryview(b"bytes"),
    [],
    [None],
    [[0], [0, 1]],
    [HUGE],
    [SURROGATE],
    lists_itself(),
    (),
    (1, 2, 3),
    {},
    {"": 0},
    {SURROGATE: HUGE},
    {1, 2},
    range(3),
    object(),
    object,
    int,
    len,
    Unwritable(),
    Liar(),
    Index(HUGE),
    NotImplemented,
    Exception("a value"),
    np.float32("nan"),
    np.float64(1),
    np.int8(-1),
    np.uint64(2**64 - 1),
    np.datetime64("2026-01-01"),
    np.timedelta64(1),
    np.array(0.5),
    np.array([]),
    np.array([True, False]),
    np.zeros((2, 2, 2)),
    np.zeros(3, complex),
    np.array(["a", "b"]),
    np.array([None, object()]),
    np.zeros(2, [("a", "f4"), ("b", "u1")]),
    np.full(3, np.nan),
    np.empty((0, 3), int),
    np.ma.masked_array([0, 1], [True, False]),
)
"""What nobody means, of every type that comes to mind."""


def shown(value):
    try:
        return repr(value)[:200]
    except Exception:
        return f"a {type(value).__name__}"


def any_of(values):
    """One of some values, which need neither a hash nor a repr."""
    return st.integers(0, len(values) - 1).map(lambda i: values[i])


strange = any_of(STRANGE)
arrays = st.tuples(
    st.sampled_from(
        ["?", "b", "i2", "i8", ">i8", "u8", "f2", "f4", ">f4", "f8", "c8", "O", "S2", "U2", "M8[D]", "m8[s]"]
    ),
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from(["C", "F"]),
).map(lambda drawn: np.zeros(drawn[1], drawn[0], drawn[2]))

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(), max_size=12),
    st.binary(max_size=12),
)
"""Surrogates and NUL are among the characters."""

anything = st.one_of(
    scalars,
    arrays,
    st.lists(scalars, max_size=4),
    st.tuples(scalars, scalars),
    st.dictionaries(st.text(max_size=3), scalars, max_size=2),
    strange,
)


def whole(value):
    """A value as an int if it is one, numpy's among them; None for bools and everything else."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        number = operator.index(value)
    except TypeError:
        return None
    return number if isinstance(number, int) else None


@dataclass(frozen=True)
class Kind:
    """A kind of argument."""

    right: Callable[[Any], bool]
    """Whether a value may be taken: then it is none to be refused."""
    near: tuple[Any, ...] = ()
    """Values that miss it by a little."""
    same: Callable[[Any], list[Any]] = lambda value: []
    """A right value in other words."""
    errors: tuple[type[Exception], ...] = ()
    """What it may be refused with, beside TypeError and ValueError."""

    @property
    def wrong(self):
        return st.one_of(any_of((*self.near, *STRANGE)), anything).filter(lambda value: not self.right(value))

    def all_wrong(self):
        return [value for value in (*self.near, *STRANGE) if not self.right(value)]

    def optional(self):
        return Kind(lambda value: value is None or self.right(value), self.near, self.same, self.errors)


def integer(low=0, high=2**32 - 1, errors=()):
    def right(value):
        number = whole(value)
        return number is not None and low <= number <= high

    def same(value):
        if value is None:
            return []
        words = [Index(value), np.int64(value)] if value < 2**63 else [Index(value), np.uint64(value)]
        return [*words, np.int8(value), np.array(value)] if -128 <= value < 128 else words

    return Kind(right, (low - 1, high + 1, float(low), [low], str(low)), same, errors)


seed = integer(0, 2**64 - 1)


def number(low, high):
    def right(value):
        real = isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_, np.timedelta64))
        return real and low <= value <= high

    near = (low - 0.01, high * 1.01, str(low))
    return Kind(right, near, lambda value: [] if value is None else [np.float64(value)])


flag = Kind(lambda value: isinstance(value, (bool, np.bool_)), (0, 1, "True"), lambda value: [np.bool_(value)])


class Str(str):
    """A str by another name."""


def word(*words):
    return Kind(
        lambda value: isinstance(value, str) and value in words,
        (
            *(one.upper() for one in words),
            *(one + "\0" for one in words),
            words[0][:-1],
            list(words),
            words[0].encode(),
        ),
        lambda value: [] if value is None else [Str(value), np.str_(value)],
    )


def text(right, near=()):
    return Kind(
        lambda value: isinstance(value, str) and right(value), near, lambda value: [] if value is None else [Str(value)]
    )


def named(value, *starts):
    """Whether a text drawn at random may well mean something after all."""
    return value.startswith(starts)


game = text(
    lambda value: named(value, "giuthi", "kiothi"),
    ("chess", "Giuthi", "giuth\0", SURROGATE + "giuthi", " giuthi", b"giuthi-3x3", ["giuthi"]),
)
position = text(lambda value: "/" in value, ("3,3,3", "p0", SURROGATE))


def is_path(value):
    try:
        name = os.fspath(value)
        os.fsencode(name)
    except (TypeError, UnicodeEncodeError):
        return False
    return isinstance(name, str) and bool(name) and "\0" not in name


file = Kind(
    is_path,
    ("", "a\0b", "folder/" + SURROGATE, b"name", Path("a\0b")),
    lambda value: [] if value is None else [Path(value), Str(value)],
    (OSError,),
)

function = Kind(callable, ("print", 0, object()))


def instance(cls, *near):
    return Kind(lambda value: isinstance(value, cls), near)


def never(*near):
    """There is no right value beside the one in the table."""
    return Kind(lambda value: False, near)
