"""Writes shapes as SVG: one element for each, without scripts, styles or anything from elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from . import shapes
from .shapes import Arc, Box, Disc, Fill, Gradient, Group, Label, Line, Point, Polygon, Seed, Shape

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}


def escaped(text: str) -> str:
    """Text for XML and HTML, in an element or an attribute. What XML cannot hold at all becomes a replacement character."""
    kept = "".join(
        c if c in "\t\n" or " " <= c < "\ud800" or "\ue000" <= c and c not in "\ufffe\uffff" else "\ufffd" for c in text
    )
    return kept.translate(_ESCAPES)


def number(value: float) -> str:
    """A length, to a hundredth."""
    return f"{round(value, 2):g}" if abs(value) < 1000 else f"{round(value, 1):.1f}".removesuffix(".0")


def document(width: float, height: float, drawn: Iterable[Shape], title: str, description: str, name: str = "") -> str:
    """A picture of shapes; ``title`` and ``description`` are for those who cannot see it, ``name`` sets it apart from a twin in
    the same page."""
    drawn = tuple(drawn)
    # Pictures stand side by side in one page: what is referred to by name needs a name of its own.
    key = f"m{zlib.crc32(repr((name, drawn)).encode()):08x}"
    body = "".join(map(Writer(key).write, drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" '
        f'height="{number(height)}" style="max-width:100%;height:auto" role="img" aria-labelledby="{key}t {key}d" '
        f'font-family="{FONT}"><title id="{key}t">{escaped(title)}</title><desc id="{key}d">{escaped(description)}</desc>'
        f"<defs>{''.join(_definitions(key))}</defs>{body}</svg>"
    )


def _definitions(key: str) -> Iterator[str]:
    for gradient in (shapes.WOOD, shapes.PIT, shapes.STORE, shapes.SEED):
        stops = "".join(f'<stop offset="{number(at)}" stop-color="{colour}"/>' for at, colour in gradient.stops)
        if gradient.radial:
            x, y = map(number, gradient.focus)
            yield f'<radialGradient id="{key}{gradient.name}" cx="{x}" cy="{y}" r=".6">{stops}</radialGradient>'
        else:
            yield f'<linearGradient id="{key}{gradient.name}" x2="0" y2="1">{stops}</linearGradient>'
    r = shapes.SEED_RADIUS
    yield (
        f'<g id="{key}s"><circle cx=".6" cy="1.1" r="{number(r)}" fill="{shapes.SHADOW}" fill-opacity=".55"/>'
        f'<circle r="{number(r)}" fill="url(#{key}seed)" stroke="#6d5a38" stroke-width=".5"/></g>'
    )


class Writer:
    """Writes shapes of one document."""

    def __init__(self, key: str) -> None:
        self._key = key

    def write(self, shape: Shape) -> str:
        """A shape as an element."""
        match shape:
            case Seed(x, y):
                return f'<use href="#{self._key}s" x="{number(x)}" y="{number(y)}"/>'
            case Group(parts, marks, hidden):
                return self._group(parts, marks, hidden)
            case Disc(x, y, r, fill, stroke, width, opacity):
                at = f'cx="{number(x)}" cy="{number(y)}" r="{number(r)}"'
                return f"<circle {at}{self._paint(fill, stroke, width, opacity)}/>"
            case Box(x, y, width, height, r, fill, stroke, line, opacity):
                at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="{number(r)}"'
                return f"<rect {at}{self._paint(fill, stroke, line, opacity)}/>"
            case Line(_, _, stroke, width, opacity):
                ends = ' stroke-linecap="round" stroke-linejoin="round"'
                return f'<path d="{path(shape)}"{self._paint(None, stroke, width, opacity)}{ends}/>'
            case Polygon(points, fill, opacity):
                return f'<path d="M{"L".join(map(_point, points))}z"{self._paint(fill, None, 1, opacity)}/>'
            case Label(x, y, text, size, fill, anchor, bold, opacity):
                weight = ' font-weight="700"' if bold else ""
                at = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}"'
                return f"<text {at}{weight}{self._paint(fill, None, 1, opacity)}>{escaped(text)}</text>"

    def _group(self, parts: tuple[Shape, ...], marks: dict[str, str], hidden: bool) -> str:
        if hidden:
            marks = {**marks, "display": "none"}
        inner = "".join(map(self.write, parts))
        if not marks:
            return inner
        attributes = "".join(f' {name}="{escaped(value)}"' for name, value in marks.items())
        # A group of one seed needs no element of its own.
        if len(parts) == 1 and isinstance(parts[0], Seed):
            return inner.replace("/>", attributes + "/>")
        return f"<g{attributes}>{inner}</g>"

    def _paint(self, fill: Fill | None, stroke: str | None, width: float, opacity: float) -> str:
        name = f"url(#{self._key}{fill.name})" if isinstance(fill, Gradient) else fill or "none"
        line = f' stroke="{stroke}" stroke-width="{number(width)}"' if stroke else ""
        faint = f' opacity="{number(opacity)}"' if opacity < 1 else ""
        return f' fill="{name}"{line}{faint}'


def path(line: Line) -> str:
    """A line as the ``d`` of a path."""
    out = "M" + _point(line.start)
    for step in line.steps:
        if isinstance(step, Arc):
            out += f"A{number(step.r)} {number(step.r)} 0 0 {int(step.sweep)} {_point(step.to)}"
        else:
            out += "L" + _point(step)
    return out


def _point(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"
