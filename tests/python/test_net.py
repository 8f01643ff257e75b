"""`NetConfig` and `NativeNet`: nets without a framework, against a plain NumPy net and the agent."""

import copy
import pickle

import numpy as np
import pytest

import mancala_rl as mrl
from nets import FULL, SHIPPED, SIZES, net_bytes, random_tensors, some_positions, write_checkpoint


def relu(x):
    return np.maximum(x, 0)


def plain_net(config, tensors, inputs):
    """`docs/file-formats.md` in NumPy, position by position, in double precision: logits, softmax of the outcomes, margins."""
    weights = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def linear(name, x):
        return weights[f"{name}.weight"] @ x + weights[f"{name}.bias"]

    def blocks(name, count, x):
        for i in range(count):
            x = x + linear(f"{name}.{i}.second", relu(linear(f"{name}.{i}.first", relu(x))))
        return x

    logits = np.full((len(inputs), config.num_actions), -1e9)
    wdl, margins = [], []
    ends = None if inputs.after_offsets is None else [*inputs.after_offsets[1:], len(inputs.after_counts)]
    for row in range(len(inputs)):
        x = linear("input", inputs.observations[row])
        if config.count_levels:
            x = x + weights["input.counts.weight"][inputs.counts[row]].sum(axis=0)
        t = relu(blocks("block", config.blocks, x))
        hidden = []
        for k in np.flatnonzero(inputs.rows == row):
            y = linear("policy.trunk", t) + weights["policy.features.weight"] @ inputs.features[k]
            y = y + weights["policy.actions.weight"][inputs.actions[k]]
            if config.afterstates:
                y = y + weights["policy.counts.weight"][inputs.after_counts[inputs.after_offsets[k] : ends[k]]].sum(
                    axis=0
                )
            h = relu(blocks("policy.block", config.policy_blocks, y))
            logits[row, inputs.actions[k]] = weights["policy.output.weight"] @ h
            hidden.append(h)
        v = np.concatenate([t, np.mean(hidden, axis=0), np.max(hidden, axis=0)])
        o = linear("value.output", relu(linear("value.hidden", v)))
        shares = np.exp(o[:3] - o[:3].max())
        wdl.append(shares / shares.sum())
        margins.append(o[3] if config.margin else None)
    return logits, np.array(wdl), margins


