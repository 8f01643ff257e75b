"""Our nets as PyTorch modules, and what they learn from as a dataset.

>>> import mancala_rl as mrl
>>> from mancala_rl import torch as mt
>>> net = mt.load("giuthi-6x6")
>>> outputs = net(net.inputs([mrl.State("giuthi-6x6")]))
>>> outputs.logits.shape, outputs.wdl.shape, outputs.value.shape
(torch.Size([1, 12]), torch.Size([1, 3]), torch.Size([1]))

``load`` reads whatever ``mrl.agent("net:WHAT")`` plays, ``save`` writes what it reads. ``Net(config)`` is a new net, ``ReplayDataset`` has the
positions of a run. ``docs/pytorch.md`` has an example of each. Needs PyTorch (``pip install "mancala-rl[torch]"``).
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError('mancala_rl.torch needs PyTorch: pip install "mancala-rl[torch]"') from error

from .._core import NetConfig
from .files import load, save
from .net import ILLEGAL_LOGIT, Inputs, Net, Outputs
from .replay import Batch, ReplayDataset

__all__ = ["ILLEGAL_LOGIT", "Batch", "Inputs", "Net", "NetConfig", "Outputs", "ReplayDataset", "load", "save"]
