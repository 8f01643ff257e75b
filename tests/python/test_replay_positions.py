"""Replay shards: `ReplayPositions` against a reader of the tests' own."""

import os
import pickle
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import mancala_rl as mrl
import shards
from nets import FULL, SIZES

CONFIG = Path(__file__).parents[2] / "train" / "configs" / "giuthi-5x4.toml"
TINY = {
    "threads": 1,
    "net.channels": 8,
    "net.blocks": 1,
    "self_play.games": 12,
    "self_play.simulations": 4,
    "self_play.considered": 2,
    "self_play.full_share": 0.5,
    "self_play.fast_simulations": 2,
    "learner.batch": 32,
    "evaluation.games": 0,
}


def expected(game, games):
    """Of each position the state, and the targets: policy, whether there is one, outcome, value, whether there is one, margin."""
    for one in games:
        state = mrl.State(game)
        total = sum(map(int, state.position().split()[0].replace("/", ",").split(","))) if "giuthi" in game else None
        for action in one.opening:
            state.play(action)
        for move in one.moves:
            legal, mine = state.legal_actions(), state.to_move
            policy = np.zeros(state.num_actions)
            if move.policy:
                policy[legal] = np.array(move.policy) / sum(move.policy)
            outcome = np.sign(one.returns[mine])
            lead = one.scores[mine] - one.scores[1 - mine]
            margin = None if total is None else lead / total if outcome else 0.0
            wdl = [float(outcome > 0), float(outcome == 0), float(outcome < 0)]
            forced = len(legal) == 1
            yield state.copy(), policy, bool(move.policy), wdl, 0.0 if forced else move.value, not forced, margin
            state.play(move.action)


def compare(positions, config, game, games):
    rows = list(expected(game, games))
    assert len(positions) == len(rows) > 50
    order = np.random.default_rng(1).permutation(len(rows))
    batch = positions.batch(config, order)
    assert len(batch) == len(rows)
    inputs = config.inputs([rows[i][0] for i in order])
    for name in ("observations", "actions", "rows", "features", "counts", "after_counts", "after_offsets"):
        found, wanted = getattr(batch.inputs, name), getattr(inputs, name)
        assert (found is None) == (wanted is None) and np.array_equal(found, wanted)
    columns = list(zip(*(rows[i][1:] for i in order)))
    np.testing.assert_allclose(batch.policy, columns[0], atol=1e-6)
    assert batch.has_policy.tolist() == list(columns[1])
    assert batch.wdl.tolist() == list(columns[2])
    np.testing.assert_allclose(batch.values, columns[3], atol=1e-6)
    assert batch.has_value.tolist() == list(columns[4])
    if columns[5][0] is not None:
        np.testing.assert_allclose(batch.margins, columns[5], atol=1e-6)
    return batch


@pytest.mark.parametrize("game", ["giuthi-4x3", "giuthi-3x2?capture=occupied", "kiothi-3x2"])
@pytest.mark.parametrize("sizes", [FULL, SIZES["plain"]])
def test_positions_are_those_of_the_games(tmp_path, game, sizes):
    games = shards.write_run(tmp_path, game, games=8)
    files = sorted((tmp_path / "replay").iterdir())
    positions = mrl.ReplayPositions(files)
    assert (positions.game, positions.seed, positions.files) == (mrl.State(game).game, 7, [str(file) for file in files])
    batch = compare(positions, mrl.NetConfig(game, **sizes), game, games)
    assert 0 < batch.has_policy.mean() < batch.has_value.mean() <= 1
    again = pickle.loads(pickle.dumps(positions))
    assert len(again) == len(positions) and again.files == positions.files


@pytest.mark.skipif("MANCALA_BIN" not in os.environ, reason="needs the mancala command in $MANCALA_BIN")
@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x2"])
def test_a_runs_shards(tmp_path, game):
    run = tmp_path / "run"
    mrl.train(CONFIG, run, iterations=2, seed=5, overrides={**TINY, "game": f'"{game}"'})
    files = sorted((run / "replay").glob("*.shard"))
    assert [file.name for file in files] == ["000001.shard", "000002.shard"]
    games = []
    for iteration, file in enumerate(files, 1):
        header, some = shards.read(file)
        assert (header["game"], header["seed"], header["iteration"], len(some)) == (game, 5, iteration, 12)
        games += some
    net = mrl.NativeNet(str(run))
    batch = compare(mrl.ReplayPositions(files), net.config, game, games)
    assert 0 < batch.has_policy.mean() < 1


