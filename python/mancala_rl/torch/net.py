"""The net of `docs/file-formats.md` as a module whose parameters have the names of the file's tensors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .._core import NetConfig, NetInputs, State

ILLEGAL_LOGIT = -1e9
"""The logit of an action that is not legal: no probability in float32, and finite, since infinity times a target of 0 is no number.

A net in float16, whose numbers do not go so far, has float16's lowest there."""


class Inputs(NamedTuple):
    """What a net reads of B positions; K legal actions in all. Dtypes and ranges are those of :class:`mancala_rl.NetInputs`."""

    observations: Tensor
    """``(B, D)`` float32, in the view of the player to move."""
    actions: Tensor
    """The legal actions, position after position, ``(K,)`` int64."""
    rows: Tensor
    """Which position each action belongs to, ``(K,)`` int64, ascending."""
    features: Tensor
    """What each action does, ``(K, F)`` float32."""
    counts: Tensor | None = None
    """Rows of the table of counts, ``(B, N)`` int64; None for a net without one."""
    after_counts: Tensor | None = None
    """Rows of the table of counts after actions, ``(any,)`` int64; None for a net without it."""
    after_offsets: Tensor | None = None
    """Where those of each action begin, ``(K,)`` int64; None likewise."""

    @classmethod
    def of(cls, arrays: NetInputs) -> Inputs:
        """The arrays as tensors that share their memory."""
        if not isinstance(arrays, NetInputs):
            raise TypeError(f"arrays is a mancala_rl.NetInputs, not {type(arrays).__name__}")
        return cls(
            *(None if (array := getattr(arrays, name)) is None else torch.from_numpy(array) for name in cls._fields)
        )

    def to(self, *args: Any, **kwargs: Any) -> Inputs:
        """All tensors, moved as ``Tensor.to`` does; give a device, not a dtype."""
        return Inputs(*(None if tensor is None else tensor.to(*args, **kwargs) for tensor in self))


class Outputs(NamedTuple):
    """What a net says of B positions, all of it in the view of the player to move."""

    logits: Tensor
    """Logits of all actions, ``(B, A)``; :data:`ILLEGAL_LOGIT` (in float16 its lowest number) where an action is not legal."""
    wdl_logits: Tensor
    """Logits of win, draw and loss, ``(B, 3)``."""
    margin: Tensor | None
    """The seeds expected at the end more than the other has, as a share of all, ``(B,)``; None without a margin head."""

    @property
    def policy(self) -> Tensor:
        """Probabilities of the actions, ``(B, A)``."""
        return self.logits.softmax(-1)

    @property
    def wdl(self) -> Tensor:
        """Probabilities of win, draw and loss, ``(B, 3)``."""
        return self.wdl_logits.softmax(-1)

    @property
    def value(self) -> Tensor:
        """The expected outcome, win less loss, ``(B,)`` from -1 to 1."""
        wdl = self.wdl
        return wdl[:, 0] - wdl[:, 2]


