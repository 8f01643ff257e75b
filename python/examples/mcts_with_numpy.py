"""Tree search over an evaluator in NumPy, against the same evaluator without search.

python mcts_with_numpy.py --game giuthi-6x6 --sims 32 --games 200
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt

import mancala_rl as mrl

Floats = npt.NDArray[np.float32]

# captured, extra move, laps, landing, entered, repeats, endless, ends the game
WEIGHTS = np.array([6.0, 2.0, 0.0, 0.0, 0.5, -3.0, -3.0, 0.0], np.float32)


def evaluate(batch: mrl.LeafBatch) -> tuple[Floats, Floats]:
    """Policy: what a move does. Value: who is ahead, in the view of the player to move. A net is called likewise."""
    logits = batch.action_features @ WEIGHTS  # (N, A, 8) @ (8,)
    # An observation has the 2n pits and then both scores (docs/giuthi.md); a pit of one's own is two actions, so A is 2n too.
    pits = batch.action_mask.shape[1]
    own, other = batch.observations[:, pits], batch.observations[:, pits + 1]
    return logits, np.tanh(6 * (own - other))


class Searcher:
    """Asks `mcts` about all states that a match asks about."""

    def __init__(self, sims: int, **options: Any) -> None:
        self.name = f"numpy-{sims}"
        self.sims, self.options = sims, options
        self.simulations = 0
        self.seconds = 0.0

    def act_many(self, states: list[mrl.State]) -> npt.NDArray[np.int64]:
        begun = time.perf_counter()
        found = mrl.mcts(states, evaluate, self.sims, action_features="dense", **self.options)
        self.seconds += time.perf_counter() - begun
        self.simulations += found.simulations * len(states)
        return found.actions


def main() -> None:
    parser = argparse.ArgumentParser(description="Tree search over an evaluator in NumPy.")
    parser.add_argument("--game", default="giuthi-6x6", help="a giuthi board")
    parser.add_argument("--sims", type=int, default=32)
    parser.add_argument("--selection", choices=["gumbel", "puct"], default="gumbel")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    search, raw = Searcher(args.sims, selection=args.selection), Searcher(0)
    result = mrl.match(args.game, search, raw, games=args.games, seed=args.seed)
    print(f"{args.sims} simulations a move against the policy alone: {result.wins} won, {result.losses} lost")
    print(f"score {result.score:.3f} (standard error {result.score_se:.3f})")
    print(f"{search.simulations / search.seconds:,.0f} simulations a second")


if __name__ == "__main__":
    main()
