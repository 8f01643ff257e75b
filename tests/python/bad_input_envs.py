"""The same as `bad_input_calls.py` for environments: makers, classes and their methods."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np

import bad_values as kinds
import mancala_rl as mrl
from bad_input_calls import OMIT, OPTIONS, PLACES, arg, is_dtype, plays, state
from bad_values import Kind, flag, game, instance, integer, seed, whole, word

LIMIT = 2**31 - 1
B = 3
START = [PLACES, None, PLACES]


def has(library):
    return importlib.util.find_spec(library) is not None


def opponent(value):
    return isinstance(value, type) is False and (plays("act_many").right(value) or plays("act").right(value))


COMMON = {
    "game": arg("giuthi-3x3", game),
    "max_plies": arg(50, integer(1, LIMIT).optional()),
    "random_opening_plies": arg(0, integer(0, LIMIT)),
    "observation_dtype": arg("uint8", is_dtype("f4", "u1")),
    "render_mode": arg("ansi", word("ansi", "rgb_array").optional()),
    **OPTIONS,
}
SEAT = {
    "opponent": arg("greedy", Kind(opponent, ("nobody", "random:x", mrl.Agent, mrl.State("giuthi")))),
    "player": arg(
        1, Kind(lambda value: value == "random" if isinstance(value, str) else integer(0, 1).right(value), (2, "0"))
    ),
    "illegal_action": arg("lose", word("raise", "lose")),
}
MANY = {
    # The largest is refused for the memory it would take.
    "num_envs": arg(
        B, Kind(lambda value: 0 < (whole(value) or 0) < LIMIT, (0, -1, 2.0, LIMIT, LIMIT + 1), errors=(MemoryError,))
    ),
    "seed": arg(5, seed),
}
ALONE = {
    "threads": arg(2, integer(1, LIMIT)),
    "random_first_player": arg(True, flag),
    "copy": arg(True, flag),
    "action_features": arg("dense", word("dense", "ragged").optional()),
}
UNSEEDED = {**MANY, "seed": arg(5, integer(0, 2**64 - B).optional())}


def default(value, kind):
    """Of an option that is for the other kind of games: only its default may be given."""
    return arg(value, Kind(lambda other: kind.right(other) and other == value, kind.near))


def part(name, value, kind, *said):
    return arg(value, kind, *said, wrap=lambda value: {"options": {name: value}})


def is_mask(value):
    return value is None or isinstance(value, np.ndarray) and value.dtype == bool and value.shape == (B,)


mask = Kind(is_mask, (np.zeros(2, bool), [0, 1, 0], np.zeros((B, 1), bool), True, [[True], [True, False]]))
options = Kind(lambda value: value is None or isinstance(value, dict), ([], "reset_mask", 1))
one_position = Kind(
    lambda value: value is None or isinstance(value, str) and "/" in value, ("3,3/3", PLACES + kinds.SURROGATE)
)
positions = Kind(
    lambda value: value is None,
    (PLACES, [None] * 2, [None] * 4, ["nonsense"] * B, [None, None, 3], [None, kinds.SURROGATE, None], {}, 3),
)


def are_actions(value):
    """Whether a step may take them."""
    try:
        numbers = list(value) if isinstance(value, (np.ndarray, Sequence)) else []
    except TypeError:
        return False
    return len(numbers) == B and all(whole(number) in range(6) for number in numbers)


ACTIONS = arg(
    np.zeros(B, int),
    Kind(
        are_actions,
        ([0, 0, 6], [0, -1, 0], [0, 0, 2**63], [0.0] * B, [True] * B, [0] * 4, np.zeros((B, 1), int), [[0], [0, 1], 0]),
        lambda value: [
            value.tolist(),
            value.astype("u1"),
            value.astype(">i4"),
            np.zeros((B, 2), "i2")[:, 1],
            tuple(value),
        ],
    ),
    "actions? ",
)
ONE_ACTION = arg(0, Kind(lambda value: whole(value) in range(6), (-1, 6, "0ccw", [0], np.zeros(1, int))), "action")


def begun(env):
    env.reset(seed=1)
    return env


OWNERS = {
    "MancalaEnv": lambda: begun(mrl.make("giuthi-3x3", "greedy")),
    "MancalaVecEnv": lambda: begun(mrl.make_vec("giuthi-3x3", B, action_features="ragged")),
    "MancalaOpponentVecEnv": lambda: begun(mrl.make_vec("giuthi-3x3", B, opponent="greedy")),
}


def saved(name):
    """What `set_state` takes: another state than the one that the environment is in."""
    env = OWNERS[name]()
    env.step(env.sample_actions())
    near = (b"mancala-rl opponent-vec-env 1\n{}", np.zeros((2, 2), "u1"), np.zeros(3), env.get_state()[:-1])
    return arg(env.get_state(), Kind(lambda value: False, near, lambda value: [value.tobytes()]), "state")


def resets(seed_kind):
    return {"seed": arg(1, seed_kind.optional()), "options": arg(OMIT, options)}


CALLS = {
    "make": {**COMMON, **SEAT},
    "make_vec": {
        **COMMON,
        **MANY,
        **ALONE,
        "opponent": arg(None, SEAT["opponent"].kind.optional()),
        "player": default(0, SEAT["player"].kind),
        "illegal_action": default("raise", SEAT["illegal_action"].kind),
    },
    "make_vec#opponent": {
        **COMMON,
        **MANY,
        **SEAT,
        "threads": default(1, integer(1, LIMIT)),
        "random_first_player": default(False, flag),
        "copy": default(True, flag),
        "action_features": default(None, word("dense", "ragged").optional()),
    },
    "MancalaEnv": {**COMMON, **SEAT},
    "MancalaVecEnv": {**COMMON, **MANY, **ALONE},
    "MancalaOpponentVecEnv": {**COMMON, **UNSEEDED, **SEAT},
    "MancalaEnv.reset": {**resets(seed), "position": part("position", PLACES, one_position)},
    "MancalaEnv.step": {"action": ONE_ACTION},
    "MancalaVecEnv.reset": {**resets(seed)},
    "MancalaVecEnv.reset#reset_mask": {"reset_mask": part("reset_mask", np.ones(B, bool), mask)},
    "MancalaVecEnv.reset#positions": {"positions": part("positions", START, positions, "position")},
    "MancalaVecEnv.step": {"actions": ACTIONS},
    "MancalaVecEnv.action_features": {"layout": arg("ragged", word("ragged", "dense"))},
    "MancalaVecEnv.set_state": {"state": saved("MancalaVecEnv")},
    "MancalaOpponentVecEnv.reset": {**resets(integer(0, 2**64 - B))},
    "MancalaOpponentVecEnv.reset#reset_mask": {"reset_mask": part("reset_mask", np.ones(B, bool), mask)},
    "MancalaOpponentVecEnv.reset#positions": {"positions": part("positions", START, positions, "position")},
    "MancalaOpponentVecEnv.step": {"actions": ACTIONS},
    "MancalaOpponentVecEnv.set_state": {"state": saved("MancalaOpponentVecEnv")},
}

STANDS = {
    "MancalaEnv": lambda env: (env.state, env._episode.saved(), env.np_random.bit_generator.state, env.np_random_seed),
    "MancalaVecEnv": lambda env: (env.get_state(), env.np_random_seed, env.closed),
    "MancalaOpponentVecEnv": lambda env: (env.get_state(), env.np_random_seed, env.closed),
}
AGENT = arg("player_0", word("player_0", "player_1"))

MISSING = set() if has("pettingzoo") else {"pettingzoo_env"}
"""What is there without its library, and then cannot be called."""

if has("pettingzoo"):
    CALLS |= {
        "pettingzoo_env": {**COMMON, "random_first_player": arg(True, flag)},
        "MancalaAECEnv": {**COMMON, "random_first_player": arg(True, flag)},
        "MancalaAECEnv.reset": {**resets(seed), "position": part("position", PLACES, one_position)},
        "MancalaAECEnv.step": {"action": ONE_ACTION},
        "MancalaAECEnv.observe": {"agent": AGENT},
        "MancalaAECEnv.observation_space": {"agent": AGENT},
        "MancalaAECEnv.action_space": {"agent": AGENT},
    }
    OWNERS["MancalaAECEnv"] = lambda: begun(mrl.pettingzoo_env("giuthi-3x3"))
    STANDS["MancalaAECEnv"] = lambda env: (
        env.game_state,
        env.agent_selection,
        env.infos,
        env.rewards,
        env._rng.bit_generator.state,
    )

if has("pyspiel"):
    import pyspiel

    import mancala_rl.openspiel as spiel

    GAME = pyspiel.load_game("mancala_rl_giuthi(pits=3,seeds=3)")
    PLAYER = arg(1, integer(0, 1))
    AT = arg(GAME.new_initial_state(), instance(spiel.MancalaState, mrl.State("giuthi-3x3"), GAME))

    def parameter(name, value, kind):
        return arg(value, kind, wrap=lambda value: {"params": {name: value}})

    params = arg(
        OMIT,
        Kind(
            lambda value: value is None or isinstance(value, dict) and not value,
            ({"nonsense": 1}, [("pits", 3)], "pits=3"),
        ),
    )
    plies = parameter("max_plies", 10, integer(1, LIMIT))
    CALLS |= {
        "GiuthiGame": {
            "params": params,
            "pits": parameter("pits", 3, integer(2, 10)),
            "seeds": parameter("seeds", 3, integer(2, 9)),
            "capture": parameter("capture", "any", word("any", "occupied")),
            "max_plies": plies,
        },
        "KiothiGame": {
            "params": params,
            "boma": parameter("boma", 3, integer(3, 6)),
            "warriors": parameter("warriors", 3, integer(1, 5)),
            "one_warrior_multiplier": parameter("one_warrior_multiplier", 2.0, kinds.number(1, 3.4e38)),
            "max_plies": plies,
        },
        "MancalaGame.new_initial_state": {"position": arg(PLACES, one_position)},
        "MancalaGame.make_py_observer": {
            "iig_obs_type": arg(None, instance(pyspiel.IIGObservationType).optional()),
            "params": params,
        },
        "MancalaState": {
            "game": arg(GAME, instance(spiel.MancalaGame, spiel.GiuthiGame)),
            "state": arg(mrl.State("giuthi-3x3"), state),
        },
        "MancalaObserver": {"game": arg(GAME, instance(spiel.MancalaGame)), "params": arg(None, params.kind)},
        "MancalaObserver.set_from": {"state": AT, "player": PLAYER},
        "MancalaObserver.string_from": {"state": AT, "player": PLAYER},
        "AgentBot": {"agent": arg("greedy", plays("act"), "agent", "spec"), "seed": arg(1, seed)},
        "AgentBot.restart_at": {"state": AT},
        "AgentBot.step": {"state": AT},
    }
    OWNERS |= {
        "MancalaGame": lambda: GAME,
        "GiuthiGame": lambda: GAME,
        "KiothiGame": lambda: pyspiel.load_game("mancala_rl_kiothi"),
        "MancalaState": GAME.new_initial_state,
        "MancalaObserver": GAME.make_py_observer,
        "AgentBot": lambda: spiel.AgentBot("greedy"),
    }
    STANDS["MancalaState"] = lambda at: (at.history(), at.mancala_state)
