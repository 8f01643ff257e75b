"""What `make_vec` steps write: every sentence of the environment contract in `docs/environment.md`."""

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from reference import GAMES, GIUTHI, Shadow, size, units

KEYS = {"action_mask", "to_move", "scores", "returns", "passed"}
FINAL_KEYS = {"final_obs", "_final_obs", "final_info", "_final_info"}


def play(env, steps, actions=None):
    """Steps with sampled actions, or with those of `actions(info)`; the info before comes with each step."""
    obs, info = env.reset() if actions is None else env.reset(seed=0)
    for _ in range(steps):
        chosen = env.sample_actions() if actions is None else actions(info)
        result = env.step(chosen)
        yield chosen, info, result
        info = result[-1]


def first_legal(info):
    return info["action_mask"].argmax(axis=1)


def last_legal(info):
    mask = info["action_mask"]
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("max_plies", [None, 13])
@pytest.mark.parametrize("game", GAMES)
def test_steps_agree_with_states(game, max_plies, dtype):
    """Rewards, returns, masks, autoreset, final observations and truncation, against `State` and plain Python."""
    games = 6
    options = {"one_warrior_multiplier": 3.0} if game.startswith("kiothi") else {"random_first_player": True}
    env = mrl.make_vec(game, games, seed=5, max_plies=max_plies, observation_dtype=dtype, **options)
    rules = {key: value for key, value in options.items() if key != "random_first_player"}
    obs, info = env.reset()
    assert set(info) == KEYS and not info["returns"].any() and not info["passed"].any()
    shadows = [Shadow(game, text, **rules) for text in env.positions()]
    ended, starters = 0, set()

    def observation(shadow):
        return shadow.raw() if dtype == "uint8" else shadow.normalized()

    for _ in range(250 if game == "kiothi-6x5" else 120):
        actions = env.sample_actions()
        obs, reward, terminated, truncated, info = env.step(actions)
        assert set(info) == KEYS | FINAL_KEYS
        texts = env.positions()
        for i, shadow in enumerate(shadows):
            mover = shadow.state.to_move
            played = shadow.play(actions[i])
            state = shadow.state
            over, broken_off = state.is_over, not state.is_over and shadow.plies == max_plies
            assert (terminated[i], truncated[i]) == (over, broken_off)
            assert reward[i] == state.returns()[mover]
            assert tuple(info["returns"][i]) == state.returns()
            assert info["passed"][i] == played.passed
            final = info["final_info"]
            assert info["_final_obs"][i] == info["_final_info"][i] == (over or broken_off)
            if over or broken_off:
                np.testing.assert_array_equal(info["final_obs"][i], observation(shadow))
                assert tuple(final["scores"][i]) == state.scores
                assert final["result"][i] == (state.result or "")
                assert final["plies"][i] == shadow.plies
                assert final["to_move"][i] == state.to_move
                ended += 1
                shadow = shadows[i] = Shadow(game, texts[i], **rules)
                start = mrl.State(game).position()
                assert texts[i] in (start, start.replace("p0", "p1"))
                starters.add(shadow.state.to_move)
            else:
                assert not info["final_obs"][i].any() and not final["scores"][i].any()
                assert final["result"][i] == "" and final["plies"][i] == final["to_move"][i] == 0
            assert texts[i] == shadow.state.position()
            np.testing.assert_array_equal(obs[i], observation(shadow))
            assert np.flatnonzero(info["action_mask"][i]).tolist() == shadow.state.legal_actions()
            assert info["to_move"][i] == shadow.state.to_move
            assert tuple(info["scores"][i]) == shadow.state.scores
    assert ended > 0
    if ended > 30 and "random_first_player" in options:
        assert starters == {0, 1}


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("game", GAMES)
def test_shapes_dtypes_and_spaces(game, dtype):
    env = mrl.make_vec(game, num_envs=3, observation_dtype=dtype)
    state = mrl.State(game)
    cells, actions = state.observation_len, state.num_actions
    assert isinstance(env, VectorEnv) and isinstance(env, mrl.MancalaVecEnv)
    assert env.num_envs == 3 and env.game == game and env.unwrapped is env
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert env.metadata["rules_version"] == state.rules_version
    assert env.metadata["observation_version"] == state.observation_version
    assert env.metadata["game"] == game
    assert isinstance(env.single_action_space, spaces.Discrete) and env.single_action_space.n == actions
    assert isinstance(env.action_space, spaces.MultiDiscrete) and (env.action_space.nvec == actions).all()
    for space, shape in ((env.single_observation_space, (cells,)), (env.observation_space, (3, cells))):
        assert isinstance(space, spaces.Box) and space.shape == shape and space.dtype == dtype
        assert (space.low == 0).all() and np.isfinite(space.high).all()
    obs, info = env.reset(seed=0)
    obs_space = env.observation_space
    assert obs.dtype == dtype and obs_space.contains(obs)
    for chosen, _, (obs, reward, terminated, truncated, info) in play(env, 150):
        assert env.action_space.contains(chosen)
        assert obs_space.contains(obs) and obs_space.contains(info["final_obs"])
        final = info["final_info"]
        for array, array_dtype, shape in [
            (obs, dtype, (3, cells)),
            (reward, np.float32, (3,)),
            (terminated, np.bool_, (3,)),
            (truncated, np.bool_, (3,)),
            (info["action_mask"], np.bool_, (3, actions)),
            (info["to_move"], np.int8, (3,)),
            (info["scores"], np.int16, (3, 2)),
            (info["returns"], np.float32, (3, 2)),
            (info["passed"], np.bool_, (3,)),
            (info["final_obs"], dtype, (3, cells)),
            (info["_final_obs"], np.bool_, (3,)),
            (info["_final_info"], np.bool_, (3,)),
            (final["scores"], np.int16, (3, 2)),
            (final["to_move"], np.int8, (3,)),
            (final["plies"], np.int32, (3,)),
        ]:
            assert array.dtype == array_dtype and array.shape == shape
        assert final["result"].dtype.kind == "U" and final["result"].shape == (3,)
        assert set(final["result"]) <= {"", "no-moves", "repetition", "endless"}
        assert info["action_mask"].any(axis=1).all()


