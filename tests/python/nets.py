"""Small nets in files, as `mancala train` writes them."""

import json
import zlib
from pathlib import Path

import numpy as np

import mancala_rl as mrl

SHIPPED = sorted(file.stem for file in (Path(__file__).parents[2] / "search" / "nets").glob("*.safetensors"))
"""The nets that ship, by name."""


def net_bytes(game, channels=4, hidden=3, seed=0, told=None):
    """A net with random weights, a safetensors file with the header of `mancala_search::net::NetHeader`; `told` is said of sizes besides."""
    state = mrl.State(game)
    header = {
        "game": state.game,
        "rules_version": state.rules_version,
        "observation_version": state.observation_version,
        "observation": state.observation_len,
        "actions": state.num_actions,
        "features": mrl.ACTION_FEATURES,
        "net": {"channels": channels, "blocks": 0, "policy_hidden": hidden, "value_hidden": hidden, **(told or {})},
    }
    shapes = {
        "input.weight": (channels, state.observation_len),
        "input.bias": (channels,),
        "policy.trunk.weight": (hidden, channels),
        "policy.trunk.bias": (hidden,),
        "value.hidden.weight": (hidden, channels + 2 * hidden),
        "value.hidden.bias": (hidden,),
        "value.output.weight": (3, hidden),
        "value.output.bias": (3,),
        "policy.features.weight": (hidden, mrl.ACTION_FEATURES),
        "policy.actions.weight": (state.num_actions, hidden),
        "policy.output.weight": (hidden,),
    }
    rng = np.random.default_rng(seed)
    contents = {"__metadata__": {"mancala": json.dumps(header)}}
    data = b""
    for name, shape in shapes.items():
        values = rng.normal(size=shape).astype("<f4").tobytes()
        contents[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    head = json.dumps(contents).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + data


def write_checkpoint(folder, data):
    """A checkpoint's folder with a net and the manifest that lists it."""
    folder.mkdir(parents=True)
    (folder / "net.safetensors").write_bytes(data)
    listed = {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "files": {"net.safetensors": listed}}))


FULL = {
    "channels": 24,
    "blocks": 2,
    "policy_hidden": 16,
    "value_hidden": 12,
    "count_levels": 6,
    "reply_features": True,
    "capture_search": True,
    "afterstates": True,
    "policy_blocks": 2,
}
"""Sizes of a net that has all there is but a margin head."""

SIZES = {
    "plain": {"channels": 24, "blocks": 2, "policy_hidden": 16, "value_hidden": 12},
    "smallest": {"channels": 1, "blocks": 0, "policy_hidden": 1, "value_hidden": 1},
    "margin": {"channels": 24, "blocks": 1, "policy_hidden": 16, "value_hidden": 12, "margin": True},
    "counts": {"channels": 24, "blocks": 1, "policy_hidden": 16, "value_hidden": 12, "count_levels": 5},
    "replies": {"channels": 24, "blocks": 1, "policy_hidden": 16, "value_hidden": 12, "reply_features": True},
    "full": FULL,
    "full with margin": {**FULL, "margin": True},
}


def random_tensors(config, seed=0):
    """Weights that are not near 0 anywhere, so that every layer matters."""
    rng = np.random.default_rng(seed)
    tensors = {}
    for name, shape in config.tensors():
        inputs = config.num_pits if name.endswith(".counts.weight") else shape[-1]
        tensors[name] = rng.normal(0, 0.7 / np.sqrt(inputs), shape).astype(np.float32)
    return tensors


def some_positions(game, count, seed=0, **options):
    """Positions that go on, whole random games one after the other, each with its history."""
    rng = np.random.default_rng(seed)
    states = []
    while True:
        state = mrl.State(game, **options)
        while not state.is_over:
            states.append(state.copy())
            if len(states) == count:
                return states
            state.play(int(rng.choice(state.legal_actions())))
