"""Plays one library at random, in a process of its own: random_play.py starts it and tells it when.

Runs under any Python that has the library, and needs nothing else. The one argument is a JSON object: library, game, batch,
threads, copy, core (to stay on, or null). A line with a number of seconds on stdin is answered by a line with the steps played
in them a second; end of input ends it. A step is one move in one game: a legal action drawn at random, a new game where one
has ended, and what an agent would look at as numpy arrays.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

# A player plays on for a while and says how many moves that were.
Play = Callable[[], int]

# The clock is looked at after so many moves, or one step of a batch that is larger.
MOVES_A_LOOK = 256
# Moves played before anything is timed, and the longest time for it: games are at all their stages then, code is compiled.
WARM_UP_STEPS = 200
WARM_UP_SECONDS = 2.0


def mancala_rl(player: dict[str, Any]) -> Play:
    """Observations as float32, masks and all the rest, into new arrays at each step (copy) or always the same."""
    import mancala_rl as mrl

    batch: int = player["batch"]
    env = mrl.make_vec(player["game"], batch, seed=1, threads=player["threads"], copy=player["copy"])
    env.reset()
    steps = max(1, MOVES_A_LOOK // batch)

    def play() -> int:
        for _ in range(steps):
            env.step(env.sample_actions())
        return steps * batch

    return play


def pgx(player: dict[str, Any]) -> Play:
    """One compiled function draws the actions, steps and begins new games: that is faster than to draw them in numpy."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    import pgx
    from pgx.experimental import auto_reset

    batch: int = player["batch"]
    env = pgx.make(player["game"])
    step_one = auto_reset(env.step, env.init)

    def step_all(state: Any, key: Any) -> Any:
        key, choice, begin = jax.random.split(key, 3)
        actions = jax.random.categorical(choice, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        return jax.vmap(step_one)(state, actions, jax.random.split(begin, batch)), key

    step = jax.jit(step_all)
    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))

    def play() -> int:
        nonlocal state, key
        state, key = step(state, key)
        for array in (state.observation, state.legal_action_mask, state.rewards, state.terminated):
            np.asarray(array)
        return batch

    return play


def open_spiel(player: dict[str, Any]) -> Play:
    """One game, there are no batches; the observation by the buffer that OpenSpiel fills in place."""
    import random

    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(player["game"])
    observation = make_observation(game)
    draw = random.Random(1).random
    state = game.new_initial_state()

    def play() -> int:
        nonlocal state
        for _ in range(MOVES_A_LOOK):
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
            if state.is_terminal():
                state = game.new_initial_state()
            observation.set_from(state, state.current_player())
        return MOVES_A_LOOK

    return play


PLAYERS = {player.__name__: player for player in (mancala_rl, pgx, open_spiel)}


def rate(play: Play, seconds: float) -> float:
    """Moves a second."""
    begun = time.perf_counter()
    moves = 0
    while True:
        moves += play()
        elapsed = time.perf_counter() - begun
        if elapsed >= seconds:
            return moves / elapsed


def warm_up(play: Play, moves: int) -> None:
    begun = time.perf_counter()
    played = play()
    while played < moves and time.perf_counter() - begun < WARM_UP_SECONDS:
        played += play()


def main() -> None:
    player: dict[str, Any] = json.loads(sys.argv[1])
    # Only answers go to stdout, whatever the library prints.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if player["core"] is not None:
        # Before the library is imported: it may start threads then, which stay where this one is.
        os.sched_setaffinity(0, {player["core"]})
    play = PLAYERS[player["library"]](player)
    warm_up(play, WARM_UP_STEPS * player["batch"])
    print(version(player["library"].replace("_", "-")), file=answers, flush=True)
    for line in sys.stdin:
        print(rate(play, float(line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