class _Block(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(self.first(x.relu()).relu())


class _Input(nn.Linear):  # type: ignore[misc]
    """A layer over the observation, with a table of counts beside it."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__(config.observation_len, config.channels)
        rows = config.num_pits * config.count_levels
        self.counts = nn.Embedding(rows, config.channels) if rows else None


class _Weights(nn.Module):  # type: ignore[misc]
    """A vector of weights, which no layer of torch has under the name ``weight``."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size))


class _Policy(nn.Module):  # type: ignore[misc]
    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        width = config.policy_hidden
        self.trunk = nn.Linear(config.channels, width)
        self.features = nn.Linear(config.num_features, width, bias=False)
        self.actions = nn.Embedding(config.num_actions, width)
        self.output = _Weights(width)
        rows = 2 * config.num_pits * config.count_levels
        self.counts = nn.EmbeddingBag(rows, width, mode="sum") if config.afterstates else None
        self.block = nn.ModuleList(_Block(width) for _ in range(config.policy_blocks))


class _Value(nn.Module):  # type: ignore[misc]
    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.hidden = nn.Linear(config.channels + 2 * config.policy_hidden, config.value_hidden)
        self.output = nn.Linear(config.value_hidden, 4 if config.margin else 3)


class Net(nn.Module):  # type: ignore[misc]
    """A policy-value net of ours, with new weights; :func:`load` makes one with those of a file.

    The names in ``state_dict()`` are those of the file's tensors. New weights come from torch's random numbers (``torch.manual_seed``)
    and are spread as ``mancala train`` spreads them: near the identity, with a policy near uniform.

    Args:
        config: What it is for and its sizes.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        if not isinstance(config, NetConfig):
            raise TypeError(f"config is a NetConfig, not {type(config).__name__}")
        self.config = config
        self.input = _Input(config)
        self.block = nn.ModuleList(_Block(config.channels) for _ in range(config.blocks))
        self.policy = _Policy(config)
        self.value = _Value(config)
        self.reset_parameters()

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def reset_parameters(self) -> None:
        """Draws new weights."""
        for name, parameter in self.named_parameters():
            if name.endswith(".bias"):
                parameter.zero_()
                continue
            # Of a table of counts a row a pit is added, whatever its width.
            inputs = self.config.num_pits if name.endswith(".counts.weight") else parameter.shape[-1]
            gain = 1.0
            if name == "policy.actions.weight":
                gain = 0.3
            elif name.endswith(".second.weight") or name in ("policy.output.weight", "value.output.weight"):
                gain = 0.1
            bound = gain * math.sqrt(3 / inputs)
            parameter.uniform_(-bound, bound)

    def inputs(self, states: Iterable[State]) -> Inputs:
        """What the net reads of states of its game, on the CPU; the tensors share the memory of ``config.inputs(states)``.

        Raises:
            TypeError, ValueError: If there are none, or one is of another game or finished: names its index.
        """
        return Inputs.of(self.config.inputs(states))

    def forward(self, inputs: Inputs) -> Outputs:
        """Judges positions.

        Raises:
            TypeError: If ``inputs`` is no :class:`Inputs`.
            ValueError: If it is without what this net reads.
        """
        if not isinstance(inputs, Inputs):
            raise TypeError(f"inputs is a mancala_rl.torch.Inputs, not {type(inputs).__name__}")
        x = self.input(inputs.observations)
        if self.input.counts is not None:
            x = x + self.input.counts(_given("counts", inputs.counts)).sum(1)
        for block in self.block:
            x = block(x)
        x = x.relu()

        rows, policy = inputs.rows, self.policy
        y = policy.trunk(x).index_select(0, rows) + policy.features(inputs.features) + policy.actions(inputs.actions)
        if policy.counts is not None:
            y = y + policy.counts(
                _given("after_counts", inputs.after_counts), _given("after_offsets", inputs.after_offsets)
            )
        for block in policy.block:
            y = block(y)
        y = y.relu()
        positions, actions = len(x), self.config.num_actions
        illegal = max(ILLEGAL_LOGIT, torch.finfo(y.dtype).min)
        logits = y.new_full((positions * actions,), illegal)
        logits = logits.index_copy(0, rows * actions + inputs.actions, y @ policy.output.weight)

        # Hidden units are never negative: beginning with 0 changes neither their sum nor their maximum.
        none = y.new_zeros(positions, y.shape[1])
        shares = torch.bincount(rows, minlength=positions).clamp(min=1).to(y.dtype)
        mean = none.index_add(0, rows, y) / shares.unsqueeze(1)
        most = none.scatter_reduce(0, rows.unsqueeze(1).expand_as(y), y, "amax")
        value = self.value.output(self.value.hidden(torch.cat((x, mean, most), 1)).relu())
        return Outputs(logits.view(positions, actions), value[:, :3], value[:, 3] if self.config.margin else None)

    def extra_repr(self) -> str:
        """What stands in the module's ``repr``: the config."""
        return repr(self.config)


def _given(name: str, tensor: Tensor | None) -> Tensor:
    if tensor is None:
        raise ValueError(f"inputs.{name} is None, and this net reads it: inputs are those of a net without")
    return tensor
