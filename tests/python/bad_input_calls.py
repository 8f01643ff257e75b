"""What `mancala_rl` can be called with: of every argument a value that is right, and the kind that tells which are not."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import bad_values as kinds
import mancala_rl as mrl
from bad_values import Kind, flag, function, game, instance, integer, never, number, position, seed, text, whole, word
from evaluators import uniform
from tables import table

OMIT = object()
"""An argument that is best left out."""

_FOLDER = tempfile.TemporaryDirectory(prefix="bad-input")
FOLDER = Path(_FOLDER.name)
CONFIG = FOLDER / "config.toml"
CONFIG.write_text("")


@dataclass(frozen=True)
class Argument:
    """One argument of a call."""

    value: Any
    kind: Kind
    said: tuple[str, ...]
    """What an error may call it."""
    wrap: Callable[[Any], dict[str, Any]] | None
    """Where the argument stands, if it is part of another one."""


def arg(value, kind, *said, wrap=None):
    return Argument(value, kind, said, wrap)


START = mrl.State("giuthi-3x3")
PLACES = "3,3,3/3,3,3 0 0 p1"
MIDGAME = mrl.State.from_position("giuthi-3x3", "1,0,5/4,4,4 0 0 p1")


def replayed():
    return mrl.replay("giuthi-3x3", [0])


OWNERS = {
    "State": MIDGAME.copy,
    "Played": lambda: START.copy().play(0),
    "Lap": lambda: START.trace(0).laps[0],
    "Trace": lambda: START.trace(0),
    "Agent": lambda: mrl.agent("greedy"),
    "Analysis": lambda: mrl.agent("greedy").analyze(START),
    "MatchResult": lambda: mrl.match("giuthi-3x3", "random", "random", 2),
    "MatchSide": lambda: mrl.match("giuthi-3x3", "random", "random", 2).a,
    "SprtResult": lambda: mrl.match("giuthi-3x3", "random", "random", 2, sprt=(0, 10)).sprt,
    "Tablebase": table,
    "Probe": lambda: table().probe(mrl.State("giuthi-3x2")),
    "Probes": lambda: table().probe_many(np.full((3, 6), 2, np.uint8)),
    "Judgement": lambda: table().judge(mrl.State("giuthi-3x2"))[0],
    "SearchResult": lambda: mrl.mcts([START], uniform, 2),
    "LeafBatch": lambda: _batch(),
    "Replay": replayed,
}
"""Of each class something to call the methods of."""

STANDS = {"State": lambda state: (state.copy(), state.history()), "Replay": lambda page: (page.title, page.actions)}
"""What must be after a call that was refused as it was before; of other classes their repr."""


def _batch():
    kept = []
    mrl.mcts([START], lambda batch: kept.append(batch) or uniform(batch), 0)
    return kept[0]


def is_legal(value):
    return whole(value) in MIDGAME.legal_actions()


def is_dtype(*dtypes):
    def right(value):
        try:
            return np.dtype(value) in [np.dtype(dtype) for dtype in dtypes]
        except Exception:
            return False

    same = lambda value: [np.dtype(value), np.dtype(value).type]  # noqa: E731
    return Kind(right, ("float64", ">f4", "no dtype", "f4,", "(2", "u1,f4", np.float64), same)


def are_states(value):
    try:
        items = list(value)
    except Exception:
        return False
    return all(isinstance(item, mrl.State) for item in items)


def is_spec(value):
    starts = ("random", "greedy", "alphabeta", "mcts", "net", "tablebase")
    return (isinstance(value, str) and value.startswith(starts)) or isinstance(value, mrl.Agent)


def plays(method):
    return Kind(lambda value: is_spec(value) or callable(getattr(value, method, None)))


SPECS = (
    "nobody",
    "random:seed=1",
    "alphabeta:depth=0",
    f"alphabeta:depth={2**70}",
    "mcts:sims=nan",
    "net:,sims=1",
    "random\0",
)
state = instance(mrl.State, PLACES, [START], mrl.State)
states = Kind(are_states, (START, [START, PLACES], [[START]], START.copy))
spec = Kind(lambda value: isinstance(value, str) and is_spec(value) and value not in SPECS, SPECS)
names = Kind(
    lambda value: isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(name, str) for name in value),
    (("a",), ("a", 1), ("a", "b", "c"), "ab", {"a", "b"}),
)


def is_interval(value):
    if not isinstance(value, tuple) or len(value) != 2 or not all(type(elo) in (int, float) for elo in value):
        return False
    return -10_000 <= value[0] < value[1] <= 10_000


even = Kind(lambda value: (whole(value) or 1) % 2 == 0 and 2 <= whole(value) <= 10**6, (0, 1, 3, -2, 10**6 + 2, 2.0))
sprt = Kind(
    lambda value: value is None or is_interval(value),
    (
        (0,),
        (0, 1, 2),
        (5, 5),
        (1, 0),
        (0, float("nan")),
        (0, float("inf")),
        (True, 2),
        ("0", "1"),
        [0, 10],
        (0, kinds.HUGE),
    ),
)


def is_leads(value):
    try:
        numbers = list(value) if np.shape(value) else [value] * 3
    except Exception:
        return False
    return len(numbers) == 3 and all(whole(number) is not None and abs(whole(number)) < 2**63 for number in numbers)


def are_boards(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iu" and value.ndim == 2 and value.shape[1] in (6, 11)
    try:
        return len(list(value)) == 0
    except Exception:
        return False


def are_overrides(value):
    return value is None or isinstance(value, Mapping) and all(map(_can_stand, value, value.values()))


def _can_stand(key, value):
    try:
        return isinstance(key, str) and b"\0" not in f"{key}{value}".encode()
    except Exception:
        return False


OPTIONS = {"capture": arg("any", word("any", "occupied")), "nonsense": arg(OMIT, never())}
KIOTHI = {
    "game": arg("kiothi-3x1", game),
    "one_warrior_multiplier": arg(2.0, number(1, 3.4e38)),
    "capture": arg(OMIT, never("any")),
}
CONFIGURED = {
    "states": arg([START], states),
    "evaluate": arg(uniform, function),
    "sims": arg(2, integer(0, 10_000_000).optional()),
    "contempt": arg(0.5, number(0, 1).optional()),
    "seed": arg(1, seed.optional()),
    "action_features": arg("dense", word("dense", "ragged").optional()),
}
BUILT = {
    "file": arg(FOLDER / "built.tb", kinds.file),
    "pits": arg(2, integer(2, 10)),
    "seeds": arg(4, integer(0, 2**32 - 1)),
    "capture": arg("any", word("any", "occupied").optional()),
    "threads": arg(1, integer(1, 1024).optional()),
    "memory": arg(10**6, integer(0, 2**64 - 1).optional()),
}
REPLAYED = {
    "players": arg(("one", "two"), names.optional()),
    "title": arg("a title", text(lambda value: True).optional()),
    "flip": arg(True, flag),
}
DRAWN = {
    "state": arg(START, state),
    "last_move": arg(True, flag),
    "flip": arg(False, flag),
    "players": arg(("one", "two"), names),
}


def are_moves(value):
    """Whether a game of giuthi-3x3 may begin so."""
    state = START.copy()
    try:
        if isinstance(value, (str, bytes, Set, Mapping)):
            return False
        for move in value:
            state.play(move if isinstance(move, str) else whole(move))
    except (TypeError, ValueError):
        return False
    return True


def lines(value):
    """Whether `replay` may take it for a game."""
    return isinstance(value, mrl.State) or isinstance(value, str) and value.startswith(("giuthi", "kiothi"))


def record(**changed):
    return {"game": "giuthi-3x3", "actions": [0], "a": "one", "b": "two", "a_plays": 1, **changed}


def part_of_record(name, value, kind, *said):
    return arg(value, kind, *said, wrap=lambda value: {"game": record(**{name: value})})


CALLS = {
    "State": {"game": arg("giuthi-3x3", game), **OPTIONS},
    "State#kiothi": KIOTHI,
    "State.from_position": {"game": arg("giuthi-3x3", game), "position": arg(PLACES, position), **OPTIONS},
    "State.play": {"action": arg(4, Kind(is_legal, (-1, 6, 0, "9ccw", "0ccw\0", 0.0, [0])), "action", "move")},
    "State.trace": {"action": arg(4, Kind(is_legal, (-1, 6, 0, "9ccw", "0ccw\0", 0.0, [0])), "action", "move")},
    "State.action_name": {"action": arg(0, integer(0, 5))},
    "State.parse_action": {
        "text": arg("0ccw", text(lambda value: value == "0ccw", ("0CCW", "9cw", "0ccw\0")), "text", "move")
    },
    "State.observation": {"dtype": arg("uint8", is_dtype("f4", "u1").optional())},
    "agent": {
        "spec": arg("random", spec, "spec", "agent"),
        "game": arg(None, game.optional()),
        "seed": arg(7, seed.optional()),
    },
    "Agent.new_game": {"seed": arg(3, seed)},
    "Agent.act": {"state": arg(START, state)},
    "Agent.act_many": {"states": arg([START], states)},
    "Agent.analyze": {"state": arg(START, state)},
    "perft": {
        "game": arg("giuthi-3x3", game),
        "depth": arg(2, integer()),
        "position": arg(PLACES, position.optional()),
        **OPTIONS,
    },
    "match": {
        "game": arg("giuthi-3x3", game),
        "a": arg("random", plays("act_many"), "a is", "agent a"),
        "b": arg("greedy", plays("act_many"), "b is", "agent b"),
        "games": arg(2, even.optional()),
        "seed": arg(1, seed.optional()),
        "threads": arg(1, integer(1).optional()),
        "opening_plies": arg(2, integer().optional()),
        "lockstep": arg(1, integer(1).optional()),
        "results": arg(OMIT, kinds.file.optional()),
        "sprt": arg((0, 10), sprt),
        **OPTIONS,
    },
    "mcts": {
        **CONFIGURED,
        "selection": arg("gumbel", word("gumbel", "puct").optional()),
        "considered": arg(2, integer(1).optional()),
        "sigma_scale": arg(0.5, number(0, 1e6).optional()),
        "exploration": arg(OMIT, never(1.0).optional()),
        "noise_alpha": arg(OMIT, never(1.0).optional()),
        "noise_part": arg(OMIT, never(1.0).optional()),
    },
    "mcts#puct": {
        **CONFIGURED,
        "seed": arg(1, seed),
        "selection": arg("puct", word("puct")),
        "exploration": arg(1.0, number(0, 1e6).optional()),
        "noise_alpha": arg(1.0, number(1e-6, 1e6).optional()),
        "noise_part": arg(0.5, number(0, 1).optional()),
        "considered": arg(OMIT, never(1).optional()),
        "sigma_scale": arg(OMIT, never(1.0).optional()),
    },
    "Tablebase": {"file": arg(table().path, kinds.file)},
    "Tablebase.covers": {"state": arg(START, state)},
    "Tablebase.probe": {"state": arg(mrl.State("giuthi-3x2"), state)},
    "Tablebase.judge": {"state": arg(mrl.State("giuthi-3x2"), state)},
    "Tablebase.probe_many": {
        "boards": arg(np.ones((2, 6), int), Kind(are_boards, (np.ones(6, int), np.ones((2, 6)), [[1, 2], [1]]))),
        "outside": arg("raise", word("raise", "mask").optional()),
    },
    "Probes.values": {"leads": arg(0, Kind(is_leads, (np.zeros(2, int), [0, 0], "0", 2**63, [[0], [0, 1]])))},
    "build_tablebase": BUILT,
    "train": {
        "config": arg(CONFIG, kinds.file),
        "out": arg(FOLDER / "run", kinds.file),
        "seed": arg(1, seed.optional()),
        "iterations": arg(1, integer(1, 2**63 - 1).optional()),
        "resume": arg(False, flag),
        "overrides": arg({"net.width": 64}, Kind(are_overrides, ([("a", 1)], {1: 2}, {"a\0": 1}, {"a": "\0"}, "a=1"))),
        "binary": arg("/bin/true", kinds.file.optional()),
        "on_metrics": arg(print, function.optional()),
    },
    "find_binary": {"binary": arg("/bin/true", kinds.file.optional())},
    "render_svg": DRAWN,
    "render_rgb": {**DRAWN, "scale": arg(0.5, number(0.25, 8))},
    "Replay": {
        "game": arg(replayed()._game, never(START)),
        "title": arg(None, text(lambda value: True).optional()),
        "flip": arg(False, flag),
    },
    "Replay.save": {"path": arg(FOLDER / "page.html", kinds.file)},
    "replay": {
        "game": arg("giuthi-3x3", Kind(lines), "game", "actions", "options"),
        "actions": arg([0, "1ccw"], Kind(are_moves, ([99], [0, None], ["0ccw", "\0"], [[0]], b"0", {0}, {0: 1}))),
        **REPLAYED,
        **OPTIONS,
    },
    "replay#states": {
        "game": arg([START, MIDGAME][:1], Kind(lines, ([START, MIDGAME], [START, 0], []))),
        "actions": arg(OMIT, never([0]).optional()),
        **REPLAYED,
        "nonsense": arg(OMIT, never()),
    },
    "replay#record": {
        "game": part_of_record("game", "giuthi-3x3", game, "game"),
        "actions": part_of_record("actions", [0], Kind(are_moves, ([99], [0, None], {0: 1}, "0"))),
        "a_plays": part_of_record("a_plays", 0, integer(0, 1)),
        "a": part_of_record("a", "one", text(lambda value: True), "players"),
        "opening_plies": part_of_record("opening_plies", 0, integer(0, 2**31 - 1)),
        "rules_version": part_of_record(
            "rules_version",
            START.rules_version,
            Kind(lambda value: whole(value) == START.rules_version, (99,)),
            "rules.version",
        ),
    },
}
"""By name, and after a ``#`` what sets a second way to call the same thing apart."""
