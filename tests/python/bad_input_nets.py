"""The same as `bad_input_calls.py` for nets and replays, as arrays and as modules of PyTorch."""

from __future__ import annotations

import importlib.util

import numpy as np

import bad_values as kinds
import mancala_rl as mrl
import shards
from bad_input_calls import FOLDER, PLACES, START, arg, states
from bad_values import Kind, flag, game, instance, integer, whole
from nets import random_tensors

GAME = "giuthi-3x3"
SIZES = {"channels": 6, "blocks": 1, "policy_hidden": 5, "value_hidden": 4}
NAME = "block.0.first.weight"
"""One of the tensors, (6, 6)."""


def config(**changed):
    return mrl.NetConfig(GAME, **{**SIZES, **changed})


TENSORS = random_tensors(config())
RUN = FOLDER / "a run with a replay"
shards.write_run(RUN, GAME, iterations=1, games=2)
SHARD = RUN / "replay" / "000001.shard"


def net():
    return mrl.NativeNet.from_tensors(config(), TENSORS)


def positions():
    return mrl.ReplayPositions([SHARD])


COUNT = len(positions())


def is_tensor(value):
    """Whether it may be the one of that name."""
    is_array = isinstance(value, np.ndarray) and value.dtype == np.float32 and value.dtype.isnative
    return is_array and value.shape == (6, 6) and bool(np.isfinite(value).all())


def infinite():
    changed = TENSORS[NAME].copy()
    changed[2, 3] = np.inf
    return changed


tensor = Kind(
    is_tensor,
    (
        TENSORS[NAME].astype("f8"),
        TENSORS[NAME].astype(">f4"),
        TENSORS[NAME].tolist(),
        TENSORS[NAME][1:],
        TENSORS[NAME].ravel(),
        infinite(),
        np.full((6, 6), np.nan, np.float32),
    ),
)
tensors = Kind(
    lambda value: False,
    (
        {name: TENSORS[name] for name in TENSORS if name != NAME},
        {**TENSORS, 1: TENSORS[NAME]},
        {**TENSORS, "more": TENSORS[NAME]},
        {**TENSORS, "x" * 10_000: TENSORS[NAME]},
        {**TENSORS, kinds.SURROGATE: TENSORS[NAME]},
        {**TENSORS, kinds.Unwritable(): TENSORS[NAME]},
        list(TENSORS.items()),
    ),
    lambda value: [{name: value[name] for name in reversed(value)}, {kinds.Str(name): value[name] for name in value}],
)
of_net = instance(mrl.NetConfig, GAME, SIZES, mrl.NetConfig)
what = Kind(
    lambda value: isinstance(value, str) and value.startswith(("giuthi-", "kiothi")),
    ("giuthi", "giuthi-6x6\0", str(FOLDER), FOLDER, b"giuthi-6x6", "net:giuthi-6x6"),
    lambda value: [kinds.Str(value), np.str_(value)],
    (OSError,),
)


def are_indices(value, low=0):
    """Whether a batch may be made of them."""
    try:
        numbers = [whole(number) for number in value]
    except Exception:
        return False
    return len(numbers) > 0 and all(number is not None and low <= number < COUNT for number in numbers)


indices = Kind(
    are_indices,
    ([COUNT], [0, -1], [0, 1.0], [True], ["0"], 0, np.zeros((2, 1), int), [0, kinds.HUGE], [[0]]),
    lambda value: [tuple(value), np.array(value), np.array(value, "u1"), iter(value), [kinds.Index(i) for i in value]],
    (IndexError,),
)
files = Kind(
    lambda value: False,
    ([], str(SHARD), SHARD, [SHARD, 3], [SHARD, ""], ["a\0b"], [SHARD, SHARD / "none"], [b"name"], [FOLDER]),
    lambda value: [tuple(value), iter(value), [str(file) for file in value], np.array([str(file) for file in value])],
    (OSError,),
)

