"""`make_vec(..., opponent=...)`: the same episodes as of single environments, whatever the batch, and the opponent in full batches."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import mancala_rl as mrl
from nets import net_bytes
from opponents import First, Raising, Saying, Single
from reference import GAMES

KEYS = {"action_mask", "player", "scores", "returns"}
FINAL_KEYS = {"final_obs", "_final_obs", "final_info", "_final_info"}
SPECS = ["random", "greedy", "alphabeta:depth=2", "mcts:sims=3", "first", "single"]


def opponent_of(spec):
    return {"first": First, "single": Single}.get(spec, lambda: spec)()


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("game", ["giuthi-3x3", "giuthi-5x4", "kiothi-3x1"])
def test_episodes_are_those_of_single_environments(game, spec):
    """Against Gymnasium's own batch of single ones, with illegal actions now and then."""
    options = {"player": "random", "max_plies": 30, "random_opening_plies": 1, "illegal_action": "lose"}
    games, seed = 3, 2**64 - 3
    env = mrl.make_vec(game, games, opponent=opponent_of(spec), **options)
    singles = SyncVectorEnv(
        [lambda: mrl.make(game, opponent_of(spec), **options)] * games, autoreset_mode=AutoresetMode.SAME_STEP
    )
    obs, info = env.reset(seed=seed)
    other_obs, other = singles.reset(seed=seed)
    rng, ended = np.random.default_rng(0), 0
    for step in range(60):
        np.testing.assert_array_equal(obs, other_obs)
        for key in ("player", "scores"):
            np.testing.assert_array_equal(info[key], other[key])
        np.testing.assert_array_equal(info["action_mask"], other["action_mask"].astype(bool))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        if step % 9 == 8:
            actions[0] = info["action_mask"][0].argmin()
        obs, reward, terminated, truncated, info = env.step(actions)
        other_obs, *others, other = singles.step(actions)
        for mine, theirs in zip((reward, terminated, truncated), others):
            np.testing.assert_array_equal(mine, theirs)
        done = terminated | truncated
        np.testing.assert_array_equal(info["_final_obs"], done)
        for i in np.flatnonzero(done):
            ended += 1
            np.testing.assert_array_equal(info["final_obs"][i], other["final_obs"][i])
            final = other["final_info"]
            assert tuple(info["returns"][i]) == tuple(final["returns"][i])
            for key in ("scores", "player", "result", "plies"):
                np.testing.assert_array_equal(info["final_info"][key][i], final[key][i])
        assert not info["final_obs"][~done].any() and not info["returns"][~done].any()
    assert ended > 3


def trajectory(game, num_envs, spec, steps=40):
    env = mrl.make_vec(
        game, num_envs, opponent=opponent_of(spec), player="random", random_opening_plies=1, max_plies=25
    )
    obs, info = env.reset(seed=11)
    record = [obs, info["player"]]
    for _ in range(steps):
        actions = env.sample_actions()
        obs, reward, terminated, truncated, info = env.step(actions)
        record += [actions, obs, reward, terminated, truncated, *(info[key] for key in sorted(KEYS))]
        record += [info["final_obs"], *info["final_info"].values()]
    return record


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta:depth=2", "first"])
@pytest.mark.parametrize("game", ["giuthi-3x3", "kiothi-3x1"])
def test_games_are_the_same_whatever_the_batch(game, spec):
    whole = trajectory(game, 9, spec)
    for num_envs in (1, 2, 5):
        for part, all_of_it in zip(trajectory(game, num_envs, spec), whole):
            np.testing.assert_array_equal(part, all_of_it[:num_envs])


def test_nets_play_the_same_in_batches_and_alone(tmp_path):
    (tmp_path / "net.safetensors").write_bytes(net_bytes("giuthi-3x3"))
    spec = f"net:{tmp_path / 'net.safetensors'},sims=0"
    whole = trajectory("giuthi-3x3", 5, spec)
    for part, all_of_it in zip(trajectory("giuthi-3x3", 1, spec), whole):
        np.testing.assert_array_equal(part, all_of_it[:1])


@pytest.mark.parametrize("spec", ["alphabeta:depth=3", "alphabeta:nodes=200", "net:{},sims=0", "net:{},sims=6"])
def test_agents_that_are_asked_in_one_batch_do_not_depend_on_their_seed(spec, tmp_path):
    (tmp_path / "net.safetensors").write_bytes(net_bytes("giuthi-5x4"))
    spec, states = spec.format(tmp_path / "net.safetensors"), []
    for seed in range(30):
        state = mrl.State("giuthi-5x4")
        for _ in range(seed % 12):
            if not state.is_over:
                state.play(state.legal_actions()[seed % len(state.legal_actions())])
        if not state.is_over:
            states.append(state)
    agent = mrl.agent(spec)
    answers = []
    for seed in (0, 1, 2**63):
        agent.new_game(seed)
        answers.append(agent.act_many(states))
    assert answers[0] == answers[1] == answers[2]


