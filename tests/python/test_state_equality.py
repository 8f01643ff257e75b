"""What it means that two states are equal: they have equal futures."""

import copy
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl

GAMES = [
    "giuthi-2x2",
    "giuthi-3x2?capture=occupied",
    "giuthi-4x4",
    "kiothi-3x1",
    "kiothi-3x2?one_warrior_multiplier=2.5",
]


def at(game, actions):
    state = mrl.State(game)
    for action in actions:
        state.play(action)
    return state


def look(state):
    """All that a player sees."""
    seen = (state.position(), state.result, state.winner, state.scores, state.returns(), state.legal_actions())
    return (*seen, state.observation("uint8").tobytes(), state.action_features().tobytes())


def futures(state, depth):
    """What comes of every line of actions."""
    found = [look(state)]
    if depth > 0:
        for action in state.legal_actions():
            child = state.copy()
            found.append(child.play(action))
            found.extend(futures(child, depth - 1))
    return found


def reached(game, depth):
    """The states after every line of so many actions or fewer."""
    found, level = [], [mrl.State(game)]
    for _ in range(depth + 1):
        found += level
        level = [child for state in level for child in children(state)]
    return found


def children(state):
    for action in state.legal_actions():
        child = state.copy()
        child.play(action)
        yield child


def test_equal_states_have_equal_futures():
    """All states of a small board after up to six actions: by key, by equality, and by what comes of them."""
    states = reached("giuthi-2x2", 6)
    classes = {}
    for state in states:
        classes.setdefault(state.key, []).append(state)
    met = 0
    for same in classes.values():
        first = same[0]
        for state in same[1:]:
            met += 1
            assert state == first and not state != first and hash(state) == hash(first)
            assert futures(state, 4) == futures(first, 4)
    assert met > 20, "some positions come about in two ways"
    different = [same[0] for same in classes.values()]
    for i, state in enumerate(different[:120]):
        for other in different[:i]:
            assert state != other and not state == other


def test_a_history_tells_states_apart():
    """A position reached anew is another state than the first of its own history, and their futures differ."""
    told = 0
    for seed in range(20):
        state, rng = mrl.State("giuthi-4x4?capture=occupied"), random.Random(seed)
        while not state.is_over:
            fresh = mrl.State.from_position(state.game, state.position())
            if (state.action_features()[:, 5] != 0).any():
                # Some action leads back: only the state with the history knows.
                assert fresh.position() == state.position() and fresh != state and fresh.key != state.key
                assert not (fresh.action_features()[:, 5] != 0).all()
                assert futures(fresh, 1) != futures(state, 1)
                told += 1
            features = state.action_features()
            loud = features[:, 0] + features[:, 7]
            state.play(rng.choice([action for action, value in zip(state.legal_actions(), loud) if value == min(loud)]))
    assert told > 10


def test_options_and_ends_tell_states_apart():
    assert mrl.State("giuthi-4x4") != mrl.State("giuthi-4x4", capture="occupied")
    assert mrl.State("kiothi") != mrl.State("kiothi", one_warrior_multiplier=2.0)
    assert mrl.State("giuthi-4x4") != mrl.State("giuthi-4x5")
    assert mrl.State("giuthi-4x4") != "4,4,4,4/4,4,4,4 0 0 p0"
    text = "1,0,3,0/0,2,0,1 5 4 p0"
    assert mrl.State.from_position("giuthi-4x4", text) != mrl.State.from_position("giuthi-4x4", text + " repetition")
    # The seeds of the id are the unit of observations and the size of nothing else, but they are an option all the same.
    assert mrl.State.from_position("giuthi-4x4", text) != mrl.State.from_position("giuthi-4x2", text)


def test_keys_are_the_same_in_every_process(run_python):
    code = 'import mancala_rl as mrl\ns = mrl.State("giuthi-6x4")\ns.play("9ccw")\nprint(s.key, hash(s))'
    state = at("giuthi-6x4", [])
    state.play("9ccw")
    assert run_python(code).split() == [str(state.key), str(hash(state))]


class Keeping:
    """Keeps pickles of what it was asked about, and copies."""

    def __init__(self):
        self.kept = []

    def act_many(self, states):
        self.kept += [(state, pickle.dumps(state)) for state in map(copy.copy, states)]
        return [state.legal_actions()[0] for state in states]


def test_states_that_a_match_has_handed_out_pickle_with_their_history():
    for game in ("giuthi-4x3?capture=occupied", "kiothi-3x1"):
        agent = Keeping()
        mrl.match(game, agent, "random", games=20)
        assert len(agent.kept) > 50
        for state, pickled in agent.kept:
            twin = pickle.loads(pickled)
            assert twin == state and twin.key == state.key and hash(twin) == hash(state)
            assert futures(twin, 1) == futures(state, 1)
            assert pickle.loads(pickle.dumps(twin)) == state
            # What has been played since is known, and stays so.
            for _ in range(2):
                if not twin.is_over:
                    twin.play(twin.legal_actions()[-1])
            third = pickle.loads(pickle.dumps(twin))
            assert third == twin and third.history() == twin.history() and third.history()[0] == state
            assert len(third.history()[1]) > 0
    state, _ = agent.kept[0]
    function, (game, saved, actions) = state.__reduce__()
    assert actions == []
    with pytest.raises(mrl.ActionOutOfRangeError, match="action 10000"):
        function(game, saved, [10_000])
    for bad in (saved[:-1], saved.replace(b"p0", b"p1") if b"p0" in saved else saved.replace(b"p1", b"p0"), b"x"):
        try:
            function(game, bad, [])
        except ValueError as error:
            assert str(error).startswith("state: ")
        else:
            raise AssertionError("no ValueError")


@settings(max_examples=80, deadline=None)
@given(game=st.sampled_from(GAMES), seed=st.integers(0, 2**32), plies=st.integers(0, 60), more=st.integers(0, 40))
def test_copies_of_any_state_are_equal_and_go_on_alike(game, seed, plies, more):
    state, rng = mrl.State(game), random.Random(seed)
    for _ in range(plies):
        if state.is_over:
            break
        state.play(rng.choice(state.legal_actions()))
    twins = [copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state)), mrl.State.copy(state)]
    for _ in range(more):
        for twin in twins:
            assert twin == state and twin.key == state.key and look(twin) == look(state)
        if state.is_over:
            break
        action = rng.choice(state.legal_actions())
        played = state.play(action)
        assert state not in twins
        assert all(twin.play(action) == played for twin in twins)
