"""A position as pictures need it, read from its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A position: pits by their board numbers, all else by player."""

    kind: str
    """``"giuthi"`` or ``"kiothi"``."""
    pits: tuple[int, ...]
    nki: tuple[bool, ...]
    """Which pits are marked; nowhere in Giuthi."""
    scores: tuple[int, int]
    to_move: int
    phase: str
    """``"sow"``, and in Kiothi's opening ``"lift"`` or ``"place"``."""
    hand: int
    """Warriors lifted and not yet placed."""
    end: str | None
    """The word for how the game ended."""

    @property
    def row(self) -> int:
        """Pits a row."""
        return len(self.pits) // 2

    @property
    def seeds(self) -> int:
        """All seeds there are."""
        return sum(self.pits) + sum(self.scores) + self.hand

    def slot(self, pit: int) -> int:
        """A pit's place in the sowing ring, counter-clockwise from Player 0's leftmost pit."""
        return (pit - self.row) % len(self.pits) if self.kind == "giuthi" else pit

    def owner(self, pit: int) -> int:
        """Whose pit it is."""
        return int(self.slot(pit) >= self.row)


def read(game: str, position: str) -> Shown:
    """Reads a position text of a game, as ``State.position()`` writes it."""
    rows, zero, one, player, *rest = position.split()
    pits = tuple(int(cell) for row in rows.split("/") for cell in row.split(","))
    common = (int(zero), int(one)), int(player[1])
    if game.startswith("giuthi"):
        return Shown("giuthi", pits, (False,) * len(pits), *common, "sow", 0, rest[0] if rest else None)
    phase, signs, *end = rest
    # lift>K:H, place:H@J
    hand = phase.replace("@", ":").split(":")[1] if ":" in phase else "0"
    nki = tuple(sign == "x" for sign in signs)
    word = "lift" if phase.startswith("lift") else phase.split(":")[0]
    return Shown("kiothi", pits, nki, *common, word, int(hand), end[0] if end else None)
