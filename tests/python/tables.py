"""Small tablebases, built once a test session, and boards to ask them about."""

import functools
import tempfile
from pathlib import Path

import numpy as np

import mancala_rl as mrl

_FOLDER = tempfile.TemporaryDirectory(prefix="tables")


@functools.cache
def table(pits=3, seeds=12, capture="any"):
    return mrl.build_tablebase(Path(_FOLDER.name) / f"{pits}-{seeds}-{capture}.tb", pits, seeds, capture)


def random_boards(rng, count, pits=3, seeds=12):
    """Boards of at most ``seeds`` seeds, each equally likely: gaps between bars."""
    places = rng.random((count, seeds + 2 * pits)).argsort(axis=1)[:, : 2 * pits]
    bars = np.sort(places, axis=1)
    return np.diff(bars, axis=1, prepend=-1).astype(np.uint8) - np.uint8(1)


def state_of(board, scores=(0, 0), capture="any"):
    """A board, its first row's player to move, as a state: Player 1's row is numbered from 0."""
    pits = len(board) // 2
    rows = "/".join(",".join(str(int(cell)) for cell in row) for row in np.reshape(board, (2, pits)))
    return mrl.State.from_position(f"giuthi-{pits}x2", f"{rows} {scores[0]} {scores[1]} p1", capture=capture)
