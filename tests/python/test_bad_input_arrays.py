"""Arrays in every layout that numpy has: what they hold counts, not how it lies in memory, and nobody writes into them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import mancala_rl as mrl
from bad_input import same
from evaluators import judge, some_states
from tables import random_boards, table

STATES = some_states("giuthi-5x4", 4)
BOARDS = random_boards(np.random.default_rng(3), 5)
SEARCHED = mrl.mcts(STATES, judge, 8)


class Sub(np.ndarray):
    pass


def strided(array):
    wide = np.zeros((2 * array.shape[0], *array.shape[1:]), array.dtype)
    wide[::2] = array
    return wide[::2]


def unaligned(array):
    memory = bytearray(array.nbytes + 1)
    view = np.frombuffer(memory, array.dtype, array.size, offset=1).reshape(array.shape)
    view[...] = array
    return view


def packed(array):
    """The field of records of a size that is no multiple of the field's."""
    records = np.zeros(array.shape, np.dtype([("before", "u1"), ("cell", array.dtype), ("after", "u1")]))
    records["cell"] = array
    return records["cell"]


def overlapping(array):
    """Rows that lie half upon each other, where they are alike anyway; else a copy."""
    if array.ndim != 1 or array.size == 0 or (array != array[0]).any():
        return array.copy()
    return as_strided(array.copy(), array.shape, (0,))


def read_only(array):
    copied = array.copy()
    copied.flags.writeable = False
    return copied


LAYOUTS = {
    "plain": np.copy,
    "read-only": read_only,
    "strided": strided,
    "turned round": lambda array: np.ascontiguousarray(array[::-1])[::-1],
    "turned round in rows": lambda array: np.ascontiguousarray(array[..., ::-1])[..., ::-1],
    "Fortran": lambda array: np.array(array, order="F"),
    "swapped bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    "unaligned": unaligned,
    "packed": packed,
    "packed and strided": lambda array: strided(packed(array)),
    "overlapping": overlapping,
    "a subclass": lambda array: array.copy().view(Sub),
}
layouts = st.sampled_from(sorted(LAYOUTS))
integers = st.sampled_from("bhilqBHILQ")
floats = st.sampled_from(["f4", "f8", "g"])


def laid(layout, array):
    """An array in a layout, and what it holds."""
    made = LAYOUTS[layout](array)
    assert np.array_equal(made, array)
    return made, array.copy()


@settings(max_examples=150)
@given(layouts, integers)
def test_actions(layout, dtype):
    for make in (lambda: mrl.make_vec("giuthi-3x3", 4), lambda: mrl.make_vec("giuthi-3x3", 4, opponent="greedy")):
        env, twin = make(), make()
        for one in (env, twin):
            one.reset(seed=2)
        actions, held = laid(layout, env.sample_actions().astype(dtype))
        assert same(env.step(actions), twin.step(twin.sample_actions()))
        assert same(env.get_state(), twin.get_state()) and np.array_equal(actions, held)


@settings(max_examples=150)
@given(layouts, integers, st.integers(0, 5))
def test_boards_and_leads(layout, dtype, rows):
    boards, held = laid(layout, BOARDS[:rows].astype(dtype))
    leads, _ = laid(layout, np.arange(rows, dtype=dtype))
    asked, expected = table().probe_many(boards), table().probe_many(BOARDS[:rows])
    assert same((asked.win, asked.loss, asked.win_rank), (expected.win, expected.loss, expected.win_rank))
    assert same(asked.values(leads), expected.values(list(range(rows))))
    assert np.array_equal(boards, held)


@settings(max_examples=100)
@given(layouts, floats, st.booleans())
def test_judgements(layout, dtype, draws):
    def evaluate(batch):
        return tuple(LAYOUTS[layout](part.astype(dtype)) for part in judge(batch)[: 2 + draws])

    found = mrl.mcts(STATES, evaluate, 8)
    assert same((found.visits, found.q_values, found.values), (SEARCHED.visits, SEARCHED.q_values, SEARCHED.values))


@settings(max_examples=60)
@given(layouts, st.lists(st.booleans(), min_size=4, max_size=4), st.integers(1, 255))
def test_masks_of_resets(layout, chosen, byte):
    """Whatever is not 0 is true, though no bool of ours has such a byte."""
    plain = np.array(chosen)
    mask = LAYOUTS[layout]((plain * byte).astype(np.uint8)).view(bool)
    for make in (lambda: mrl.make_vec("giuthi-3x3", 4), lambda: mrl.make_vec("giuthi-3x3", 4, opponent="greedy")):
        env, twin = make(), make()
        for one, given_mask in ((env, mask), (twin, plain)):
            one.reset(seed=2)
            one.step(one.sample_actions())
            one.reset(options={"reset_mask": given_mask})
        assert same(env.get_state(), twin.get_state())


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_saved_states(layout, opponent):
    env, twin = (mrl.make_vec("giuthi-3x3", 4, opponent=opponent) for _ in range(2))
    env.reset(seed=2)
    state = env.get_state()
    for saved in (LAYOUTS[layout](state), bytearray(state), memoryview(LAYOUTS[layout](state)), state.tobytes()):
        twin.set_state(saved)
        assert same(twin.get_state(), state)


@settings(max_examples=100)
@given(st.binary(max_size=60), st.integers(0, 10**6), st.sampled_from([None, "greedy"]))
def test_damaged_states_change_nothing(noise, at, opponent):
    env = mrl.make_vec("giuthi-3x3", 2, opponent=opponent)
    env.reset(seed=2)
    state = env.get_state()
    damaged = bytearray(state)
    at %= len(damaged)
    damaged[at : at + len(noise)] = noise
    for saved in (damaged, damaged[:at], bytes(damaged) + noise, noise):
        if bytes(saved) == state.tobytes():
            continue
        with pytest.raises(ValueError, match="state"):
            env.set_state(saved)
        assert same(env.get_state(), state)


def test_numbers_that_no_int64_holds():
    """They are far out of range, and not wrapped round into it."""
    probes = table().probe_many(BOARDS)
    for large in (np.full(5, 2**64 - 1, np.uint64), np.full(5, 2**63, np.uint64)):
        assert same(probes.values(large), probes.values(2**62))
        with pytest.raises(ValueError, match="row 0 holds"):
            table().probe_many(np.repeat(large[:, None], 6, axis=1))
    env = mrl.make_vec("giuthi-3x3", 2)
    env.reset(seed=0)
    for actions in ([0, 2**64 - 1], np.array([0, 2**64 - 1], np.uint64), [0, 10**30]):
        with pytest.raises(mrl.ActionOutOfRangeError, match="env 1"):
            env.step(actions)


@pytest.mark.parametrize("copy", [True, False])
def test_arrays_of_an_environment_given_back_to_it(copy):
    """What it writes into is read first."""
    env, twin = mrl.make_vec("giuthi-3x3", 4, copy=copy), mrl.make_vec("giuthi-3x3", 4)
    _, info = env.reset(seed=1)
    twin.reset(seed=1)
    for _ in range(30):
        obs, _, terminated, _, info = env.step(info["action_mask"].argmax(1))
        twin.step(np.array([State.legal_actions()[0] for State in map(at, twin.positions())]))
        mask = info["_final_obs"]
        for one, given_mask in ((twin, mask.copy()), (env, mask)):
            _, info = one.reset(options={"reset_mask": given_mask})
        assert same(env.get_state(), twin.get_state())


def at(position):
    return mrl.State.from_position("giuthi-3x3", position)
