"""Draws a position as shapes: the board, its seeds, whose turn it is and how the last move went."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from . import shapes
from .layout import (
    FIRST_TRACK,
    MARGIN,
    MOST_TRACKS,
    PIT,
    SEEDS_DRAWN,
    STORE_SEEDS,
    TRACK_STEP,
    TRACKS,
    Layout,
    heap,
)
from .moves import Move, Names
from .position import Shown
from .shapes import Arc, Box, Disc, Group, Label, Line, Point, Polygon, Seed, Shape

if TYPE_CHECKING:
    from .._core import Lap


@dataclass(frozen=True)
class Scene:
    """What is drawn."""

    shown: Shown
    names: Names
    flip: bool = False
    """Player 1 sits below."""
    move: Move | None = None
    """The one that led here."""
    playable: frozenset[int] = frozenset()
    """Pits that the player to move may choose."""
    words: tuple[str, str] = ("", "")
    """Two lines below the board."""
    title: str = ""
    for_page: bool = False
    """Whether everything is there, hidden, that a page will want to show."""

    @property
    def layout(self) -> Layout:
        return Layout(self.shown.row, not self.for_page)

    def slot(self, pit: int) -> int:
        """A pit's place in the ring as it is seen."""
        return turned(self.shown, pit, self.flip)


def turned(shown: Shown, pit: int, flip: bool) -> int:
    """A pit's place in the ring, counted from the left of whoever sits below."""
    slot = shown.slot(pit)
    return (slot + shown.row) % (2 * shown.row) if flip else slot


def background(layout: Layout, kiothi: bool, corner: float) -> Iterator[Shape]:
    """The wood, with its grain, empty pits and stores: the same for every position."""
    width, height = layout.width, layout.height
    yield Box(0, 0, width, height, corner, shapes.WOOD)
    for i in range(9):
        y = height * (i + 0.7) / 9.4
        bend = 5 + 9 * math.sin(2.4 * i + 1)
        points = tuple((width * x / 8, y + bend * math.sin(x * 0.8 + i * 1.9)) for x in range(1, 9))
        yield Line((0, y + bend * math.sin(i * 1.9)), points, shapes.GRAIN, 1.2 + i % 3 * 0.8, 0.16)
    yield Box(1.5, 1.5, width - 3, height - 3, max(corner - 1.5, 0), None, shapes.EDGE, 3)
    for below in (True, False):
        x, y, store_width, store_height = layout.store(below)
        round_ = 26 if kiothi else 14
        yield Box(x, y + 1.5, store_width, store_height, round_, None, shapes.LIP, 2, 0.8)
        yield Box(x, y, store_width, store_height, round_, shapes.STORE, shapes.SHADOW, 1.5)
    for slot in range(2 * layout.row):
        x, y = layout.pit(slot)
        yield Disc(x, y + 1.5, PIT, None, shapes.LIP, 2, 0.8)
        yield Disc(x, y, PIT, shapes.PIT, shapes.SHADOW, 1.5)


def position(scene: Scene) -> Iterator[Shape]:
    """All that lies on the board, and what is written there."""
    yield from _players(scene)
    for player in (0, 1):
        yield _store(scene, player)
    for pit in range(len(scene.shown.pits)):
        yield _pit(scene, pit)
    way = () if scene.move is None else tuple(move_tracks(scene.shown, scene.move, scene.flip))
    marks = {"data-part": "tracks"}
    if scene.for_page and scene.flip:  # where a page puts tracks that are seen from Player 0's seat
        marks["transform"] = "rotate(180 {:g} {:g})".format(*scene.layout.centre)
    yield Group(way, marks)
    if scene.for_page:
        hand = (Disc(0, 0, 17, shapes.SHADOW, shapes.CREAM, 1.5, 0.92), Label(0, 5.5, "0", 15, bold=True))
        yield Group(hand, {"data-part": "hand"}, hidden=True)


def _players(scene: Scene) -> Iterator[Shape]:
    layout, shown = scene.layout, scene.shown
    above, below = (0, 1) if scene.flip else (1, 0)
    first_line, second_line = layout.bottom + PIT + TRACKS + 18, layout.bottom + PIT + TRACKS + 39
    where: dict[int, tuple[float, float, Literal["start", "end"]]] = {
        above: (MARGIN + 4, MARGIN + 15, "start"),
        below: (layout.width - MARGIN - 4, first_line, "end"),
    }
    for player, (x, y, anchor) in where.items():
        moves = shown.end is None and shown.to_move == player
        aside = 19 if anchor == "start" else -19
        colour = shapes.PLAYERS[player]
        yield Group(
            (
                Disc(x + aside / 3, y - 5, 6, colour if moves else None, colour, 2),
                Label(x + aside, y, scene.names[player], 14, colour, anchor, bold=True),
            ),
            {"data-part": "player", "data-player": str(player)},
        )
    if shown.hand or scene.for_page:
        x = layout.width / 2
        hand = Label(x, MARGIN + 15, f"{shown.hand} in hand", 14, shapes.CREAM, bold=True)
        yield Group((hand,), {"data-part": "in-hand"}, hidden=not shown.hand)
    yield Label(layout.width - MARGIN - 4, MARGIN + 15, scene.title, 12, shapes.DIM, "end")
    if not scene.for_page:
        yield Label(MARGIN + 4, first_line, scene.words[0], 14, shapes.CREAM, "start", bold=True)
        yield Label(MARGIN + 4, second_line, scene.words[1], 12.5, shapes.DIM, "start")