def test_the_opponent_is_asked_in_full_batches():
    opponent = First()
    env = mrl.make_vec("giuthi-8x8", 50, opponent=opponent, player=1)
    env.reset(seed=0)
    assert opponent.batches[0] == 50
    for _ in range(20):
        del opponent.batches[:]
        expected, states, actions = [], env.states(), env.sample_actions()
        for state, action in zip(states, actions):
            state.play(int(action))
        while waiting := [state for state in states if not state.is_over and state.to_move == 0]:
            expected.append(len(waiting))
            for state in waiting:
                state.play(state.legal_actions()[0])
        if not any(state.is_over for state in states):
            env.step(actions)
            assert opponent.batches == expected


def test_new_games_wait_in_the_same_batch():
    opponent = First()
    env = mrl.make_vec("giuthi-3x3", 40, opponent=opponent, player=1)
    env.reset(seed=0)
    for _ in range(60):
        del opponent.batches[:]
        *_, info = env.step(env.sample_actions())
        if info["_final_obs"].any():
            assert len(opponent.batches) < 12
            return
    raise AssertionError("no game ended")


def test_objects_are_told_one_seed():
    opponents = [First(), First(), First()]
    batch = mrl.make_vec("giuthi-5x4", 7, opponent=opponents[0])
    batch.reset(seed=5)
    for _ in range(60):
        batch.step(batch.sample_actions())
    batch.reset()
    mrl.make_vec("giuthi-5x4", 1, opponent=opponents[1]).reset(seed=5)
    mrl.make("giuthi-5x4", opponents[2]).reset(seed=5)
    assert len(opponents[0].seeds) == 1
    assert opponents[0].seeds == opponents[1].seeds == opponents[2].seeds


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("game", GAMES)
def test_shapes_dtypes_and_spaces(game, dtype):
    env = mrl.make_vec(game, 3, opponent="random", player="random", observation_dtype=dtype, max_plies=40)
    cells, actions = mrl.State(game).observation_len, mrl.State(game).num_actions
    assert isinstance(env, mrl.MancalaOpponentVecEnv) and env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    obs, info = env.reset(seed=0)
    assert set(info) == KEYS and not info["returns"].any() and obs in env.observation_space
    for _ in range(60):
        chosen = env.sample_actions()
        assert chosen in env.action_space and info["action_mask"][np.arange(3), chosen].all()
        obs, reward, terminated, truncated, info = env.step(chosen)
        assert set(info) == KEYS | FINAL_KEYS
        assert obs in env.observation_space and info["final_obs"] in env.observation_space
        assert [state.to_move for state in env.states()] == info["player"].tolist()
        assert [state.position() for state in env.states()] == env.positions()
        final = info["final_info"]
        for array, array_dtype, shape in [
            (obs, dtype, (3, cells)),
            (reward, np.float32, (3,)),
            (terminated, np.bool_, (3,)),
            (truncated, np.bool_, (3,)),
            (info["action_mask"], np.bool_, (3, actions)),
            (info["player"], np.int8, (3,)),
            (info["scores"], np.int16, (3, 2)),
            (info["returns"], np.float32, (3, 2)),
            (info["final_obs"], dtype, (3, cells)),
            (info["_final_obs"], np.bool_, (3,)),
            (info["_final_info"], np.bool_, (3,)),
            (final["scores"], np.int16, (3, 2)),
            (final["player"], np.int8, (3,)),
            (final["plies"], np.int32, (3,)),
        ]:
            assert array.dtype == array_dtype and array.shape == shape
        assert final["result"].dtype.kind == "U" and final["result"].shape == (3,)
        assert info["action_mask"].any(axis=1).all()


def test_they_say_what_they_are():
    alone, against = mrl.make_vec("giuthi-6x6", 64), mrl.make_vec("giuthi-6x6", 64, opponent="greedy")
    assert repr(alone) == str(alone) == "<MancalaVecEnv giuthi-6x6, num_envs=64>"
    assert repr(against) == str(against) == "<MancalaOpponentVecEnv giuthi-6x6 against greedy, num_envs=64>"
    against.close()
    assert "greedy" in repr(against)


