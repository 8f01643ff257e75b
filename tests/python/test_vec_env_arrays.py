"""Whose the arrays of steps are, and when they are written to again."""

import ctypes
import pickle
import tracemalloc
import weakref
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import mancala_rl as mrl

FINAL = {"scores", "to_move", "result", "plies"}

SIZES = [1, 3, 64, 100]
"""One by one, and in lockstep; with the GIL and without."""


def named(result):
    """The arrays of a step or a reset by the names that errors know them by; `_final_info` is `_final_obs` once more."""
    names = ["observations", "reward", "terminated", "truncated"] if len(result) == 5 else ["observations"]
    arrays = dict(zip(names, result[:-1]))
    for key, value in result[-1].items():
        if isinstance(value, dict):
            arrays |= {f'info["{key}"]["{name}"]': array for name, array in value.items()}
        elif key != "_final_info":
            arrays[f'info["{key}"]'] = value
    return arrays


def copied(result):
    return {name: array.copy() for name, array in named(result).items()}


def assert_same(arrays, others):
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert array.dtype == others[name].dtype and array.tobytes() == others[name].tobytes(), name


def rubbish(dtype):
    return {"f": np.nan, "b": True, "U": "rubbish"}.get(dtype.kind, 77)


def spoil(array, rows=slice(None)):
    """Rubbish in every cell that may be written to: in all arrays but that of the results' words."""
    if array.flags.writeable:
        array[rows] = rubbish(array.dtype)
    else:
        assert array.dtype.kind == "U"


