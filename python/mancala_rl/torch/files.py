"""Nets from files and into files."""

from __future__ import annotations

import os
from pathlib import Path

import torch

from .. import _arguments
from .._core import NativeNet
from .net import Net

_CHECKPOINT_NET = "net.safetensors"
_MANIFEST = "manifest.json"


def load(what: str | os.PathLike[str]) -> Net:
    """Loads a net, on the CPU and in training mode as every new module; ``net.to("cuda")`` moves it.

    Args:
        what: What an agent's spec ``"net:WHAT"`` names: a net that ships (``"giuthi-6x6"``), a run's folder, a checkpoint's, or a
            ``.safetensors`` file.

    Raises:
        TypeError: If ``what`` is no path.
        FileNotFoundError: If there is no such net, or it cannot be read.
        ValueError: If it is damaged, altered, or of other rules or observations than this version's.
    """
    native = NativeNet(_arguments.path("what", what))
    net = Net(native.config)
    net.load_state_dict({name: torch.from_numpy(array) for name, array in native.tensors().items()})
    return net


def save(net: Net, path: str | os.PathLike[str]) -> None:
    """Writes a net to a file that :func:`load`, ``mrl.agent("net:FILE,sims=64")`` and the ``mancala`` command read.

    The file is there whole or not at all; one that was there is replaced.

    Args:
        net: On whatever device; weights of another dtype are written as float32.
        path: The file, usually ``NAME.safetensors``.

    Raises:
        TypeError: If ``net`` is no :class:`Net`, or ``path`` is none.
        ValueError: If no file can have such a name, a weight is not finite, tensors have been added to the net or taken from it, or the file is part of a checkpoint,
            whose manifest would no longer agree.
        OSError: If it cannot be written.
    """
    if not isinstance(net, Net):
        raise TypeError(f"net is a mancala_rl.torch.Net, not {type(net).__name__}")
    file = Path(_arguments.path("path", path))
    if file.name == _CHECKPOINT_NET and file.with_name(_MANIFEST).exists():
        raise ValueError(f"path: {file} is part of a checkpoint, whose {_MANIFEST} lists it: choose another name")
    tensors = {
        name: tensor.detach().to("cpu", torch.float32).contiguous().numpy() for name, tensor in net.state_dict().items()
    }
    _write(file, NativeNet.from_tensors(net.config, tensors).to_bytes())


def _write(file: Path, data: bytes) -> None:
    """Writes under a temporary name, syncs and renames."""
    if file.is_dir():
        raise IsADirectoryError(f"path: {file} is a folder")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"path: there is no folder {file.parent}")
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        with temporary.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "nt":
        return  # Windows opens no folders, and needs none to be written out.
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
