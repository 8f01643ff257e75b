"""Plays many games at random and says how they went.

python random_rollout.py --game giuthi-8x8 --num-envs 4096 --steps 200
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import mancala_rl as mrl


def main() -> None:
    parser = argparse.ArgumentParser(description="Random games of Giuthi or Kiothi.")
    parser.add_argument("--game", default="giuthi-8x8")
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    env = mrl.make_vec(args.game, args.num_envs, seed=args.seed, threads=args.threads)
    env.reset()
    results: dict[str, int] = {}
    wins = np.zeros(2, np.int64)
    plies = 0
    begun = time.perf_counter()
    for _ in range(args.steps):
        _, _, terminated, _, info = env.step(env.sample_actions())
        # Whoever has just acted may win or lose, so both players' outcomes are looked at.
        wins += (info["returns"] > 0).sum(axis=0)
        final = info["final_info"]
        plies += int(final["plies"].sum())
        for result in final["result"][terminated]:
            results[str(result)] = results.get(str(result), 0) + 1
    seconds = time.perf_counter() - begun

    games = sum(results.values())
    print(f"{args.num_envs * args.steps / seconds:,.0f} steps a second")
    print(f"{games} games ended: " + ", ".join(f"{count} by {word}" for word, count in sorted(results.items())))
    if games:
        print(f"{plies / games:.1f} plies a game; player 0 won {wins[0] / games:.1%}, player 1 {wins[1] / games:.1%}")


if __name__ == "__main__":
    main()