def test_bounds_hold_for_any_position_text():
    for game, text in [
        ("giuthi-2x2", "180,0/0,0 0 0 p1"),
        ("giuthi-2x9", "0,0/2,0 178 0 p1"),
        ("kiothi-3x1", "60,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 0 0 p0 sow ...................."),
        ("kiothi-6x5", "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,2,2 0 0 p1 place:56@19 ...................."),
    ]:
        for dtype in ("float32", "uint8"):
            env = mrl.make_vec(game, 1, observation_dtype=dtype)
            obs, _ = env.reset(options={"positions": [text]})
            assert env.observation_space.contains(obs)


def trajectory(game, num_envs, threads, steps=80, **kwargs):
    env = mrl.make_vec(game, num_envs, threads=threads, **kwargs)
    record = [env.reset(seed=11)[0]]
    for _ in range(steps):
        actions = env.sample_actions()
        obs, reward, terminated, truncated, info = env.step(actions)
        record += [actions, obs, reward, terminated, truncated]
        record += [info[key] for key in sorted(KEYS)] + [info["final_obs"], *info["final_info"].values()]
    return record


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("giuthi-3x3", {"random_opening_plies": 3, "random_first_player": True, "max_plies": 9}),
        ("giuthi-8x8", {"random_opening_plies": 4}),
        ("kiothi-3x1", {}),
    ],
)
def test_games_are_the_same_whatever_batch_and_threads(game, options):
    whole = trajectory(game, 12, 1, **options)
    for num_envs, threads in [(1, 1), (5, 2), (7, 3), (12, 2), (12, 64)]:
        for part, all_of_it in zip(trajectory(game, num_envs, threads, **options), whole):
            np.testing.assert_array_equal(part, all_of_it[:num_envs])


@pytest.mark.parametrize("game", GIUTHI)
def test_random_openings_leave_the_game_unfinished(game):
    plies = 6 if game != "giuthi-2x2" else 3
    env = mrl.make_vec(game, 32, random_opening_plies=plies)
    env.reset(seed=1)
    starts = set(env.positions())
    assert mrl.State(game).position() not in starts and len(starts) > 4
    openings = 0
    for _, _, (_, _, terminated, _, info) in play(env, 150):
        assert info["action_mask"].any(axis=1).all()
        openings += terminated.sum()
        assert (info["final_info"]["plies"][terminated] > 0).all()
    assert openings > 0


def test_openings_are_not_counted_as_plies():
    env = mrl.make_vec("giuthi-8x8", 8, random_opening_plies=20, max_plies=5)
    lengths = [step[-1]["final_info"]["plies"] for _, _, step in play(env, 40)]
    assert set(np.concatenate(lengths)) <= {0, 1, 2, 3, 4, 5} and max(map(max, lengths)) == 5


def test_an_end_on_the_last_ply_is_no_truncation():
    env = mrl.make_vec("giuthi-2x2", 2, max_plies=1)
    env.reset(options={"positions": ["0,0/4,0 4 0 p0", None]})
    _, reward, terminated, truncated, info = env.step([1, 1])
    assert terminated.tolist() == [True, False] and truncated.tolist() == [False, True]
    assert reward.tolist() == [1, 0] and info["returns"].tolist() == [[1, -1], [0, 0]]
    assert info["final_info"]["result"].tolist() == ["no-moves", ""]
    assert info["final_info"]["scores"].tolist() == [[7, 1], [0, 0]]
    assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [True, True]