def test_indices(tmp_path):
    shards.write_run(tmp_path, "giuthi-4x3")
    positions = mrl.ReplayPositions([tmp_path / "replay" / "000001.shard"])
    config = mrl.NetConfig("giuthi-4x3", **FULL)
    batch = positions.batch(config, [5, 5, 2])
    assert (batch.policy[0] == batch.policy[1]).all() and (batch.inputs.rows[-1], len(batch)) == (2, 3)
    for bad, error, match in [
        ([], ValueError, "indices is empty"),
        (
            [0, len(positions)],
            IndexError,
            rf"indices\[1\] is {len(positions)}, and there are {len(positions)} positions",
        ),
        ([-1], IndexError, r"indices\[0\] is -1"),
        ([0.5], TypeError, r"indices\[0\] is an int, not float"),
    ]:
        with pytest.raises(error, match=match):
            positions.batch(config, bad)
    with pytest.raises(ValueError, match="net for giuthi-4x4, and the positions are of giuthi-4x3"):
        positions.batch(mrl.NetConfig("giuthi-4x4", **FULL), [0])


def test_every_cut_and_every_flipped_byte_is_found(tmp_path):
    path = tmp_path / "000001.shard"
    whole = shards.shard("giuthi-3x2", [shards.played("giuthi-3x2", 0, 1)])
    for at in range(0, len(whole), 3):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :]):
            path.write_bytes(data)
            with pytest.raises(ValueError, match=f"{path} is damaged"):
                mrl.ReplayPositions([path])
    path.write_bytes(whole)
    assert len(mrl.ReplayPositions([path])) > 0


def sealed(data):
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


def test_what_a_shard_may_not_hold(tmp_path):
    game = "giuthi-3x2"
    one, path = shards.played(game, 4, 1), tmp_path / "000001.shard"
    first = one.moves[0]
    illegal = one._replace(moves=[first._replace(action=250), *one.moves[1:]])
    short = one._replace(moves=[first._replace(policy=[1]), *one.moves[1:]])
    empty = one._replace(moves=[first._replace(policy=[0] * len(first.policy)), *one.moves[1:]])
    cases = [
        (shards.shard(game, [one], version=2), "damaged.*format version 2"),
        (shards.shard(game, [one], told={"games": 2}), "damaged.*1 games, its header tells 2"),
        (shards.shard(game, [one], told={"positions": 1}), "damaged.*its header tells 1"),
        (shards.shard(game, [one], told={"bytes": 10}), "damaged"),
        (shards.shard(game, [illegal]), "damaged.*game 4.*action 250"),
        (shards.shard(game, [short]), "damaged.*game 4.*policy of 1 shares"),
        (shards.shard(game, [empty]), "damaged.*game 4.*policy"),
        (shards.shard(game, [one], told={"rules_version": 99}), "rules version 99.*rules version"),
        (shards.shard(game, [one], told={"game": "chess"}), "chess"),
        (shards.shard(game, [one], iteration=2), "iteration 2.*iteration 1"),
        (sealed(shards.shard(game, [one]).replace(b'"seed"', b'"sead"')), "damaged.*seed"),
    ]
    for data, match in cases:
        path.write_bytes(data)
        with pytest.raises(ValueError, match=match) as caught:
            mrl.ReplayPositions([path])
        assert str(path) in str(caught.value)


def test_shards_of_different_runs_do_not_mix(tmp_path):
    paths = [tmp_path / "000001.shard", tmp_path / "000002.shard"]
    paths[0].write_bytes(shards.shard("giuthi-3x2", [shards.played("giuthi-3x2", 0, 1)]))
    for game, seed, match in [("giuthi-3x2", 8, "seed 8.*seed 7"), ("giuthi-4x3", 7, "giuthi-4x3.*giuthi-3x2")]:
        paths[1].write_bytes(shards.shard(game, [shards.played(game, 0, 1)], 2, seed))
        with pytest.raises(ValueError, match=match) as caught:
            mrl.ReplayPositions(paths)
        assert str(paths[1]) in str(caught.value)
    with pytest.raises(FileNotFoundError, match="000003.shard"):
        mrl.ReplayPositions([paths[0], tmp_path / "000003.shard"])
    with pytest.raises(ValueError, match="files is empty"):
        mrl.ReplayPositions([])
