"""Where things are on a board of ``row`` pits a row, and the way that a lap takes around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from .shapes import Arc, Point

PIT = 28.0
"""Radius of a pit."""
PITCH = 66.0
MARGIN = 18.0
CORNER = 22.0
"""Radius of the board's corners."""
STORE_WIDTH = 78.0
STORE_GAP = 6.0
TRACKS = 46.0
"""Room for the laps of the last move, around the pits."""
MIDDLE = 72.0
"""Between the rows: counts and numbers."""
HEADER = 24.0
FOOTER = 46.0

FIRST_TRACK = 10.0
TRACK_STEP = 6.0
MOST_TRACKS = 6

SEEDS_DRAWN = 20
"""A pit with more shows so many, and its count."""
STORE_SEEDS = 48


@dataclass(frozen=True)
class Layout:
    """A board seen from a seat: slot 0 of the ring is the leftmost pit of the row below."""

    row: int
    words: bool = True
    """Whether there is room below for two lines."""

    @property
    def left(self) -> float:
        """Of the middle of the leftmost pits."""
        return MARGIN + STORE_WIDTH + STORE_GAP + TRACKS + PIT

    @property
    def right(self) -> float:
        """Of the middle of the rightmost pits."""
        return self.left + (self.row - 1) * PITCH

    @property
    def top(self) -> float:
        """Of the middle of the upper row."""
        return MARGIN + HEADER + TRACKS + PIT

    @property
    def bottom(self) -> float:
        """Of the middle of the lower row."""
        return self.top + 2 * PIT + MIDDLE

    @property
    def width(self) -> float:
        return self.left + self.right

    @property
    def height(self) -> float:
        return self.bottom + PIT + TRACKS + (FOOTER if self.words else HEADER) + MARGIN

    @property
    def centre(self) -> Point:
        """Of the ring of pits: turned about it by half a turn, the board is seen from the other seat."""
        return self.width / 2, (self.top + self.bottom) / 2

    def pit(self, slot: int) -> Point:
        """The middle of a pit."""
        if slot < self.row:
            return self.left + slot * PITCH, self.bottom
        return self.left + (2 * self.row - 1 - slot) * PITCH, self.top

    def outside(self, slot: int, distance: float) -> Point:
        """A point so far beyond a pit's rim, away from the other row."""
        x, y = self.pit(slot)
        return x, y + (PIT + distance if slot < self.row else -PIT - distance)

    def inside(self, slot: int, distance: float) -> Point:
        """A point so far beyond a pit's rim, towards the other row."""
        return self.outside(slot, -2 * PIT - distance)

    def way(self, slot: int, seeds: int, ccw: bool, distance: float) -> tuple[Point, list[Point | Arc]]:
        """The way of a lap around the board, outside the pits: where it starts, and its steps."""
        ring = 2 * self.row
        if seeds >= ring:  # once around and on to the landing pit: more rounds would lie on one another
            seeds = seeds % ring + ring
        r = PIT + distance
        start, steps = self.outside(slot, distance), list[Point | Arc]()
        while seeds:
            column = slot % self.row
            straight = self.row - 1 - column if ccw else column
            if seeds <= straight:
                slot = slot + seeds if ccw else slot - seeds
                steps.append(self.outside(slot, distance))
                break
            if straight:
                steps.append(self.outside(slot + straight if ccw else slot - straight, distance))
            # Around the end of the board to the other row.
            below = slot < self.row
            at_right = below == ccw
            x = self.right + r if at_right else self.left - r
            here, there = (self.bottom, self.top) if below else (self.top, self.bottom)
            slot = (slot + straight + 1 if ccw else slot - straight - 1) % ring
            steps += [Arc(r, not ccw, (x, here)), (x, there), Arc(r, not ccw, self.outside(slot, distance))]
            seeds -= straight + 1
        return start, steps

    def store(self, below: bool) -> tuple[float, float, float, float]:
        """A store's x, y, width and height; that of the player below is on the right."""
        x = self.width - MARGIN - STORE_WIDTH if below else MARGIN
        y = self.top - PIT - 14
        return x, y, STORE_WIDTH, self.bottom + PIT + 14 - y

    def store_seed(self, below: bool, index: int) -> Point:
        """Where a captured seed lies: in rows from the bottom up."""
        x, y, width, height = self.store(below)
        line, place = divmod(index, 6)
        jitter = math.sin(12.9898 * (index + 1)) * 1.3
        return x + width / 2 + (place - 2.5) * 10.4 + (2.6 if line % 2 else -2.6) + jitter, y + height - 19 - line * 9.4


@lru_cache(maxsize=64)
def heap(slot: int) -> tuple[Point, ...]:
    """Where the seeds of a pit lie, from its middle; a seed stays where it is when others come."""
    turn = math.pi * (3 - math.sqrt(5))
    spread = (PIT - 8) / math.sqrt(SEEDS_DRAWN)
    places = []
    for i in range(SEEDS_DRAWN):
        r, angle = spread * math.sqrt(i + 0.4), i * turn + slot * 1.7
        places.append((r * math.cos(angle), r * math.sin(angle)))
    return tuple(places)
