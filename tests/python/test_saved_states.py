"""`get_state` and `set_state` of batches: whatever has been restored goes on as it would have."""

import base64
import copy
import io
import pickle

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from saving import equal, sealed, shown

GAMES = [
    ("giuthi-8x8", 5, {}),
    ("giuthi-8x8", 130, {"random_first_player": True, "random_opening_plies": 5, "max_plies": 80}),
    ("giuthi-4x4", 70, {"capture": "occupied"}),
    ("giuthi-2x2", 3, {"random_first_player": True}),
    ("giuthi-3x2", 40, {"max_plies": 7}),
    ("kiothi", 64, {}),
    ("kiothi", 3, {"random_opening_plies": 21, "max_plies": 60}),
    ("kiothi-3x1", 20, {"one_warrior_multiplier": 2.5}),
]


def quiet(env):
    """Actions that capture nothing and end nothing where there are any: histories grow long."""
    offsets, actions, features = env.action_features()
    loud = features[:, 0] + features[:, 7]
    picks = []
    for game, (first, last) in enumerate(zip(offsets[:-1], offsets[1:])):
        best = first + np.flatnonzero(loud[first:last] == loud[first:last].min())
        picks.append(best[game % len(best)])
    return actions[picks]


def go_on(envs, steps=40):
    """Plays and samples in all alike, quietly now and then; compares all that is returned."""
    for step in range(steps):
        actions = [env.sample_actions() for env in envs]
        for other in actions[1:]:
            np.testing.assert_array_equal(actions[0], other)
        if step % 4 > 1:
            actions = [quiet(env) for env in envs]
        results = [env.step(own) for env, own in zip(envs, actions)]
        for other in results[1:]:
            equal(results[0], other)
    resets = [env.reset() for env in envs]
    for other in resets[1:]:
        equal(resets[0], other)


@pytest.mark.parametrize(("game", "games", "options"), GAMES)
def test_a_restored_batch_goes_on_as_it_would_have(game, games, options):
    env = mrl.make_vec(game, games, seed=3, **options)
    env.reset()
    go_on([env])
    for _ in range(35):
        env.step(quiet(env))
    state = env.get_state()
    assert state.dtype == np.uint8 and state.ndim == 1
    others = [
        mrl.make_vec(game, games, **options),
        mrl.make_vec(game, games, seed=9, threads=3, copy=False, **options),
    ]
    others[0].reset()
    others[0].step(others[0].sample_actions())
    for other in others:
        equal(other.set_state(state), shown(env))
        np.testing.assert_array_equal(other.get_state(), state)
    go_on([env, *others])
    # Back again, in the same environment.
    env.set_state(state)
    others[1].set_state(state)
    go_on([env, others[1]], 10)


START = "0,1,1,3/0,1,1,1 0 0 p0"
ROUNDS = [
    "6 3 5 6 2 6 0 2 0 2 4 0 2 6 0 2 0 2 6 0 2 4 0 2 6 0 7 3 0 3 0",
    "6 3 5 6 2 6 0 2 0 2 4 0 2 6 0 2 0 2 6 0 2 4 0 2 6 0 6 3 5 6 2 6 0 3 6 1 5 6 3 1",
]
"""From the start back to it after 31 and 40 plies, without a capture and through no position twice (`env/src/batch/histories_tests.rs`)."""


@pytest.mark.parametrize("games", [2, 20])
@pytest.mark.parametrize("round_trip", ROUNDS, ids=["31", "40"])
def test_a_restored_game_knows_where_it_has_stood(round_trip, games):
    *actions, last = map(int, round_trip.split())
    env = mrl.make_vec("giuthi-4x4", games, capture="occupied")
    env.reset(options={"positions": [START] * games})
    for plies, action in enumerate(actions):
        if plies in (1, 7, 30, 38):
            other = mrl.make_vec("giuthi-4x4", games, capture="occupied", observation_dtype="uint8")
            other.set_state(env.get_state())
            env = other
        env.step([action] * games)
    other = mrl.make_vec("giuthi-4x4", games, capture="occupied", action_features="dense", observation_dtype="uint8")
    obs, info = other.set_state(env.get_state())
    assert obs.dtype == np.uint8
    np.testing.assert_array_equal(info["action_features"], env.action_features("dense"))
    assert (info["action_features"][:, last, 5] == 1).all(), "it would come back to the start"
    *_, info = other.step([last] * games)
    assert (info["final_info"]["result"] == "repetition").all()
    assert (info["final_info"]["plies"] == len(actions) + 1).all()


