"""What callbacks may do wrong: raise, answer nonsense, call back into what is calling them, and do so in many threads."""

import faulthandler
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from bad_values import Unwritable, anything, shown, whole
from evaluators import judge, some_states, uniform
from opponents import First, Saying
from tables import table

STATES = some_states("giuthi-5x4", 3)
REFUSED = (TypeError, ValueError, OverflowError)


@pytest.fixture(autouse=True)
def no_deadlock():
    """A thread that waits for ever ends the tests with the stacks of all."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


class Marked(BaseException):
    """Nobody but the callback raises it."""


class Player:
    """An opponent, side of a match and bot that does what it is told, whatever it is asked by."""

    name = "player"

    def __init__(self, does):
        self.does = does

    def act_many(self, states):
        return self.does(states)


class One:
    """The same, asked about one state."""

    def __init__(self, does):
        self.does = does

    def act(self, state):
        return self.does([state])


def playing(player):
    """Whatever asks a player, and how it stands."""
    env = mrl.make("giuthi-3x3", player, player=1)
    batch = mrl.make_vec("giuthi-3x3", 2, opponent=player, player=1)
    yield lambda: env.reset(seed=0), lambda: (env._episode, env._np_random)
    yield lambda: batch.reset(seed=0), lambda: (batch._episodes, batch._np_random)
    yield lambda: mrl.match("giuthi-3x3", player, "greedy", 2), lambda: None
    yield lambda: mrl.match("giuthi-3x3", "greedy", player, 2), lambda: None


@settings(max_examples=100)
@given(st.one_of(anything, st.lists(anything, min_size=1, max_size=2)))
def test_nonsense_of_a_player_is_refused(answer):
    """The first question of a reset is about one or two states, all of them the start."""
    for call, stands in playing(Player(lambda states: answer)) if not are_legal(answer) else ():
        before = stands()
        with pytest.raises(REFUSED, match="act_many"):
            call()
        assert stands() == before


def are_legal(answer):
    try:
        return all(whole(action) in range(6) for action in answer)
    except TypeError:
        return False


@settings(max_examples=100)
@given(st.one_of(anything))
def test_nonsense_of_one_who_is_asked_about_one_state(answer):
    if whole(answer) in range(6):
        return
    env = mrl.make("giuthi-3x3", One(lambda states: answer), player=1)
    with pytest.raises(REFUSED, match="opponent.act "):
        env.reset(seed=0)


@settings(max_examples=200)
@given(answer=st.one_of(anything), place=st.sampled_from(["whole", 0, 1, 2]))
def test_nonsense_of_an_evaluator_is_refused(answer, place):
    def evaluate(batch):
        parts = [*uniform(batch), np.zeros(len(batch), np.float32)]
        if place == "whole":
            return answer
        parts[place] = answer
        return tuple(parts)

    with pytest.raises(REFUSED, match="evaluate") as error:
        mrl.mcts(STATES, evaluate, 2)
    assert place == "whole" or ("policy_logits", "values", "draws")[place] in str(error.value)


@pytest.mark.parametrize("error", [Marked("so"), KeyboardInterrupt(), SystemExit(3), StopIteration(), GeneratorExit()])
def test_what_a_callback_raises_goes_through(error):
    def fails(*_):
        raise error

    calls = [call for call, _ in playing(Player(fails))]
    calls += [
        lambda: mrl.mcts(STATES, fails),
        lambda: mrl.mcts((fails() for _ in range(2)), uniform),
        lambda: table().probe_many(fails() for _ in range(2)),
        lambda: mrl.agent("greedy").act_many(fails() for _ in range(2)),
        lambda: mrl.make("giuthi-3x3", One(fails), player=1).reset(),
    ]
    for call in calls:
        with pytest.raises((type(error), RuntimeError)) as raised:
            call()
        # Python itself makes a RuntimeError of a StopIteration that leaves a generator.
        assert raised.value is error or raised.value.__cause__ is error


def test_what_the_command_tells_may_be_refused(tmp_path):
    """The function that is told of metrics raises: the command is stopped, and the exception goes on."""
    command = tmp_path / "mancala"
    command.write_text('#!/bin/sh\nmkdir -p "$5"\necho \'{"iteration": 1}\' > "$5/metrics.jsonl"\nexec sleep 900\n')
    command.chmod(0o755)
    (tmp_path / "config.toml").touch()
    begun = time.monotonic()
    with pytest.raises(Marked):
        mrl.train(
            tmp_path / "config.toml", tmp_path / "run", binary=command, on_metrics=lambda record: raising(Marked())
        )
    assert time.monotonic() - begun < 300


def raising(error):
    raise error


def test_arguments_that_call_back():
    """An int that plays on the state which asks what number it is: either of the two plays, and both are whole."""

    class Meddling:
        def __init__(self, meddle):
            self.meddle = meddle

        def __index__(self):
            self.meddle()
            return 0

    state = mrl.State("giuthi-5x4")
    agent = mrl.agent("random")
    env = mrl.make("giuthi-5x4", First())
    env.reset(seed=0)
    for call, meddle in [
        (state.copy().play, lambda: None),
        (state.play, lambda: state.position()),
        (state.trace, lambda: state.play(1)),
        (agent.new_game, lambda: agent.act(state)),
        (env.step, lambda: env.step(env.action_masks().argmax())),
    ]:
        try:
            call(Meddling(meddle))
        except (RuntimeError, ValueError) as error:
            assert str(error)
        assert mrl.State.from_position(state.game, state.position()).legal_actions() == state.legal_actions()
        agent.act(state)


def test_a_player_that_plays_on():
    """Whoever is asked may ask: the environment that waits for the answer, another one, a match, a search."""
    kept = {}

    def meddle(states):
        for name, env in kept.items():
            action = 0 if name == "one" else [0, 0]
            for call, *args in ((env.reset,), (env.step, action), (env.render,)):
                try:
                    call(*args)
                except Exception as error:
                    assert str(error)
        mrl.match("giuthi-3x3", First(), "random", 2)
        mrl.mcts(states, lambda batch: mrl.mcts(states, uniform, 1) and uniform(batch), 1)
        return [state.legal_actions()[0] for state in states]

    depth = [0]

    def once(states):
        depth[0] += 1
        try:
            return meddle(states) if depth[0] == 1 else [state.legal_actions()[0] for state in states]
        finally:
            depth[0] -= 1

    kept["one"] = mrl.make("giuthi-3x3", Player(once), player=1, render_mode="ansi")
    kept["many"] = mrl.make_vec("giuthi-3x3", 2, opponent=Player(once), player=1, render_mode="ansi")
    for env in kept.values():
        env.reset(seed=1)
        for _ in range(20):
            if env is kept["one"]:
                mask = env.action_masks()
                if not mask.any() or env._episode.over:
                    env.reset()
                else:
                    env.step(mask.argmax())
            else:
                env.step(env.sample_actions())
    assert mrl.match("giuthi-3x3", Player(once), Player(once), 4).games == 4


def in_threads(*calls, rounds=200, count=6):
    """Runs calls side by side; each may be refused in words, and none may do anything else."""
    failed = []
    start = threading.Barrier(count)

    def run(i):
        start.wait()
        for j in range(rounds):
            try:
                calls[(i + j) % len(calls)]()
            except (RuntimeError, ValueError, TypeError) as error:
                if not str(error):
                    failed.append(error)
            except BaseException as error:
                failed.append(error)
                return

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


def test_many_threads_in_everything():
    state, agent, tablebase = mrl.State("giuthi-8x8"), mrl.agent("alphabeta:depth=2"), table()
    in_threads(
        lambda: state.play((state.legal_actions() or [0])[0]),
        lambda: state.play("nonsense"),
        lambda: state.copy().play(-1),
        state.action_features,
        lambda: agent.act(state),
        lambda: agent.act_many([state, mrl.State("kiothi-3x1")]),
        lambda: agent.new_game(time.monotonic_ns()),
        lambda: agent.act(None),
        lambda: mrl.mcts([state], uniform, 4),
        lambda: tablebase.probe_many(np.ones((50, 6), int)),
        lambda: tablebase.probe_many([[1, 2], [1]]),
    )
    assert state == mrl.State._from_moves(*state.__reduce__()[1])


@pytest.mark.parametrize("copy", [True, False])
def test_many_threads_in_environments(copy):
    env = mrl.make_vec("giuthi-3x3", 64, copy=copy, action_features="ragged", render_mode="ansi")
    env.reset(seed=0)
    in_threads(
        lambda: env.step(env.sample_actions()),
        lambda: env.step(np.full(64, 9)),
        lambda: env.set_state(env.get_state()),
        lambda: env.set_state(b"nothing"),
        lambda: env.reset(seed=1),
        lambda: env.reset(options={"positions": ["nonsense"] * 64}),
        env.positions,
        env.action_features,
        env.render,
        rounds=60,
    )
    env.reset(seed=4)
    twin = mrl.make_vec("giuthi-3x3", 64)
    twin.reset(seed=4)
    for _ in range(5):
        actions = env.sample_actions()
        np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])


def test_a_search_may_be_asked_of_in_threads():
    states = some_states("giuthi-5x4", 4)
    expected = mrl.mcts(states, judge, 16).visits
    results = []
    in_threads(lambda: results.append(mrl.mcts(states, judge, 16).visits), rounds=3, count=4)
    assert len(results) == 12 and all((visits == expected).all() for visits in results)


def test_names_that_cannot_be_written():
    """Objects that cannot be shown stand in a message by their type."""
    for call in (
        lambda: mrl.make("giuthi-3x3", player=Unwritable()),
        lambda: mrl.make("giuthi-3x3", illegal_action=Unwritable()),
        lambda: mrl.make("giuthi-3x3", Saying(Unwritable()), player=1).reset(),
        lambda: mrl.replay(mrl.State("giuthi"), players=Unwritable()),
    ):
        with pytest.raises((TypeError, ValueError), match="Unwritable") as error:
            call()
        assert shown(error.value)
