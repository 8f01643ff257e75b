"""`ReplayDataset`: the positions of a run for PyTorch's loaders."""

import shutil

import numpy as np
import pytest

import shards
from nets import FULL

torch = pytest.importorskip("torch", reason="mancala_rl.torch is tested with PyTorch: make torch")

from torch.nn.functional import cross_entropy  # noqa: E402
from torch.utils.data import BatchSampler, DataLoader, RandomSampler  # noqa: E402

from mancala_rl import torch as mt  # noqa: E402

# On few rows a second thread only waits.
torch.set_num_threads(1)


def test_a_dataset_is_found_in_a_run(tmp_path):
    games = shards.write_run(tmp_path / "run", "giuthi-4x3", iterations=3)
    config = mt.NetConfig("giuthi-4x3", **FULL)
    dataset = mt.ReplayDataset(tmp_path / "run", config)
    assert len(dataset) == sum(len(game.moves) for game in games)
    shutil.copytree(tmp_path / "run" / "replay", tmp_path / "alone")
    assert len(mt.ReplayDataset(tmp_path / "alone", config)) == len(dataset)
    assert len(mt.ReplayDataset(str(tmp_path / "alone" / "000002.shard"), config)) < len(dataset)
    (tmp_path / "empty").mkdir()
    for folder, match in [("empty", "empty holds no replay shards"), ("absent", "there is no .*absent")]:
        with pytest.raises(FileNotFoundError, match=match):
            mt.ReplayDataset(tmp_path / folder, config)
    with pytest.raises(ValueError, match="giuthi-4x4, and the positions in .*run are of giuthi-4x3"):
        mt.ReplayDataset(tmp_path / "run", mt.NetConfig("giuthi-4x4", **FULL))
    with pytest.raises(TypeError, match="config is a NetConfig"):
        mt.ReplayDataset(tmp_path / "run", "giuthi-4x3")


def test_items_and_batches(tmp_path):
    shards.write_run(tmp_path, "giuthi-4x3")
    dataset = mt.ReplayDataset(tmp_path, mt.NetConfig("giuthi-4x3", **FULL))
    batch = dataset[[3, 0, 7]]
    assert isinstance(batch, mt.Batch) and batch.policy.shape == (3, 8) and batch.wdl.shape == (3, 3)
    assert batch.has_policy.dtype == batch.has_value.dtype == torch.bool
    for row, index in enumerate([3, 0, 7]):
        one = dataset[index]
        for name in ("policy", "has_policy", "wdl", "value", "has_value", "margin"):
            assert torch.equal(getattr(one, name)[0], getattr(batch, name)[row])
        assert torch.equal(one.inputs.observations[0], batch.inputs.observations[row])
        assert torch.equal(one.inputs.features, batch.inputs.features[batch.inputs.rows == row])
    last = len(dataset) - 1
    assert torch.equal(dataset[-1].policy, dataset[last].policy)
    assert torch.equal(dataset[np.int64(last)].policy, dataset[np.array([last])].policy)
    for bad in (len(dataset), -len(dataset) - 1, [0, len(dataset)], 10**5000):
        with pytest.raises(IndexError, match=f"index .* is not among {len(dataset)} positions"):
            dataset[bad]
    for bad, error, match in [
        ("1", TypeError, r"index\[0\] is an int, not str"),
        ([0, 1.0], TypeError, r"index\[1\] is an int, not float"),
        (True, TypeError, "index is an int or a list of ints, not bool"),
        (None, TypeError, "index is an int or a list of ints, not NoneType"),
        ([], ValueError, "index is empty"),
    ]:
        with pytest.raises(error, match=match):
            dataset[bad]
    assert torch.equal(dataset[torch.tensor(3)].policy, dataset[torch.tensor([3])].policy)
    moved = batch.to("cpu", copy=True)
    assert isinstance(moved, mt.Batch) and torch.equal(moved.inputs.rows, batch.inputs.rows)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_learns(tmp_path, workers):
    shards.write_run(tmp_path, "giuthi-4x3")
    torch.manual_seed(1)
    net = mt.Net(mt.NetConfig("giuthi-4x3", **FULL))
    dataset = mt.ReplayDataset(tmp_path, net.config)
    sampler = BatchSampler(RandomSampler(dataset), batch_size=32, drop_last=False)
    loader = DataLoader(dataset, sampler=sampler, batch_size=None, num_workers=workers)
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)
    losses = []
    for _ in range(12 if workers == 0 else 1):
        total = 0.0
        for batch in loader:
            outputs = net(batch.inputs)
            loss = cross_entropy(outputs.logits, batch.policy) + cross_entropy(outputs.wdl_logits, batch.wdl)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(batch.policy)
        losses.append(total / len(dataset))
    assert np.isfinite(losses).all()
    assert workers or losses[-1] < losses[0] - 0.2, losses
