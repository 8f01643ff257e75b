"""The benches of the Python package run, and say what they should."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "python" / "benches" / "random_play.py"
QUICK = ["--game", "giuthi-3x2,kiothi-3x1", "--batch", "1,100", "--seconds", "0.01", "--rounds", "2"]


def run(*args):
    return subprocess.run([sys.executable, BENCH, *args], capture_output=True, text=True, timeout=300)


def test_every_row_is_measured():
    result = run(*QUICK, "--threads", "1,2", "--json")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)
    ours = [row for row in rows if row["library"] == "mancala_rl"]
    # With one game there is nothing to share between threads.
    expected = [
        (game, batch, threads, copy)
        for game in ("giuthi-3x2", "kiothi-3x1")
        for batch, threads in ((1, 1), (100, 1), (100, 2))
        for copy in (True, False)
    ]
    assert [(row["game"], row["batch"], row["threads"], row["copy"]) for row in ours] == expected
    assert all(0 < row["min"] <= row["steps_per_s"] <= row["max"] for row in rows)
    has_pgx = any(row["library"] == "pgx" for row in rows)
    assert all((row["ratio_to_pgx"] is not None) == has_pgx for row in rows)


def test_a_missing_peer_is_told_of_once():
    result = run(*QUICK, "--copy", "False", "--threads", "1", "--peers", "/nowhere/python")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert sum(line.startswith("mancala_rl ") for line in lines) == 4, result.stdout
    for library in ("pgx", "open_spiel"):
        if not any(line.startswith(f"{library} ") for line in lines):
            notes = [line for line in result.stderr.splitlines() if line.startswith(f"note: {library} is not measured")]
            assert len(notes) == 1 and "/nowhere/python: No such file" in notes[0], result.stderr


@pytest.mark.parametrize(
    ("args", "code", "named"),
    [
        (["--batch", "0"], 2, "'0'"),
        (["--threads", "1,x"], 2, "'1,x'"),
        (["--copy", "yes"], 2, "'yes'"),
        (["--seconds", "nan"], 2, "nan"),
        (["--game", "chess", "--batch", "1"], 1, "chess"),
    ],
)
def test_bad_arguments_are_named(args, code, named):
    result = run(*args)
    assert result.returncode == code
    assert named in result.stderr.splitlines()[-1]
