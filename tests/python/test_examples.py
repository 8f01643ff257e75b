"""The examples run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mancala_rl.training import find_binary

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python" / "examples"

TINY = {
    "iterations": 2,
    "threads": 1,
    "net.channels": 8,
    "net.blocks": 1,
    "self_play.games": 8,
    "self_play.simulations": 4,
    "self_play.considered": 2,
    "learner.batch": 32,
    "evaluation.games": 2,
    "evaluation.opponents": '["random"]',
}


def run(name, *args):
    command = [sys.executable, EXAMPLES / name, *map(str, args)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x1"])
def test_random_rollout(game):
    out = run("random_rollout.py", "--game", game, "--num-envs", 64, "--steps", 200)
    assert "steps a second" in out and "by no-moves" in out


def test_match():
    out = run("match.py", "--games", 10, "--opponent", "alphabeta:depth=1")
    assert "against alphabeta:depth=1" in out and re.search(r"score \d\.\d+ \(standard error \d\.\d+\)", out)


def test_train(tmp_path):
    try:
        find_binary()
    except FileNotFoundError as error:
        pytest.skip(f"the training example needs the mancala command: {error}")
    config = ROOT / "train" / "configs" / "giuthi-5x4.toml"
    settings = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]
    out = run("train.py", "--config", config, "--out", tmp_path / "run", *settings)
    assert "2 metrics records" in out
