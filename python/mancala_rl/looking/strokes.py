"""Letters as strokes of a round pen, for pictures of pixels: no font is needed, and they look alike on every machine.

A glyph is strokes, separated by commas; a stroke is points, each two digits of base 36: x from the left, y from below, the
baseline at 4, small letters up to e (14), capitals up to i (18). ``~`` before a stroke bends it along its points, ``o`` closes it too.
"""

from __future__ import annotations

from functools import lru_cache

from .shapes import Point

_BOWL = "o04 84 8e 0e"
_GLYPHS = {
    "0": "o04 84 8i 0i",
    "1": "1f 4i 44",
    "2": "~0e 0i 8i 8d 04,04 84",
    "3": "~0g 0i 8i 8b 3b,~3b 9b 94 04 07",
    "4": "64 6i 08 88",
    "5": "7i 1i 0b,~0b 2d 8d 84 04 06",
    "6": "o04 84 8d 0d,~7i 0h 09",
    "7": "0i 8i 34",
    "8": "o1b 7b 7i 1i,o04 84 8b 0b",
    "9": "o09 89 8i 0i,~8d 84 14",
    "a": _BOWL + ",8e 84",
    "b": _BOWL + ",0i 04",
    "c": "~7c 7e 0e 04 74 76",
    "d": _BOWL + ",8i 84",
    "e": "09 89,~89 8e 0e 04 74 76",
    "f": "~6i 2i 2e,2e 24,0e 5e",
    "g": _BOWL + ",8e 83,~83 80 10",
    "h": "0i 04,~0a 0e 8e 8a,8a 84",
    "i": "0e 04,0i 0i",
    "j": "2e 22,~22 20 00,2i 2i",
    "k": "0i 04,7e 08,3a 74",
    "l": "0i 04",
    "m": "0e 04,~0b 0e 6e 6b,6b 64,~6b 6e ce cb,cb c4",
    "n": "0e 04,~0a 0e 8e 8a,8a 84",
    "o": _BOWL,
    "p": _BOWL + ",0e 00",
    "q": _BOWL + ",8e 80",
    "r": "0e 04,~0a 0e 5e",
    "s": "~7c 7e 0e 09 79 74 04 06",
    "t": "2i 27,~27 24 64,0e 6e",
    "u": "0e 08,~08 04 84 88,8e 84",
    "v": "0e 44 8e",
    "w": "0e 34 6e 94 ce",
    "x": "0e 84,8e 04",
    "y": "0e 44,8e 20",
    "z": "0e 8e 04 84",
    "A": "04 5i a4,29 89",
    "B": "0i 04,~0i 8i 8b 0b,~0b 9b 94 04",
    "C": "~9f 9i 0i 04 94 97",
    "D": "0i 04,~0i ai a4 04",
    "E": "8i 0i 04 84,0b 7b",
    "F": "8i 0i 04,0b 7b",
    "G": "~9f 9i 0i 04 94 9a,9a 5a",
    "H": "0i 04,9i 94,0b 9b",
    "I": "2i 24,0i 4i,04 44",
    "J": "6i 67,~67 64 04 07",
    "K": "0i 04,8i 0a,3c 84",
    "L": "0i 04 74",
    "M": "04 0i 58 ai a4",
    "N": "04 0i 94 9i",
    "O": "o04 a4 ai 0i",
    "P": "0i 04,~0i 9i 9a 0a",
    "Q": "o04 a4 ai 0i,68 a3",
    "R": "0i 04,~0i 9i 9a 0a,4a 94",
    "S": "~8f 8i 0i 0b 8b 84 04 07",
    "T": "0i ai,5i 54",
    "U": "0i 08,~08 04 94 98,98 9i",
    "V": "0i 54 ai",
    "W": "0i 34 7i b4 ei",
    "X": "04 9i,0i 94",
    "Y": "0i 5b ai,5b 54",
    "Z": "0i 9i 04 94",
    ".": "04 04",
    ",": "14 02",
    ":": "04 04,0c 0c",
    ";": "14 02,1c 1c",
    "-": "0a 6a",
    "\u2212": "0a 8a",
    "_": "02 82",
    "/": "03 7i",
    "(": "~3k 0g 06 32",
    ")": "~0k 3g 36 02",
    "+": "0a 8a,46 4e",
    "=": "08 88,0c 8c",
    "?": "~0f 0i 7i 7c 3c 39,34 34",
    "!": "0i 09,04 04",
    "'": "0i 0f",
    "\u2026": "04 04,44 44,84 84",
}
_UNKNOWN = "04 84 8i 0i 04"

_CAPITAL = 14
"""Height of a capital."""
_SPACE = 5
_GAP = 3.8


@lru_cache(maxsize=256)
def strokes(char: str) -> tuple[tuple[tuple[Point, ...], ...], float]:
    """A letter's strokes, y upwards from the baseline, and how far on the next one begins; capitals are 14 high."""
    if char == " ":
        return (), _SPACE
    drawn = tuple(_stroke(text) for text in _GLYPHS.get(char, _UNKNOWN).split(","))
    return drawn, max(x for stroke in drawn for x, _ in stroke) + _GAP


def unit(size: float) -> float:
    """What one unit of a letter is in a text of a font size."""
    return size * 0.72 / _CAPITAL


def width(text: str, size: float) -> float:
    """Of a text, in pixels."""
    return (sum(strokes(char)[1] for char in text) - _GAP) * unit(size) if text else 0.0


def _stroke(text: str) -> tuple[Point, ...]:
    points = [(float(int(pair[0], 36)), int(pair[1], 36) - 4.0) for pair in text.lstrip("~o").split()]
    closed = text[0] == "o"
    if closed or text[0] == "~":
        for _ in range(4):
            points = _rounder(points, closed)
    return tuple([*points, points[0]] if closed else points)


def _rounder(points: list[Point], closed: bool) -> list[Point]:
    """Cuts the corners of a line (Chaikin): four times is round to the eye."""
    ends = [*points, points[0]] if closed else points
    cut = [(ax + t * (bx - ax), ay + t * (by - ay)) for (ax, ay), (bx, by) in zip(ends, ends[1:]) for t in (0.25, 0.75)]
    return cut if closed else [points[0], *cut[1:-1], points[-1]]