def test_games_that_no_reset_has_begun_are_restored_as_such():
    env = mrl.make_vec("giuthi-5x4", 3, random_opening_plies=4)
    env.reset(options={"reset_mask": np.array([True, False, True])})
    other = mrl.make_vec("giuthi-5x4", 3, seed=5, random_opening_plies=4)
    other.set_state(env.get_state())
    equal(env.reset(), other.reset())
    assert env.positions()[1] == mrl.make_vec("giuthi-5x4", 3, random_opening_plies=4).positions()[1]


def test_numpy_and_pickle_keep_states():
    env = mrl.make_vec("kiothi", 20)
    env.reset(seed=8)
    env.step(env.sample_actions())
    state = env.get_state()
    file = io.BytesIO()
    np.savez(file, env=state, weights=np.ones(3))
    file.seek(0)
    for kept in (
        np.load(file)["env"],
        pickle.loads(pickle.dumps(state)),
        state.tobytes(),
        bytearray(state),
        memoryview(state.tobytes()),
        np.repeat(state, 2)[::2],
    ):
        other = mrl.make_vec("kiothi", 20)
        other.set_state(kept)
        np.testing.assert_array_equal(other.get_state(), state)


def test_a_state_is_no_view_of_the_environment():
    env = mrl.make_vec("giuthi-5x4", 4)
    env.reset()
    state = env.get_state()
    kept = state.copy()
    env.step(env.sample_actions())
    np.testing.assert_array_equal(state, kept)
    state[:] = 0
    assert env.get_state().any() and not np.shares_memory(state, env.get_state())