@pytest.mark.parametrize("game", ["giuthi-4x3", "giuthi-3x2?capture=occupied", "kiothi-3x2"])
@pytest.mark.parametrize("sizes", SIZES)
def test_outputs_are_those_of_the_documented_net(game, sizes):
    config = mrl.NetConfig(game, **SIZES[sizes])
    tensors = random_tensors(config)
    states = some_positions(game, 60)
    outputs = mrl.NativeNet.from_tensors(config, tensors).outputs(states)
    logits, wdl, margins = plain_net(config, tensors, config.inputs(states))
    np.testing.assert_allclose(outputs.logits, logits, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(outputs.wdl, wdl, atol=1e-5)
    np.testing.assert_allclose(outputs.values, wdl[:, 0] - wdl[:, 2], atol=1e-5)
    assert (outputs.margins is None) == (not config.margin)
    if config.margin:
        np.testing.assert_allclose(outputs.margins, margins, rtol=1e-5, atol=1e-5)
    if sizes != "smallest":
        assert np.ptp(outputs.values) > 1e-2


def test_outputs_are_those_of_the_agent():
    net = mrl.NativeNet("giuthi-5x4")
    states = some_positions("giuthi-5x4", 40)
    outputs = net.outputs(states)
    agent = mrl.agent("net:giuthi-5x4,sims=0")
    assert agent.act_many(states) == outputs.logits.argmax(axis=1).tolist()
    for state, value in zip(states, outputs.values):
        assert agent.analyze(state).value == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("game", ["giuthi-4x3", "kiothi-3x2"])
def test_inputs_are_what_states_tell(game):
    config = mrl.NetConfig(game, **FULL)
    states = some_positions(game, 50)
    inputs = config.inputs(states)
    assert len(inputs) == 50
    shape = (config.num_pits, config.count_levels)
    k = 0
    for row, state in enumerate(states):
        legal = state.legal_actions()
        mine = slice(k, k + len(legal))
        k += len(legal)
        assert (inputs.observations[row] == state.observation()).all()
        assert inputs.actions[mine].tolist() == legal and (inputs.rows[mine] == row).all()
        assert (inputs.features[mine, :8] == state.action_features()).all()
        counts = state.observation(np.uint8)[: shape[0]]
        assert (inputs.counts[row] == np.arange(shape[0]) * shape[1] + np.minimum(counts, shape[1] - 1)).all()
        for i, action in enumerate(legal):
            begin, end = np.append(inputs.after_offsets, len(inputs.after_counts))[mine.start + i : mine.start + i + 2]
            after = state.copy()
            after.play(action)
            if after.is_over:
                assert begin == end
                continue
            counts = np.minimum(after.observation(np.uint8)[: shape[0]], shape[1] - 1)
            side = 0 if after.to_move == state.to_move else shape[0] * shape[1]
            assert (inputs.after_counts[begin:end] == side + np.arange(shape[0]) * shape[1] + counts).all()
    assert k == len(inputs.actions) == len(inputs.rows) == len(inputs.features)
    assert inputs.features.shape[1] == config.num_features == 16


def test_inputs_that_are_not_read_are_none():
    inputs = mrl.NetConfig("giuthi-3x2", **SIZES["plain"]).inputs([mrl.State("giuthi-3x2")])
    assert inputs.counts is inputs.after_counts is inputs.after_offsets is None
    assert inputs.features.shape == (len(inputs.actions), mrl.ACTION_FEATURES)
    for array in (inputs.observations, inputs.actions, inputs.rows, inputs.features):
        assert array.flags.writeable and array.flags.c_contiguous


@pytest.mark.parametrize("sizes", SIZES)
def test_a_file_reads_back(tmp_path, sizes):
    config = mrl.NetConfig("kiothi-3x2", **SIZES[sizes])
    net = mrl.NativeNet.from_tensors(config, random_tensors(config))
    path = tmp_path / "net.safetensors"
    path.write_bytes(net.to_bytes())
    again = mrl.NativeNet(str(path))
    assert again.config == config and again.to_bytes() == net.to_bytes()
    for name, tensor in net.tensors().items():
        assert (again.tensors()[name] == tensor).all()
    assert mrl.agent(f"net:{path},sims=2").act(mrl.State("kiothi-3x2")) in mrl.State("kiothi-3x2").legal_actions()


def test_a_net_is_found_by_a_path_too(tmp_path):
    file = tmp_path / "net.safetensors"
    file.write_bytes(net_bytes("giuthi-3x2"))
    assert mrl.NativeNet(file).config == mrl.NativeNet(str(file)).config
    with pytest.raises(TypeError, match="what is a str or an os.PathLike, not int"):
        mrl.NativeNet(3)
    with pytest.raises(FileNotFoundError):
        mrl.NativeNet(tmp_path / "none.safetensors")


@pytest.mark.parametrize("name", SHIPPED)
def test_nets_that_ship(name):
    net = mrl.NativeNet(name)
    assert net.config.game == mrl.State(name).game
    tensors = net.tensors()
    assert list(tensors) == [tensor for tensor, _ in net.config.tensors()]
    assert mrl.NativeNet.from_tensors(net.config, tensors).to_bytes() == net.to_bytes()


def test_folders_are_looked_into(tmp_path):
    data = net_bytes("giuthi-3x2")
    write_checkpoint(tmp_path / "run" / "checkpoints" / "latest", data)
    for what in (tmp_path / "run", tmp_path / "run" / "checkpoints" / "latest"):
        assert mrl.NativeNet(str(what)).config.channels == 4
    (tmp_path / "run" / "checkpoints" / "latest" / "net.safetensors").write_bytes(net_bytes("giuthi-3x2", seed=1))
    with pytest.raises(ValueError, match="altered"):
        mrl.NativeNet(str(tmp_path / "run"))
    with pytest.raises(FileNotFoundError, match="nonsense.*giuthi-6x6"):
        mrl.NativeNet("nonsense")


def test_what_makes_no_net_is_refused(tmp_path):
    data = net_bytes("giuthi-3x2")
    path = tmp_path / "net.safetensors"
    for bad, match in [
        (data[:-4], "not a whole net"),
        (net_bytes("giuthi-3x2", told={"channels": 0}), "channels is at least 1"),
        (net_bytes("giuthi-3x2", told={"channels": 5}), "tensor input.weight is"),
        (net_bytes("giuthi-3x2", told={"afterstates": True}), "count_levels is above 0 with afterstates"),
        (net_bytes("giuthi-3x2", told={"colour": 1}), "colour"),
        (data.replace(b"giuthi-3x2", b"giuthi-3x3"), "giuthi-3x3|observation"),
        (data.replace(b"giuthi-3x2", b"gouthi-3x2"), "gouthi"),
    ]:
        assert bad != data
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=match):
            mrl.NativeNet(str(path)).outputs([mrl.State("giuthi-3x2")])


