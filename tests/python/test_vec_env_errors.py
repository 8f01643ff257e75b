"""What environments refuse: nothing has changed afterwards."""

import sys
import threading

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import mancala_rl as mrl

SINGLES = "1,0,5/4,4,4 0 0 p1"


def make(copy=True):
    env = mrl.make_vec("giuthi-3x3", 3, copy=copy)
    obs, info = env.reset(options={"positions": [None, None, SINGLES]})
    return env, obs, info


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0, 0, 0], mrl.IllegalActionError, r"env 2: illegal action 0 \(0ccw\): pit 0 holds 1 seed"),
        ([0, 0, 2], mrl.IllegalActionError, r"env 2: illegal action 2 \(1ccw\): pit 1 is empty"),
        ([0, 6, 4], IndexError, r"env 1: action 6 is out of range: this game has actions 0\.\.=5"),
        ([-1, 0, 4], IndexError, r"env 0: action -1 is out of range"),
        (np.array([2**63, 0, 4], np.uint64), IndexError, "env 0"),
        ([0, 0, 2**63], IndexError, r"env 2: action \d+ is out of range"),
        ([0, 2**80, 4], IndexError, r"env 1: action \d+ is out of range"),
        ([np.int64(0), -(2**80), 4], IndexError, r"env 1: action -\d+ is out of range"),
    ],
)
def test_an_illegal_action_changes_nothing_and_is_named(actions, error, message, copy):
    env, obs, info = make(copy)
    before, kept = env.positions(), obs.copy()
    mask = info["action_mask"].copy()
    with pytest.raises(error, match=message) as caught:
        env.step(actions)
    assert isinstance(caught.value, ValueError)
    assert env.positions() == before
    np.testing.assert_array_equal(obs, kept)
    np.testing.assert_array_equal(info["action_mask"], mask)
    env.step([0, 0, 4])


def test_kiothi_says_which_rule_forbids():
    env = mrl.make_vec("kiothi", 2)
    env.reset()
    for action, reason in [(0, "must lift"), (609, "last occupied"), (600, "empty"), (610, "must lift")]:
        with pytest.raises(ValueError, match=f"env 1.*{reason}"):
            env.step([604, action])


@pytest.mark.parametrize(
    "actions",
    [
        [0.0, 0.0, 4.0],
        np.zeros(3, np.float32),
        [True, False, True],
        np.zeros(3, bool),
        ["0", "0", "4"],
        [None] * 3,
        [],
        np.zeros(3, "M8[s]"),
        [0, 0.5, 2**63],
        [0, True, 2**80],
        np.array([0, 0, 4], object),
    ],
)
def test_actions_are_integers(actions):
    env, *_ = make()
    before = env.positions()
    with pytest.raises(TypeError, match="integer"):
        env.step(actions)
    assert env.positions() == before


@pytest.mark.parametrize("shape", [(), (0,), (2,), (4,), (3, 1), (1, 3)])
def test_actions_have_the_right_shape(shape):
    env, *_ = make()
    with pytest.raises(ValueError, match=r"\(3,\)") as caught:
        env.step(np.zeros(shape, np.int64))
    assert str(shape) in str(caught.value)


@pytest.mark.parametrize("dtype", "bhilqBHILQ")
def test_any_integers_do(dtype):
    env, *_ = make()
    wide = np.array([0, 9, 2, 9, 4, 9], dtype)
    env.step(wide[::2])
    twin, *_ = make()
    twin.step([0, 2, 4])
    assert env.positions() == twin.positions()
    env, *_ = make()
    env.step(np.array([0, 2, 4], dtype).astype(np.dtype(dtype).newbyteorder()))
    assert env.positions() == twin.positions()
    env, *_ = make()
    env.step((np.int8(0), 2, 4))
    assert env.positions() == twin.positions()


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("num_envs", 0, ValueError),
        ("num_envs", -3, ValueError),
        ("num_envs", 2.0, TypeError),
        ("num_envs", True, TypeError),
        ("num_envs", None, TypeError),
        ("threads", 0, ValueError),
        ("threads", "2", TypeError),
        ("max_plies", 0, ValueError),
        ("max_plies", 1.5, TypeError),
        ("random_opening_plies", -1, ValueError),
        ("random_opening_plies", None, TypeError),
        ("random_opening_plies", 5000, ValueError),
        ("random_first_player", 1, TypeError),
        ("copy", "no", TypeError),
        ("observation_dtype", "float64", ValueError),
        ("observation_dtype", "no dtype", TypeError),
        ("nonsense", 1, ValueError),
    ],
)
def test_options_are_checked_by_name(option, value, error):
    with pytest.raises(error, match=option if value != "no dtype" else None):
        mrl.make_vec("giuthi-3x3", **{option: value})


def test_a_reset_is_needed_first():
    env = mrl.make_vec("giuthi", 2)
    for call in (lambda: env.step([0, 0]), env.sample_actions):
        with pytest.raises(ResetNeeded):
            call()


def test_a_closed_environment_is_closed():
    env, *_ = make()
    env.close()
    env.close()
    assert env.closed
    for call in (env.reset, env.sample_actions, env.positions, env.action_features, lambda: env.step([0, 0, 4])):
        with pytest.raises(ClosedEnvironmentError):
            call()


@pytest.mark.parametrize("copy", [True, False])
def test_two_threads_in_one_environment(copy):
    """Each call succeeds or raises RuntimeError; the environment survives."""
    env = mrl.make_vec("giuthi-8x8", 16_384, copy=copy)
    env.reset(seed=0)
    outcomes, unexpected = set(), []
    start = threading.Barrier(4)

    def run():
        start.wait()
        for _ in range(10_000):  # until the threads have met: how soon is the scheduler's affair
            if outcomes >= {"stepped", "refused"} or unexpected:
                return
            try:
                env.step(env.sample_actions())
                outcomes.add("stepped")
            except mrl.IllegalActionError:
                pass  # another thread stepped between the two calls
            except RuntimeError as error:
                assert "another thread" in str(error)
                outcomes.add("refused")
            except BaseException as error:
                unexpected.append(error)
                raise

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not unexpected
    assert outcomes == {"stepped", "refused"}
    env.reset(seed=0)
    env.step(env.sample_actions())


def test_a_step_lets_other_threads_run():
    env = mrl.make_vec("kiothi", 20_000)
    env.reset(seed=0)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.0005):
            ticks.append(None)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    thread.start()
    actions = env.sample_actions()
    # From here on this thread is never made to let go of the lock: what the other one does it does during a step.
    sys.setswitchinterval(1000)
    try:
        during = 0
        for _ in range(1000):
            before = len(ticks)
            env.step(actions)
            during += len(ticks) - before
            if during >= 3:
                break
            actions = env.sample_actions()
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert during >= 3
