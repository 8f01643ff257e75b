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


def test_play_python_agent(tmp_path):
    args = ("--games", 20, "--opponent", "greedy", "--results", tmp_path / "games.jsonl")
    first, again = run("play_python_agent.py", *args), run("play_python_agent.py", *args)
    assert "linear-1: " in first and re.search(r"\d+ states a call, at most \d+", first)
    assert "states a call" not in again, "all games are in the file"
    assert first.splitlines()[-2:] == again.splitlines()[-2:]


@pytest.mark.parametrize("selection", ["gumbel", "puct"])
def test_tree_search_beats_its_own_policy(selection):
    out = run("mcts_with_numpy.py", "--games", 100, "--sims", 24, "--selection", selection)
    score, error = map(float, re.search(r"score (\S+) \(standard error (\S+)\)", out).groups())
    assert score > 0.5 + 3 * error, out


def test_train(tmp_path):
    try:
        find_binary()
    except FileNotFoundError as error:
        pytest.skip(f"the training example needs the mancala command: {error}")
    config = ROOT / "train" / "configs" / "giuthi-5x4.toml"
    settings = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]
    out = run("train.py", "--config", config, "--out", tmp_path / "run", *settings)
    assert "2 metrics records" in out
