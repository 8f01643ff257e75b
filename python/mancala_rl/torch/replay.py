"""The positions that a run has played, as a dataset."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.data import Dataset

from .. import _arguments
from .._core import NetConfig, ReplayBatch, ReplayPositions
from .net import Inputs


class Batch(NamedTuple):
    """B positions with what is learned of them, in the view of the player to move."""

    inputs: Inputs
    """What the net reads."""
    policy: Tensor
    """The search's policy, ``(B, A)`` float32: rows add up to 1, or are all 0 where there is none."""
    has_policy: Tensor
    """Whether there is a policy, ``(B,)`` bool: not for forced moves and those that were searched fast."""
    wdl: Tensor
    """How the game ended, ``(B, 3)`` float32: 1 at win, draw or loss; a stopped game is a draw."""
    value: Tensor
    """The search's value, ``(B,)`` float32 from -1 to 1; 0 where there is none."""
    has_value: Tensor
    """Whether there is a value, ``(B,)`` bool: not for forced moves."""
    margin: Tensor
    """The seeds at the end more than the other had, as a share of all, ``(B,)`` float32 from -1 to 1; 0 for a draw."""

    @classmethod
    def of(cls, arrays: ReplayBatch) -> Batch:
        """The arrays as tensors that share their memory."""
        if not isinstance(arrays, ReplayBatch):
            raise TypeError(f"arrays is a mancala_rl.ReplayBatch, not {type(arrays).__name__}")
        targets = (arrays.policy, arrays.has_policy, arrays.wdl, arrays.values, arrays.has_value, arrays.margins)
        return cls(Inputs.of(arrays.inputs), *map(torch.from_numpy, targets))

    def to(self, *args: Any, **kwargs: Any) -> Batch:
        """All tensors, moved as ``Tensor.to`` does; give a device, not a dtype."""
        return Batch(self.inputs.to(*args, **kwargs), *(tensor.to(*args, **kwargs) for tensor in self[1:]))


class ReplayDataset(Dataset[Batch]):  # type: ignore[misc]
    """The positions of a run's replay shards, map-style.

    ``dataset[i]`` is a :class:`Batch` of one position, ``dataset[[i, j, ...]]`` one of many. Positions have different numbers of actions, which
    a loader's own collation cannot join: give batches of indices to the dataset::

        sampler = BatchSampler(RandomSampler(dataset), batch_size=512, drop_last=False)
        loader = DataLoader(dataset, sampler=sampler, batch_size=None)

    All positions are in memory, some hundred bytes each, in the order of the iterations, games and moves; those of openings are not among
    them. The dataset does not follow a run that goes on.

    Args:
        folder: A run's folder, its ``replay`` folder, or one ``.shard`` file.
        config: Of the net that is to read them: ``net.config``.

    Raises:
        TypeError: If ``folder`` is no path, or ``config`` no :class:`mancala_rl.NetConfig`.
        FileNotFoundError: If there is no such folder or file, or no shard in it.
        ValueError: If a shard is damaged, or of another game, other rules or another seed than the rest or the name says: names the
            file. If the net is for another game.
    """

    def __init__(self, folder: str | os.PathLike[str], config: NetConfig) -> None:
        if not isinstance(config, NetConfig):
            raise TypeError(f"config is a NetConfig, not {type(config).__name__}")
        self.config = config
        """Of the net that reads the positions."""
        self.positions = ReplayPositions(_shards(Path(_arguments.path("folder", folder))))
        """The positions, as arrays of NumPy."""
        if config.game != self.positions.game:
            game = self.positions.game
            raise ValueError(f"config is of a net for {config.game}, and the positions in {folder} are of {game}")

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: int | Iterable[int]) -> Batch:
        """One position, or many. IndexError if there is no such position; negative numbers count from the end."""
        length, numbers = len(self), _numbers(index)
        for number in numbers:
            if not -length <= number < length:
                raise IndexError(f"index {_arguments.shown(number)} is not among {length} positions")
        return Batch.of(self.positions.batch(self.config, [i + length if i < 0 else i for i in numbers]))


def _numbers(index: int | Iterable[int]) -> list[int]:
    """One index, or those of an iterable."""
    try:
        return [_arguments.index("index", index)]
    except TypeError:
        try:
            each = iter(index)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"index is an int or a list of ints, not {type(index).__name__}") from None
    numbers = [_arguments.index(f"index[{at}]", one) for at, one in enumerate(each)]
    if not numbers:
        raise ValueError("index is empty: there is nothing to read")
    return numbers


def _shards(folder: Path) -> list[Path]:
    """The shards of a run's folder, of a replay folder, or the file alone; by iteration."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise FileNotFoundError(f"folder: there is no {folder}")
    for place in (folder / "replay", folder):
        shards = [file for file in place.glob("*.shard") if len(file.stem) >= 6 and file.stem.isdecimal()]
        if shards:
            return sorted(shards, key=lambda file: int(file.stem))
    raise FileNotFoundError(
        f"folder: {folder} holds no replay shards (looked for replay/NNNNNN.shard and NNNNNN.shard)"
    )