def test_episode_statistics():
    """Of self-play and of games against an opponent, the reset mask included."""
    for env, mask in [
        (mrl.make_vec("giuthi-3x3", 4), None),
        (mrl.make_vec("giuthi-3x3", 4, opponent="random", player="random"), np.array([True, False, False, True])),
    ]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            recorded = RecordEpisodeStatistics(env)
            recorded.reset(seed=0)
            rewards, lengths, episodes = np.zeros(4), np.zeros(4, int), 0
            for step in range(150):
                if step == 70 and mask is not None:
                    recorded.reset(options={"reset_mask": mask})
                    rewards[mask], lengths[mask] = 0, 0
                *_, reward, terminated, truncated, info = recorded.step(env.sample_actions())
                rewards, lengths = rewards + reward, lengths + 1
                done = terminated | truncated
                if done.any():
                    episodes += done.sum()
                    np.testing.assert_array_equal(info["_episode"], done)
                    np.testing.assert_array_equal(info["episode"]["r"], np.where(done, rewards, 0))
                    np.testing.assert_array_equal(info["episode"]["l"], np.where(done, lengths, 0))
                rewards[done], lengths[done] = 0, 0
            assert recorded.episode_count == episodes > 4
            recorded.close()


def test_gymnasium_makes_batches_by_id():
    name = "mancala_rl/giuthi-5x4-v0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(name, num_envs=3, opponent="greedy", player=1)
        singles = gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync", opponent="greedy", player=1)
    assert isinstance(env, mrl.MancalaOpponentVecEnv) and isinstance(singles, SyncVectorEnv)
    np.testing.assert_array_equal(env.reset(seed=4)[0], singles.reset(seed=4)[0])
    assert env.spec.id == name
    illegal = env.reset(seed=4)[1]["action_mask"].argmin(axis=1)
    assert env.step(illegal)[1].tolist() == [-1, -1, -1]
    # Without a seed each is another.
    firsts = [gymnasium.make_vec("mancala_rl/giuthi-8x8-v0", num_envs=3, player=1).reset()[0] for _ in range(2)]
    assert (firsts[0] != firsts[1]).any()


def test_seeds():
    def start(seed=None, reset=None, **options):
        env = mrl.make_vec("giuthi-8x8", 4, opponent="random", player=1, random_opening_plies=3, **options)
        env = (
            env
            if seed is None
            else mrl.make_vec(
                "giuthi-8x8", 4, opponent="random", player=1, random_opening_plies=3, seed=seed, **options
            )
        )
        env.reset(seed=reset)
        return env.positions()

    assert start() == start(seed=0) == start(seed=9, reset=0) != start(seed=9)
    for seed, error in (
        (-1, ValueError),
        (2**64 - 3, ValueError),
        (2**64, ValueError),
        (1.0, TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error, match="seed"):
            start(seed=seed)
        with pytest.raises(error, match="seed"):
            start(reset=seed)


def test_sampling_draws_on_until_a_seed_is_given_and_alters_no_game():
    env, twin = (mrl.make_vec("giuthi-8x8", 30, opponent="random") for _ in range(2))
    env.reset(seed=9), twin.reset(seed=9)
    first, second = env.sample_actions(), env.sample_actions()
    assert first.dtype == np.int64 and (first != second).any()
    for _ in range(5):
        actions = twin.sample_actions()
        np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])
        env.sample_actions()
    env.reset(seed=9)
    for drawn in (first, second):
        np.testing.assert_array_equal(env.sample_actions(), drawn)


def test_reset_options():
    env = mrl.make_vec("giuthi-3x3", 3, opponent=First(), player=0, random_opening_plies=1)
    text = "3,0,4/1,2,3 2 3 p0"
    env.reset(seed=1, options={"reset_mask": np.array([True, False, False])})
    assert len(env.positions()) == 3, "the first reset begins all"
    env.step(env.sample_actions())
    before = env.positions()
    mask = np.array([False, True, False])
    env.reset(options={"reset_mask": mask, "positions": ["nonsense", text, "nonsense"]})
    assert env.positions() == [before[0], text, before[2]]
    env.reset(seed=1, options={"reset_mask": mask})
    fresh = mrl.make_vec("giuthi-3x3", 3, opponent=First(), player=0, random_opening_plies=1)
    fresh.reset(seed=1)
    assert env.positions() == [before[0], fresh.positions()[1], before[2]]
    before = env.positions()
    for options, error, message in [
        ({"positions": ["x", None, None]}, ValueError, r"positions\[0\]"),
        ({"positions": [None, 3, None]}, TypeError, r"positions\[1\]"),
        ({"positions": [None, None, "0,0,0/0,0,0 9 9 p0"]}, ValueError, r"positions\[2\] is a finished game"),
        ({"positions": [text]}, ValueError, "3 texts"),
        ({"positions": text}, TypeError, "positions"),
        ({"reset_mask": [1, 0, 0]}, TypeError, "reset_mask"),
        ({"reset_mask": [True]}, ValueError, "reset_mask"),
        ("reset_mask", TypeError, "options is a dict, not str"),
    ]:
        with pytest.raises(error, match=message):
            env.reset(options=options)
    assert env.positions() == before


