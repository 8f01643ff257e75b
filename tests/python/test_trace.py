"""`State.trace` and `State.history`: moves lap by lap, and the games that led here."""

import copy
import pickle

import pytest
from hypothesis import given, settings

import mancala_rl as mrl
from games_to_look_at import board, games
from reference import random_game


def test_a_capture_lap_by_lap():
    """The example of docs/giuthi.md."""
    state = mrl.State.from_position("giuthi-4x4", "1,5,0,2/0,1,2,0 0 0 p0")
    trace = state.trace("6ccw")
    first, second = trace.laps
    assert (first.from_pit, first.seeds, first.direction, first.landing, first.relays) == (6, 2, "ccw", 0, True)
    assert first.position == "2,5,0,2/0,1,0,1 0 0 p0"
    assert (second.from_pit, second.seeds, second.direction, second.landing, second.relays) == (0, 2, "cw", 6, False)
    assert (trace.captures, trace.comes_back_to) == ([(1, 5), (6, 1)], None)
    assert trace.captured_position == "0,0,0,2/0,1,0,2 6 0 p0"
    assert trace.played.captured == 6 and trace.played == state.copy().play("6ccw")
    assert "2 laps" in repr(trace) and "from_pit=6" in repr(first)
    assert state.position() == "1,5,0,2/0,1,2,0 0 0 p0", "nothing was played"


def test_endless_sowings_end_where_they_come_round():
    trace = mrl.State.from_position("giuthi-2x2", "5,0/0,5 0 0 p1").trace("0cw")
    assert (len(trace.laps), trace.comes_back_to, trace.played.laps) == (17, 0, None)
    assert trace.laps[16] == trace.laps[0] and hash(trace.laps[16]) == hash(trace.laps[0])
    assert trace.captures == [] and trace.captured_position is None


def test_kiothis_opening_has_no_laps():
    trace = mrl.State("kiothi").trace("lift 4")
    assert trace.laps == [] and trace.played.landing == 4


def test_errors_are_those_of_play():
    state = mrl.State("giuthi-4x4")
    for action in (99, -1, "1ccw", "nonsense", 1.5, True, None, 2**80):
        with pytest.raises(Exception) as played_error:
            state.copy().play(action)
        with pytest.raises(type(played_error.value)) as error:
            state.trace(action)
        assert str(error.value) == str(played_error.value)


@settings(max_examples=40, deadline=None)
@given(games)
def test_traces_tell_what_playing_does(game):
    state = random_game(*game)
    for action in state.legal_actions():
        trace, after = state.trace(action), state.copy()
        done = after.play(action)
        if after.result == "repetition":
            assert (trace.played.captured, trace.played.laps) == (done.captured, done.laps)
        else:
            assert trace.played == done
        assert board(trace.position).pits == board(after.position()).pits
        assert board(trace.position).scores == after.scores
        assert sum(seeds for _, seeds in trace.captures) == done.captured
        if trace.captures:
            lap, taken = board(trace.laps[-1].position), board(trace.captured_position)
            gone = {pit: lap.pits[pit] - seeds for pit, seeds in enumerate(taken.pits) if lap.pits[pit] != seeds}
            assert gone == dict(trace.captures)
        if not done.endless:
            assert len(trace.laps) == done.laps


@settings(max_examples=30, deadline=None)
@given(games)
def test_histories_lead_here(game):
    state = random_game(*game)
    start, actions = state.history()
    assert start == mrl.State(game[0]) and start.history() == (start, [])
    for action in actions:
        start.play(action)
    assert start == state and copy.copy(state).history()[1] == actions
    assert pickle.loads(pickle.dumps(state)).history() == state.history()


def test_histories_begin_where_the_state_was_made():
    text = "1,5,0,2/0,1,2,0 3 0 p0"
    state = mrl.State.from_position("giuthi-4x4", text)
    state.play("6ccw")
    assert state.history() == (mrl.State.from_position("giuthi-4x4", text), [4])


def test_states_of_a_match_know_what_was_played_on_them():
    class Looks:
        def __init__(self):
            self.seen = 0

        def act_many(self, states):
            for state in states:
                assert state.history() == (state, [])
                on = state.copy()
                on.play(on.legal_actions()[0])
                start, actions = on.history()
                assert start == state and actions == state.legal_actions()[:1]
                # Of a game that began elsewhere a pickle keeps the position and its history, not the moves.
                assert pickle.loads(pickle.dumps(on)) == on and pickle.loads(pickle.dumps(start)) == start
                self.seen += 1
            return [state.legal_actions()[-1] for state in states]

    looks = Looks()
    mrl.match("giuthi-4x4", looks, "random", games=2)
    assert looks.seen > 0
