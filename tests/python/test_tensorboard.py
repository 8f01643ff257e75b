"""The event file of a run as TensorBoard itself reads it; only where TensorBoard and the `mancala` command are there."""

import json
import os
import subprocess

import pytest

CONFIG = """
game = "giuthi-2x2"
iterations = 3
net = { channels = 8, blocks = 1, policy_hidden = 4, value_hidden = 4 }
self_play = { games = 4, lockstep = 2, simulations = 4, considered = 2, opening_plies = 1, max_plies = 30 }
learner = { batch = 8 }
evaluation = { games = 4, simulations = 2, opening_plies = 1, opponents = ["random"] }
"""


@pytest.mark.parametrize("torn", [0, 5, 30])
def test_tensorboard_reads_the_events(tmp_path, torn):
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    binary = os.environ.get("MANCALA_BIN")
    if not binary:
        pytest.skip("MANCALA_BIN does not name the mancala command")
    config, run = tmp_path / "config.toml", tmp_path / "run"
    config.write_text(CONFIG)
    subprocess.run([binary, "train", "--config", config, "--out", run], check=True, capture_output=True)
    (events,) = run.glob("events.out.tfevents.*")
    if torn:
        os.truncate(events, events.stat().st_size - torn)
    accumulator = accumulators.EventAccumulator(str(run))
    accumulator.Reload()
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    found = [(event.step, event.wall_time) for event in accumulator.Scalars("loss/value_loss")]
    assert found == [(line["iteration"], line["time"]) for line in lines]
    values = [event.value for event in accumulator.Scalars("loss/value_loss")]
    assert values == pytest.approx([line["value_loss"] for line in lines])
    if not torn:
        arena = json.loads((run / "arena.jsonl").read_text())
        (match,) = accumulator.Scalars("arena_score/random")
        assert (match.step, match.value) == (3, pytest.approx(arena["score"]))
