"""The move that led to a position, lap by lap, and what is said of moves and positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .position import Shown

if TYPE_CHECKING:
    from .._core import Played, State, Trace

Names = tuple[str, str]


@dataclass(frozen=True)
class Move:
    """An action that has been played."""

    player: int
    name: str
    """As the game's notation writes it."""
    trace: Trace
    played: Played

    @property
    def pit(self) -> int:
        """The pit that was played."""
        return self.trace.laps[0].from_pit if self.trace.laps else self.trace.played.landing


def play(state: State, action: int) -> Move:
    """Plays an action and tells of it."""
    player, name, trace = state.to_move, state.action_name(action), state.trace(action)
    return Move(player, name, trace, state.play(action))


def last_move(state: State) -> Move | None:
    """The move that led to a state; None if it is not known."""
    start, actions = state.history()
    if not actions:
        return None
    for action in actions[:-1]:
        start.play(action)
    return play(start, actions[-1])


def playable(state: State) -> frozenset[int]:
    """The pits that the player to move may choose: to sow from, to lift, to place into."""
    names = {state.action_name(action) for action in state.legal_actions()}
    return frozenset(pit_named(name) for name in names)


def pit_named(name: str) -> int:
    """The pit in a move as text: ``12ccw``, ``4:3``, ``lift 4``, ``place 17``."""
    digits = name.split()[-1].split(":")[0].removesuffix("ccw").removesuffix("cw")
    return int(digits)


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def tell_move(move: Move, names: Names) -> str:
    """What a move did, in a sentence."""
    who, trace, played = names[move.player], move.trace, move.played
    if not trace.laps:
        word, pit = move.name.split()
        return f"{who} lifts boma {pit}" if word == "lift" else f"{who} places a warrior in boma {pit}"
    if played.endless:
        return f"{who} played {move.name}: laps that would never end"
    words = [counted(len(trace.laps), "lap")]
    if played.captured:
        words.append(f"captured {played.captured}" + (" with the bonus" if played.bonus else ""))
    if played.extra_move:
        words.append("an extra move")
    told = f"{who} played {move.name}: {', '.join(words)}"
    if played.passed:
        passed = move.player if played.extra_move else 1 - move.player
        told += f"; {names[passed]} has no move and is passed over"
    return told


def tell_position(shown: Shown, names: Names, move: Move | None = None) -> str:
    """Who is to do what, or how the game has ended."""
    who, (zero, one) = names[shown.to_move], shown.scores
    if shown.end == "no-moves":
        if zero == one:
            return f"A draw, {zero} to {one}"
        winner = int(one > zero)
        return f"{names[winner]} wins, {max(zero, one)} to {min(zero, one)}"
    if shown.end is not None:
        return "A draw: " + ("the position came back" if shown.end == "repetition" else "the sowing never ends")
    if shown.phase == "lift":
        return f"{who} lifts " + ("a second boma" if shown.hand else "two boma")
    if shown.phase == "place":
        return f"{who} places {counted(shown.hand, 'warrior')}"
    again = move is not None and move.player == shown.to_move and bool(move.trace.laps)
    return f"{who} to move" + (" again" if again else "")
