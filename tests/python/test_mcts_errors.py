"""What `mcts` and its evaluators refuse, and how a search ends early."""

import signal
import traceback

import numpy as np
import pytest

import mancala_rl as mrl
from evaluators import judge, some_states, uniform


def with_cell(array, cell, value):
    array = array.copy()
    array[cell] = value
    return array


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda p, v: None, TypeError, r"evaluate returns \(policy_logits, values\) or .*, not NoneType"),
        (lambda p, v: p, TypeError, "not ndarray"),
        (lambda p, v: {"policy": p, "values": v}, TypeError, "not dict"),
        (lambda p, v: (p,), ValueError, "not 1 things"),
        (lambda p, v: (p, v, v, v), ValueError, "not 4 things"),
        (lambda p, v: (p.tolist(), v), TypeError, "policy_logits is a numpy array, not list"),
        (lambda p, v: (p, 0.5), TypeError, "values is a numpy array, not float"),
        (lambda p, v: (p, v, None), TypeError, "draws is a numpy array, not NoneType"),
        (lambda p, v: (p.astype(int), v), TypeError, "policy_logits is an array of floats, not of int64"),
        (lambda p, v: (p.astype(complex), v), TypeError, "not of complex128"),
        (lambda p, v: (p, v.astype(bool)), TypeError, "values is an array of floats, not of bool"),
        (lambda p, v: (p, v.astype(object)), TypeError, "not of object"),
        (lambda p, v: (v, p), ValueError, r"policy_logits has shape \(3, 10\), not \(3,\)"),
        (lambda p, v: (p[:2], v), ValueError, r"policy_logits has shape \(3, 10\), not \(2, 10\)"),
        (lambda p, v: (p[:, :9], v), ValueError, r"not \(3, 9\)"),
        (lambda p, v: (p, v[:, None]), ValueError, r"values has shape \(3,\), not \(3, 1\)"),
        (lambda p, v: (p, v[0]), TypeError, "values is a numpy array, not float32"),
        (lambda p, v: (p, v, v[:1]), ValueError, r"draws has shape \(3,\), not \(1,\)"),
        (
            lambda p, v: (with_cell(p, (1, slice(None)), np.nan), v),
            ValueError,
            r"policy_logits of row 1 \(in '.* p[01]",
        ),
        (lambda p, v: (with_cell(p, (2, slice(None)), -np.inf), v), ValueError, "row 2 .*legal action . has -inf"),
        (lambda p, v: (p.astype(float) + 1e300, v), ValueError, "row 0 .*: legal action . has inf"),
        (
            lambda p, v: (p, with_cell(v, 1, np.nan)),
            ValueError,
            r"values of row 1 \(in .*\) is NaN, and is from -1 to 1",
        ),
        (lambda p, v: (p, with_cell(v, 2, 1.01)), ValueError, "values of row 2 .* is 1.01"),
        (lambda p, v: (p, with_cell(v, 0, -np.inf)), ValueError, "values of row 0 .* is -inf"),
        (lambda p, v: (p, v, with_cell(v, 1, -0.1)), ValueError, "draws of row 1 .* is -0.1, and is from 0 to 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_an_evaluator_may_not_answer(answer, error, words):
    with pytest.raises(error, match=words):
        mrl.mcts(some_states("giuthi-5x4", 3), lambda batch: answer(*uniform(batch)), 4)


def test_what_searches_refuse():
    state, other = mrl.State("giuthi-5x4"), mrl.State("giuthi-5x4", capture="occupied")
    over = mrl.State.from_position("giuthi-5x4", "0,0,0,0,0/0,0,0,0,0 30 10 p1 no-moves")
    for states, error, words in [
        ([], ValueError, "states is empty"),
        (state, TypeError, "states is a list of States, not State"),
        (None, TypeError, "states is a list of States, not NoneType"),
        ("giuthi", TypeError, r"states\[0\] is a State, not str"),
        ([state, state.position()], TypeError, r"states\[1\] is a State, not str"),
        ([state, state, over], ValueError, r"states\[2\]: the game is over \(no-moves\)"),
        ([state, mrl.State("kiothi")], ValueError, r"states\[1\] is of kiothi-6x5 and states\[0\] of giuthi-5x4:"),
        ([state, other], ValueError, r"of giuthi-5x4\?capture=occupied and states\[0\] of giuthi-5x4:"),
    ]:
        with pytest.raises(error, match=words):
            mrl.mcts(states, uniform)
    for evaluate in (None, "uniform", judge(mrl_batch(state))):
        with pytest.raises(TypeError, match="evaluate is a function of a LeafBatch, not"):
            mrl.mcts([state], evaluate)
    puct = {"selection": "puct"}
    for kwargs, error in [
        ({"sims": -1}, ValueError),
        ({"sims": 10_000_001}, ValueError),
        ({"sims": 2**70}, ValueError),
        ({"sims": 1.0}, TypeError),
        ({"sims": True}, TypeError),
        ({"selection": "alphazero"}, ValueError),
        ({"selection": 1}, TypeError),
        ({"considered": 0}, ValueError),
        ({"considered": 2.5}, TypeError),
        ({"exploration": 1.0}, ValueError),
        ({"exploration": -1.0, **puct}, ValueError),
        ({"exploration": "1", **puct}, TypeError),
        ({"considered": 4, **puct}, ValueError),
        ({"sigma_scale": 1.0, **puct}, ValueError),
        ({"sigma_scale": float("nan")}, ValueError),
        ({"contempt": 1.5}, ValueError),
        ({"contempt": True}, TypeError),
        ({"seed": -1}, ValueError),
        ({"seed": 2**64}, ValueError),
        ({"seed": 0.5}, TypeError),
        ({"noise_part": 0.5, "seed": 1}, ValueError),
        ({"noise_part": 0.5, **puct}, ValueError),
        ({"noise_part": 1.5, "seed": 1, **puct}, ValueError),
        ({"noise_alpha": 0, "seed": 1, **puct}, ValueError),
        ({"action_features": "sparse"}, ValueError),
        ({"action_features": True}, TypeError),
    ]:
        with pytest.raises(error, match=next(iter(kwargs))):
            mrl.mcts([state], uniform, **kwargs)


def mrl_batch(state):
    """The batch that an evaluator gets for a state."""
    batches = []
    mrl.mcts([state], lambda batch: batches.append(batch) or uniform(batch), 0)
    return batches[0]


def test_exceptions_come_with_their_traceback():
    calls = []

    def deep_down(batch):
        calls.append(batch)
        if len(calls) == 3:
            raise LookupError("out of memory")
        return uniform(batch)

    with pytest.raises(LookupError, match="out of memory") as error:
        mrl.mcts(some_states("giuthi-5x4", 3), deep_down)
    assert len(calls) == 3
    assert "deep_down" in [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]


def test_control_c_interrupts_between_batches():
    calls = []

    def evaluate(batch):
        calls.append(batch)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return uniform(batch)

    with pytest.raises(KeyboardInterrupt):
        mrl.mcts([mrl.State("giuthi-8x8")], evaluate, 1_000_000)
    assert 5 <= len(calls) <= 6
