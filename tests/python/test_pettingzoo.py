"""`pettingzoo_env`: two agents that take turns, against a plain reference, and PettingZoo's own tests."""

import copy
import pickle
import warnings

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test, test_save_obs
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

import mancala_rl as mrl
from opponents import view
from reference import GAMES, Shadow

test_save_obs.__test__ = False

AGENTS = ["player_0", "player_1"]
# PettingZoo says these of every environment with masks in its observations that is not one of its own.
KNOWN = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",
)


@pytest.mark.parametrize("options", [{}, {"max_plies": 7}, {"random_opening_plies": 2}, {"observation_dtype": "uint8"}])
@pytest.mark.parametrize("game", [*GAMES, "giuthi-5x4?capture=occupied"])
def test_pettingzoos_api_test(game, options, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(mrl.pettingzoo_env(game, **options), num_cycles=150)
    assert "Passed API test" in capsys.readouterr().out
    assert [str(one.message) for one in caught if not str(one.message).startswith(KNOWN)] == []


@pytest.mark.parametrize("options", [{}, {"max_plies": 30, "random_opening_plies": 2}])
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_seed_test(game, options):
    if game.startswith("giuthi"):
        options = {**options, "random_first_player": True}
    seed_test(lambda: mrl.pettingzoo_env(game, **options), num_cycles=100)


def test_it_says_what_it_is():
    env = mrl.pettingzoo_env("giuthi-6x6")
    assert repr(env) == "<MancalaAECEnv giuthi-6x6>" and str(env) == "mancala_rl/giuthi-6x6"


def test_pettingzoos_other_tests(capsys):
    env = mrl.pettingzoo_env("giuthi-5x4")
    test_save_obs(env)
    assert "did not save the observations" in capsys.readouterr().out, "they are no images"

    def make(render_mode):
        return mrl.pettingzoo_env("giuthi-5x4", render_mode="ansi" if render_mode == "human" else render_mode)

    render_test(make)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("max_plies", [None, 13])
@pytest.mark.parametrize("game", GAMES)
def test_steps_agree_with_states(game, max_plies, dtype):
    """Who is selected, what both see, rewards of both, and the end, against `State` and plain Python."""
    options = {"one_warrior_multiplier": 3.0} if game.startswith("kiothi") else {}
    env = mrl.pettingzoo_env(game, max_plies=max_plies, observation_dtype=dtype, **options)
    rng, again, ends = np.random.default_rng(0), 0, set()
    for _ in range(6):
        env.reset(seed=0)
        shadow = Shadow(game, mrl.State(game).position(), **options)
        given = dict.fromkeys(AGENTS, 0.0)
        while True:
            state = shadow.state
            over = state.is_over or shadow.plies == max_plies
            assert env.agents == AGENTS and env.num_agents == 2
            assert env.terminations == dict.fromkeys(AGENTS, state.is_over)
            assert env.truncations == dict.fromkeys(AGENTS, over and not state.is_over)
            for player, agent in enumerate(AGENTS):
                seen = env.observe(agent)
                np.testing.assert_array_equal(seen["observation"], view(shadow, player, dtype))
                assert seen in env.observation_space(agent) and seen["action_mask"].dtype == np.int8
                legal = state.legal_actions() if player == state.to_move and not over else []
                assert np.flatnonzero(seen["action_mask"]).tolist() == legal
                assert env.infos[agent]["scores"] == state.scores and env.infos[agent]["plies"] == shadow.plies
                assert env.infos[agent]["result"] == (state.result or "")
            if over:
                break
            mover = env.agent_selection
            assert mover == AGENTS[state.to_move]
            action = int(rng.choice(state.legal_actions()))
            given[mover] = 0.0
            played = shadow.play(action)
            env.step(action)
            again += not shadow.state.is_over and AGENTS[shadow.state.to_move] == mover
            for player, agent in enumerate(AGENTS):
                assert env.rewards[agent] == shadow.state.returns()[player]
                given[agent] += env.rewards[agent]
                assert env.infos[agent]["passed"] == played.passed
        ends.add(shadow.state.result)
        first = env.agent_selection
        assert first != mover
        for agent in (first, mover):
            assert env.agent_selection == agent
            seen, reward, terminated, truncated, info = env.last()
            assert reward == given[agent] == shadow.state.returns()[AGENTS.index(agent)]
            assert (terminated, truncated) == (shadow.state.is_over, not shadow.state.is_over)
            with pytest.raises(ValueError, match="None"):
                env.step(0)
            env.step(None)
        assert env.agents == [] and not list(env.agent_iter())
        with pytest.raises(ResetNeeded, match="over"):
            env.step(None)
    assert again > 0 or game == "kiothi-3x1" or max_plies
    assert ends


def test_extra_moves_passes_and_ends_by_hand():
    env = mrl.pettingzoo_env("giuthi-2x2")
    env.reset(options={"position": "0,0/4,0 4 0 p0"})
    env.step(1)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0} and env.agent_selection == "player_1"
    assert env.infos["player_0"]["result"] == "no-moves"
    # Every extra move that a random game holds leaves the same agent selected.
    env = mrl.pettingzoo_env("giuthi-8x8")
    env.reset(seed=0)
    rng, extra = np.random.default_rng(0), 0
    while not any(env.terminations.values()):
        state, mover = env.game_state, env.agent_selection
        action = int(rng.choice(state.legal_actions()))
        played = state.play(action)
        env.step(action)
        if played.extra_move and not played.passed and not state.is_over:
            extra += 1
            assert env.agent_selection == mover
    assert extra > 0


