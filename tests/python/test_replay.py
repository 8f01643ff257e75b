"""`replay`: what its frames hold, and what it takes for a game."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from games_to_look_at import board, games
from mancala_rl.looking import Replay
from reference import random_game


def last_frames(frames):
    """The last frame of each ply."""
    return [frame for frame, after in zip(frames, [*frames[1:], {"ply": -1}]) if frame["ply"] != after["ply"]]


@settings(max_examples=60, deadline=None)
@given(games)
def test_moves_end_in_exactly_their_positions(game):
    state = random_game(*game)
    start, actions = state.history()
    ends = last_frames(mrl.replay(state).frames)
    assert [end["ply"] for end in ends] == list(range(len(actions) + 1))
    for action, end in zip([*actions, None], ends):
        shown = board(start.position())
        assert (list(end["pits"]), end["scores"]) == (shown.pits, shown.scores)
        assert (end.get("nki", []), end.get("hand", 0)) == (shown.nki, shown.hand)
        assert end["mover"] == (None if start.is_over else start.to_move)
        choices = {int(re.findall(r"\d+", start.action_name(a))[0]) for a in start.legal_actions()}
        assert set(end.get("playable", [])) == choices
        if action is not None:
            start.play(action)


@settings(max_examples=60, deadline=None)
@given(games)
def test_no_seed_is_lost_and_laps_are_sown_one_by_one(game):
    state = random_game(*game)
    start, actions = state.history()
    frames = mrl.replay(state).frames
    seeds = board(start.position()).seeds
    laps = {}
    for before, frame in zip([None, *frames], frames):
        assert sum(frame["pits"]) + sum(frame["scores"]) + frame.get("hand", 0) == seeds
        if "lap" in frame:
            laps[frame["ply"]] = laps.get(frame["ply"], 0) + 1
            pits, pit = list(before["pits"]), frame["lap"]["from"]
            pits[pit] -= frame["lap"]["seeds"]
            for _ in range(frame["lap"]["seeds"]):
                pit = (pit + frame["lap"]["step"]) % len(pits)
                pits[pit] += 1
            assert pits == list(frame["pits"])
        if "taken" in frame:
            gained = sum(frame["scores"]) - sum(before["scores"])
            assert sum(taken for _, taken in frame["taken"]) == gained
            assert all(before["pits"][pit] == taken for pit, taken in frame["taken"])
    for ply, action in enumerate(actions, 1):
        done = start.play(action)
        if not done.endless:
            assert laps.get(ply, 0) == done.laps


def test_a_game_worked_out_by_hand():
    """A capture, then a sweep: see `a_capture_is_seen_before_the_sweep` in env/tests/traces.rs."""
    state = mrl.State.from_position("giuthi-4x4", "0,1,1,1/0,1,0,2 0 0 p0")
    replay = mrl.replay(state, ["7ccw"])
    rows = [(frame["ply"], list(frame["pits"]), frame["scores"]) for frame in replay.frames]
    assert rows == [
        (0, [0, 1, 1, 1, 0, 1, 0, 2], (0, 0)),
        (1, [1, 2, 1, 1, 0, 1, 0, 0], (0, 0)),
        (1, [2, 0, 1, 1, 0, 1, 0, 1], (0, 0)),
        (1, [0, 0, 1, 1, 0, 1, 0, 0], (3, 0)),
        (1, [0, 0, 0, 0, 0, 0, 0, 0], (4, 2)),
    ]
    told = [frame["told"] for frame in replay.frames]
    assert told[1:] == [
        "Lap 1 of 2: 2 seeds from pit 7 counter-clockwise to pit 1, occupied, so it is lifted",
        "Lap 2 of 2: 2 seeds from pit 1 clockwise to pit 7, empty",
        "Captured: 3 seeds (2 from 0, 1 from 7)",
        "Nobody can move: what is left goes to its owner's score",
    ]
    assert replay.frames[3]["taken"] == [(0, 2), (7, 1)]
    assert replay.title == "giuthi-4x4: Player 0 wins, 4 to 2" and replay.moves == ["7ccw"]


def test_endless_sowings_are_cut_and_leave_the_board_alone():
    state = mrl.State.from_position("giuthi-2x2", "5,0/0,5 0 0 p1")
    frames = mrl.replay(state, ["0cw"]).frames
    assert len(frames) == 1 + 17 + 1 and frames[-1]["pits"] == frames[0]["pits"]
    assert frames[1]["told"].startswith("Lap 1 of an endless sowing") and "never end" in frames[-1]["told"]
    text = "0,1,0,1,2,1,2,1,4,1/6,5,7,1,2,1,9,1,8,7 0 0 p1 sow ..........x.x...x.x."
    assert len(mrl.replay(mrl.State.from_position("kiothi", text), ["16:9"]).frames) < 500


def game_of(replay):
    return replay.game, replay.actions, replay.moves


def test_all_kinds_of_games(tmp_path):
    state = random_game("giuthi-5x4?capture=occupied", 3, 30)
    start, actions = state.history()
    names = []
    for action in actions:
        names.append(start.action_name(action))
        start.play(action)
    states = [mrl.State("giuthi-5x4", capture="occupied")]
    for action in actions:
        states.append(states[-1].copy())
        states[-1].play(action)
    expected = ("giuthi-5x4?capture=occupied", actions, names)
    assert game_of(mrl.replay(state)) == expected
    assert game_of(mrl.replay("giuthi-5x4?capture=occupied", actions)) == expected
    assert game_of(mrl.replay("giuthi-5x4", names, capture="occupied")) == expected
    assert game_of(mrl.replay(states[4], actions[4:])) == expected
    assert game_of(mrl.replay(states)) == expected
    assert game_of(mrl.replay({"game": state.game, "actions": actions})) == expected
    blank = [mrl.State.from_position("giuthi-5x4", s.position(), capture="occupied") for s in states]
    found = mrl.replay(blank[:-1])
    assert [list(frame["pits"]) for frame in last_frames(found.frames)] == [
        board(s.position()).pits for s in states[:-1]
    ]
    assert mrl.replay("giuthi-3x3", []).moves == []


def test_lines_of_a_results_file(tmp_path):
    file = tmp_path / "games.jsonl"
    mrl.match("giuthi-4x4", "greedy", "random", games=4, results=file, opening_plies=2)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == 4
    for line in lines:
        replay = mrl.replay(line)
        assert replay.actions == line["actions"] and list(replay.frames[-1]["scores"]) == line["scores"]
        page = replay.html()
        sides = [line["a"], line["b"]][:: 1 if line["a_plays"] == 0 else -1]
        assert f"<p>{sides[0]} against {sides[1]}, " in page
        assert page.count('class="of-0 random"') + page.count('class="of-1 random"') == 2


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (("giuthi-4x4",), TypeError, "a game id needs actions"),
        (("chess", []), ValueError, "no such game"),
        (("giuthi-4x4", [0, 99]), mrl.ActionOutOfRangeError, r"actions\[1\]: action 99 is out of range"),
        (("giuthi-4x4", ["4ccw", "4ccw"]), ValueError, r"actions\[1\]: "),
        (("giuthi-4x4", [True]), TypeError, r"actions\[0\]: an action is an int, not a bool"),
        (("giuthi-4x4", "4ccw"), TypeError, "actions is a sequence of ints and strs, not str"),
        (([],), ValueError, "game is an empty sequence"),
        (([mrl.State("giuthi-4x4"), "x"],), TypeError, r"game\[1\] is a State, not str"),
        (
            ([mrl.State("giuthi-4x4"), mrl.State("giuthi-4x4")],),
            ValueError,
            r"game\[1\] .* does not follow from game\[0\]",
        ),
        (([mrl.State("giuthi-4x4")], [0]), TypeError, "actions are for a game id or a State, not for a list"),
        (({"actions": []},), ValueError, "a line of a results file has 'game'"),
        (({"game": "giuthi-4x4", "actions": [], "rules_version": 99},), ValueError, "rules version 99"),
        ((7,), TypeError, "game is a game id, a State, a sequence of States or a line of a results file, not int"),
    ],
)
def test_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        mrl.replay(*arguments)


def test_more_errors():
    state = mrl.State("giuthi-4x4")
    illegal = next(action for action in range(8) if action not in random_game("giuthi-4x4", 0, 3).legal_actions())
    with pytest.raises(mrl.IllegalActionError, match=r"actions\[0\]: illegal action"):
        mrl.replay(random_game("giuthi-4x4", 0, 3), [illegal])
    for keyword, value in {"title": 3, "players": ("a", None), "flip": "yes"}.items():
        with pytest.raises(TypeError, match=keyword):
            mrl.replay(state, **{keyword: value})
    with pytest.raises(TypeError, match="capture: options are for a game id"):
        mrl.replay(state, capture="any")
    with pytest.raises(OSError):
        mrl.replay(state).save("/nowhere/at/all.html")


HOSTILE = "</script><script>alert(1)</script><!--&\"'{{data}}"


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_pages_hold_any_text(name, title):
    page = mrl.replay("giuthi-3x3", [0], players=(name, HOSTILE), title=title + HOSTILE).html()
    assert page.count("</script>") == page.count("<script") == 2 and "alert(1)</" not in page
    data = json.loads(re.search(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)[1])
    assert data["names"] == [name, HOSTILE[:39] + "\u2026"]


def test_pages_need_nothing_from_elsewhere(tmp_path):
    replay = mrl.replay(random_game("kiothi-4x3", 1, 40))
    assert isinstance(replay, Replay) and "kiothi-4x3" in repr(replay)
    file = replay.save(tmp_path / "game.html")
    page = file.read_text(encoding="utf-8")
    assert page == replay.html() == replay.html()
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of a namespace, which nobody fetches"
    assert not re.search(r"<(link|img|iframe)\b|@import|\bfetch\(|XMLHttpRequest", page)
    assert "{{" not in page and "default-src 'none'" in page
    assert replay._repr_html_().startswith("<iframe srcdoc=") and "allow-scripts" in replay._repr_html_()
