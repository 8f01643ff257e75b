"""`make`: one game against an opponent, against a plain reference, and Gymnasium's own checks."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from mancala_rl._register import GAMES as REGISTERED
from opponents import First, Plain, Raising, Single, last_legal
from reference import GAMES

INFO = {"action_mask", "player", "scores", "returns", "plies", "opponent_actions", "result"}


def first_legal(state):
    return state.legal_actions()[0]


def play_out(env, seed=None, options=None, steps=200, draw=0):
    """What an episode shows under random legal actions."""
    rng = np.random.default_rng(draw)
    obs, info = env.reset(seed=seed, options=options)
    record = [(obs.tolist(), info["player"], info["opponent_actions"])]
    for _ in range(steps):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        obs, reward, terminated, truncated, info = env.step(action)
        record.append((obs.tolist(), reward, terminated, truncated, info["opponent_actions"], info["result"]))
        if terminated or truncated:
            break
    return record


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_steps_agree_with_states(game, player, dtype):
    """Observations, rewards, masks, extra moves, passes and truncation, against `State` and plain Python."""
    options = {"one_warrior_multiplier": 3.0} if game.startswith("kiothi") else {"capture": "occupied"}
    for opponent, answer in ((First(), first_legal), (Single(), last_legal)):
        rng = np.random.default_rng(1)
        for max_plies in (None, 12):
            env = mrl.make(game, opponent, player=player, max_plies=max_plies, observation_dtype=dtype, **options)
            plain = Plain(game, answer, player, max_plies, **options)
            if plain.over:
                continue
            obs, info = env.reset(seed=0)
            assert info["opponent_actions"] == plain.played
            for _ in range(100):
                assert set(info) == INFO
                np.testing.assert_array_equal(obs, plain.observation(dtype))
                assert obs.dtype == dtype and obs in env.observation_space
                assert np.flatnonzero(info["action_mask"]).tolist() == plain.state.legal_actions()
                assert (env.action_masks() == info["action_mask"]).all() and env.action_masks().dtype == bool
                assert info["player"] == player == env.state.to_move and info["plies"] == plain.shadow.plies
                action = int(rng.choice(plain.state.legal_actions()))
                plain.step(action)
                obs, reward, terminated, truncated, info = env.step(action)
                assert type(reward) is float and reward == plain.reward
                assert (terminated, truncated) == (plain.state.is_over, plain.truncated)
                assert info["opponent_actions"] == plain.played
                assert tuple(info["scores"]) == plain.state.scores and info["scores"].dtype == np.int16
                assert tuple(info["returns"]) == plain.state.returns() and info["returns"].dtype == np.float32
                assert info["result"] == (plain.state.result or "")
                if plain.over:
                    np.testing.assert_array_equal(obs, plain.observation(dtype))
                    assert not info["action_mask"].any() and info["action_mask"].dtype == np.int8
                    break


def test_a_hand_played_game():
    """The opponent has one pit of four seeds; the agent's last move sweeps his own row."""
    env = mrl.make("giuthi-2x2", First(), player=0)
    obs, info = env.reset(options={"position": "0,0/4,0 4 0 p0"})
    assert (
        info["action_mask"].tolist() == mrl.State.from_position("giuthi-2x2", "0,0/4,0 4 0 p0").action_mask().tolist()
    )
    _, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["result"] == "no-moves" and info["scores"].tolist() == [7, 1] and info["returns"].tolist() == [1, -1]
    with pytest.raises(ResetNeeded, match="no-moves"):
        env.step(1)