def _store(scene: Scene, player: int) -> Shape:
    layout, score = scene.layout, scene.shown.scores[player]
    below = player == (1 if scene.flip else 0)
    x, y, width, height = layout.store(below)
    marks = {"data-part": "seed"} if scene.for_page else {}
    seeds = tuple(
        Group((Seed(*layout.store_seed(below, i)),), marks, hidden=i >= score)
        for i in range(STORE_SEEDS if scene.for_page else min(score, STORE_SEEDS))
    )
    word = "prison" if scene.shown.kind == "kiothi" else "captured"
    return Group(
        (
            Label(x + width / 2, y + 42, str(score), 27, shapes.PLAYERS[player], bold=True),
            Label(x + width / 2, y + 60, word, 11, shapes.DIM),
            *seeds,
        ),
        {"data-part": "store", "data-player": str(player)},
    )


def _pit(scene: Scene, pit: int) -> Shape:
    layout, shown = scene.layout, scene.shown
    slot, seeds = scene.slot(pit), shown.pits[pit]
    x, y = layout.pit(slot)
    parts: list[Shape] = []
    seed_marks = {"data-part": "seed"} if scene.for_page else {}
    if shown.nki[pit] or scene.for_page and shown.kind == "kiothi":
        left, right = (_diamond(x + dx * (PIT - 2.5), y, 5.5) for dx in (-1, 1))
        nki = (Disc(x, y, PIT - 2.5, None, shapes.NKI, 2.5), left, right)
        parts.append(Group(nki, {"data-part": "nki"}, hidden=not shown.nki[pit]))
    if pit in scene.playable or scene.for_page:
        colour = shapes.PLAYERS[shown.to_move]
        ring = Disc(x, y, PIT + 1.5, None, colour, 2)
        parts.append(Group((ring,), {"data-part": "playable"}, hidden=pit not in scene.playable))
    for i, (dx, dy) in enumerate(heap(slot)):
        if i < seeds or scene.for_page:
            parts.append(Group((Seed(x + dx, y + dy),), seed_marks, hidden=i >= seeds))
    many = seeds > SEEDS_DRAWN
    if many or scene.for_page:
        badge = (
            Disc(x, y, 14, shapes.SHADOW, None, opacity=0.82),
            Label(x, y + 5.5, str(seeds), 16, bold=True),
        )
        parts.append(Group(badge, {"data-part": "many"}, hidden=not many))
    taken = dict(scene.move.trace.captures).get(pit, 0) if scene.move is not None else 0
    if taken or scene.for_page:
        mark = (
            Disc(x, y, PIT + 1, None, shapes.TAKEN, 3),
            Label(x, y + 6, f"\u2212{taken}", 17, shapes.TAKEN, bold=True),
        )
        parts.append(Group(mark, {"data-part": "taken"}, hidden=not taken))
    count, number = (18, 31) if slot >= layout.row else (8, 24)
    faint = 1 if seeds else 0.35
    parts.append(
        Group((Label(*layout.inside(slot, count), str(seeds), 15, bold=True, opacity=faint),), {"data-part": "count"})
    )
    parts.append(Label(*layout.inside(slot, number), str(pit), 10.5, shapes.DIM, opacity=0.85))
    marks = {"data-part": "pit", "data-pit": str(pit)}
    if scene.for_page:
        marks |= {"data-x": f"{x:g}", "data-y": f"{y:g}"}
    return Group(tuple(parts), marks)


def _diamond(x: float, y: float, r: float) -> Polygon:
    return Polygon(((x - r, y), (x, y - r), (x + r, y), (x, y + r)), shapes.NKI)


def move_tracks(shown: Shown, move: Move, flip: bool) -> Iterator[Shape]:
    """How the seeds of a move went; in Kiothi's opening a ring around its boma."""
    if move.trace.laps:
        yield from tracks(shown, move.trace.laps, flip)
    else:
        yield Disc(*Layout(shown.row).pit(turned(shown, move.pit, flip)), PIT + 1.5, None, shapes.CCW, 2.5)


def tracks(shown: Shown, laps: Sequence[Lap], flip: bool) -> Iterator[Shape]:
    """The last laps of a sowing, the last one next to the pits, where an arrow leads into the landing pit."""
    layout = Layout(shown.row)
    shown_laps = laps[-MOST_TRACKS:]
    drawn = []
    for age, lap in enumerate(reversed(shown_laps)):
        distance = FIRST_TRACK + TRACK_STEP * age
        ccw, slot, landing = lap.direction == "ccw", turned(shown, lap.from_pit, flip), turned(shown, lap.landing, flip)
        start, steps = layout.way(slot, lap.seeds, ccw, distance)
        colour, opacity = shapes.CCW if ccw else shapes.CW, max(1 - 0.15 * age, 0.25)
        first = age == len(shown_laps) - 1
        if first:
            steps.insert(0, start)
            start = layout.outside(slot, 1)
        if age:
            inner = layout.outside(landing, distance - TRACK_STEP)
            turns = laps[len(laps) - age].direction != lap.direction
            steps.append(Arc(TRACK_STEP / 2, not ccw, inner) if turns else inner)
        else:
            steps.append(layout.outside(landing, 4))
        head: list[Shape] = [Line(start, tuple(steps), colour, 3 if age == 0 else 2.4, opacity)]
        if first:
            head.append(Disc(*layout.outside(slot, 1), 3.6, colour, opacity=opacity))
        if age:
            head.append(Disc(*layout.outside(landing, distance - TRACK_STEP / 2), 2.2, colour, opacity=opacity))
        else:
            head.append(_arrow(layout, landing, colour))
        drawn.append(head)
    for head in reversed(drawn):
        yield from head


def _arrow(layout: Layout, slot: int, colour: str) -> Polygon:
    """A head that points into a pit."""
    tip, base = layout.outside(slot, -7), layout.outside(slot, 4)
    points: tuple[Point, ...] = (tip, (base[0] - 6, base[1]), (base[0] + 6, base[1]))
    return Polygon(points, colour)