CALLS = {
    "NetConfig": {
        "game": arg(GAME, game),
        "channels": arg(6, integer(1, 16384)),
        "blocks": arg(1, integer(0, 1000)),
        "policy_hidden": arg(5, integer(1, 16384)),
        "value_hidden": arg(4, integer(1, 16384)),
        "count_levels": arg(6, integer(0, 256).optional()),
        "reply_features": arg(True, flag.optional()),
        "capture_search": arg(False, flag.optional()),
        "afterstates": arg(False, flag.optional()),
        "policy_blocks": arg(1, integer(0, 1000).optional()),
        "margin": arg(True, flag.optional()),
    },
    "NetConfig.inputs": {"states": arg([START], states)},
    "NativeNet": {"what": arg("giuthi-5x4", what, r"\bwhat\b", "net")},
    "NativeNet.from_tensors": {"config": arg(config(), of_net), "tensors": arg(TENSORS, tensors, "tensors")},
    "NativeNet.from_tensors#one": {
        "config": arg(config(), of_net),
        "tensor": arg(
            TENSORS[NAME], tensor, f"tensors.*{NAME}", wrap=lambda value: {"tensors": {**TENSORS, NAME: value}}
        ),
    },
    "NativeNet.outputs": {"states": arg([START], states)},
    "ReplayPositions": {"files": arg([SHARD], files, "files", "replay shard")},
    "ReplayPositions.batch": {"config": arg(config(), of_net), "indices": arg([1, 0, 1], indices)},
}
OWNERS = {
    "NetConfig": config,
    "NetInputs": lambda: config().inputs([START]),
    "NativeNet": net,
    "NetOutputs": lambda: net().outputs([START]),
    "ReplayPositions": positions,
    "ReplayBatch": lambda: positions().batch(config(), [0]),
}
STANDS = {
    "NativeNet": lambda net: net.to_bytes(),
    "ReplayPositions": lambda positions: (len(positions), positions.files),
}
TAKE_ANYTHING = {}

if importlib.util.find_spec("torch") is not None:
    import torch

    from mancala_rl import torch as mt

    def module():
        made = mt.Net(config())
        made.load_state_dict({name: torch.from_numpy(tensor.copy()) for name, tensor in TENSORS.items()})
        return made

    CALLS |= {
        "load": {"what": arg("giuthi-5x4", what, r"\bwhat\b", "net")},
        "save": {"net": arg(module(), instance(mt.Net, TENSORS, mt.Net)), "path": arg(FOLDER / "saved", kinds.file)},
        "Net": {"config": arg(config(), of_net)},
        "Net.inputs": {"states": arg([START], states)},
        "Net.forward": {
            "inputs": arg(module().inputs([START]), instance(mt.Inputs, config().inputs([START]), (), [START]))
        },
        "Inputs.of": {"arrays": arg(config().inputs([START]), instance(mrl.NetInputs, PLACES, mt.Inputs))},
        "Batch.of": {
            "arrays": arg(positions().batch(config(), [0]), instance(mrl.ReplayBatch, config().inputs([START])))
        },
        "ReplayDataset": {"folder": arg(RUN, kinds.file), "config": arg(config(), of_net)},
    }
    OWNERS |= {
        "Net": module,
        "Inputs": lambda: module().inputs([START]),
        "Outputs": lambda: module()(module().inputs([START])),
        "Batch": lambda: mt.Batch.of(positions().batch(config(), [0])),
        "ReplayDataset": lambda: mt.ReplayDataset(RUN, config()),
    }
    STANDS["Net"] = lambda net: net.state_dict()
    TAKE_ANYTHING |= {
        **dict.fromkeys(("Inputs", "Outputs", "Batch"), "a named tuple of tensors"),
        **dict.fromkeys(("Inputs.to", "Batch.to"), "what `torch.Tensor.to` takes, which refuses the rest"),
    }
