"""Draws shapes as pixels with NumPy alone, edges smoothed by how far a pixel lies within them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import shapes, strokes
from .shapes import Box, Disc, Fill, Group, Label, Line, Point, Polygon, Seed, Shape, flattened

if TYPE_CHECKING:
    import numpy.typing as npt

    Pixels = npt.NDArray[np.floating[Any]]


class Canvas:
    """A picture that is being drawn, ``(height, width, 3)`` float32 from 0 to 255; shapes are ``scale`` times as large."""

    def __init__(self, pixels: Pixels, scale: float) -> None:
        self.pixels = pixels
        self._scale = scale

    def draw(self, drawn: Iterable[Shape]) -> None:
        """Draws shapes, one over the other; hidden ones are left out."""
        k = self._scale
        for shape in drawn:
            match shape:
                case Group(parts, _, hidden):
                    if not hidden:
                        self.draw(parts)
                case Seed(x, y):
                    self._stamp(x * k, y * k, _seed(k))
                case Disc(x, y, r, fill, stroke, width, opacity):
                    self._disc(x * k, y * k, r * k, fill, stroke, width * k, opacity)
                case Box(x, y, width, height, r, fill, stroke, line, opacity):
                    self._box(x * k, y * k, width * k, height * k, r * k, fill, stroke, line * k, opacity)
                case Line(_, _, stroke, width, opacity):
                    points = [(x * k, y * k) for x, y in flattened(shape, 3 / k)]
                    self._lines([points], width * k, stroke, opacity)
                case Polygon(points, fill, opacity):
                    self._polygon([(x * k, y * k) for x, y in points], fill, opacity)
                case Label():
                    self._label(shape)

    def _window(self, left: float, top: float, right: float, bottom: float) -> tuple[slice, slice]:
        """The pixels that something may touch."""
        height, width = self.pixels.shape[:2]
        rows = slice(max(math.floor(top) - 1, 0), max(min(math.ceil(bottom) + 1, height), 0))
        return rows, slice(max(math.floor(left) - 1, 0), max(min(math.ceil(right) + 1, width), 0))

    def _blend(self, window: tuple[slice, slice], cover: Pixels, colour: Any, opacity: float) -> None:
        under = self.pixels[window]
        under += (np.asarray(colour, np.float32) - under) * (cover * np.float32(opacity))[..., None]

    def _disc(
        self, x: float, y: float, r: float, fill: Fill | None, stroke: str | None, width: float, opacity: float
    ) -> None:
        reach = r + width
        window = self._window(x - reach, y - reach, x + reach, y + reach)
        across, down = _grid(window)
        away = np.hypot(across - x, down - y)
        if fill is not None:
            colour = _colours(fill, (across - x + r) / (2 * r), (down - y + r) / (2 * r))
            self._blend(window, _cover(r - away), colour, opacity)
        if stroke is not None:
            self._blend(window, _cover(width / 2 - np.abs(away - r)), _rgb(stroke), opacity)

    def _box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        r: float,
        fill: Fill | None,
        stroke: str | None,
        line: float,
        opacity: float,
    ) -> None:
        window = self._window(x - line, y - line, x + width + line, y + height + line)
        across, down = _grid(window)
        r = min(r, width / 2, height / 2)
        beyond_x = np.abs(across - x - width / 2) - width / 2 + r
        beyond_y = np.abs(down - y - height / 2) - height / 2 + r
        corner = np.hypot(np.maximum(beyond_x, 0), np.maximum(beyond_y, 0))
        away = corner + np.minimum(np.maximum(beyond_x, beyond_y), 0) - r
        if fill is not None:
            colour = _colours(fill, (across - x) / width, (down - y) / height)
            self._blend(window, _cover(-away), colour, opacity)
        if stroke is not None:
            self._blend(window, _cover(line / 2 - np.abs(away)), _rgb(stroke), opacity)

    def _lines(self, lines: list[list[Point]], width: float, colour: str, opacity: float) -> None:
        """Lines of one colour, which do not darken where they cross."""
        xs, ys = zip(*(point for points in lines for point in points))
        window = self._window(min(xs) - width, min(ys) - width, max(xs) + width, max(ys) + width)
        cover = np.zeros((window[0].stop - window[0].start, window[1].stop - window[1].start), np.float32)
        if cover.size:
            for points in lines:
                for one, other in zip(points, points[1:]):
                    _segment(cover, window, one, other, width)
            self._blend(window, cover, _rgb(colour), opacity)

    def _polygon(self, points: list[Point], colour: str, opacity: float) -> None:
        """A convex polygon."""
        xs, ys = zip(*points)
        window = self._window(min(xs), min(ys), max(xs), max(ys))
        across, down = _grid(window)
        area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]]))
        side = math.copysign(1.0, area)
        inside = np.full(across.shape, np.inf, np.float32)
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]]):
            length = math.hypot(x1 - x0, y1 - y0)
            cross = (x1 - x0) * (down - y0) - (y1 - y0) * (across - x0)
            inside = np.minimum(inside, side * cross / length)
        self._blend(window, _cover(inside), _rgb(colour), opacity)

    def _label(self, label: Label) -> None:
        k = self._scale
        size = label.size * k
        x = label.x * k - strokes.width(label.text, size) * {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
        for char in label.text:
            _, advance = strokes.strokes(char)
            self._stamp(x, label.y * k, _letter(char, size, label.bold), label.fill, label.opacity)
            x += advance * strokes.unit(size)

    def _stamp(
        self, x: float, y: float, stamp: tuple[Pixels, Pixels, int], colour: str | None = None, opacity: float = 1.0
    ) -> None:
        """A small picture that has been drawn before, to the nearest pixel: colours, cover, and how far its middle is in."""
        colours, cover, middle = stamp
        left, top = round(x) - middle, round(y) - middle
        height, width = cover.shape
        rows = slice(max(top, 0), min(top + height, self.pixels.shape[0]))
        columns = slice(max(left, 0), min(left + width, self.pixels.shape[1]))
        if rows.start >= rows.stop or columns.start >= columns.stop:
            return
        part = slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left)
        self._blend((rows, columns), cover[part], colours[part] if colour is None else _rgb(colour), opacity)


def _grid(window: tuple[slice, slice]) -> tuple[Pixels, Pixels]:
    """x and y of the middles of pixels."""
    rows, columns = window
    down, across = np.mgrid[rows.start : rows.stop, columns.start : columns.stop].astype(np.float32) + np.float32(0.5)
    return across, down


def _cover(inside: Pixels) -> Pixels:
    """How much of a pixel is covered whose middle lies so far within."""
    cover: Pixels = np.clip(inside + np.float32(0.5), 0, 1)
    return cover


def _segment(cover: Pixels, window: tuple[slice, slice], one: Point, other: Point, width: float) -> None:
    (x0, y0), (x1, y1) = one, other
    reach = width / 2 + 1
    top, left = window[0].start, window[1].start
    rows = slice(max(math.floor(min(y0, y1) - reach) - top, 0), max(math.ceil(max(y0, y1) + reach) - top, 0))
    columns = slice(max(math.floor(min(x0, x1) - reach) - left, 0), max(math.ceil(max(x0, x1) + reach) - left, 0))
    part = cover[rows, columns]
    if not part.size:
        return
    across = np.arange(part.shape[1], dtype=np.float32) + np.float32(columns.start + left + 0.5 - x0)
    down = (np.arange(part.shape[0], dtype=np.float32) + np.float32(rows.start + top + 0.5 - y0))[:, None]
    dx, dy = x1 - x0, y1 - y0
    length = dx * dx + dy * dy
    along = np.clip((across * dx + down * dy) / length, 0, 1) if length else np.float32(0)
    away = np.hypot(across - along * dx, down - along * dy)
    np.maximum(part, _cover(width / 2 - away), out=part)


@lru_cache(maxsize=256)
def _rgb(colour: str) -> Pixels:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], np.float32)


def _colours(fill: Fill, across: Pixels, down: Pixels) -> Pixels:
    """The colours of pixels, given as parts of the shape's width and height."""
    if isinstance(fill, str):
        return _rgb(fill)
    if fill.radial:
        at = np.hypot(across - np.float32(fill.focus[0]), down - np.float32(fill.focus[1])) / np.float32(0.6)
    else:
        at = down
    where = [stop for stop, _ in fill.stops]
    return np.stack([np.interp(at, where, [_rgb(c)[i] for _, c in fill.stops]) for i in range(3)], -1).astype(
        np.float32
    )