@pytest.mark.parametrize("game", ["giuthi-3x3"])
def test_draws_reward_nobody(game):
    env = mrl.pettingzoo_env(game)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        env.reset()
        while not env.terminations["player_0"]:
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        if env.infos["player_0"]["result"] == "repetition":
            assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
            return
    raise AssertionError("no repetition")


def test_random_first_player_and_openings():
    env = mrl.pettingzoo_env("giuthi-8x8", random_first_player=True)
    env.reset(seed=0)
    starters = []
    for _ in range(60):
        env.reset()
        starters.append(env.agent_selection)
        assert env.game_state.scores == (0, 0)
    assert 15 < starters.count("player_1") < 45
    env = mrl.pettingzoo_env("giuthi-8x8", random_opening_plies=4)
    env.reset(seed=1)
    first = env.game_state
    env.reset()
    assert env.game_state != first and env.infos["player_0"]["plies"] == 0
    env.reset(seed=1)
    assert env.game_state == first


def test_illegal_actions_change_nothing():
    text = "1,0,5/4,4,4 0 0 p1"
    env = mrl.pettingzoo_env("giuthi-3x3")
    env.reset(options={"position": text})
    for action, error, message in [
        (2, mrl.IllegalActionError, r"illegal action 2 \(1ccw\): pit 1 is empty"),
        (6, mrl.ActionOutOfRangeError, "action 6 is out of range"),
        (2**80, mrl.ActionOutOfRangeError, "out of range"),
        (None, TypeError, "action is an int, not NoneType"),
        (4.0, TypeError, "action is an int, not float"),
        ("4", TypeError, "action is an int, not str"),
        (True, TypeError, "action is an int, not a bool"),
    ]:
        with pytest.raises(error, match=message):
            env.step(action)
        assert env.game_state.position() == text and env.agent_selection == "player_1"
    with pytest.raises(ValueError, match="agent is 'player_0' or 'player_1', not 'nobody'"):
        env.observe("nobody")
    env.step(np.int32(4))


def test_pettingzoos_wrappers_work():
    env = TerminateIllegalWrapper(mrl.pettingzoo_env("giuthi-3x3"), illegal_reward=-1)
    env = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))
    env.reset(seed=0, options={"position": "1,0,5/4,4,4 0 0 p1"})
    env.step(2)
    results = []
    for agent in env.agent_iter():
        _, reward, terminated, *_ = env.last()
        results.append((agent, reward, terminated))
        env.step(None)
    assert sorted(results) == [("player_0", 0, True), ("player_1", -1.0, True)]


