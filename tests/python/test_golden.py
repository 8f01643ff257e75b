"""Golden games, cases and perft counts of an independent reference, through the Python package."""

import pytest

import mancala_rl as mrl
from reference import lines, options


def flags(played):
    found = ["extra"] * played.extra_move + ["triple"] * played.bonus
    found += [f"capture:{played.captured}"] * (played.captured > 0)
    return found + ["pass"] * played.passed + ["endless"] * played.endless


def start(row, key="start"):
    return mrl.State.from_position(row["game"], row[key], **options(row))


@pytest.mark.parametrize("file", ["giuthi.jsonl", "kiothi.jsonl"])
def test_games_agree(file):
    for row in lines(file):
        state = start(row)
        for step in row["moves"]:
            assert len(state.legal_actions()) == step["legal"]
            assert state.parse_action(step["move"]) == step["action"]
            assert state.action_name(step["action"]) == step["move"]
            assert state.result is None and state.winner is None and state.returns() == (0, 0)
            played = state.play(step["action"])
            assert state.position() == step["position"]
            assert flags(played) == step["flags"]
            if "laps" in step:
                assert played.laps == step["laps"]
        assert state.is_over and state.legal_actions() == []
        assert (state.result, state.winner) == (row["result"], row["winner"])
        expected = {0: (1, -1), 1: (-1, 1), None: (0, 0)}[row["winner"]]
        assert state.returns() == expected


def test_cases_agree():
    for row in lines("cases.jsonl"):
        state = start(row)
        for move in row.get("moves", [row.get("move")]):
            played = state.play(move)
        assert state.position() == row["position"]
        assert flags(played) == row["flags"]
        assert (state.result, state.winner) == (row["result"], row["winner"])


def test_perft_counts_agree():
    for row in lines("perft.jsonl"):
        for depth, count in enumerate(row["perft"], 1):
            assert mrl.perft(row["game"], depth, row["position"], **options(row)) == count


def test_texts_survive():
    for row in lines("giuthi.jsonl")[::4] + lines("kiothi.jsonl")[::4]:
        for step in row["moves"]:
            again = mrl.State.from_position(row["game"], step["position"], **options(row))
            assert again.position() == str(again) == step["position"]
