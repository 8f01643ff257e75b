"""What `make` and its environments refuse: nothing has changed afterwards."""

import copy

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import mancala_rl as mrl
from opponents import First, Raising, Saying


def test_an_illegal_action_raises_or_loses():
    text = "1,0,5/4,4,4 0 0 p1"
    for player, start in ((1, text), (0, "4,4,4/1,0,5 0 0 p0")):
        for mode in ("raise", "lose"):
            env = mrl.make("giuthi-3x3", First(), player=player, illegal_action=mode)
            obs, info = env.reset(options={"position": start})
            for action in (-1, 6, 2**70):
                with pytest.raises(mrl.ActionOutOfRangeError, match="action -?[0-9]+ is out of range"):
                    env.step(action)
            for action in (1.0, True, None, "0", [0]):
                with pytest.raises(TypeError, match="action is an int"):
                    env.step(action)
            assert env.state.position() == start
            if mode == "raise":
                with pytest.raises(mrl.IllegalActionError, match=r"illegal action 2 \((1|4)ccw\): pit \1 is empty"):
                    env.step(2)
                assert env.state.position() == start
                env.step(np.array(4))
                continue
            lost, reward, terminated, truncated, info = env.step(2)
            assert (reward, terminated, truncated) == (-1.0, True, False)
            assert info["result"] == "illegal" and info["returns"].tolist() == ([1, -1] if player else [-1, 1])
            assert not info["action_mask"].any() and (lost == obs).all() and env.state.position() == start
            with pytest.raises(ResetNeeded, match="illegal"):
                env.step(4)


@pytest.mark.parametrize(
    ("option", "value", "error", "message"),
    [
        ("opponent", "nobody", ValueError, 'opponent: agent "nobody"'),
        ("opponent", "alphabeta:depth=0", ValueError, "opponent: .*depth"),
        ("opponent", "net:/nowhere,sims=4", FileNotFoundError, "nowhere"),
        ("opponent", object(), TypeError, "opponent is a spec, an agent or an object with act_many or act, not object"),
        ("opponent", First, TypeError, "not the class First"),
        ("opponent", None, TypeError, "not NoneType"),
        ("player", 2, ValueError, "player .*not 2"),
        ("player", "both", ValueError, "player is 0, 1 or 'random', not 'both'"),
        ("player", True, TypeError, "player"),
        ("player", None, TypeError, "player"),
        ("illegal_action", "ignore", ValueError, "illegal_action is 'raise' or 'lose', not 'ignore'"),
        ("illegal_action", 1, ValueError, "illegal_action"),
        ("max_plies", 0, ValueError, "max_plies"),
        ("max_plies", 1.5, TypeError, "max_plies"),
        ("random_opening_plies", -1, ValueError, "random_opening_plies"),
        ("random_opening_plies", 300, ValueError, "random_opening_plies=300"),
        ("observation_dtype", "float64", ValueError, "observation_dtype"),
        ("render_mode", "human", ValueError, "render_mode is 'ansi' or 'rgb_array', not 'human'"),
        ("nonsense", 1, ValueError, "nonsense"),
        ("capture", "some", ValueError, "capture"),
        ("game", "chess", ValueError, "chess"),
    ],
)
def test_options_are_checked_by_name(option, value, error, message):
    with pytest.raises(error, match=message):
        mrl.make(**{"game": "giuthi-2x2", option: value})


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ([0, 0], ValueError, "opponent.act_many was asked about 1 states and answered 2"),
        (5, TypeError, "opponent.act_many answers with ints, not int"),
        ([1.0], TypeError, r"opponent.act_many, answer 0 of 1 \(in '.*'\): the answer is an int, not float"),
        ([99], mrl.ActionOutOfRangeError, r"opponent.act_many, answer 0 of 1 \(in '.*'\): .*99 is out of range"),
        (
            lambda states: [int(states[0].action_mask().argmin())],
            mrl.IllegalActionError,
            "answer 0 of 1 .*illegal action",
        ),
    ],
)
def test_opponents_must_answer_well(answer, error, message):
    env = mrl.make("giuthi-3x3", Saying(answer), player=0)
    env.reset(seed=0, options={"position": "3,0,3/3,3,3 3 0 p0"})
    before, plies = env.state, env._episode.plies
    with pytest.raises(error, match=message):
        for action in before.legal_actions():
            after = before.copy()
            after.play(action)
            if not after.is_over and after.to_move == 1:
                env.step(action)
    assert env.state == before and env._episode.plies == plies


def test_an_opponent_that_raises_changes_nothing():
    opponent = Raising()
    env = mrl.make("giuthi-8x8", opponent, player=1)
    _, info = env.reset(seed=2)
    rng, state, action = copy.deepcopy(env.np_random), env.state, info["action_mask"].argmax()
    for error in (RuntimeError("tired"), KeyboardInterrupt()):
        opponent.error = error
        for call in (lambda: env.step(action), env.reset, lambda: env.reset(seed=9)):
            with pytest.raises(type(error)):
                call()
            assert env.state == state
            assert env.np_random.bit_generator.state == rng.bit_generator.state
    opponent.error = None
    env.step(action)


def test_positions_to_begin_from():
    env = mrl.make("giuthi-3x3", First(), random_opening_plies=2, player=0)
    text = "3,0,4/1,2,3 2 3 p0"
    env.reset(seed=0, options={"position": text, "unknown": 1})
    assert env.state.position() == text
    state = env.state
    for options, error, message in [
        ({"position": "3,3/3"}, ValueError, "position: "),
        ({"position": 3}, TypeError, "position is a str, not int"),
        ({"position": "0,0,0/0,0,0 9 9 p0"}, ValueError, "position is a finished game"),
        ([text], TypeError, "options is a dict, not list"),
    ]:
        with pytest.raises(error, match=message):
            env.reset(options=options)
    for seed, error in ((-1, ValueError), (2**64, ValueError), (1.0, TypeError), (True, TypeError)):
        with pytest.raises(error, match="seed"):
            env.reset(seed=seed)
    assert env.state == state


def test_an_agent_that_never_comes_to_move_is_told_so():
    env = mrl.make("giuthi-2x2", First(), player=1)
    with pytest.raises(ValueError, match="player 1 never comes to move"):
        env.reset(options={"position": "0,0/4,0 4 0 p0"})
    with pytest.raises(ValueError, match="max_plies=1"):
        mrl.make("giuthi-8x8", First(), player=1, max_plies=1).reset()


def test_reset_comes_first_and_close_last():
    env = mrl.make("giuthi-3x3")
    for call in (lambda: env.step(0), env.action_masks, lambda: env.state):
        with pytest.raises(ResetNeeded):
            call()
    env.reset()
    env.close()
    env.close()
    for call in (lambda: env.step(0), env.reset, env.action_masks):
        with pytest.raises(ClosedEnvironmentError):
            call()
