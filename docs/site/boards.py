"""Draws boards into pages: the comment says which, and on the site the block of text that follows it becomes the picture.

    <!-- board: giuthi-4x4 "1,5,0,2/0,1,2,0 0 0 p0" -->
    <!-- board: giuthi-4x4 "1,5,0,2/0,1,2,0 0 0 p0" 6ccw captured=6 -->
    <!-- board: kiothi-6x5 start -->

The position is drawn by ``mancala_rl.render_svg``, after the moves if there are any. A position or move that the rules do not
know, or another number of seeds captured by the last move, ends the build, so that a drawing cannot drift from the rules.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import mancala_rl as mrl

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BOARD = re.compile(r"^<!-- board: (?P<words>.*?) -->\n+(?P<block>(?:(?: {4}.*)?\n)*)", re.MULTILINE)


def drawn(words: str) -> str:
    """What a comment asks for, as an SVG element."""
    game, position, *rest = shlex.split(words)
    state = mrl.State(game) if position == "start" else mrl.State.from_position(game, position)
    captured = None
    for word in rest:
        if word.startswith("captured="):
            if captured != int(word.removeprefix("captured=")):
                raise ValueError(f"the last move captures {captured}, not {word}")
        else:
            captured = state.play(word).captured
    return mrl.render_svg(state)


def draw(app: Sphinx, page: str, source: list[str]) -> None:
    """Puts pictures in the place of the blocks of a page."""
    from sphinx.errors import ExtensionError

    def picture(match: re.Match[str]) -> str:
        try:
            svg = drawn(match["words"])
        except (TypeError, ValueError) as error:
            raise ExtensionError(f"{page}: board {match['words']!r}: {error}") from error
        return f'```{{raw}} html\n<figure class="board">{svg}</figure>\n```\n\n'

    source[0] = BOARD.sub(picture, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", draw)
    return {"parallel_read_safe": True}
