"""What pictures are made of, whoever draws them: discs, boxes, lines and words, and the colours they have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Point = tuple[float, float]


@dataclass(frozen=True)
class Gradient:
    """Colours from one to another: from a point of a disc outwards, or from the top of a box to its bottom."""

    name: str
    stops: tuple[tuple[float, str], ...]
    radial: bool = False
    focus: Point = (0.5, 0.5)
    """The middle of a radial one, in parts of the shape's width and height."""


Fill = str | Gradient

WOOD = Gradient("wood", ((0.0, "#8a5a34"), (0.5, "#7a4d2b"), (1.0, "#633c20")))
PIT = Gradient(
    "pit", ((0.0, "#5a3820"), (0.45, "#48290f"), (0.8, "#341c0b"), (1.0, "#1f1006")), radial=True, focus=(0.5, 0.68)
)
STORE = Gradient("store", ((0.0, "#2c190d"), (0.2, "#3f2514"), (1.0, "#4a2d19")))
SEED = Gradient("seed", ((0.0, "#fffdf3"), (0.45, "#e6dcc0"), (1.0, "#a8946b")), radial=True, focus=(0.36, 0.3))

GRAIN = "#4d2e17"
EDGE = "#3f2513"
LIP = "#a9764a"
SHADOW = "#20120a"
CREAM = "#fff4dc"
DIM = "#d9b88f"
PLAYERS = ("#ffcf5c", "#8fd3ff")
CCW = "#7df0d2"
CW = "#ffb0a0"
TAKEN = "#ff6b57"
NKI = "#ffd98a"


@dataclass(frozen=True)
class Disc:
    """A filled circle, and a line around it."""

    x: float
    y: float
    r: float
    fill: Fill | None = None
    stroke: str | None = None
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Box:
    """A filled rectangle with round corners, and a line around it."""

    x: float
    y: float
    width: float
    height: float
    r: float
    fill: Fill | None = None
    stroke: str | None = None
    line: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Arc:
    """A quarter of a circle or less on the way of a line, to a point; ``sweep`` is SVG's: True turns clockwise on the screen."""

    r: float
    sweep: bool
    to: Point


@dataclass(frozen=True)
class Line:
    """A line of straight pieces and arcs, each to the next point."""

    start: Point
    steps: tuple[Point | Arc, ...]
    stroke: str
    width: float
    opacity: float = 1.0


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[Point, ...]
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True)
class Label:
    """Words; ``y`` is where they stand."""

    x: float
    y: float
    text: str
    size: float
    fill: str = CREAM
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False
    opacity: float = 1.0


@dataclass(frozen=True)
class Seed:
    """A seed; there are many, all alike."""

    x: float
    y: float


@dataclass(frozen=True)
class Group:
    """Shapes that belong together. ``marks`` tell a page what they are; a hidden group is there for a page alone."""

    shapes: tuple[Shape, ...]
    marks: dict[str, str] = field(default_factory=dict)
    hidden: bool = False


Shape = Disc | Box | Line | Polygon | Label | Seed | Group

SEED_RADIUS = 5.5


def flattened(line: Line, step: float = 3.0) -> Iterator[Point]:
    """The points of a line, arcs as short straight pieces."""
    here = line.start
    yield here
    for to in line.steps:
        if isinstance(to, Arc):
            yield from _arc(here, to, step)
            here = to.to
        else:
            yield to
            here = to


def _arc(start: Point, arc: Arc, step: float) -> Iterator[Point]:
    (x0, y0), (x1, y1) = start, arc.to
    chord = math.hypot(x1 - x0, y1 - y0)
    r = max(arc.r, chord / 2)
    # The middle lies to the right of the way for a clockwise arc (y goes down), to the left for the other.
    away = math.sqrt(max(r * r - chord * chord / 4, 0.0)) * (1 if arc.sweep else -1)
    ux, uy = ((x1 - x0) / chord, (y1 - y0) / chord) if chord else (0.0, 0.0)
    mx, my = (x0 + x1) / 2 - uy * away, (y0 + y1) / 2 + ux * away
    begin, end = math.atan2(y0 - my, x0 - mx), math.atan2(y1 - my, x1 - mx)
    turn = (end - begin) % math.tau if arc.sweep else -((begin - end) % math.tau)
    pieces = max(2, math.ceil(abs(turn) * r / step))
    for i in range(1, pieces + 1):
        angle = begin + turn * i / pieces
        yield mx + r * math.cos(angle), my + r * math.sin(angle)
