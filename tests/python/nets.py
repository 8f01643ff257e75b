"""Small nets in files, as `mancala train` writes them."""

import json
import zlib

import numpy as np

import mancala_rl as mrl


def net_bytes(game, channels=4, hidden=3, seed=0):
    """A net with random weights, a safetensors file with the header of `mancala_search::net::NetHeader`."""
    state = mrl.State(game)
    header = {
        "game": state.game,
        "rules_version": state.rules_version,
        "observation_version": state.observation_version,
        "observation": state.observation_len,
        "actions": state.num_actions,
        "features": mrl.ACTION_FEATURES,
        "net": {"channels": channels, "blocks": 0, "policy_hidden": hidden, "value_hidden": hidden},
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