def test_random_first_player():
    env = mrl.make_vec("giuthi-5x4", 400, random_first_player=True)
    _, info = env.reset(seed=3)
    assert 140 < info["to_move"].sum() < 260
    start = mrl.State("giuthi-5x4").position()
    assert set(env.positions()) == {start, start.replace("p0", "p1")}
    assert not mrl.make_vec("giuthi-5x4", 400).reset(seed=3)[1]["to_move"].any()
    with pytest.raises(ValueError, match="random_first_player"):
        mrl.make_vec("kiothi", 1, random_first_player=True)


def test_copies_are_your_own_and_live_buffers_are_not():
    env = mrl.make_vec("giuthi-3x3", 4)
    results = [env.reset(seed=0)[0]]
    for _, _, (obs, *_) in play(env, 5, first_legal):
        assert not any(np.shares_memory(obs, other) for other in results)
        results.append(obs)
    live = mrl.make_vec("giuthi-3x3", 4, copy=False)
    obs, info = live.reset(seed=0)
    kept = [obs, info["action_mask"], info["to_move"], info["scores"], info["returns"], info["passed"]]
    twin = mrl.make_vec("giuthi-3x3", 4)
    twin.reset(seed=0)
    rewards = []
    for _ in range(60):
        actions = first_legal({"action_mask": kept[1]})
        mine, theirs = live.step(actions), twin.step(actions)
        assert mine[0] is obs and all(
            mine[4][key] is array
            for key, array in zip(["action_mask", "to_move", "scores", "returns", "passed"], kept[1:])
        )
        for one, two in zip(mine[:4], theirs[:4]):
            np.testing.assert_array_equal(one, two)
        for key in KEYS | {"final_obs", "_final_obs", "_final_info"}:
            np.testing.assert_array_equal(mine[4][key], theirs[4][key])
        for key, array in theirs[4]["final_info"].items():
            np.testing.assert_array_equal(mine[4]["final_info"][key], array)
        rewards.append(mine[1])
    assert all(reward is rewards[0] for reward in rewards)


def test_sampling_is_seeded_legal_and_alters_no_game():
    envs = [mrl.make_vec("kiothi-3x1", 5, seed=2) for _ in range(2)]
    infos = [env.reset()[1] for env in envs]
    for i in range(60):
        for _ in range(i % 3):
            sampled = envs[1].sample_actions()
            assert sampled.dtype == np.int64 and sampled.shape == (5,)
            assert infos[1]["action_mask"][np.arange(5), sampled].all()
        actions = last_legal(infos[0])
        results = [env.step(actions) for env in envs]
        np.testing.assert_array_equal(results[0][0], results[1][0])
        infos = [result[-1] for result in results]


def test_sampling_draws_on_until_a_seed_is_given():
    env = mrl.make_vec("giuthi-8x8", 50, seed=9)
    env.reset()
    first, second = env.sample_actions(), env.sample_actions()
    assert (first != second).any()
    env.reset()
    third = env.sample_actions()
    assert (third != first).any()
    env.reset(seed=9)
    for drawn in (first, second):
        np.testing.assert_array_equal(env.sample_actions(), drawn)
    env.reset()
    np.testing.assert_array_equal(env.sample_actions(), third)


def test_kiothi_redistributions_are_drawn_uniformly():
    """Uniform over pairs of lifts, and over multisets: half the warriors go to either row."""
    env = mrl.make_vec("kiothi-6x5", 3000)
    env.reset(seed=4)
    lifts = env.sample_actions() - 600
    # Of the 15 pairs of 6 occupied boma 5 begin with the first, 4 with the second, ...
    counts = np.bincount(lifts, minlength=10)[4:9]
    np.testing.assert_allclose(counts / 3000, np.array([5, 4, 3, 2, 1]) / 15, atol=0.04)
    for _ in range(12):
        env.step(env.sample_actions())
    own = np.array([sum(map(int, text.split("/")[0].split(","))) for text in env.positions()])
    assert abs((own - 20).mean() - 5) < 0.3