def test_a_config_is_a_value():
    config = mrl.NetConfig("giuthi-3x2?capture=occupied", **FULL)
    for other in (copy.deepcopy(config), pickle.loads(pickle.dumps(config)), eval(repr(config), vars(mrl))):
        assert other == config and hash(other) == hash(config)
    assert repr(mrl.NetConfig("giuthi", **SIZES["plain"])) == (
        "NetConfig('giuthi-8x8', channels=24, blocks=2, policy_hidden=16, value_hidden=12)"
    )
    assert config != mrl.NetConfig("giuthi-3x2", **FULL) != mrl.NetConfig("giuthi-3x2", **FULL, margin=True)
    for name, value in FULL.items():
        assert getattr(config, name) == value
    assert (config.margin, config.num_pits, config.num_features, config.num_actions) == (False, 6, 16, 6)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"game": "chess"}, ValueError, "chess"),
        ({"channels": 0}, ValueError, "channels is at least 1 and at most 16384, not 0"),
        ({"channels": -1}, ValueError, "channels is at least 0"),
        ({"channels": 2.0}, TypeError, "channels is an int"),
        ({"blocks": 1001}, ValueError, "blocks is at least 0 and at most 1000, not 1001"),
        ({"policy_hidden": 20000}, ValueError, "policy_hidden"),
        ({"count_levels": 257}, ValueError, "count_levels"),
        ({"count_levels": 0}, ValueError, "count_levels is above 0 with afterstates"),
        ({"reply_features": False}, ValueError, "capture_search is false without reply_features"),
        ({"margin": 1}, TypeError, "margin"),
    ],
)
def test_sizes_that_are_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        mrl.NetConfig(**{"game": "giuthi-3x2", **FULL, **wrong})


def test_states_that_are_refused():
    net = mrl.NativeNet.from_tensors(config := mrl.NetConfig("giuthi-3x2", **FULL), random_tensors(config))
    state, over = mrl.State("giuthi-3x2"), mrl.State("giuthi-3x2")
    while not over.is_over:
        over.play(over.legal_actions()[0])
    for ask in (net.outputs, config.inputs):
        for bad, error, match in [
            ([], ValueError, "states is empty"),
            ([state, over], ValueError, r"states\[1\]: the game is over"),
            ([mrl.State("giuthi-4x3")], ValueError, r"states\[0\] is of giuthi-4x3, and the net is for giuthi-3x2"),
            ([state, mrl.State("giuthi-4x3")], ValueError, r"states\[1\] is of giuthi-4x3"),
            ([state, "state"], TypeError, r"states\[1\] is a State, not str"),
            (3, TypeError, "states is a list of States"),
        ]:
            with pytest.raises(error, match=match):
                ask(bad)


def test_tensors_that_are_refused():
    config = mrl.NetConfig("giuthi-3x2", **SIZES["plain"])
    tensors = random_tensors(config)
    name = "block.1.first.weight"
    infinite = tensors[name].copy()
    infinite[3, 3] = np.inf
    without = {key: value for key, value in tensors.items() if key != name}
    for bad, error, match in [
        (without, ValueError, f"no .{name}"),
        ({**tensors, "more": tensors[name]}, ValueError, "more.* no tensor"),
        ({**tensors, name: tensors[name][1:]}, ValueError, rf"{name}.* shape \(24, 24\), not \(23, 24\)"),
        ({**tensors, name: tensors[name].astype(np.float64)}, TypeError, f"{name}.* float32"),
        ({**tensors, name: [1.0]}, TypeError, f"{name}.* not list"),
        ({**tensors, name: infinite}, ValueError, f"{name}.* inf"),
    ]:
        with pytest.raises(error, match=match):
            mrl.NativeNet.from_tensors(config, bad)


def test_tensors_may_lie_in_memory_however_they_like():
    config = mrl.NetConfig("giuthi-3x2", **SIZES["plain"])
    tensors = random_tensors(config)
    plain = mrl.NativeNet.from_tensors(config, tensors).to_bytes()
    for name, tensor in tensors.items():
        packed = np.zeros(tensor.shape, [("a", "u1"), ("b", "f4")])
        packed["b"] = tensor
        unaligned = np.frombuffer(b"\0" + tensor.tobytes(), "f4", offset=1).reshape(tensor.shape)
        apart = np.repeat(tensor, 3, axis=-1)[..., ::3]
        for same in (np.asfortranarray(tensor), tensor[::-1].copy()[::-1], packed["b"], unaligned, apart):
            assert mrl.NativeNet.from_tensors(config, {**tensors, name: same}).to_bytes() == plain
