"""``replay``: a game as one page that plays it, lap by lap."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _arguments
from .._core import State
from ..errors import ActionOutOfRangeError, IllegalActionError
from . import drawing, shapes, svg
from .frames import Film, Frame, film
from .layout import CORNER
from .moves import Names, counted

if TYPE_CHECKING:
    from typing import SupportsIndex

    Action = SupportsIndex | str

PLAYERS: Names = ("Player 0", "Player 1")
LONGEST_NAME = 40


@dataclass(frozen=True)
class Game:
    """A game that is to be shown."""

    start: State
    actions: list[int]
    names: Names
    opening_plies: int = 0
    """Of them random ones of an opening."""


class Replay:
    """A game ready to be watched; made by :func:`mancala_rl.replay`. In a notebook it shows itself."""

    def __init__(self, game: Game, title: str | None, flip: bool) -> None:
        if not isinstance(game, Game):
            raise TypeError(f"game is one that replay has read, not {type(game).__name__}: call replay")
        if title is not None and not isinstance(title, str):
            raise TypeError(f"title is a str or None, not {type(title).__name__}")
        self._game = game
        self._flip = _arguments.flag("flip", flip)
        self._film = film(game.start.copy(), game.actions, game.names)
        self.title: str = f"{self.game}: {self._film.turns[-1]}" if title is None else title
        """What stands above the page."""

    @property
    def game(self) -> str:
        """The game's id with its options."""
        return self._game.start.game

    @property
    def actions(self) -> list[int]:
        """The actions that are shown, each relative to its player."""
        return self._game.actions.copy()

    @property
    def moves(self) -> list[str]:
        """The same as text."""
        return [move.name for move in self._film.moves]

    @property
    def frames(self) -> list[dict[str, Any]]:
        """What the page shows, one dict a frame: the start, and the board after every lap, capture and move.

        ``ply`` int, actions played, the one being played among them; ``pits`` tuple of int, seeds by pit number; ``scores`` (int, int), by
        player; ``mover`` 0, 1 or None at the end; ``told`` str. Where there is something to tell: ``lap`` with ``from``, ``seeds`` and
        ``step`` (1 counter-clockwise, -1 clockwise); ``taken``, pairs of pit and seeds captured; ``nki``, pits marked; ``hand``, warriors in
        hand; ``playable``, pits that may be chosen; ``tracks``, the way of the seeds as SVG.
        """
        return [frame.as_json() for frame in self._film.frames]

    def html(self) -> str:
        """The page: one HTML document that needs nothing else, no network either."""
        return _page(self._film, self._game, self.title, self._flip)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file, over one that is there.

        Args:
            path: The file.

        Returns:
            The file's path.

        Raises:
            OSError: If it cannot be written.
        """
        file = Path(_arguments.path("path", path))
        file.write_text(self.html(), encoding="utf-8")
        return file

    def _repr_html_(self) -> str:
        page = svg.escaped(self.html())
        return (
            f'<iframe srcdoc="{page}" title="{svg.escaped(self.title)}" style="width:100%;height:760px;border:0" '
            'sandbox="allow-scripts"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Replay of {self.game}, {counted(len(self._film.moves), 'move')}>"


def replay(
    game: str | State | Mapping[str, Any] | Sequence[State],
    actions: Sequence[Action] | None = None,
    *,
    players: tuple[str, str] | None = None,
    title: str | None = None,
    flip: bool = False,
    **options: Any,
) -> Replay:
    """Makes a page that plays a game: ``mrl.replay(state).save("game.html")``.

    Args:
        game: What is to be shown: a State, the game that led to it; a game id (or a State to begin from) with ``actions``; States that follow
            one another, each a move after the one before; or a line of a results file (``mrl.match(..., results=...)``) as a dict.
        actions: What is played from the start or the State, as numbers or as text (``12ccw``).
        players: What Player 0 and Player 1 are called. A line of a results file names them itself.
        title: What stands above the page; None: the game and how it ended.
        flip: Whether Player 1 sits below at first.
        **options: Those of the game, with an id: ``capture``, ``one_warrior_multiplier``.

    Returns:
        A :class:`mancala_rl.looking.Replay`: ``save(path)`` writes the page, ``html()`` returns it, a notebook shows it.

    Raises:
        IllegalActionError: If an action is not legal (a ValueError; it names the index), or its subclass ActionOutOfRangeError.
        ValueError: If there is no such game, a State does not follow from the one before by one move, or a value is wrong.
        TypeError: If something has the wrong type.
    """
    read = _read(game, actions, options)
    names = read.names if players is None else named(players)
    return Replay(Game(read.start, read.actions, names, read.opening_plies), title, flip)


def named(players: Any) -> Names:
    """What the players are called; long names are cut."""
    if isinstance(players, str) or not isinstance(players, Sequence) or len(players) != 2:
        raise TypeError(f"players are two names, not {_arguments.shown(players)}")
    for name in players:
        if not isinstance(name, str):
            raise TypeError(f"players are two names, not {_arguments.shown(players)}")
    one, other = (name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "\u2026" for name in players)
    return one, other


def _read(game: Any, actions: Any, options: dict[str, Any]) -> Game:
    if isinstance(game, str):
        if actions is None:
            raise TypeError("a game id needs actions: replay(game, actions)")
        start = State(game, **options)
        return Game(start, _played(start.copy(), actions), PLAYERS)
    for name in options:
        raise TypeError(f"{name}: options are for a game id")
    if isinstance(game, State):
        start, before = game.history()
        return Game(start, before if actions is None else before + _played(game.copy(), actions), PLAYERS)
    if actions is not None:
        raise TypeError(f"actions are for a game id or a State, not for a {type(game).__name__}")
    if isinstance(game, Mapping):
        return _recorded(game)
    if isinstance(game, Sequence):
        return _followed(game)
    raise TypeError(
        f"game is a game id, a State, a sequence of States or a line of a results file, not {type(game).__name__}"
    )


def _in_order(actions: Any) -> Iterator[Any]:
    """Actions one after the other; those of a set have no order."""
    try:
        if not isinstance(actions, (str, bytes, Mapping, Set)):
            return iter(actions)
    except TypeError:
        pass
    raise TypeError(f"actions is a sequence of ints and strs, not {type(actions).__name__}")


def _played(state: State, actions: Any) -> list[int]:
    """The actions as numbers, played on ``state``."""
    numbers = []
    for i, action in enumerate(_in_order(actions)):
        try:
            number = state.parse_action(action) if isinstance(action, str) else _arguments.index("an action", action)
            state.play(number)
        except (ActionOutOfRangeError, IllegalActionError, ValueError, TypeError) as error:
            raise type(error)(f"actions[{i}]: {error}") from None
        numbers.append(number)
    return numbers


def _recorded(record: Mapping[str, Any]) -> Game:
    """A line of a results file."""
    for key in ("game", "actions"):
        if key not in record:
            raise ValueError(
                f"a line of a results file has {key!r}: this one has {', '.join(map(_arguments.shown, record)) or 'nothing'}"
            )
    start = State(record["game"])
    version = _arguments.index("rules_version", record.get("rules_version", start.rules_version))
    if version != start.rules_version:
        found = _arguments.shown(version)
        raise ValueError(f"a game by rules version {found}; this is version {start.rules_version}")
    names = PLAYERS
    if "a" in record and "b" in record and "a_plays" in record:
        seat = _arguments.integer("a_plays", record["a_plays"], 0, 1)
        sides = (record["a"], record["b"])
        names = named(sides if seat == 0 else sides[::-1])
    plies = _arguments.integer("opening_plies", record.get("opening_plies", 0), 0, 2**31 - 1)
    return Game(start, _played(start.copy(), record["actions"]), names, plies)


def _followed(states: Sequence[Any]) -> Game:
    """States that follow one another."""
    if not states:
        raise ValueError("game is an empty sequence: there is nothing to show")
    for i, state in enumerate(states):
        if not isinstance(state, State):
            raise TypeError(f"game[{i}] is a State, not {type(state).__name__}")
    start = states[0].copy()
    actions = [_between(i, one, other) for i, (one, other) in enumerate(zip(states, states[1:]))]
    return Game(start, actions, PLAYERS)


def _between(i: int, one: State, other: State) -> int:
    """The action that leads from a state to the next one: the one played, if that is known, or the first that fits."""
    played = other.history()[1][-1:]
    legal = one.legal_actions()
    for action in [*(action for action in played if action in legal), *legal]:
        after = one.copy()
        after.play(action)
        if (after.game, after.position()) == (other.game, other.position()):
            return action
    raise ValueError(f"game[{i + 1}] ('{other}') does not follow from game[{i}] ('{one}') by one move")


def _page(shown: Film, game: Game, title: str, flip: bool) -> str:
    first = shown.frames[0]
    boards = [_board(shown, first, game.names, seat) for seat in (False, True)]
    data = {
        "names": shown.names,
        "colours": shapes.PLAYERS,
        "flip": flip,
        "turns": shown.turns,
        "told": shown.told,
        "frames": [frame.as_json() for frame in shown.frames],
    }
    parts = {
        "title": svg.escaped(title),
        "subtitle": svg.escaped(f"{game.names[0]} against {game.names[1]}, {counted(len(shown.moves), 'move')}"),
        "style": _file("replay.css"),
        "script": _file("replay.js"),
        "board": boards[0],
        "flipped": boards[1],
        "scores": "".join(_scores(shown)),
        "moves": "".join(_moves(shown, game.opening_plies)),
        # In a script element only "</" and "<!--" are not what they seem.
        "data": json.dumps(data, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c"),
    }
    page = _file("replay.html")
    pieces = page.split("{{")
    return pieces[0] + "".join(parts[piece.split("}}")[0]] + piece.split("}}", 1)[1] for piece in pieces[1:])


def _file(name: str) -> str:
    return (Path(__file__).parent / "page" / name).read_text(encoding="utf-8")


def _board(shown: Film, frame: Frame, names: Names, flip: bool) -> str:
    scene = drawing.Scene(frame.shown, names, flip, title=shown.game, for_page=True)
    layout = scene.layout
    drawn = (*drawing.background(layout, frame.shown.kind == "kiothi", CORNER), *drawing.position(scene))
    seat = f"seen from Player {int(flip)}'s seat"
    return svg.document(layout.width, layout.height, drawn, f"The board, {seat}", "What happens is told below.", seat)


def _scores(shown: Film) -> Iterator[str]:
    """Both scores over the frames, in a field of 1000 x 100."""
    most = max(1, *(max(frame.shown.scores) for frame in shown.frames))
    step = 1000 / max(1, len(shown.frames) - 1)
    for player in (1, 0):
        last, path = None, ""
        for i, frame in enumerate(shown.frames):
            y = 97 - 94 * frame.shown.scores[player] / most
            if y != last or i == len(shown.frames) - 1:
                path += (
                    f"{'L' if path else 'M'}{i * step:.1f} {(y if last is None else last):.1f}L{i * step:.1f} {y:.1f}"
                )
            last = y
        yield f'<path class="of-{player}" d="{path}"/>'


def _moves(shown: Film, opening_plies: int) -> Iterator[str]:
    yield '<li><button data-ply="0"><span class="number"></span><span class="name">start</span></button></li>'
    for ply, (move, told) in enumerate(zip(shown.moves, shown.told), 1):
        random = ply <= opening_plies
        marks = f'<span class="taken">+{move.played.captured}</span>' if move.played.captured else ""
        if move.played.extra_move:
            marks += '<span class="again" title="an extra move">\u21bb</span>'
        said = svg.escaped(told + (" (a random move of the opening)" if random else ""))
        yield (
            f'<li class="of-{move.player}{" random" if random else ""}"><button data-ply="{ply}" aria-label="{ply}. {said}" title="{said}">'
            f'<span class="number">{ply}</span><span class="dot"></span><span class="name">{svg.escaped(move.name)}</span>{marks}'
            "</button></li>"
        )
