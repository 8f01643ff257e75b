"""Positions to search, and evaluators for `mcts`."""

import numpy as np

from reference import random_game


def going_on(game, seed, plies=8, **options):
    """A random position that goes on."""
    while True:
        state = random_game(game, seed, plies, **options)
        if not state.is_over:
            return state
        seed, plies = seed + 1_000, plies - 1


def some_states(game, count, seed=0):
    return [going_on(game, seed + i, plies=i % 12) for i in range(count)]


def judge(batch):
    """A judgement that looks random and is a function of the observation to the last bit, whatever the batch."""
    raw = np.rint(batch.observations.astype(np.float64) * 1e4).astype(np.int64)
    columns = np.arange(1, raw.shape[1] + 1)
    actions = np.arange(batch.action_mask.shape[1])
    hashes = (raw * columns * columns).sum(axis=1)
    logits = ((hashes[:, None] * 31 + actions * 17) % 101) / 25.0
    values = (hashes % 199) / 99.0 - 1.0
    return logits.astype(np.float32), values.astype(np.float32), ((hashes % 7) / 7.0).astype(np.float32)


def uniform(batch):
    return np.zeros(batch.action_mask.shape, np.float32), np.zeros(len(batch), np.float32)
