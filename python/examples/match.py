"""A player of our own against alpha-beta.

python match.py --game giuthi-5x4 --opponent alphabeta:depth=2 --games 100
"""

from __future__ import annotations

import argparse

import numpy as np

import mancala_rl as mrl


class MostSeeds:
    """Takes as many seeds as one move can, and prefers to move again; of equal actions the first."""

    def act_many(self, states: list[mrl.State]) -> list[int]:
        return [self.act(state) for state in states]

    def act(self, state: mrl.State) -> int:
        features = state.action_features()
        captured, extra_move = features[:, 0], features[:, 1]
        return state.legal_actions()[int(np.argmax(captured + 0.1 * extra_move))]


def main() -> None:
    parser = argparse.ArgumentParser(description="A player of our own against an agent.")
    parser.add_argument("--game", default="giuthi-5x4")
    parser.add_argument("--opponent", default="alphabeta:depth=2")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    result = mrl.match(args.game, MostSeeds(), args.opponent, games=args.games, seed=args.seed)
    print(f"{result.wins} won, {result.draws} drawn, {result.losses} lost against {args.opponent}")
    print(f"score {result.score:.3f} (standard error {result.score_se:.3f})")
    if result.elo is not None:
        print(f"{result.elo:+.0f} Elo")


if __name__ == "__main__":
    main()
