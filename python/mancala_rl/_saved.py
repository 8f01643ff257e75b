"""Saved states of environments that are played in Python, in the frame of `docs/file-formats.md`: a line, JSON, a CRC-32."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arguments

if TYPE_CHECKING:
    import numpy.typing as npt

_SUM = 4
_LONGEST = 40


def seal(line: str, data: Any) -> npt.NDArray[np.uint8]:
    """Data as an array, ``(N,)``: the line says what it is and in which version."""
    content = f"{line}\n{json.dumps(data, separators=(',', ':'))}".encode("ascii")
    return np.frombuffer(content + zlib.crc32(content).to_bytes(_SUM, "little"), np.uint8).copy()


def unseal(line: str, state: Any) -> Any:
    """What was sealed under the same line; a ValueError that names what is wrong."""
    saved = _arguments.saved(state)
    head = line.encode("ascii") + b"\n"
    if not saved.startswith(head):
        found = saved[:_LONGEST].split(b"\n")[0].decode("utf-8", "replace")
        raise ValueError(f'state: it begins with "{found}"; what is restored here begins with "{line}"')
    content, checksum = saved[:-_SUM], saved[-_SUM:]
    if len(content) < len(head) or zlib.crc32(content) != int.from_bytes(checksum, "little"):
        raise ValueError(f"state: damaged: its {len(saved)} bytes and their checksum do not agree")
    try:
        return json.loads(content[len(head) :])
    except (RecursionError, ValueError) as error:
        raise ValueError(f"state: {error}") from None


def check(saved: dict[str, Any], here: dict[str, Any]) -> None:
    """Refuses a state of another kind of environment: names in what they differ."""
    for what, value in here.items():
        if saved.get(what) != value:
            raise ValueError(f"state: saved with {what}={saved.get(what)}, but here it is {value}")
