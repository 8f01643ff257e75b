"""`mancala_rl.torch`: nets as modules, against our own inference; files; memory that is shared with NumPy."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import mancala_rl as mrl
import shards
from nets import FULL, SHIPPED, SIZES, net_bytes, random_tensors, some_positions, write_checkpoint

torch = pytest.importorskip("torch", reason="mancala_rl.torch is tested with PyTorch: make torch")

from mancala_rl import torch as mt  # noqa: E402

# On few rows a second thread only waits.
torch.set_num_threads(1)


def compare(net, native, states, tolerance=1e-5):
    """The module says what our own inference says."""
    with torch.no_grad():
        outputs = net(net.inputs(states))
    expected = native.outputs(states)
    pairs = [(outputs.logits, expected.logits), (outputs.wdl, expected.wdl), (outputs.value, expected.values)]
    if net.config.margin:
        pairs.append((outputs.margin, expected.margins))
    else:
        assert outputs.margin is None
    for found, wanted in pairs:
        assert found.shape == wanted.shape and found.dtype == torch.float32
        np.testing.assert_allclose(found.numpy(), wanted, rtol=0, atol=tolerance)
    legal = np.array([state.action_mask() for state in states])
    assert ((outputs.logits.numpy() > mt.ILLEGAL_LOGIT) == legal).all()
    assert (outputs.policy.numpy()[~legal] == 0).all()
    np.testing.assert_allclose(outputs.policy.sum(1).numpy(), 1, atol=1e-5)


@pytest.mark.parametrize("name", SHIPPED)
def test_nets_that_ship_say_what_they_say_in_rust(name):
    states = some_positions(name, 1000)
    compare(mt.load(name), mrl.NativeNet(name), states)
    assert len({state.key for state in states}) > 900


@pytest.mark.parametrize("game", ["kiothi-6x5", "giuthi-2x2", "giuthi-4x3?capture=occupied"])
@pytest.mark.parametrize("sizes", SIZES)
def test_nets_of_all_kinds_say_what_they_say_in_rust(tmp_path, game, sizes):
    config = mt.NetConfig(game, **SIZES[sizes])
    native = mrl.NativeNet.from_tensors(config, random_tensors(config))
    (tmp_path / "net.safetensors").write_bytes(native.to_bytes())
    net = mt.load(tmp_path / "net.safetensors")
    states = some_positions(game, 1000 if (game, sizes) == ("kiothi-6x5", "full") else 100)
    compare(net, native, states)


def test_an_action_that_ends_the_game_has_no_board_after_it():
    """Whatever is played in this position, the game is over then: there is nothing to look up."""
    config = mt.NetConfig("giuthi-2x2", **FULL)
    states = [mrl.State.from_position("giuthi-2x2", "2,0/0,0 0 0 p1")]
    assert len(config.inputs(states).actions) == 2 and len(config.inputs(states).after_counts) == 0
    native = mrl.NativeNet.from_tensors(config, random_tensors(config))
    net = mt.Net(config)
    net.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in native.tensors().items()})
    compare(net, native, states)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["giuthi-5x4", "kiothi"])
def test_nets_run_in_half_precision(name, dtype):
    net, states = mt.load(name), some_positions(name, 50)
    inputs = net.inputs(states)
    legal = torch.from_numpy(np.array([state.action_mask() for state in states]))
    with torch.no_grad():
        expected = net(inputs)
        halves = inputs._replace(observations=inputs.observations.to(dtype), features=inputs.features.to(dtype))
        outputs = net.to(dtype)(halves)
    assert outputs.logits.dtype == dtype and outputs.logits.isfinite().all()
    assert (outputs.policy[~legal] == 0).all() and (outputs.logits[legal] > -100).all()
    tolerance = 0.02 if dtype == torch.float16 else 0.15
    for found, wanted in [(outputs.policy, expected.policy), (outputs.value, expected.value)]:
        torch.testing.assert_close(found.float(), wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize("sizes", SIZES)
def test_a_module_has_the_tensors_of_the_file(sizes):
    config = mt.NetConfig("kiothi-3x2", **SIZES[sizes])
    shapes = {name: list(tensor.shape) for name, tensor in mt.Net(config).state_dict().items()}
    assert shapes == dict(config.tensors())


def test_new_nets_follow_torchs_seed_and_are_near_uniform(tmp_path):
    config = mt.NetConfig("giuthi-5x4", **FULL)
    torch.manual_seed(3)
    net = mt.Net(config)
    torch.manual_seed(3)
    again = mt.Net(config)
    mt.save(net, tmp_path / "a"), mt.save(again, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    for name, parameter in net.named_parameters():
        values = parameter.detach().numpy()
        if name.endswith("bias"):
            assert (values == 0).all()
            continue
        # Uniform in +-b has the standard deviation b / sqrt(3): that of variance 1 / inputs times the gain.
        inputs = 10 if name.endswith("counts.weight") else values.shape[-1]
        gain = 0.3 if name == "policy.actions.weight" else 1.0
        if name.endswith("second.weight") or name in ("policy.output.weight", "value.output.weight"):
            gain = 0.1
        assert values.std() == pytest.approx(gain / np.sqrt(inputs), rel=0.35), name
        assert np.abs(values).max() <= gain * np.sqrt(3 / inputs)
    policy = net(net.inputs([mrl.State("giuthi-5x4")])).policy
    legal = mrl.State("giuthi-5x4").action_mask()
    assert policy[0].detach().numpy()[legal] == pytest.approx(1 / legal.sum(), rel=0.5)


@pytest.mark.parametrize(
    ("game", "sizes"), [("giuthi-5x4", "full"), ("kiothi-3x2", "full with margin"), ("giuthi-3x2", "plain")]
)
def test_what_is_saved_plays(tmp_path, game, sizes):
    net = mt.Net(mt.NetConfig(game, **SIZES[sizes]))
    path = tmp_path / "mine.safetensors"
    mt.save(net, path)
    assert sorted(os.listdir(tmp_path)) == ["mine.safetensors"]
    again = mt.load(path)
    assert again.config == net.config
    for name, tensor in net.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor)
    compare(net, mrl.NativeNet(str(path)), some_positions(game, 50))
    states = some_positions(game, 5)
    with torch.no_grad():
        best = net(net.inputs(states)).logits.argmax(1).tolist()
    assert mrl.agent(f"net:{path},sims=0").act_many(states) == best
    mt.save(net.double(), path)
    assert mt.load(path).state_dict()["input.weight"].dtype == torch.float32
    compare(again, mrl.NativeNet(str(path)), states)


def test_a_net_that_ships_is_saved_as_it_was(tmp_path):
    mt.save(mt.load("giuthi-5x4"), tmp_path / "net.safetensors")
    assert (tmp_path / "net.safetensors").read_bytes() == mrl.NativeNet("giuthi-5x4").to_bytes()
    shipped = Path(__file__).parents[2] / "search" / "nets" / "giuthi-5x4.safetensors"
    if shipped.exists():
        assert (tmp_path / "net.safetensors").read_bytes() == shipped.read_bytes()


def test_nets_are_found_in_runs(tmp_path):
    folder = tmp_path / "run" / "checkpoints" / "latest"
    write_checkpoint(folder, net_bytes("giuthi-3x2"))
    for what in (tmp_path / "run", folder, folder / "net.safetensors", str(folder)):
        assert mt.load(what).config.game == "giuthi-3x2"
    with pytest.raises(FileNotFoundError, match="nonsense"):
        mt.load("nonsense")
    with pytest.raises(TypeError, match="what is a str or an os.PathLike, not int"):
        mt.load(3)
    (folder / "net.safetensors").write_bytes(net_bytes("giuthi-3x2", seed=1))
    with pytest.raises(ValueError, match="altered"):
        mt.load(folder)


def test_what_cannot_be_saved_changes_nothing(tmp_path, monkeypatch):
    net = mt.Net(mt.NetConfig("giuthi-3x2", **SIZES["plain"]))
    path = tmp_path / "net.safetensors"
    mt.save(net, path)
    before = path.read_bytes()
    for bad, place, error, match in [
        (net.state_dict(), path, TypeError, "net is a mancala_rl.torch.Net"),
        (net, tmp_path, IsADirectoryError, "is a folder"),
        (net, tmp_path / "absent" / "net.safetensors", FileNotFoundError, "absent"),
    ]:
        with pytest.raises(error, match=match):
            mt.save(bad, place)
    with torch.no_grad():
        net.block[1].second.bias[3] = torch.nan
    with pytest.raises(ValueError, match=r"block\.1\.second\.bias.* NaN"):
        mt.save(net, path)
    more = mt.Net(net.config)
    more.extra = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"extra\.weight.* no tensor"):
        mt.save(more, path)
    write_checkpoint(tmp_path / "000001", before)
    with pytest.raises(ValueError, match="part of a checkpoint"):
        mt.save(mt.Net(net.config), tmp_path / "000001" / "net.safetensors")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        mt.save(mt.Net(net.config), path)
    assert path.read_bytes() == before and not list(tmp_path.glob(".*"))


def test_windows_opens_no_folders(tmp_path, monkeypatch):
    def refuse(folder, _):
        raise PermissionError(13, "Permission denied", folder)

    # Not `os.name` itself, by which pathlib makes its paths.
    windows = SimpleNamespace(name="nt", fsync=os.fsync, open=refuse)
    monkeypatch.setattr(mt.files, "os", windows)
    mt.save(mt.load("giuthi-5x4"), tmp_path / "net.safetensors")
    assert (tmp_path / "net.safetensors").read_bytes() == mrl.NativeNet("giuthi-5x4").to_bytes()


def test_inputs_that_do_not_fit_are_refused():
    config = mt.NetConfig("giuthi-3x2", **FULL)
    state = mrl.State("giuthi-3x2")
    plain = mt.Inputs.of(mt.NetConfig("giuthi-3x2", **SIZES["plain"]).inputs([state]))
    with pytest.raises(ValueError, match=r"inputs\.counts is None"):
        mt.Net(config)(plain)
    with pytest.raises(ValueError, match=r"states\[1\] is of giuthi-4x3"):
        mt.Net(config).inputs([state, mrl.State("giuthi-4x3")])
    with pytest.raises(TypeError, match="config is a NetConfig"):
        mt.Net("giuthi-3x2")


def test_every_weight_learns():
    config = mt.NetConfig("giuthi-4x3", **FULL, margin=True)
    net = mt.Net(config)
    net.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in random_tensors(config).items()})
    outputs = net(net.inputs(some_positions("giuthi-4x3", 200)))
    target = outputs.policy.detach().roll(1, 0)
    loss = torch.nn.functional.cross_entropy(outputs.logits, target) + outputs.value.sum() + outputs.margin.sum()
    assert torch.isfinite(loss)
    loss.backward()
    for name, parameter in net.named_parameters():
        assert torch.isfinite(parameter.grad).all() and parameter.grad.abs().sum() > 0, name


def test_nets_and_inputs_pickle():
    net = mt.Net(mt.NetConfig("giuthi-3x2", **FULL))
    inputs = net.inputs([mrl.State("giuthi-3x2")])
    again, same = pickle.loads(pickle.dumps((net, inputs)))
    assert again.config == net.config and isinstance(same, mt.Inputs)
    assert torch.equal(again(same).logits, net(inputs).logits)


def address(array):
    return array.__array_interface__["data"][0]


def test_inputs_share_their_memory():
    config = mt.NetConfig("giuthi-3x2", **FULL)
    arrays = config.inputs(some_positions("giuthi-3x2", 9))
    tensors = mt.Inputs.of(arrays)
    for name in mt.Inputs._fields:
        array, tensor = getattr(arrays, name), getattr(tensors, name)
        assert tensor.data_ptr() == address(array) == torch.from_dlpack(array).data_ptr()
    arrays.observations[2, 3] = 7
    assert tensors.observations[2, 3] == 7
    del arrays
    assert tensors.observations[2, 3] == 7
    moved = tensors.to("cpu", copy=True)
    assert isinstance(moved, mt.Inputs) and moved.rows.data_ptr() != tensors.rows.data_ptr()


@pytest.mark.parametrize("share", [torch.from_numpy, torch.from_dlpack])
def test_steps_leave_tensors_alone(share):
    """With copy=True an array is written again only when nobody holds it, and a tensor holds it."""
    pytest.importorskip("gymnasium")
    env = mrl.make_vec("giuthi-5x4", 32, seed=1)
    obs, info = env.reset()
    kept = []
    for _ in range(12):
        observations, mask = share(obs), share(info["action_mask"])
        assert observations.data_ptr() == address(obs) and mask.dtype == torch.bool
        assert mask.data_ptr() == address(info["action_mask"])
        kept.append((observations, observations.clone(), mask, mask.clone()))
        actions = mask.float().multinomial(1).squeeze(1)
        obs, reward, _, _, info = env.step(actions.numpy())
        assert share(reward).data_ptr() == address(reward)
    assert len({observations.data_ptr() for observations, *_ in kept}) == 12
    for observations, was, mask, mask_was in kept:
        assert torch.equal(observations, was) and torch.equal(mask, mask_was)


@pytest.mark.parametrize("share", [torch.from_numpy, torch.from_dlpack])
def test_with_copy_off_a_tensor_shows_the_last_step(share):
    pytest.importorskip("gymnasium")
    env = mrl.make_vec("giuthi-5x4", 32, seed=1, copy=False)
    obs, info = env.reset()
    tensor, mask = share(obs), share(info["action_mask"])
    before = tensor.clone()
    for _ in range(5):
        obs, _, _, _, info = env.step(mask.float().multinomial(1).squeeze(1).numpy())
        assert tensor.data_ptr() == address(obs) and (tensor.numpy() == obs).all()
        assert (mask.numpy() == info["action_mask"]).all()
    assert not torch.equal(tensor, before)


def test_without_torch_the_import_says_what_to_install(run_python):
    run_python("""
import sys
import mancala_rl
assert "torch" not in sys.modules
sys.modules["torch"] = None
try:
    import mancala_rl.torch
except ImportError as error:
    assert 'pip install "mancala-rl[torch]"' in str(error), error
else:
    raise AssertionError("no ImportError")
""")


def test_names():
    assert "mancala_rl.torch" in sys.modules
    for name in mt.__all__:
        assert getattr(mt, name) is not None and (name == "ILLEGAL_LOGIT" or getattr(mt, name).__doc__)


def test_the_page(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "pytorch.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 4
    shards.write_run(tmp_path / "runs" / "giuthi-5x4", "giuthi-5x4")
    code = "\n".join(blocks)
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert mt.load(tmp_path / "mine.safetensors").config.channels == 64