def make(games, copy, game="giuthi-3x3", **options):
    """An environment whose games end all the time, both ways."""
    env = mrl.make_vec(game, games, seed=5, copy=copy, max_plies=12 if game.startswith("kiothi") else 8, **options)
    return env, env.reset()


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("games", SIZES)
@pytest.mark.parametrize("game", ["giuthi-3x3", "kiothi-3x1"])
def test_every_cell_is_written_every_time(game, games, copy, dtype):
    """Whatever the user has left in the arrays, steps and resets return the same as fresh ones.

    In live arrays the user leaves the rows of final_obs and final_info alone that tell of no end.
    """
    env, result = make(games, copy, game, observation_dtype=dtype)
    twin, other = make(games, True, game, observation_dtype=dtype)
    kept = []
    for step in range(60):
        assert_same(named(result), named(other))
        kept.append(other)  # so that the twin's arrays are new ones
        actions = twin.sample_actions()
        ended = result[-1].get("_final_obs", np.zeros(games, bool)).copy()
        for name, array in named(result).items():
            spoil(array, slice(None) if copy or not name.startswith('info["final') else ended)
        array = None
        if step % 20 == 19:
            result, other = env.reset(), twin.reset()
        else:
            result, other = env.step(actions), twin.step(actions)
    steps = [step for step in kept if len(step) == 5]
    assert any(step[2].any() for step in steps) or game == "kiothi-3x1"
    assert any(step[3].any() for step in steps)


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    games=st.sampled_from([1, 2, 70]),
    dtype=st.sampled_from(["float32", "uint8"]),
)
def test_what_is_held_does_not_change(data, games, dtype):
    """Steps, resets and draws, arrays held for a while, by themselves or by a view, written into and let go in any order."""
    env, result = make(games, True, observation_dtype=dtype)
    twin, _ = make(games, True, observation_dtype=dtype)
    held = []
    for _ in range(data.draw(st.integers(1, 25))):
        for name, array in named(result).items():
            match data.draw(st.sampled_from(["drop", "drop", "hold", "view", "write", "lock", "reshape"])):
                case "hold":
                    held.append((array, array.copy()))
                case "view":
                    held.append((array[len(array) // 2 :].T, array[len(array) // 2 :].T.copy()))
                case "write":
                    spoil(array)
                    if data.draw(st.booleans()):
                        held.append((array, array.copy()))
                case "lock":
                    array.flags.writeable = not array.flags.writeable
                case "reshape" if name == "reward":
                    array.resize(games + 1, refcheck=False)
        array = result = None
        if held and data.draw(st.booleans()):
            del held[data.draw(st.integers(0, len(held) - 1)) :]
        if data.draw(st.integers(0, 9)) == 0:
            result, other = env.reset(seed=3), twin.reset(seed=3)
        else:
            actions = env.sample_actions()
            held.append((actions, actions.copy()))
            np.testing.assert_array_equal(actions, twin.sample_actions())
            result, other = env.step(actions), twin.step(actions)
        assert_same(named(result), named(other))
        for array, before in held:
            assert array.tobytes() == before.tobytes()


HOLDERS = {
    "array": lambda array: array,
    "rows": lambda array: array[1:3],
    "one cell": lambda array: array[:1, :1],
    "transposed": lambda array: array.T,
    "flat": lambda array: array.reshape(-1),
    "other dtype": lambda array: array.view(np.uint32),
    "view of a view": lambda array: array[1:][:, 2:].view(np.uint8)[::2],
    "strided": lambda array: as_strided(array, (2, 2)),
    "memoryview": memoryview,
    "slice of a memoryview": lambda array: memoryview(array)[1:],
    "array of a memoryview": lambda array: np.asarray(memoryview(array)),
    "frombuffer": lambda array: np.frombuffer(array, np.float32),
    "dlpack": np.from_dlpack,
    "PickleBuffer": pickle.PickleBuffer,
    "ctypes": lambda array: (ctypes.c_char * array.nbytes).from_buffer(array),
    "iterator": lambda array: array.flat,
    "nditer": np.nditer,
    "list": lambda array: [array],
    "closure": lambda array: lambda: array,
}


@pytest.mark.parametrize("games", [4, 100])
@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_looks_into_an_array_holds_it(holder, games):
    env, (obs, _) = make(games, True)
    address, before = obs.ctypes.data, obs.tobytes()
    look = (ctypes.c_char * obs.nbytes).from_address
    held = HOLDERS[holder](obs)
    del obs, _
    for _ in range(20):
        result = env.step(env.sample_actions())
        assert look(address).raw == before
        assert address not in (array.ctypes.data for array in named(result).values())
    del held


def test_a_weak_reference_keeps_an_array_from_being_written_to():
    env, (obs, _) = make(4, True)
    weak = weakref.ref(obs)
    before = obs.copy()
    del obs, _
    for _ in range(5):
        env.step(env.sample_actions())
        array = weak()
        assert array is None or (array == before).all()
        del array


def test_an_info_holds_its_arrays():
    env, _ = make(100, True)
    infos = [env.step(env.sample_actions())[-1] for _ in range(3)]
    before = [copied((info["final_obs"], info)) for info in infos]
    for _ in range(20):
        env.step(env.sample_actions())
    for info, arrays in zip(infos, before):
        assert_same(named((info["final_obs"], info)), arrays)


@pytest.mark.parametrize("copy", [True, False])
def test_an_info_is_the_callers_own(copy):
    env, (_, info) = make(3, copy)
    for _ in range(4):
        keys = set(info)
        info["episode"] = info.pop("to_move")
        info.get("final_info", {}).clear()
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        assert keys <= set(info) and "episode" not in info and set(info["final_info"]) == FINAL
        assert info["_final_info"] is info["_final_obs"]


@pytest.mark.parametrize("games", [1, 4096])
def test_arrays_that_nobody_holds_are_used_again(games):
    env, (obs, info) = make(games, True)
    seen = set()
    for _ in range(50):
        obs, _, _, _, info = env.step(env.sample_actions())
        seen.add(obs.ctypes.data)
    assert len(seen) <= 3


def test_what_was_held_is_let_go():
    """However much the user has held at once, three arrays of a name stay at most."""
    env, _ = make(1000, True)
    tracemalloc.start()
    try:
        held = [env.step(env.sample_actions()) for _ in range(40)]
        a_set = sum(array.nbytes for array in named(held[0]).values())
        assert tracemalloc.get_traced_memory()[0] > 38 * a_set
        del held
        assert tracemalloc.get_traced_memory()[0] < 3.5 * a_set
        for _ in range(100):
            env.step(env.sample_actions())
        assert tracemalloc.get_traced_memory()[0] < 3.5 * a_set
    finally:
        tracemalloc.stop()


def test_live_arrays_are_always_the_same():
    env, (obs, _) = make(3, False)
    first = named(env.step(env.sample_actions()))
    assert first["observations"] is obs
    for _ in range(20):
        for name, array in named(env.step(env.sample_actions())).items():
            assert array is first[name]
    arrays = [*first.values()]
    assert not any(np.shares_memory(one, two) for i, one in enumerate(arrays) for two in arrays[:i])
    assert all(array.flags.c_contiguous and array.flags.aligned for array in arrays)
    assert all(array.flags.writeable != (array.dtype.kind == "U") for array in arrays)


def lock(array):
    """Or unlock, if it is locked."""
    writeable = array.flags.writeable
    array.flags.writeable = not writeable
    return "writeable", lambda: array.setflags(write=writeable)


def reshape(array):
    shape = array.shape
    array.shape = (1, *shape)
    return "shape", lambda: setattr(array, "shape", shape)


def transpose(array):
    shape = array.shape
    array.shape = shape[::-1]
    return "shape", lambda: setattr(array, "shape", shape)


def stride(array):
    strides = array.strides
    array.strides = (0,) * array.ndim
    return "contiguous", lambda: setattr(array, "strides", strides)


def retype(array):
    dtype = array.dtype
    array.dtype = f"V{dtype.itemsize}"
    return "dtype", lambda: setattr(array, "dtype", dtype)


NAMES = list(named(mrl.make_vec("giuthi-3x3").reset())) + [
    "reward",
    "terminated",
    "truncated",
    'info["final_obs"]',
    'info["_final_obs"]',
    'info["final_info"]["scores"]',
    'info["final_info"]["to_move"]',
    'info["final_info"]["result"]',
    'info["final_info"]["plies"]',
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("games", [3, 100])
@pytest.mark.parametrize("change", [lock, reshape, transpose, stride, retype])
@pytest.mark.parametrize("name", NAMES)
def test_a_live_array_made_unfit_is_refused_by_name(name, change, games):
    env, _ = make(games, False)
    arrays = named(env.step(env.sample_actions()))
    assert arrays.keys() == set(NAMES)
    if change is transpose and arrays[name].ndim == 1:
        pytest.skip("it has one dimension")
    actions = env.sample_actions()
    texts, before = env.positions(), {other: array.copy() for other, array in arrays.items()}
    try:
        problem, undo = change(arrays[name])
    except AttributeError:
        pytest.skip("this numpy forbids it")
    for call in (lambda: env.step(actions), env.reset):
        with pytest.raises(TypeError if change is retype else ValueError, match=problem) as caught:
            call()
        assert str(caught.value).startswith(f"{name}: ")
    undo()
    assert env.positions() == texts
    assert_same(arrays, before)
    for array, other in zip(named(env.step(actions)).values(), arrays.values()):
        assert array is other


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("change", [lock, reshape, stride, retype])
def test_an_array_of_the_callers_own_may_be_made_anything(change):
    env, result = make(3, True)
    twin, _ = make(3, True)
    for _ in range(10):
        for array in named(result).values():
            try:
                change(array)
            except AttributeError:
                pytest.skip("this numpy forbids it")
        array = None
        actions = twin.sample_actions()
        result = env.step(actions)
        assert_same(named(result), named(twin.step(actions)))
        assert all(array.flags.owndata for array in named(result).values())
        assert all(array.flags.writeable != (array.dtype.kind == "U") for array in named(result).values())


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("games", SIZES)
def test_an_error_leaves_all_arrays_alone(games, copy):
    env, _ = make(games, copy)
    ended = False
    for _ in range(60):
        result = env.step(env.sample_actions())
        before = copied(result)
        ended |= result[-1]["_final_obs"].any()
        actions = env.sample_actions()
        actions[-1] = 6
        for call in (
            partial(env.step, actions),
            partial(env.step, actions.astype(np.float32)),
            partial(env.reset, options={"positions": [None] * (games - 1) + ["nonsense"]}),
            partial(env.reset, options={"reset_mask": np.ones(games, np.int8)}),
        ):
            with pytest.raises((ValueError, TypeError)):
                call()
        assert_same(named(result), before)
    assert ended


@pytest.mark.parametrize("copy", [True, False])
def test_a_reset_takes_its_mask_from_a_step(copy):
    env, _ = make(5, copy)
    for _ in range(30):
        _, _, terminated, truncated, info = env.step(env.sample_actions())
        ended = info["_final_obs"].copy()
        texts = env.positions()
        env.reset(options={"reset_mask": info["_final_obs"]})
        assert not ended.any() or ended.tolist() == (terminated | truncated).tolist() or not copy
        assert all(new == old for new, old, end in zip(env.positions(), texts, ended) if not end)


@pytest.mark.parametrize("games", [3, 100])
def test_actions_that_look_into_live_arrays(games):
    """Returns of games that go on, read as integers, are a 0 each."""
    env, (_, info) = make(games, False)
    texts = env.positions()
    with pytest.raises(RuntimeError, match="copy=False.*borrowed"):
        env.step(info["returns"].view(np.int64).reshape(games))
    assert env.positions() == texts
    env.step(info["returns"].view(np.int64).reshape(games).copy())


def test_actions_of_any_layout():
    env, _ = make(3, True)
    twin, _ = make(3, True)
    for dtype in (np.int64, np.int32, np.uint8):
        actions = twin.sample_actions().astype(dtype)
        unaligned = np.frombuffer(b"." + actions.tobytes(), np.uint8)[1:].view(dtype)
        assert np.dtype(dtype).itemsize == 1 or not unaligned.flags.aligned
        apart = np.repeat(actions, 3)[1::3]
        locked = actions.copy()
        locked.flags.writeable = False
        texts = env.positions()
        for layout in (unaligned, apart, locked, actions[::-1][::-1]):
            env.reset(options={"positions": texts})
            env.step(layout)
        twin.reset(options={"positions": texts})
        twin.step(actions)
        assert env.positions() == twin.positions()