@lru_cache(maxsize=16)
def _seed(scale: float) -> tuple[Pixels, Pixels, int]:
    r = shapes.SEED_RADIUS * scale
    middle = math.ceil(r + 2 * scale) + 1
    window = slice(-middle, middle), slice(-middle, middle)
    across, down = _grid(window)
    body = _cover(r - np.hypot(across, down))
    shadow = _cover(r - np.hypot(across - 0.6 * scale, down - 1.1 * scale)) * np.float32(0.55)
    cover = body + (1 - body) * shadow
    colours = _colours(shapes.SEED, (across + r) / (2 * r), (down + r) / (2 * r))
    share = (body / np.maximum(cover, np.float32(1e-6)))[..., None]
    return colours * share + _rgb(shapes.SHADOW) * (1 - share), cover, middle


@lru_cache(maxsize=1024)
def _letter(char: str, size: float, bold: bool) -> tuple[Pixels, Pixels, int]:
    """A letter whose baseline begins in the middle of the stamp."""
    unit = strokes.unit(size)
    width = size * (0.125 if bold else 0.085)
    middle = math.ceil(20 * unit + width)
    canvas = np.zeros((2 * middle, 2 * middle), np.float32)
    window = slice(-middle, middle), slice(-middle, middle)
    for stroke in strokes.strokes(char)[0]:
        points = [(x * unit, -y * unit) for x, y in stroke]
        for one, other in zip(points, points[1:]):
            _segment(canvas, window, one, other, width)
    return np.zeros((*canvas.shape, 3), np.float32), canvas, middle
