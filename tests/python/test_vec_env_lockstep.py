"""Small batches are played one by one, larger ones in lockstep: nobody can tell."""

import os
import threading

import numpy as np
import pytest

import mancala_rl as mrl

GAMES = [
    ("giuthi-8x8", {}),
    ("giuthi-8x8", {"random_first_player": True, "random_opening_plies": 5, "max_plies": 80}),
    ("giuthi-5x4?capture=occupied", {"random_opening_plies": 3, "max_plies": 40}),
    ("giuthi-3x3", {"random_first_player": True}),
    ("kiothi", {}),
    ("kiothi", {"random_opening_plies": 21, "max_plies": 60}),
]


def flat(result):
    """All arrays of a step or reset."""
    for part in result:
        if isinstance(part, dict):
            yield from flat(part[key] for key in sorted(part))
        else:
            yield part


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize(("game", "options"), GAMES)
def test_games_do_not_depend_on_the_batch(game, options, dtype):
    """Every array, bit for bit: 8 games one by one, 64 (a whole block), 100 in two threads, 1,500 in lockstep."""
    sizes = {8: 1, 64: 1, 100: 2, 1500: 1}
    envs = [
        mrl.make_vec(game, games, seed=3, threads=threads, observation_dtype=dtype, **options)
        for games, threads in sizes.items()
    ]

    def compare(results):
        *parts, whole = map(list, map(flat, results))
        for games, part in zip(sizes, parts):
            assert len(part) == len(whole)
            for some, all_of_it in zip(part, whole):
                assert some.dtype == all_of_it.dtype and some.tobytes() == all_of_it[:games].tobytes()

    compare([env.reset() for env in envs])
    ended = 0
    for step in range(300):
        actions = [env.sample_actions() for env in envs]
        compare([[drawn] for drawn in actions])
        results = [env.step(drawn) for env, drawn in zip(envs, actions)]
        compare(results)
        ended += results[0][4]["_final_obs"].sum()
        if step % 100 == 50:
            texts = envs[-1].positions()
            assert all(env.positions() == texts[: env.num_envs] for env in envs)
            for env, whole in zip(envs[:-1], [envs[-1].action_features()] * 3):
                offsets, *rows = env.action_features()
                np.testing.assert_array_equal(offsets, whole[0][: env.num_envs + 1])
                for some, all_of_it in zip(rows, whole[1:]):
                    np.testing.assert_array_equal(some, all_of_it[: offsets[-1]])
        if step % 100 == 99:
            compare([env.reset(seed=step if step > 200 else None) for env in envs])
    assert ended > 0


@pytest.mark.parametrize("games", [3, 64])
def test_errors_do_not_depend_on_the_batch(games):
    env = mrl.make_vec("giuthi-3x3", games)
    positions = [None] * games
    positions[2] = "1,0,5/4,4,4 0 0 p1"
    env.reset(options={"positions": positions})
    before = env.positions()
    for action, message in [
        (0, r"env 2: illegal action 0 \(0ccw\): pit 0 holds 1 seed"),
        (2, r"env 2: illegal action 2 \(1ccw\): pit 1 is empty"),
        (6, r"env 2: action 6 is out of range: this game has actions 0\.\.=5"),
        (-(2**63), "env 2: action -9223372036854775808 is out of range"),
    ]:
        actions = np.zeros(games, np.int64)
        actions[2] = action
        with pytest.raises(mrl.IllegalActionError, match=message):
            env.step(actions)
        assert env.positions() == before
    positions[2] = "nonsense"
    with pytest.raises(ValueError, match="env 2: position"):
        env.reset(options={"positions": positions})
    assert env.positions() == before
    with pytest.raises(ValueError, match="random_opening_plies=5000"):
        mrl.make_vec("giuthi-3x3", games, random_opening_plies=5000)


@pytest.mark.parametrize("threads", [1, 3, 1000])
def test_any_number_of_threads(threads):
    env = mrl.make_vec("giuthi-5x4", 300, threads=threads, copy=False)
    twin = mrl.make_vec("giuthi-5x4", 300, copy=False)
    env.reset()
    twin.reset()
    for _ in range(30):
        actions = twin.sample_actions()
        np.testing.assert_array_equal(env.sample_actions(), actions)
        np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_steps_alone():
    """It has none of the threads that share the games, and must not wait for them."""
    env = mrl.make_vec("giuthi-5x4", 300, threads=2)
    env.reset()
    env.step(env.sample_actions())
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            env.step(env.sample_actions())
            os.write(write, "\n".join(env.positions()).encode())
        finally:
            os._exit(0)
    os.close(write)
    env.step(env.sample_actions())
    with os.fdopen(read) as pipe:
        reader = threading.Thread(target=lambda: texts.extend(pipe.read().split("\n")), daemon=True)
        texts = []
        reader.start()
        reader.join(60)
        assert texts == env.positions()
    os.waitpid(child, 0)
