"""Calls things with one wrong argument, and looks at how they refuse it."""

from __future__ import annotations

import re

import numpy as np

import mancala_rl as mrl
from bad_input_calls import OMIT
from bad_values import shown

REFUSED = (TypeError, ValueError, OverflowError, MemoryError)


def keywords(arguments, changed=None, value=None):
    """The arguments of a call that is right but for one."""
    given = {name: argument.value for name, argument in arguments.items() if argument.wrap is None}
    wrapped = [name for name, argument in arguments.items() if argument.wrap is not None]
    if changed in wrapped or (wrapped and changed is None):
        name = changed or wrapped[0]
        given.update(arguments[name].wrap(value if changed else arguments[name].value))
    elif wrapped:
        given.update({**arguments[wrapped[0]].wrap(arguments[wrapped[0]].value), changed: value})
    elif changed is not None:
        given[changed] = value
    return {name: value for name, value in given.items() if value is not OMIT}


class Refusals:
    """What is called, and how it stood before the first call."""

    def __init__(self, name, arguments, owner, stands=repr):
        self.name = name
        self.arguments = arguments
        self._owner = owner
        self._stands = stands
        self._before = stands(owner)
        method = name.partition("#")[0].rpartition(".")[2]
        self._called = owner if callable(owner) and "." not in name else getattr(owner, method)

    def __call__(self, changed, value):
        """One wrong value: it has to be refused by name, and nothing may have changed."""
        argument = self.arguments[changed]
        where = f"{self.name}({changed}={shown(value)})"
        try:
            answer = self._called(**keywords(self.arguments, changed, value))
        except (*REFUSED, *argument.kind.errors) as error:
            said = "|".join(argument.said or (rf"\b{changed}\b",))
            assert re.search(said, str(error)), f"{where} does not say what is wrong: {type(error).__name__}: {error}"
            assert len(str(error)) < 1500, f"{where} says it in {len(str(error))} letters"
        except BaseException as error:
            raise AssertionError(f"{where} raised {type(error).__name__}: {error}") from error
        else:
            raise AssertionError(f"{where} returned {shown(answer)}")
        assert same(self._stands(self._owner), self._before), f"{where} has changed something"

    def right(self, changed=None, value=None):
        """What a call returns that is right, in words that can be compared."""
        return reduced(self._called(**keywords(self.arguments, changed, value)))


def reduced(answer):
    """An answer as something that `same` can compare."""
    if isinstance(answer, mrl.Agent):
        return [answer.act(mrl.State("giuthi-5x4")) for _ in range(3)]
    if isinstance(answer, mrl.Probes):
        return answer.win, answer.loss, answer.known
    if isinstance(answer, mrl.SearchResult):
        return answer.actions, answer.policy, answer.visits
    if isinstance(answer, mrl.Tablebase):
        return answer.path, answer.boards
    if isinstance(answer, mrl.Analysis):
        return answer.value, answer.line, answer.values
    if isinstance(answer, mrl.NativeNet):
        return answer.to_bytes()
    if isinstance(answer, mrl.ReplayPositions):
        return answer.files, answer.game, answer.seed, len(answer)
    if isinstance(answer, (mrl.NetInputs, mrl.NetOutputs, mrl.ReplayBatch)):
        fields = [name for name in vars(type(answer)) if not name.startswith("_")]
        return [reduced(getattr(answer, name)) for name in fields]
    if hasattr(answer, "state_dict"):
        return answer.state_dict()
    if isinstance(getattr(answer, "positions", None), mrl.ReplayPositions):
        return answer.config, reduced(answer.positions)
    if hasattr(answer, "html"):
        return answer.html()
    if hasattr(answer, "restart_at"):
        return type(answer)
    if hasattr(answer, "last"):
        answer.reset(seed=3)
        return answer.observe("player_0"), answer.metadata, answer.render()
    if hasattr(answer, "reset"):
        return answer.reset(seed=3), answer.metadata, answer.render()
    return answer


def same(one, other):
    """Whether two answers are alike, down to the dtypes of arrays."""
    if hasattr(one, "detach") and hasattr(other, "detach"):
        one, other = one.detach().numpy(), other.detach().numpy()
    if not isinstance(one, type(other)) and not isinstance(other, type(one)):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        equal_nan = one.dtype.kind == "f"
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=equal_nan)
    return bool(one == other)
