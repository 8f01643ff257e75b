"""A policy of our own, many states at a time, against an agent, over the same openings from both seats.

python play_python_agent.py --game giuthi-6x6 --opponent alphabeta:depth=2 --games 400
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

import mancala_rl as mrl


class LinearPolicy:
    """Scores every legal action by its features and plays the best. In place of the weights a net may stand."""

    name = "linear-1"  # for results files: another name for other weights

    # captured, extra move, laps, landing, entered, repeats, endless, ends the game
    WEIGHTS = np.array([1.0, 0.3, 0.0, 0.0, 0.1, -0.5, -0.5, 0.2], np.float32)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def new_game(self, seed: int) -> None:
        """Called once a match, before the first question."""
        self.rng = np.random.default_rng(seed)

    def act_many(self, states: list[mrl.State]) -> npt.NDArray[np.int64]:
        """One legal action for each state. A net would stack `state.observation()` and be asked once."""
        self.batches.append(len(states))
        actions = [state.legal_actions() for state in states]
        counts = np.array([len(legal) for legal in actions])
        features = np.concatenate([state.action_features() for state in states])
        scores = features @ self.WEIGHTS + self.rng.uniform(0, 1e-3, len(features))
        best = [int(np.argmax(part)) for part in np.split(scores, np.cumsum(counts)[:-1])]
        return np.array([legal[i] for legal, i in zip(actions, best)])


def main() -> None:
    parser = argparse.ArgumentParser(description="A policy of our own against an agent.")
    parser.add_argument("--game", default="giuthi-6x6")
    parser.add_argument("--opponent", default="alphabeta:depth=2")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--lockstep", type=int, help="games at a time; the policy is asked about half as many states")
    parser.add_argument("--results", help="a file that the games are written to, and the match is resumed from")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    policy = LinearPolicy()
    result = mrl.match(
        args.game,
        policy,
        args.opponent,
        games=args.games,
        seed=args.seed,
        lockstep=args.lockstep,
        results=args.results,
    )
    for side in (result.a, result.b):
        if side.seconds_a_move is not None:
            print(f"{side.agent}: {1e6 * side.seconds_a_move:.1f} us a move")
    if policy.batches:
        print(f"{np.mean(policy.batches):.0f} states a call, at most {max(policy.batches)}")
    print(f"{result.wins} won, {result.draws} drawn, {result.losses} lost")
    print(f"score {result.score:.3f} (standard error {result.score_se:.3f})")


if __name__ == "__main__":
    main()
