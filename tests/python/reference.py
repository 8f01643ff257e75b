"""Slow, plain Python that says from position texts what observations must hold."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

import mancala_rl as mrl

VECTORS = Path(__file__).parent.parent / "vectors"

# Small boards end quickly; the usual ones do not.
GIUTHI = ["giuthi-2x2", "giuthi-3x3", "giuthi-5x4", "giuthi-8x8"]
KIOTHI = ["kiothi-3x1", "kiothi-6x5"]
GAMES = GIUTHI + KIOTHI


def random_game(game: str, seed: int, plies: int = 10_000, **kwargs: Any) -> mrl.State:
    state, rng = mrl.State(game, **kwargs), random.Random(seed)
    while plies > 0 and not state.is_over:
        state.play(rng.choice(state.legal_actions()))
        plies -= 1
    return state


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def options(row: dict[str, Any]) -> dict[str, Any]:
    return {"capture": row["capture"]} if "capture" in row else {}


def size(game: str) -> tuple[int, int]:
    match = re.match(r"\w+-(\d+)x(\d+)", game)
    assert match
    return int(match[1]), int(match[2])


def raw_observation(text: str, plies_since_capture: int = 0, extra_move: bool = False) -> np.ndarray:
    """The uint8 observation of a position text, in the view of the player shown to move."""
    words = text.split()
    rows = [[int(cell) for cell in row.split(",")] for row in words[0].split("/")]
    scores = [int(words[1]), int(words[2])]
    player = int(words[3][1])
    plies = min(plies_since_capture, 255)
    if len(words) <= 5:  # Giuthi: Player 1's row first
        own, enemy = rows[1 - player], rows[player]
        board = sum(own) + sum(enemy)
        cells = [*own, *enemy, scores[player], scores[1 - player], board, plies, int(extra_move)]
        return np.array(cells, np.uint8)
    own, enemy = rows[player], rows[1 - player]
    nki = [int(sign == "x") for sign in words[5]]
    hand, floor = 0, 0
    if words[4].startswith("lift>"):
        first, hand = map(int, words[4][5:].split(":"))
        phase, floor = 1, first + 1
    elif words[4].startswith("place:"):
        hand, floor = map(int, words[4][6:].split("@"))
        phase = 2
    else:
        phase = {"lift": 0, "sow": 3}[words[4]]
    cells = [*own, *enemy, scores[player], scores[1 - player], sum(own) + sum(enemy) + hand, plies]
    cells += [*nki[10 * player :], *nki[: 10 * player]]
    cells += [int(phase == i) for i in range(4)] + [hand, floor]
    return np.array(cells, np.uint8)


def units(game: str) -> np.ndarray:
    """By what each cell of a raw observation is divided."""
    pits, seeds = size(game)
    total = 2 * pits * seeds
    if game.startswith("giuthi"):
        return np.array([seeds] * (2 * pits) + [total] * 3 + [100, 1], np.float32)
    return np.array([seeds] * 20 + [total] * 3 + [100] + [1] * 24 + [total, 20], np.float32)


class Shadow:
    """A game followed by `State`, with what the text does not tell: plies since the last capture, the extra move."""

    def __init__(self, game: str, text: str, **options: Any) -> None:
        self.game = game.split("?")[0]
        self.state = mrl.State.from_position(game, text, **options)
        self.quiet = 0
        self.extra = False
        self.plies = 0

    def play(self, action: int) -> mrl.Played:
        mover = self.state.to_move
        sowing = self.game.startswith("giuthi") or " sow " in self.state.position()
        played = self.state.play(int(action))
        self.plies += 1
        if played.endless:
            return played
        self.quiet = 0 if played.captured else self.quiet + int(sowing)
        # He who was passed over himself is not to move; nobody moves in a no-moves end.
        self.extra = played.extra_move and self.state.to_move == mover and self.state.result != "no-moves"
        return played

    def raw(self) -> np.ndarray:
        return raw_observation(self.state.position(), self.quiet, self.extra)

    def normalized(self) -> np.ndarray:
        return self.raw().astype(np.float32) / units(self.game)
