"""A game as frames: the board after every lap, capture and move, all as the rules tell it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from . import drawing, position
from .moves import Move, Names, counted, play, playable, tell_move, tell_position
from .position import Shown
from .svg import Writer

if TYPE_CHECKING:
    from .._core import Lap, State

MOST_LAPS = 400
"""No move that ends is known to have half as many; of an endless sowing no more are shown."""

_WAYS = {"ccw": "counter-clockwise", "cw": "clockwise"}


@dataclass(frozen=True)
class Frame:
    """What is seen at once."""

    ply: int
    """Actions played, the one that is being played among them."""
    shown: Shown
    told: str
    lap: Lap | None = None
    """The lap that led here."""
    captures: Sequence[tuple[int, int]] = ()
    """Pits just emptied by a capture, and what was taken from each."""
    tracks: str = ""
    """How the seeds went, as SVG, Player 0 sitting below."""
    playable: frozenset[int] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """What the page needs of it; what is empty is left out."""
        shown, lap = self.shown, self.lap
        data: dict[str, Any] = {
            "ply": self.ply,
            "pits": shown.pits,
            "scores": shown.scores,
            "mover": None if shown.end else shown.to_move,
            "told": self.told,
        }
        if any(shown.nki):
            data["nki"] = [pit for pit, marked in enumerate(shown.nki) if marked]
        if shown.hand:
            data["hand"] = shown.hand
        if lap is not None:
            data["lap"] = {"from": lap.from_pit, "seeds": lap.seeds, "step": 1 if lap.direction == "ccw" else -1}
        if self.captures:
            data["taken"] = self.captures
        if self.tracks:
            data["tracks"] = self.tracks
        if self.playable:
            data["playable"] = sorted(self.playable)
        return data


@dataclass
class Film:
    """All frames of a game."""

    game: str
    names: Names
    frames: list[Frame] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What each move did, in a sentence."""
    turns: list[str] = field(default_factory=list)
    """Whose turn it was then, the start first."""


def film(start: State, actions: Sequence[int], names: Names) -> Film:
    """Plays the actions from a start, which is played on, and takes down every frame."""
    out = Film(start.game, names)
    out.frames.append(Frame(0, _shown(start), "The start", playable=playable(start)))
    out.turns.append(tell_position(_shown(start), names))
    for ply, action in enumerate(actions, 1):
        before = _shown(start)
        move = play(start, action)
        shown = _shown(start)
        out.moves.append(move)
        out.told.append(tell_move(move, names))
        out.turns.append(tell_position(shown, names, move))
        out.frames += _frames(ply, move, before, shown, start)
    return out


def _shown(state: State) -> Shown:
    return position.read(state.game, state.position())


def _frames(ply: int, move: Move, before: Shown, after: Shown, state: State) -> Iterator[Frame]:
    """The frames of one move; the last one shows the position after it, with all its laps."""
    game, trace = state.game, move.trace
    tracks = "".join(map(Writer("").write, drawing.move_tracks(before, move, flip=False)))
    last = Frame(ply, after, "", tracks=tracks, playable=playable(state))
    if not trace.laps:
        yield replace(last, told=_tell_opening(move, after))
        return
    captured = bool(trace.captures)
    swept = after.end == "no-moves" and sum(after.scores) > sum(before.scores) + move.played.captured
    laps = trace.laps[:MOST_LAPS]
    for number, lap in enumerate(laps, 1):
        told = _tell_lap(number, lap, move, before.kind)
        if number == len(laps) and not (captured or swept or move.played.endless):
            yield replace(last, told=told + _tell_end(after), lap=lap)
        else:
            path = "".join(map(Writer("").write, drawing.tracks(before, [lap], flip=False)))
            yield Frame(ply, position.read(game, lap.position), told, lap, tracks=path)
    if move.played.endless:
        told = "The laps would never end, so the board stands as it stood before: a draw"
        yield replace(last, told=told)
    if captured:
        noun = "warrior" if after.kind == "kiothi" else "seed"
        pits = ", ".join(f"{seeds} from {pit}" for pit, seeds in trace.captures)
        told = f"Captured: {counted(move.played.captured, noun)} ({pits})"
        if swept:
            assert trace.captured_position is not None
            yield Frame(ply, position.read(game, trace.captured_position), told, None, trace.captures, tracks)
        else:
            yield replace(last, told=told + _tell_end(after), captures=trace.captures)
    if swept:
        who = "The player to move cannot" if after.kind == "kiothi" else "Nobody can move"
        whose = "to the other's prison" if after.kind == "kiothi" else "to its owner's score"
        yield replace(last, told=f"{who}: what is left goes {whose}")


def _tell_lap(number: int, lap: Lap, move: Move, kind: str) -> str:
    pit, noun = ("boma", "warrior") if kind == "kiothi" else ("pit", "seed")
    laps = "an endless sowing" if move.played.endless else str(len(move.trace.laps))
    told = f"Lap {number} of {laps}: {counted(lap.seeds, noun)} from {pit} {lap.from_pit}"
    if kind == "giuthi":
        told += f" {_WAYS[lap.direction]}"
    then = "occupied, so it is lifted" if lap.relays else "empty"
    return f"{told} to {pit} {lap.landing}, {then}"


def _tell_opening(move: Move, after: Shown) -> str:
    if after.phase == "sow":
        return "Every boma that holds a warrior is now a nki"
    if move.name.startswith("lift"):
        return f"{counted(after.hand, 'warrior')} in hand"
    return f"{counted(after.hand, 'warrior')} left in hand" if after.hand else "The other player redistributes"


def _tell_end(after: Shown) -> str:
    return ". The position has stood before: a draw" if after.end == "repetition" else ""
