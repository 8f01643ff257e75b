"""What tablebases refuse, and how a build ends early."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from nets import net_bytes
from tables import random_boards, table

BOARDS = random_boards(np.random.default_rng(1), 4)


def test_files_that_are_no_tablebase(tmp_path):
    whole = Path(table().path).read_bytes()
    newer = bytearray(whole)
    newer[16] = 9
    path = tmp_path / "a.tb"
    for content, words in [
        (b"", "it is not a tablebase"),
        (b"something else altogether, and long", "it is not a tablebase"),
        (net_bytes("giuthi-3x3"), "it is not a tablebase"),
        (whole[:-1], "it is cut off, not yet finished, or has grown"),
        (whole[:20_000], "it is cut off, not yet finished, or has grown"),
        (bytes(newer), r"altered or damaged \(preamble\)"),
        (whole[:-40] + b"x" + whole[-39:], r"altered or damaged \(index\)"),
    ]:
        path.write_bytes(content)
        ways = [
            lambda: mrl.Tablebase(path),
            lambda: mrl.Tablebase(str(path)),
            lambda: mrl.agent(f"tablebase:{path}"),
            lambda: mrl.agent(f"mcts:sims=8,tb={path}"),
            lambda: mrl.match("giuthi-3x2", f"tablebase:{path}", "random", games=2),
            lambda: mrl.build_tablebase(path, 3, 12),
        ]
        for way in ways:
            with pytest.raises(ValueError, match=words) as error:
                way()
            assert str(path) in str(error.value) and "\n" not in str(error.value)
    altered = bytearray(whole)
    altered[5_000] ^= 1
    path.write_bytes(altered)
    with pytest.raises(ValueError, match=r"a\.tb: bytes \d+\.\.\d+ \(boards of \d+ seeds\) have been altered"):
        mrl.Tablebase(path).verify()


def test_files_that_cannot_be_read(tmp_path):
    missing = tmp_path / "missing.tb"
    for way in [
        lambda: mrl.Tablebase(missing),
        lambda: mrl.agent(f"tablebase:{missing}"),
        lambda: mrl.agent(f"tablebase:{missing}", "giuthi-3x2"),
        lambda: mrl.agent(f"alphabeta:depth=2,tb={missing}"),
        lambda: mrl.match("giuthi-3x2", "random", f"tablebase:{missing}", games=2),
        lambda: mrl.build_tablebase(tmp_path / "no" / "folder.tb", 2, 2),
    ]:
        with pytest.raises(FileNotFoundError, match="missing.tb|folder.tb"):
            way()
    with pytest.raises(IsADirectoryError, match="directory"):
        mrl.Tablebase(tmp_path)
    with pytest.raises(ValueError, match="NUL byte"):
        mrl.Tablebase("a\0b")
    for bad in (None, 3, b"a.tb", ["a.tb"]):
        with pytest.raises(TypeError):
            mrl.Tablebase(bad)


def test_states_that_do_not_fit():
    tablebase = table()
    of = "is of giuthi with 3 pits a row and capture=any .*, not of "
    drawn = mrl.State.from_position("giuthi-3x2", "2,2,2/2,2,2 0 0 p1 repetition")
    swept = mrl.State.from_position("giuthi-3x2", "0,0,0/0,0,0 8 4 p1 no-moves")
    for state, words in [
        (mrl.State("giuthi-4x2"), of + "giuthi with 4 pits a row and capture=any"),
        (mrl.State("giuthi-3x2", capture="occupied"), of + "giuthi with 3 pits a row and capture=occupied"),
        (mrl.State("kiothi"), of + "kiothi-6x5"),
        (mrl.State("giuthi-3x3"), "18 seeds.*at most 12"),
        (drawn, r"the game is over \(repetition\)"),
        (swept, r"the game is over \(no-moves\)"),
    ]:
        for way in (tablebase.probe, tablebase.judge):
            with pytest.raises(ValueError, match=words):
                way(state)
        with pytest.raises(ValueError, match=r"^boards\[1\].*" + words):
            tablebase.probe_many([mrl.State("giuthi-3x2"), state])
    for bad in (None, "giuthi-3x2", BOARDS[0]):
        for way in (tablebase.probe, tablebase.judge, tablebase.covers):
            with pytest.raises(TypeError):
                way(bad)


@pytest.mark.parametrize(
    ("boards", "error", "words"),
    [
        (None, TypeError, "boards is an array of integers or a list of States, not NoneType"),
        (7, TypeError, "not int"),
        (mrl.State("giuthi-3x2"), TypeError, "not State"),
        ("boards", TypeError, "not of <U1"),
        ([mrl.State("giuthi-3x2"), 3], TypeError, r"boards\[1\] is a State, not int"),
        ([[2, 2, 2, 2, 2, 2], mrl.State("giuthi-3x2")], TypeError, r"boards\[0\] is a State, not list"),
        (BOARDS.astype(float), TypeError, "array of integers, not of float64"),
        (np.full((2, 6), np.nan), TypeError, "array of integers, not of float64"),
        (BOARDS.astype(np.float16), TypeError, "float16"),
        (BOARDS.astype(bool), TypeError, "array of integers, not of bool"),
        (BOARDS.astype(complex), TypeError, "complex128"),
        (BOARDS.astype(object), TypeError, "object"),
        (BOARDS.astype("m8[s]"), TypeError, "timedelta"),
        (BOARDS.tolist()[:1] + [[2.5] * 6], TypeError, "float64"),
        (BOARDS[0], ValueError, r"shape \(N, 6\) for 3 pits a row, or \(N, 11\) as raw observations, not \(6,\)"),
        (BOARDS[:, :5], ValueError, r"not \(4, 5\)"),
        (BOARDS[None], ValueError, r"not \(1, 4, 6\)"),
        (np.zeros((0, 7), np.uint8), ValueError, r"not \(0, 7\)"),
        (np.uint8(3), ValueError, r"not \(\)"),
        (np.array([[2] * 6, [2, 2, -1, 2, 2, 2]]), ValueError, "row 1: cell 2 is negative: -1"),
        (
            np.array([[2] * 6, [3] * 6]),
            ValueError,
            "row 1 holds 18 seeds, and the tablebase knows boards of at most 12",
        ),
        (np.array([[2**40, 0, 0, 0, 0, 0]]), ValueError, "row 0 holds 1099511627776 seeds"),
        (np.full((1, 6), 2**64 - 1, np.uint64), ValueError, "row 0 holds 110680464442257309690 seeds"),
        (np.full((1, 6), 256, np.int16), ValueError, "row 0 holds 1536 seeds"),
        (np.ones((2, 11), np.uint8), ValueError, "row 0: no raw observation: the pits hold 6 seeds, and cell 8 says 1"),
        (np.array([[0, 0, 0, 0, 0, 0, 10**6, 0, 0, 0, 0]]), ValueError, "its scores are too large"),
    ],
)
def test_boards_that_do_not_fit(boards, error, words):
    with pytest.raises(error, match=words):
        table().probe_many(boards)


def test_other_arguments():
    for bad, error in [("skip", ValueError), (True, TypeError), (1, TypeError)]:
        with pytest.raises(error, match="outside"):
            table().probe_many(BOARDS, outside=bad)
    with pytest.raises(TypeError):
        table().probe_many(BOARDS, "mask")
    probes = table().probe_many(BOARDS)
    with pytest.raises(ValueError, match="leads: these boards came without scores"):
        probes.values()
    for bad, error in [
        (0.5, TypeError),
        (True, TypeError),
        ("0", TypeError),
        (np.zeros(4), TypeError),
        (np.full(4, np.nan), TypeError),
        (np.zeros(4, bool), TypeError),
        ([None] * 4, TypeError),
        ([0] * 3, ValueError),
        (np.zeros((4, 1), int), ValueError),
        (2**70, ValueError),
    ]:
        with pytest.raises(error, match="lead"):
            probes.values(bad)
    assert table().probe_many([]).values([]).shape == table().probe_many(BOARDS[:0]).values(0).shape == (0,)


@settings(max_examples=150, deadline=None)
@given(
    dtype=st.sampled_from(["u1", "i1", "i2", "u4", "i8", "u8", "f4", "f8", "?", "O", "c8", "M8[D]", "S1", "U1"]),
    shape=st.lists(st.integers(0, 12), max_size=3),
    seed=st.integers(0, 2**32 - 1),
    outside=st.sampled_from(["raise", "mask"]),
)
def test_whatever_it_is_given_it_answers_or_says_why(dtype, shape, seed, outside):
    content = np.random.default_rng(seed).bytes(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    if dtype == "O":
        array = np.full(shape, None)
    else:
        array = np.frombuffer(content, dtype).reshape(shape)
    try:
        probes = table().probe_many(array, outside=outside)
    except TypeError:
        assert array.dtype.kind not in "iu"
    except ValueError:
        assert array.dtype.kind in "iu"
    else:
        assert array.dtype.kind in "iu" and len(probes) == shape[0] and shape[1] in (6, 11)


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"pits": 1}, ValueError, "pits is from 2 to 10, not 1"),
        ({"pits": 11}, ValueError, "pits"),
        ({"pits": 2**40}, ValueError, "pits"),
        ({"pits": 3.0}, TypeError, "pits"),
        ({"pits": True}, TypeError, "pits"),
        ({"seeds": -1}, ValueError, "seeds"),
        ({"seeds": 127}, ValueError, "127 seeds"),
        ({"seeds": "4"}, TypeError, "seeds"),
        ({"capture": "none"}, ValueError, "capture is 'any' or 'occupied', not 'none'"),
        ({"capture": 0}, TypeError, "capture"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": 1025}, ValueError, "threads"),
        ({"threads": 1.5}, TypeError, "threads"),
        ({"memory": -1}, ValueError, "memory"),
        ({"memory": 1}, ValueError, "memory: 1 bytes, and the largest layer needs"),
        ({"memory": 2**64}, ValueError, "memory"),
        ({"memory": 1e9}, TypeError, "memory"),
    ],
)
def test_tables_that_cannot_be_built(tmp_path, kwargs, error, words):
    with pytest.raises(error, match=words):
        mrl.build_tablebase(tmp_path / "a.tb", **{"pits": 3, "seeds": 6, **kwargs})
    assert not (tmp_path / "a.tb").exists()


def test_a_build_is_repeated_only_if_it_is_another(tmp_path):
    path = tmp_path / "a.tb"
    first = mrl.build_tablebase(str(path), 2, 6, threads=2, memory=2**64 - 1)
    before = path.stat()
    assert mrl.build_tablebase(path, 2, 6).boards == first.boards
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    for other in [(3, 6), (2, 7), (2, 6, "occupied")]:
        with pytest.raises(FileExistsError, match="a.tb is a tablebase of giuthi with 2 pits .*: it is left alone"):
            mrl.build_tablebase(path, *other)
    assert os.listdir(tmp_path) == ["a.tb"]
    assert mrl.build_tablebase(tmp_path / "least.tb", 2, 0).max_seeds == 0


def test_control_c_stops_a_build_and_the_next_one_goes_on(tmp_path):
    path = tmp_path / "a.tb"
    part = tmp_path / "a.tb.part"

    def interrupt():
        # A hundredth of it, which is there at once; the rest takes a second or more.
        while not (part.exists() and part.stat().st_size > 20_000):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        mrl.build_tablebase(path, 4, 20)
    thread.join()
    kept = part.read_bytes()
    assert not path.exists() and 20_000 < len(kept) < 6_000_000
    with pytest.raises(ValueError, match="is an unfinished tablebase of giuthi with 4 pits .* finish or remove it"):
        mrl.build_tablebase(path, 4, 8)
    assert part.read_bytes() == kept
    tablebase = mrl.build_tablebase(path, 4, 20, threads=2)
    tablebase.verify()
    assert path.read_bytes()[: len(kept)] == kept and os.listdir(tmp_path) == ["a.tb"]
