"""What tests of saved states have in common."""

import zlib

import numpy as np


def flat(result):
    """All arrays of a step or reset, copied."""
    for part in result:
        if isinstance(part, dict):
            yield from flat(part[key] for key in sorted(part))
        else:
            yield np.array(part)


def equal(one, other):
    one, other = list(flat(one)), list(flat(other))
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_array_equal(a, b)


def shown(env):
    """Where all games stand, without a change."""
    return env.reset(options={"reset_mask": np.zeros(env.num_envs, bool)})


def sealed(state, change):
    """The state changed, and its checksum made to agree."""
    content = change(state.tobytes()[:-4])
    return content + zlib.crc32(content).to_bytes(4, "little")