@pytest.mark.parametrize(
    ("option", "value", "error", "message"),
    [
        ("max_plies", 0, ValueError, "max_plies"),
        ("max_plies", "9", TypeError, "max_plies"),
        ("random_opening_plies", 300, ValueError, "random_opening_plies=300"),
        ("random_first_player", 1, TypeError, "random_first_player"),
        ("observation_dtype", "float64", ValueError, "observation_dtype"),
        ("render_mode", "human", ValueError, "render_mode is 'ansi' or 'rgb_array', not 'human'"),
        ("nonsense", 1, ValueError, "nonsense"),
        ("game", "chess", ValueError, "chess"),
    ],
)
def test_options_are_checked_by_name(option, value, error, message):
    with pytest.raises(error, match=message):
        mrl.pettingzoo_env(**{"game": "giuthi-2x2", option: value})


def test_resets_are_checked_by_name():
    with pytest.raises(ValueError, match="random_first_player is for Giuthi"):
        mrl.pettingzoo_env("kiothi", random_first_player=True)
    env = mrl.pettingzoo_env("giuthi-3x3", random_opening_plies=1)
    for call in (lambda: env.step(0), lambda: env.observe("player_0")):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=3)
    before = env.game_state
    for arguments, error, message in [
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"seed": 1.0}, TypeError, "seed"),
        ({"options": []}, TypeError, "options is a dict, not list"),
        ({"options": {"position": "x"}}, ValueError, "position"),
        ({"options": {"position": "0,0,0/0,0,0 9 9 p0"}}, ValueError, "position is a finished game"),
    ]:
        with pytest.raises(error, match=message):
            env.reset(**arguments)
        assert env.game_state == before
    env.close()
    env.close()
    for call in (env.reset, lambda: env.step(0)):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_spaces_metadata_and_boards():
    env = mrl.pettingzoo_env("giuthi-3x3?capture=occupied", render_mode="ansi")
    assert isinstance(env, pettingzoo.AECEnv) and isinstance(env, mrl.MancalaAECEnv)
    assert env.possible_agents == AGENTS and str(env) == "mancala_rl/giuthi-3x3?capture=occupied"
    assert env.metadata["is_parallelizable"] is False and env.metadata["game"] == env.game
    for agent in AGENTS:
        assert isinstance(env.action_space(agent), spaces.Discrete) and env.action_space(agent).n == 6
        assert list(env.observation_space(agent)) == ["action_mask", "observation"]
    env.reset(options={"position": "1,2,3/4,5,0 6 7 p1"})
    assert env.render().splitlines() == [
        "player_1    3   2   1   captured 7",
        "player_0    4   5   0   captured 6",
        "player_1 to move",
    ]
    env = mrl.pettingzoo_env("giuthi-3x3")
    env.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_copies_play_on_by_themselves():
    env = mrl.pettingzoo_env("kiothi-3x1")
    env.reset(seed=0)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for twin in (*twins, env):
        assert twin.infos["player_0"]["plies"] == 0
        twin.step(twin.game_state.legal_actions()[0])


def test_without_pettingzoo(run_python):
    run_python("""
import sys
sys.modules["pettingzoo"] = None
import importlib
import mancala_rl as mrl
mrl.make("giuthi")
for make in (
    lambda: mrl.pettingzoo_env("giuthi"),
    lambda: mrl.MancalaAECEnv,
    lambda: importlib.import_module("mancala_rl.pettingzoo"),
):
    try:
        make()
    except ImportError as error:
        assert 'pip install "mancala-rl[pettingzoo]"' in str(error), error
    else:
        raise AssertionError("no ImportError")
""")


@settings(max_examples=40, deadline=None)
@given(game=st.sampled_from(GAMES), seed=st.integers(0, 2**64 - 1), max_plies=st.none() | st.integers(1, 40))
def test_rewards_balance(game, seed, max_plies):
    env = mrl.pettingzoo_env(game, max_plies=max_plies, random_opening_plies=1)
    env.reset(seed=seed)
    totals = dict.fromkeys(AGENTS, 0.0)
    for steps, agent in enumerate(env.agent_iter(100)):
        seen, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        if terminated or truncated:
            assert not seen["action_mask"].any()
            env.step(None)
            continue
        env.step(int(np.random.default_rng(seed + steps).choice(np.flatnonzero(seen["action_mask"]))))
        assert sum(env.rewards.values()) == 0
    assert env.agents or totals["player_0"] == -totals["player_1"]