def test_an_illegal_action_changes_nothing_and_is_named():
    text = "1,0,5/4,4,4 0 0 p1"
    env = mrl.make_vec("giuthi-3x3", 3, opponent=First(), player=1)
    env.reset(options={"positions": [text] * 3})
    for actions, error, message in [
        ([4, 4, 2], mrl.IllegalActionError, r"env 2: illegal action 2 \(1ccw\): pit 1 is empty"),
        ([4, 6, 4], mrl.ActionOutOfRangeError, "env 1: action 6 is out of range"),
        ([4, 4, -1], IndexError, "env 2: action -1 is out of range"),
        ([4.0, 4, 4], TypeError, "integer"),
        ([4, 4], ValueError, r"\(3,\)"),
    ]:
        with pytest.raises(error, match=message):
            env.step(actions)
        assert env.positions() == [text] * 3
    env.step(np.array([4, 4, 4], np.uint8))


def test_an_opponent_that_fails_changes_nothing():
    opponent = Raising()
    env = mrl.make_vec("giuthi-3x3", 20, opponent=opponent, player="random", max_plies=9)
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    for _ in range(30):
        actions = twin.sample_actions()
        opponent.error = KeyboardInterrupt()
        before = env.positions()
        for call in (lambda actions=actions: env.step(actions), env.reset, lambda: env.reset(seed=3)):
            with pytest.raises(KeyboardInterrupt):
                call()
            assert env.positions() == before
        opponent.error = None
        for mine, theirs in zip(env.step(actions)[:4], twin.step(actions)[:4]):
            np.testing.assert_array_equal(mine, theirs)
    env = mrl.make_vec("giuthi-8x8", 5, opponent=Saying(lambda states: [0] * 4 + [99]), player=1)
    with pytest.raises(IndexError, match=r"opponent.act_many, answer 4 of 5 \(in '8,8,.*'\)"):
        env.reset()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"player": 1}, ValueError, "player=1 is for games against an opponent"),
        ({"illegal_action": "lose"}, ValueError, "illegal_action='lose' is for games against an opponent"),
        ({"opponent": "random", "threads": 2}, ValueError, "threads=2 is for games without an opponent"),
        ({"opponent": "random", "copy": False}, ValueError, "copy=False is for games without"),
        ({"opponent": "random", "random_first_player": True}, ValueError, "random_first_player=True is for"),
        ({"opponent": "random", "action_features": "dense"}, ValueError, "action_features='dense' is for"),
        ({"opponent": "nobody"}, ValueError, "opponent: .*nobody"),
        ({"opponent": 3}, TypeError, "opponent is a spec, .* not int"),
        ({"opponent": "random", "player": 3}, ValueError, "player"),
        ({"opponent": "random", "num_envs": 0}, ValueError, "num_envs"),
        ({"opponent": "random", "max_plies": 0}, ValueError, "max_plies"),
        ({"opponent": "random", "nonsense": 0}, ValueError, "nonsense"),
    ],
)
def test_options_are_checked_by_name(options, error, message):
    with pytest.raises(error, match=message):
        mrl.make_vec("giuthi-3x3", **options)


def test_reset_comes_first_and_close_last():
    env = mrl.make_vec("giuthi-3x3", 2, opponent="random")
    for call in (lambda: env.step([0, 0]), env.sample_actions, env.positions, env.states):
        with pytest.raises(ResetNeeded):
            call()
    env.reset()
    env.close()
    env.close()
    for call in (lambda: env.step([0, 0]), env.sample_actions, env.reset, env.positions):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_copies_play_on_by_themselves():
    env = mrl.make_vec("kiothi-3x1", 3, opponent="greedy", player="random")
    env.reset(seed=1)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(20):
        actions = env.sample_actions()
        obs = env.step(actions)[0]
        for twin in twins:
            np.testing.assert_array_equal(twin.step(actions)[0], obs)
