"""Resets: seeds, episodes, masks and positions."""

import numpy as np
import pytest

import mancala_rl as mrl

START = "2,2,2/3,3,3 2 1 p0"


def make(num_envs=4, **kwargs):
    return mrl.make_vec("giuthi-6x4", num_envs, seed=7, random_opening_plies=4, **kwargs)


def positions(env, **kwargs):
    env.reset(**kwargs)
    return env.positions()


def test_the_first_reset_begins_episode_0_of_the_constructors_seed():
    first = positions(make())
    assert positions(make(), seed=7) == first
    assert positions(make(), seed=8) != first


def test_a_reset_without_seed_goes_on_to_the_next_episode():
    env = make()
    first, second, third = positions(env), positions(env), positions(env)
    for one, two, three in zip(first, second, third):
        assert len({one, two, three}) == 3
    assert positions(env, seed=7) == first
    assert positions(env) == second
    env.reset(seed=8)
    assert positions(env, seed=7) == first


def test_autoreset_goes_on_to_the_next_episode_too():
    env = make(max_plies=1)
    episodes = [positions(env)]
    for _ in range(3):
        env.step(env.sample_actions())
        episodes.append(env.positions())
    other = make()
    assert episodes == [positions(other) for _ in range(4)]


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5), np.uint64(2**63)])
def test_all_seeds_of_64_bits_do(seed):
    env = make()
    assert positions(env, seed=seed) == positions(make(), seed=int(seed))


def test_only_masked_games_are_reset():
    env = make()
    first, second = positions(env), positions(env)
    obs, _ = env.reset(seed=8)
    other = env.positions()
    mixed_obs, info = env.reset(seed=7, options={"reset_mask": np.array([False, True, False, True])})
    assert env.positions() == [other[0], first[1], other[2], first[3]]
    np.testing.assert_array_equal(mixed_obs[[0, 2]], obs[[0, 2]])
    assert info["action_mask"].any(axis=1).all()
    env.reset(options={"reset_mask": [False, True, False, False]})
    assert env.positions() == [other[0], second[1], other[2], first[3]]
    env.reset(options={"reset_mask": np.zeros(4, bool)})
    assert env.positions() == [other[0], second[1], other[2], first[3]]
    strided = np.zeros(8, bool)
    strided[::4] = True
    env.reset(seed=7, options={"reset_mask": strided[::2]})
    assert env.positions() == [first[0], second[1], first[2], first[3]]


def test_a_masked_game_keeps_its_sampler():
    envs = [mrl.make_vec("giuthi-8x8", 20, seed=1) for _ in range(2)]
    for env in envs:
        env.reset()
    first = envs[0].sample_actions()
    envs[1].sample_actions()
    mask = np.arange(20) < 10
    envs[0].reset(seed=1, options={"reset_mask": mask})
    drawn, ahead = envs[0].sample_actions(), envs[1].sample_actions()
    np.testing.assert_array_equal(drawn[:10], first[:10])
    np.testing.assert_array_equal(drawn[10:], ahead[10:])


def test_games_begin_from_positions():
    env = mrl.make_vec("giuthi-3x3", 3, seed=7, random_opening_plies=2, random_first_player=True)
    ordinary = positions(env)
    env.reset(seed=7, options={"positions": [START, None, START]})
    assert env.positions() == [START, ordinary[1], START]
    obs, info = env.reset(options={"positions": (START,) * 3})
    state = mrl.State.from_position("giuthi-3x3", START)
    for i in range(3):
        np.testing.assert_array_equal(obs[i], state.observation())
    assert info["scores"].tolist() == [[2, 1]] * 3 and info["to_move"].tolist() == [0] * 3
    # The next episode begins as usual.
    env.reset(seed=7)
    second = positions(env)
    env.reset(seed=7, options={"positions": [START] * 3})
    assert positions(env) == second


def test_positions_are_settled():
    env = mrl.make_vec("giuthi-3x3", 1)
    _, info = env.reset(options={"positions": ["2,2,2/1,1,1 5 4 p0"]})
    assert env.positions() == ["2,2,2/1,1,1 5 4 p1"] and info["to_move"][0] == 1


def test_only_positions_of_masked_games_are_looked_at():
    env = mrl.make_vec("giuthi-3x3", 3)
    env.reset()
    options = {"reset_mask": np.array([False, True, False]), "positions": ["nonsense", START, 3]}
    env.reset(options=options)
    start = mrl.State("giuthi-3x3").position()
    assert env.positions() == [start, START, start]
    assert set(options) == {"reset_mask", "positions"}, "the caller's dict is left alone"


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ("nonsense", ValueError),
        ("2,2/2,2 0 0 p0", ValueError),
        ("0,0,0/0,0,0 9 9 p0 no-moves", ValueError),
        ("1,0,1/0,1,0 9 6 p0", ValueError),
        ("2,2,2/2,2,2 3 3 p0 repetition", ValueError),
        (5, TypeError),
        (b"2,2,2/2,2,2 3 3 p0", TypeError),
    ],
)
def test_bad_positions_change_nothing(bad, error):
    env = mrl.make_vec("giuthi-3x3", 2, copy=False)
    obs, _ = env.reset(seed=1)
    env.step(env.sample_actions())
    before, kept = env.positions(), obs.copy()
    with pytest.raises(error, match="env 1|positions.1."):
        env.reset(seed=5, options={"positions": [START, bad]})
    assert env.positions() == before
    np.testing.assert_array_equal(obs, kept)


def test_option_types_and_shapes():
    env = make()
    env.reset()
    before = env.positions()
    for options, error in [
        ({"reset_mask": np.ones(4)}, TypeError),
        ({"reset_mask": [1, 0, 1, 0]}, TypeError),
        ({"reset_mask": np.ones(3, bool)}, ValueError),
        ({"reset_mask": np.ones((4, 1), bool)}, ValueError),
        ({"positions": [START] * 3}, ValueError),
        ({"positions": START}, TypeError),
        ({"positions": 4}, TypeError),
        ([("seed", 3)], TypeError),
    ]:
        with pytest.raises(error):
            env.reset(options=options)
        assert env.positions() == before
    env.reset(options={"colour": "red", "reset_mask": None, "positions": None})
    assert env.positions() != before


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (-1, ValueError),
        (2**64, ValueError),
        (True, TypeError),
        (1.0, TypeError),
        ("1", TypeError),
        ([1, 2, 3, 4], TypeError),
    ],
)
def test_seeds_are_checked(seed, error):
    env = make()
    env.reset()
    before = env.positions()
    with pytest.raises(error, match="seed"):
        env.reset(seed=seed)
    assert env.positions() == before
    with pytest.raises(error, match="seed"):
        mrl.make_vec("giuthi", 4, seed=seed)