def test_losses_and_seats():
    """What one seat wins the other loses, whoever plays."""
    for seed in range(3):
        rewards = set()
        for player in (0, 1):
            env = mrl.make("giuthi-3x3", "random", player=player)
            record = play_out(env, seed)
            rewards.add(record[-1][1])
        assert rewards <= {-1.0, 0.0, 1.0}
    won = mrl.make("giuthi-2x2", Raising(), player=1)
    won.reset(options={"position": "4,0/0,0 0 4 p1"})
    _, reward, terminated, _, info = won.step(1)
    assert (reward, terminated, info["player"]) == (1.0, True, 1) and info["returns"].tolist() == [-1, 1]


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:sims=4", "alphabeta:depth=2"])
@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x1"])
def test_same_seed_same_episodes(game, spec):
    records = []
    for _ in range(2):
        env = mrl.make(game, mrl.agent(spec), player="random", random_opening_plies=2, max_plies=60)
        env.reset(seed=5)
        records.append([play_out(env, seed) for seed in (7, None, None, 8)])
        records[-1].append(play_out(env, 7))
    assert records[0] == records[1] and records[0][0] == records[0][-1]
    assert len({str(record) for record in records[0]}) > 2


def test_an_opponent_that_draws_lots_draws_anew_in_every_episode():
    env = mrl.make("giuthi-8x8", "random", player=1)
    env.reset(seed=0)
    openings = {tuple(env.reset()[1]["opponent_actions"]) for _ in range(30)}
    assert len(openings) > 5
    assert {env.reset()[1]["player"] for _ in range(3)} == {1}
    env = mrl.make("giuthi-8x8", "random", player="random")
    env.reset(seed=0)
    assert 15 < sum(env.reset()[1]["player"] for _ in range(60)) < 45


def test_without_a_seed_episodes_come_from_np_random():
    env = mrl.make("giuthi-5x4", "random")
    env.reset(seed=3)
    first = play_out(env)
    env.np_random = np.random.Generator(np.random.PCG64(4))
    other = play_out(env)
    env.np_random = np.random.Generator(np.random.PCG64(4))
    assert play_out(env) == other != first
    assert play_out(mrl.make("giuthi-8x8", "random", player=1)) != play_out(mrl.make("giuthi-8x8", "random", player=1))


def test_agents_are_not_touched():
    agent = mrl.agent("random", seed=3)
    states = [mrl.State("giuthi-8x8")]
    before = agent.act_many(states)
    play_out(mrl.make("giuthi-8x8", agent), seed=1)
    assert agent.act_many(states) == before


def test_objects_are_told_a_seed_when_the_environment_is():
    opponent = First()
    env = mrl.make("giuthi-5x4", opponent, player=1)
    env.reset()
    env.reset()
    assert len(opponent.seeds) == 1
    env.reset(seed=4)
    env.reset()
    env.reset(seed=4)
    assert len(opponent.seeds) == 3 and opponent.seeds[1] == opponent.seeds[2] != opponent.seeds[0]
    assert all(0 <= seed < 2**64 for seed in opponent.seeds)


def test_random_openings():
    env = mrl.make("giuthi-5x4", First(), random_opening_plies=3)
    env.reset(seed=0)
    starts = set()
    for _ in range(20):
        _, info = env.reset()
        starts.add(env.state.position())
        assert info["plies"] == len(info["opponent_actions"])
    assert len(starts) > 5


def test_spaces_and_metadata():
    env = mrl.make("giuthi-8x8?capture=occupied")
    state = mrl.State("giuthi-8x8", capture="occupied")
    assert isinstance(env, gymnasium.Env) and isinstance(env, mrl.MancalaEnv) and env.game == state.game
    assert isinstance(env.action_space, spaces.Discrete) and env.action_space.n == state.num_actions
    assert isinstance(env.observation_space, spaces.Box) and env.observation_space.shape == (state.observation_len,)
    assert env.metadata["rules_version"] == state.rules_version and env.metadata["game"] == state.game
    _, info = env.reset(seed=0)
    assert env.action_space.sample(info["action_mask"]) in state.legal_actions()


def test_it_says_what_it_is():
    env = mrl.make("giuthi-6x6", opponent="greedy")
    assert repr(env) == str(env) == "<MancalaEnv giuthi-6x6 against greedy>"
    assert repr(mrl.make("kiothi", First())) == "<MancalaEnv kiothi-6x5 against First>"
    assert "giuthi-6x6 against random" in repr(gymnasium.make("mancala_rl/giuthi-6x6-v0"))


