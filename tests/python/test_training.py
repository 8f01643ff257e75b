"""`mrl.train`: how it finds the command, follows its metrics and fails. The command here is a script that acts like it."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

import mancala_rl as mrl
from mancala_rl import TrainingError, TrainingInputError
from mancala_rl.training import find_binary

SCRIPT = """#!{python}
import json, os, signal, sys, time
args = sys.argv[1:]
assert args[0] == "train"
value = lambda flag: args[args.index(flag) + 1]
config, out = value("--config"), value("--out")
settings = [args[i + 1] for i, arg in enumerate(args) if arg == "--set"]
os.makedirs(out, exist_ok=True)
metrics = os.path.join(out, "metrics.jsonl")
stop = []
signal.signal(signal.SIGINT, lambda *_: stop.append(1))
first = 0
if "--resume" in args:
    kept = open(metrics).readlines()[:2]
    with open(metrics + ".new", "w") as file:
        file.writelines(kept)
    os.replace(metrics + ".new", metrics)
    first = 2
for iteration in range(first, first + int(value("--iterations"))):
    line = json.dumps({{"iteration": iteration, "settings": settings, "time": time.time()}}) + "\\n"
    with open(metrics, "a") as file:
        file.write(line[:9])
        file.flush()
        time.sleep(0.02)
        file.write(line[9:])
    if config == "slow":
        time.sleep(0.2)
    if stop:
        sys.exit(130)
if config == "bad":
    print("no such key: colour", file=sys.stderr)
    sys.exit(2)
if config == "failing":
    sys.exit(1)
"""


@pytest.fixture
def binary(tmp_path, monkeypatch):
    """The command; configs of all kinds stand in the working directory."""
    folder = tmp_path / "configs"
    folder.mkdir()
    for name in ("c.toml", "slow", "bad", "failing"):
        (folder / name).touch()
    monkeypatch.chdir(folder)
    path = tmp_path / "bin" / "mancala"
    path.parent.mkdir()
    path.write_text(SCRIPT.format(python=sys.executable))
    path.chmod(0o755)
    return path


def test_metrics_are_streamed_and_returned(binary, tmp_path):
    seen = []
    records = mrl.train(
        "c.toml",
        tmp_path / "run",
        seed=3,
        iterations=4,
        overrides={"net.channels": 64, "replay.mirror": False},
        binary=binary,
        on_metrics=seen.append,
    )
    assert seen == records and [record["iteration"] for record in records] == [0, 1, 2, 3]
    assert records[0]["settings"] == ["net.channels=64", "replay.mirror=false", "seed=3"]


def test_a_resumed_run_tells_what_it_adds(binary, tmp_path):
    mrl.train("c.toml", tmp_path / "run", iterations=5, binary=binary)
    records = mrl.train("c.toml", tmp_path / "run", iterations=4, resume=True, binary=binary)
    assert [record["iteration"] for record in records] == [2, 3, 4, 5]


def test_a_failure_carries_the_commands_words(binary, tmp_path):
    with pytest.raises(RuntimeError, match="exit code 2.*\n.*no such key: colour") as caught:
        mrl.train("bad", tmp_path / "run", iterations=1, binary=binary)
    assert isinstance(caught.value, TrainingInputError) and isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TrainingError)
    assert caught.value.returncode == 2 and caught.value.stderr == "no such key: colour\n"
    assert caught.value.cmd[0] == str(binary)


def test_a_failure_that_is_nobodys_input_is_no_value_error(binary, tmp_path):
    with pytest.raises(TrainingError, match="exit code 1") as caught:
        mrl.train("failing", tmp_path / "run", iterations=1, binary=binary)
    assert not isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"config": "absent.toml"}, FileNotFoundError, "absent.toml"),
        ({"iterations": 0}, ValueError, "iterations is at least 1 .* not 0"),
        ({"iterations": -1}, ValueError, "iterations"),
        ({"iterations": 10**400}, ValueError, "not an int of 1329 bits"),
        ({"iterations": 2.0}, TypeError, "iterations"),
        ({"iterations": True}, TypeError, "iterations"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": "1"}, TypeError, "seed"),
    ],
)
def test_what_is_wrong_at_once_runs_nothing(binary, tmp_path, wrong, error, message):
    with pytest.raises(error, match=message) as caught:
        mrl.train(**{"config": "c.toml", "out": tmp_path / "run", "binary": binary, **wrong})
    assert not isinstance(caught.value, TrainingError)
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif("MANCALA_BIN" not in os.environ, reason="needs the mancala command in $MANCALA_BIN")
def test_the_commands_refusals_are_value_errors(tmp_path):
    config = Path(__file__).parents[2] / "train" / "configs" / "giuthi-5x4.toml"
    (tmp_path / "malformed.toml").write_text("game = ")
    with pytest.raises(TrainingInputError, match="nonsense"):
        mrl.train(config, tmp_path / "run", overrides={"nonsense": 1})
    with pytest.raises(TrainingInputError, match="malformed.toml"):
        mrl.train(tmp_path / "malformed.toml", tmp_path / "run")
    (tmp_path / "run").mkdir(exist_ok=True)
    (tmp_path / "run" / "config.toml").write_text(config.read_text())
    with pytest.raises(TrainingInputError, match="already holds a run"):
        mrl.train(config, tmp_path / "run")


def test_ctrl_c_is_passed_on(binary, tmp_path):
    lines = []

    def interrupt():
        while not lines:
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        mrl.train("slow", tmp_path / "run", iterations=100, binary=binary, on_metrics=lines.append)
    thread.join()
    assert time.monotonic() - begun < 10
    written = (tmp_path / "run" / "metrics.jsonl").read_text()
    assert written.endswith("\n"), "the command has finished its iteration"


def test_where_the_command_is_looked_for(binary, tmp_path, monkeypatch):
    monkeypatch.delenv("MANCALA_BIN", raising=False)
    monkeypatch.setenv("PATH", str(binary.parent))
    assert find_binary() == str(binary)
    other = tmp_path / "other"
    other.symlink_to(binary)
    monkeypatch.setenv("MANCALA_BIN", str(other))
    assert find_binary() == str(other)
    assert find_binary(binary) == str(binary)
    for bad in (tmp_path, tmp_path / "absent"):
        with pytest.raises(FileNotFoundError, match="make release"):
            find_binary(bad)
    monkeypatch.setenv("MANCALA_BIN", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError, match="MANCALA_BIN"):
        find_binary()


def test_a_checkouts_command_is_found(binary, tmp_path, monkeypatch):
    monkeypatch.delenv("MANCALA_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    checkout = tmp_path / "checkout"
    (checkout / "target" / "release").mkdir(parents=True)
    (checkout / "python" / "mancala_rl").mkdir(parents=True)
    monkeypatch.setattr("mancala_rl.training.__file__", str(checkout / "python" / "mancala_rl" / "training.py"))
    monkeypatch.chdir(tmp_path)
    os.link(binary, checkout / "target" / "release" / "mancala")
    with pytest.raises(FileNotFoundError, match="make release"):
        mrl.train("c.toml", tmp_path / "run")
    (checkout / "Cargo.toml").touch()
    assert find_binary() == str(checkout / "target" / "release" / "mancala")