PROCESS = """
import base64, sys
import numpy as np
import mancala_rl as mrl
env = mrl.make_vec("giuthi-6x4", 150, threads={threads}, random_opening_plies=3, max_plies=50)
env.set_state(base64.b64decode("{state}"))
for _ in range(30):
    env.step(env.sample_actions())
print(base64.b64encode(env.get_state()).decode())
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_another_process_goes_on(run_python, threads):
    env = mrl.make_vec("giuthi-6x4", 150, seed=2**63, random_opening_plies=3, max_plies=50)
    env.reset()
    for _ in range(60):
        env.step(env.sample_actions())
    state = base64.b64encode(env.get_state()).decode()
    there = run_python(PROCESS.format(threads=threads, state=state))
    for _ in range(30):
        env.step(env.sample_actions())
    assert base64.b64decode(there) == env.get_state().tobytes()


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_environments_copy_and_pickle(make_copy, begun):
    env = mrl.make_vec("giuthi-3x3", 20, seed=6, capture="occupied", random_opening_plies=2, max_plies=30)
    if begun:
        env.reset()
        go_on([env])
    env.note = ["anything"]
    twin = make_copy(env)
    assert twin.note == ["anything"] and twin.game == env.game and twin.metadata == env.metadata
    if not begun:
        with pytest.raises(ResetNeeded):
            twin.step(np.zeros(20, int))
        equal(env.reset(), twin.reset())
    go_on([env, twin])
    before = twin.get_state()
    env.step(env.sample_actions())
    np.testing.assert_array_equal(twin.get_state(), before)
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        make_copy(env).reset()


def test_a_reset_comes_first_and_close_last():
    env = mrl.make_vec("giuthi-5x4", 2)
    with pytest.raises(ResetNeeded):
        env.get_state()
    env.reset()
    state = env.get_state()
    other = mrl.make_vec("giuthi-5x4", 2)
    other.set_state(state)
    other.step(other.sample_actions())
    other.close()
    for call in (other.get_state, lambda: other.set_state(state)):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_bad_states_are_named_and_change_nothing():
    options = {"max_plies": 40, "random_opening_plies": 1}
    env = mrl.make_vec("giuthi-3x3", 20, **options)
    env.reset()
    env.step(env.sample_actions())
    state = env.get_state()

    def saved(game="giuthi-3x3", games=20, **changed):
        other = mrl.make_vec(game, games, **{**options, **changed})
        other.reset()
        return other.get_state()

    against = mrl.make_vec("giuthi-3x3", 20, opponent="random", **options)
    against.reset()
    cut, flipped = state[:-1], state.copy()
    flipped[len(flipped) // 2] ^= 4
    for bad, error, message in [
        (saved("giuthi-3x4"), ValueError, "saved with game=giuthi-3x4, but here it is giuthi-3x3$"),
        (saved(capture="occupied"), ValueError, r"game=giuthi-3x3\?capture=occupied"),
        (saved("kiothi-3x1"), ValueError, "game=kiothi-3x1"),
        (saved(games=21), ValueError, "num_envs=21, but here it is 20"),
        (saved(max_plies=None), ValueError, "max_plies=None, but here it is 40"),
        (saved(random_opening_plies=0), ValueError, "random_opening_plies=0, but here it is 1"),
        (saved(random_first_player=True), ValueError, "random_first_player=true, but here it is false"),
        (against.get_state(), ValueError, 'begins with "mancala-rl opponent-vec-env 1"'),
        (cut, ValueError, f"damaged: its {len(state) - 1} bytes"),
        (flipped, ValueError, "damaged"),
        (b"", ValueError, 'begins with ""'),
        (np.zeros(40, np.uint8), ValueError, "begins with"),
        (sealed(state, lambda content: content[:-1]), ValueError, "env 19, history: it is missing"),
        (sealed(state, lambda content: content + b"x"), ValueError, "1 bytes are left over"),
        (sealed(state, lambda content: content.replace(b" p0", b" p2", 1)), ValueError, "env .*position.*p2"),
        (state.astype(np.int64), TypeError, "state has dtype uint8, not int64"),
        (state[None], ValueError, r"state has one dimension, not shape \(1, "),
        ("text", TypeError, "state has dtype uint8"),
        (None, TypeError, "state has dtype uint8"),
    ]:
        with pytest.raises(error, match=message):
            env.set_state(bad)
        np.testing.assert_array_equal(env.get_state(), state)


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(["giuthi-2x2", "giuthi-3x3?capture=occupied", "giuthi-5x4", "kiothi-3x1", "kiothi-6x5"]),
    games=st.integers(1, 70),
    seed=st.integers(0, 2**64 - 1),
    threads=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    max_plies=st.none() | st.integers(1, 30),
    plies=st.integers(0, 2),
    steps=st.integers(0, 40),
    calls=st.lists(st.sampled_from(["step", "quiet", "sample", "reset", "seed", "mask", "positions"]), max_size=25),
)
def test_any_state_can_be_gone_back_to(game, games, seed, threads, max_plies, plies, steps, calls):
    first, second = (
        mrl.make_vec(game, games, seed=seed, threads=count, max_plies=max_plies, random_opening_plies=plies)
        for count in threads
    )
    first.reset()
    for step in range(steps):
        first.step(quiet(first) if step % 3 else first.sample_actions())
    second.set_state(first.get_state())
    for call in calls:
        for env in (first, second):
            if call == "step":
                env.last = env.step(env.sample_actions())
            elif call == "quiet":
                env.last = env.step(quiet(env))
            elif call == "sample":
                env.last = (env.sample_actions(),)
            elif call == "reset":
                env.last = env.reset()
            elif call == "seed":
                env.last = env.reset(seed=seed // 2)
            elif call == "mask":
                env.last = env.reset(options={"reset_mask": np.arange(games) % 3 == 1})
            else:
                env.last = env.reset(
                    options={"positions": [text if i % 2 else None for i, text in enumerate(env.positions())]}
                )
        equal(first.last, second.last)
    np.testing.assert_array_equal(first.get_state(), second.get_state())
