"""Pictures of games: SVG for notebooks and pages, pixels for videos, and a page that plays a game."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments
from .._core import State
from . import drawing, moves, position, raster, svg
from .layout import CORNER, Layout
from .replays import PLAYERS, Replay, named, replay

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Replay", "render_rgb", "render_svg", "replay"]

_SCALES = 0.25, 8.0


def render_svg(state: State, *, last_move: bool = True, flip: bool = False, players: tuple[str, str] = PLAYERS) -> str:
    """Draws a state as SVG: what a notebook shows of it.

    Each pit shows its seeds, up to 20 of them, its count and its number; the scores stand at the ends, that of the player below on
    the right. Rings in the colour of the player to move mark the pits that may be chosen. Of the last move the pits that it captured are
    marked, and a line shows its last six laps, each in a track of its own, the last one next to the pits: green counter-clockwise, red
    clockwise. The picture stands on wood of its own, on light pages and dark ones.

    Args:
        state: The state.
        last_move: Whether to show the last move, where it is known: ``State.history`` tells where.
        flip: Whether Player 1 sits below.
        players: What Player 0 and Player 1 are called; more than 40 letters are cut.

    Returns:
        An ``svg`` element, a document of its own too: without scripts, styles or anything from elsewhere.

    Raises:
        TypeError: If an argument has the wrong type.
    """
    scene = _scene(state, last_move, flip, players)
    layout = scene.layout
    drawn = (*drawing.background(layout, scene.shown.kind == "kiothi", CORNER), *drawing.position(scene))
    said = ". ".join(filter(None, (scene.words[1], f"Position: {state.position()}")))
    return svg.document(layout.width, layout.height, drawn, f"{state.game}: {scene.words[0]}", said)


def render_rgb(
    state: State,
    *,
    scale: float = 1.0,
    last_move: bool = True,
    flip: bool = False,
    players: tuple[str, str] = PLAYERS,
) -> npt.NDArray[np.uint8]:
    """Draws a state as pixels: what ``render_mode="rgb_array"`` shows, the picture of :func:`render_svg`.

    NumPy alone draws it, with letters of its own, so that it needs no other library and looks alike on every machine.

    Args:
        state: The state.
        scale: How large, 0.25 to 8: at 1 a board of 8 pits a row is 814 pixels wide, one of 10 pits 946.
        last_move: Whether to show the last move, where it is known.
        flip: Whether Player 1 sits below.
        players: What Player 0 and Player 1 are called.

    Returns:
        ``(H, W, 3)`` uint8, both even, as video encoders want them; the same for all states of a game.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the scale is out of range.
    """
    scene = _scene(state, last_move, flip, players)
    size = _arguments.real("scale", scale, *_SCALES)
    pixels = _wood(scene.shown.row, scene.shown.kind == "kiothi", size).astype(np.float32)
    raster.Canvas(pixels, size).draw(drawing.position(scene))
    return np.rint(pixels).astype(np.uint8)


@lru_cache(maxsize=8)
def _wood(row: int, kiothi: bool, scale: float) -> npt.NDArray[np.uint8]:
    layout = Layout(row)
    height, width = (2 * round(length * scale / 2) for length in (layout.height, layout.width))
    pixels = np.zeros((height, width, 3), np.float32)
    raster.Canvas(pixels, scale).draw(drawing.background(layout, kiothi, 0))
    return np.rint(pixels).astype(np.uint8)


def _scene(state: Any, last_move: Any, flip: Any, players: Any) -> drawing.Scene:
    if not isinstance(state, State):
        raise TypeError(f"state is a State, not {type(state).__name__}")
    names, flip = named(players), _arguments.flag("flip", flip)
    shown = position.read(state.game, state.position())
    move = moves.last_move(state) if _arguments.flag("last_move", last_move) else None
    words = moves.tell_position(shown, names, move), "" if move is None else moves.tell_move(move, names)
    return drawing.Scene(shown, names, flip, move, moves.playable(state), words, state.game)
