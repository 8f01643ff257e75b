"""Wrong arguments of everything public: each is refused by name, nothing crashes, and nothing has changed afterwards."""

import os
import pickle
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bad_input_calls as plain
import bad_input_envs as envs
import bad_input_nets as nets
import mancala_rl as mrl
from bad_input import Refusals, keywords, same
from public_calls import classes, is_made_directly, modules, names, parameters, public_calls, public_properties

CALLS = {**plain.CALLS, **envs.CALLS, **nets.CALLS}
OWNERS = {**plain.OWNERS, **envs.OWNERS, **nets.OWNERS}
STANDS = {**plain.STANDS, **envs.STANDS, **nets.STANDS}

TAKE_ANYTHING = {
    "MancalaVecEnv.close_extras": "Gymnasium's: it passes on whatever `close` was given",
    "MancalaOpponentVecEnv.close_extras": "the same",
    "MancalaGame": "the part that GiuthiGame and KiothiGame share, and call",
    "AgentBot.inform_action": "OpenSpiel's: it tells what bots without a state want to know, and nothing is done with it",
    **nets.TAKE_ANYTHING,
}

WITHOUT = sorted(name for name, given in public_calls().items() if not given and name not in TAKE_ANYTHING)


def owner(name):
    """What a call is a call of: a function, a class, or an instance to call the method of."""
    name = name.partition("#")[0]
    if "." in name:
        return OWNERS[name.partition(".")[0]]()
    return next(thing for module in modules() for found, thing in names(module) if found == name)


def refusals(name):
    stands = STANDS.get(name.partition(".")[0], repr) if "." in name else repr
    return Refusals(name, CALLS[name], owner(name), stands)


def test_everything_public_is_called():
    public = public_calls()
    called = {name.partition("#")[0] for name in CALLS} | set(WITHOUT) | set(TAKE_ANYTHING)
    assert not public.keys() - called - envs.MISSING, (
        "has no entry: say in bad_input_calls.py, bad_input_envs.py or bad_input_nets.py what it can be called with"
    )
    assert not called - public.keys() - set(TAKE_ANYTHING), "is no longer there"
    for name, taken in public.items():
        if name in TAKE_ANYTHING:
            continue
        known = {argument for way, call in CALLS.items() if way.partition("#")[0] == name for argument in call}
        assert not {argument for argument in taken if not argument.startswith("**")} - known, f"{name}: has no entry"
    assert not classes().keys() - {name.partition(".")[0] for name in public} - OWNERS.keys()


def test_the_walk_finds_what_there_is():
    found = public_calls()
    for name in ("State.play", "mcts", "train", "find_binary", "MancalaVecEnv.step", "Tablebase", "Probes.values"):
        assert name in found
    assert found["State.from_position"] == ["game", "position", "**options"]
    assert found["Agent.act"] == ["state"] and found["State.copy"] == []
    assert "sims" in found["mcts"] and "Played" not in found
    assert len(found) > 80
    assert parameters(lambda one, *, two, **three: None) == ["one", "two", "**three"]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_right_is_taken_whatever_it_is_called(name):
    """Numpy's numbers are numbers, paths are texts: the answer is the same."""
    call = refusals(name)
    expected = call.right()
    for argument, known in CALLS[name].items():
        for value in known.kind.same(known.value) if known.value is not plain.OMIT and known.wrap is None else ():
            again = refusals(name)
            assert same(again.right(argument, value), expected), (argument, value)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_strange_is_refused(name):
    call = refusals(name)
    for argument, known in CALLS[name].items():
        for value in known.kind.all_wrong():
            call(argument, value)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_wrong_is_refused(name):
    call = refusals(name)

    @settings(max_examples=60)
    @given(st.data())
    def check(data):
        argument = data.draw(st.sampled_from(sorted(CALLS[name])))
        call(argument, data.draw(CALLS[name][argument].kind.wrong))

    check()


@pytest.mark.parametrize("name", WITHOUT)
def test_what_takes_nothing_takes_nothing(name):
    cls, _, method = name.partition(".")
    called = getattr(OWNERS[cls](), method) if method else owner(name)
    for args, named in [((None,), {}), ((), {"nonsense": 1}), ((), {"\ud800": 1})]:
        with pytest.raises(TypeError):
            called(*args, **named)


@pytest.mark.parametrize("name", CALLS)
def test_arguments_are_known_by_name(name):
    called = refusals(name)._called
    surplus = [0] * 20
    with pytest.raises(TypeError):
        called(*surplus)
    if not any(argument.startswith("**") for argument in public_calls()[name.partition("#")[0]]):
        with pytest.raises(TypeError, match="nonsense"):
            called(**keywords(CALLS[name]), nonsense=1)


@pytest.mark.parametrize("name", sorted(classes()))
def test_results_are_made_by_functions_alone_and_cannot_be_changed(name):
    cls = classes()[name]
    if not is_made_directly(cls):
        for args in ((), (1,), ("giuthi-3x3",)):
            with pytest.raises(TypeError, match=name):
                cls(*args)
    for owning, field in public_properties():
        if owning == name:
            made = OWNERS[name]()
            with pytest.raises(AttributeError):
                setattr(made, field, 1)


def test_names_of_files_that_are_not_utf8(tmp_path):
    """Where Python has such names, as on Linux, files may have them; the text that names an agent may not."""
    folder = os.fsencode(tmp_path) + b"/\xff"
    try:
        os.mkdir(folder)
    except OSError as error:
        pytest.skip(f"this file system takes no such name: {error}")
    folder = os.fsdecode(folder)
    built = mrl.build_tablebase(f"{folder}/table", 2, 3)
    assert built.path == pickle.loads(pickle.dumps(built)).path == f"{folder}/table"
    mrl.replay("giuthi-3x3", [0]).save(f"{folder}/page.html")
    mrl.match("giuthi-3x3", "random", "random", 2, results=f"{folder}/games.jsonl")
    with open(f"{folder}/config.toml", "w"):
        assert mrl.train(f"{folder}/config.toml", f"{folder}/run", binary="/bin/true") == []
    assert sorted(os.listdir(folder)) == ["config.toml", "games.jsonl", "page.html", "table"]
    shard = shutil.copy(nets.SHARD, folder)
    replayed = mrl.ReplayPositions([shard])
    assert replayed.files == pickle.loads(pickle.dumps(replayed)).files == [f"{folder}/000001.shard"]
    for call in (mrl.agent, lambda spec: mrl.match("giuthi-3x3", spec, "random", 2)):
        with pytest.raises(ValueError, match="lone surrogates"):
            call(f"tablebase:{folder}/table")
