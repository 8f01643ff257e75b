"""Games and positions for the tests of pictures and pages."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

# Every phase, end and option; ten pits a row; captures that sweep; laps by the dozen.
GAMES = (
    "giuthi-2x2",
    "giuthi-3x3",
    "giuthi-5x4?capture=occupied",
    "giuthi-8x8",
    "giuthi-10x9",
    "kiothi-3x1",
    "kiothi-4x3",
    "kiothi-6x5",
)

games = st.tuples(st.sampled_from(GAMES), st.integers(0, 2**32), st.integers(0, 60))
"""Game, seed and plies for ``random_game``."""


@dataclass
class Board:
    """What a position text says."""

    pits: list[int]
    scores: tuple[int, int]
    nki: list[int]
    hand: int

    @property
    def seeds(self) -> int:
        return sum(self.pits) + sum(self.scores) + self.hand


def board(text: str) -> Board:
    words = text.split()
    pits = [int(cell) for cell in words[0].replace("/", ",").split(",")]
    nki = [i for i, sign in enumerate(words[5]) if sign == "x"] if len(words) > 5 else []
    hand = 0
    if len(words) > 4 and ":" in words[4]:
        hand = int(words[4].split(":")[1].split("@")[0])
    return Board(pits, (int(words[1]), int(words[2])), nki, hand)