def test_action_features():
    env = mrl.make_vec("giuthi-5x4", 6)
    for *_, info in (step for *_, step in play(env, 20)):
        offsets, actions, features = env.action_features()
        assert offsets.dtype == actions.dtype == np.int64 and features.dtype == np.float32
        assert offsets.shape == (7,) and features.shape == (offsets[-1], 8) == (len(actions), 8)
        dense = env.action_features(layout="dense")
        assert dense.shape == (6, 10, 8) and dense.dtype == np.float32
        rows, columns = np.nonzero(info["action_mask"])
        np.testing.assert_array_equal(actions, columns)
        np.testing.assert_array_equal(np.repeat(np.arange(6), np.diff(offsets)), rows)
        np.testing.assert_array_equal(dense[rows, columns], features)
        assert not dense[~info["action_mask"]].any()
    env = mrl.make_vec("giuthi-5x4", 6)
    env.reset()
    np.testing.assert_array_equal(env.action_features()[2][:10], mrl.State("giuthi-5x4").action_features())
    with pytest.raises(ValueError, match="layout"):
        env.action_features(layout="sparse")
    kiothi = mrl.make_vec("kiothi", 2)
    kiothi.reset()
    assert kiothi.action_features("ragged")[0].tolist() == [0, 5, 10]
    with pytest.raises(ValueError, match="ragged"):
        kiothi.action_features("dense")


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("game", "layout"), [("giuthi-5x4", "dense"), ("giuthi-5x4", "ragged"), ("kiothi-4x2", "ragged")]
)
@pytest.mark.parametrize("games", [3, 70])
def test_steps_tell_action_features(game, layout, games, copy):
    env = mrl.make_vec(game, games, copy=copy, action_features=layout)
    held = []
    for *_, info in (step for *_, step in play(env, 20)):
        told, asked = info["action_features"], env.action_features(layout)
        assert isinstance(told, np.ndarray if layout == "dense" else tuple)
        for one, other in zip(told, asked):
            np.testing.assert_array_equal(one, other)
        held.append((told, [array.copy() for array in told]))
    for told, copies in held:
        for one, other in zip(told, copies):
            np.testing.assert_array_equal(one, other)
    _, info = env.reset(seed=1)
    np.testing.assert_array_equal(info["action_features"][0], env.action_features(layout)[0])


def test_action_features_are_told_to_those_who_ask():
    env = mrl.make_vec("giuthi-5x4", 3)
    assert "action_features" not in env.reset()[1]
    with pytest.raises(ValueError, match="action_features is 'dense' or 'ragged', not 'sparse'"):
        mrl.make_vec("giuthi-5x4", 3, action_features="sparse")
    with pytest.raises(ValueError, match="630 actions"):
        mrl.make_vec("kiothi", 3, action_features="dense")


def test_features_know_of_repetitions():
    env = mrl.make_vec("giuthi-3x3", 16)
    told = 0
    env.reset(seed=0)
    for _ in range(300):
        actions = env.sample_actions()
        dense = env.action_features("dense")[np.arange(16), actions]
        *_, info = env.step(actions)
        result = info["final_info"]["result"]
        np.testing.assert_array_equal(dense[:, 5] == 1, result == "repetition")
        np.testing.assert_array_equal(dense[:, 6] == 1, result == "endless")
        np.testing.assert_array_equal(dense[:, 7] == 1, result != "")
        told += (result == "repetition").sum()
    assert told > 0


def test_gymnasium_wrappers_work():
    env = RecordEpisodeStatistics(mrl.make_vec("giuthi-3x3", 4))
    env.reset(seed=0)
    seen = 0
    for _ in range(100):
        *_, terminated, _, info = env.step(env.env.sample_actions())
        seen += terminated.sum()
    assert env.episode_count == seen > 0


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(GAMES),
    seed=st.integers(0, 2**64 - 1),
    num_envs=st.integers(1, 5),
    max_plies=st.none() | st.integers(1, 30),
    plies=st.integers(0, 2),
)
def test_outcomes_balance(game, seed, num_envs, max_plies, plies):
    env = mrl.make_vec(game, num_envs, seed=seed, max_plies=max_plies, random_opening_plies=plies)
    pits, seeds = size(game)
    total, cells = 2 * pits * seeds, units(game)
    for _, before, (obs, reward, terminated, truncated, info) in play(env, 25):
        returns = info["returns"]
        assert (returns.sum(axis=1) == 0).all()
        np.testing.assert_array_equal(reward, returns[np.arange(num_envs), before["to_move"]])
        assert not (terminated & truncated).any() and not reward[~terminated].any()
        in_play = 2 * pits + 2 if game.startswith("giuthi") else 22
        board = np.rint(obs[:, in_play] * cells[in_play]).astype(int)
        np.testing.assert_array_equal(board + info["scores"].sum(axis=1), total)
        ended = info["final_info"]["result"] == "no-moves"
        np.testing.assert_array_equal(info["final_info"]["scores"][ended].sum(axis=1), total)