def test_boards_as_text():
    env = mrl.make("giuthi-3x3", First(), player=1, render_mode="ansi")
    env.reset(options={"position": "1,2,3/4,5,0 6 7 p1"})
    assert env.render() == (
        "Player 1 (agent)       3   2   1   captured 7\n"
        "Player 0 (opponent)    4   5   0   captured 6\n"
        "Player 1 (agent) to move\n"
    )
    env = mrl.make("kiothi-6x5", First(), render_mode="ansi")
    env.reset()
    assert env.render().splitlines()[1].split()[3:13] == list("0000555555")
    assert env.render().endswith("Player 0 (agent) to move (lift)\n")
    env = mrl.make("giuthi-2x2", First(), render_mode="ansi")
    env.reset(options={"position": "0,0/4,0 4 0 p0"})
    env.step(1)
    assert env.render().endswith("Player 0 (agent) wins by no-moves\n")
    with pytest.warns(UserWarning, match="render_mode"):
        assert mrl.make("giuthi-2x2").render() is None


def test_copies_play_on_by_themselves():
    env = mrl.make("giuthi-8x8", "random", player="random")
    env.reset(seed=1)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    record = play_out(env)
    assert all(play_out(twin) == record for twin in twins)


def test_ids_are_registered_whichever_is_imported_first(run_python):
    for imports in ("import mancala_rl, gymnasium", "import gymnasium, mancala_rl"):
        run_python(f"""
{imports}
import importlib.util, sys
env = gymnasium.make("mancala_rl/giuthi-6x6-v0", opponent="greedy", player=1, capture="occupied")
assert env.unwrapped.game == "giuthi-6x6?capture=occupied"
assert isinstance(env.unwrapped, mancala_rl.MancalaEnv)
assert not any("mancala" in type(finder).__module__ for finder in sys.meta_path)
assert "mancala" not in type(gymnasium.__spec__.loader).__module__ == type(gymnasium.__loader__).__module__
""")
    run_python("""
import mancala_rl, importlib.util, sys
assert importlib.util.find_spec("gymnasium") is not None and "gymnasium" not in sys.modules
import gymnasium.spaces
assert "mancala_rl/giuthi-8x8-v0" in gymnasium.registry
import importlib
importlib.reload(mancala_rl)
""")


@pytest.mark.parametrize("game", REGISTERED)
def test_registered_ids_pass_gymnasiums_check(game):
    name = f"mancala_rl/{game}-v0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kwargs in ({}, {"opponent": "greedy", "player": "random"}):
            env = gymnasium.make(name, **kwargs)
            check_env(env.unwrapped)
            _, info = env.reset(seed=0)
            for _ in range(20):
                *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
                if terminated or truncated:
                    _, info = env.reset()
        assert env.unwrapped.game == game and env.unwrapped._dealer.lose


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(GAMES),
    seed=st.integers(0, 2**64 - 1),
    player=st.sampled_from([0, 1, "random"]),
    opponent=st.sampled_from(["random", "greedy"]),
    max_plies=st.none() | st.integers(20, 60),
    plies=st.integers(0, 2),
)
def test_episodes_can_be_replayed(game, seed, player, opponent, max_plies, plies):
    """What info tells of the opponent's actions is the game, and all of it."""
    env = mrl.make(
        game, opponent, player=player, max_plies=max_plies, random_opening_plies=plies, illegal_action="lose"
    )
    _, info = env.reset(seed=seed)
    state, count = env.state, info["plies"]
    assert player in ("random", info["player"]) and count == len(info["opponent_actions"])
    for _ in range(60):
        assert state.to_move == info["player"]
        action = int(np.random.default_rng(seed + count).choice(state.legal_actions()))
        _, reward, terminated, truncated, info = env.step(action)
        for played in (action, *info["opponent_actions"]):
            assert not state.is_over
            state.play(played)
            count += 1
        assert state == env.state and info["plies"] == count
        assert reward == state.returns()[info["player"]] and terminated == state.is_over
        assert truncated == (count == max_plies and not terminated)
        if terminated or truncated:
            break
