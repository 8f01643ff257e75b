"""All that can be called in the public modules of `mancala_rl`, and how it is called."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing

import mancala_rl as mrl

OPTIONAL = {"mancala_rl.openspiel": "pyspiel", "mancala_rl.pettingzoo": "pettingzoo", "mancala_rl.torch": "torch"}
"""What a module needs that may be missing."""


def modules():
    """The package and its public modules. What is in folders of its own is public by the `__all__` of the folder alone."""
    yield mrl
    for found in pkgutil.iter_modules(mrl.__path__):
        if found.name.startswith("_"):
            continue
        name = f"mancala_rl.{found.name}"
        if name in OPTIONAL and importlib.util.find_spec(OPTIONAL[name]) is None:
            continue
        yield importlib.import_module(name)


def names(module):
    """The public names of a module that are its own; not protocols, which nobody calls."""
    listed = getattr(module, "__all__", None)
    for name in sorted(listed if listed is not None else vars(module)):
        thing = getattr(module, name)
        if name.startswith("_") or typing.get_origin(thing) is not None or not callable(thing):
            continue
        if getattr(thing, "_is_protocol", False):
            continue
        if listed is not None or getattr(thing, "__module__", None) == module.__name__:
            yield name, thing


def parameters(function):
    """The names of what can be given: `self` aside, `**options` as such."""
    signature = inspect.signature(function)
    return [
        ("**" if parameter.kind is parameter.VAR_KEYWORD else "") + name
        for name, parameter in signature.parameters.items()
        if name not in ("self", "cls")
    ]


def classes():
    """Every public class that is no exception, by name."""
    return {
        name: thing
        for module in modules()
        for name, thing in names(module)
        if inspect.isclass(thing) and not issubclass(thing, BaseException)
    }


def members(cls):
    """What a class defines itself, under public names."""
    return {name: member for name, member in vars(cls).items() if not name.startswith("_")}


def is_made_directly(cls):
    """Whether Python may call the class: those of the native half that only come out of functions cannot be."""
    try:
        cls()
    except TypeError as error:
        return "No constructor defined" not in str(error) and "cannot create" not in str(error)
    except Exception:
        return True
    return True


def public_calls():
    """`name -> parameters` of every function, constructor and method."""
    found = {}
    for module in modules():
        for name, thing in names(module):
            if not inspect.isclass(thing):
                found[name] = parameters(thing)
    for name, cls in classes().items():
        if is_made_directly(cls):
            found[name] = parameters(cls)
        for method, member in members(cls).items():
            if isinstance(member, (staticmethod, classmethod)) or inspect.isroutine(member):
                found[f"{name}.{method}"] = parameters(getattr(cls, method))
    return found


def public_properties():
    """`class name, property name` of everything that is read like a field."""
    for name, cls in classes().items():
        for field, member in members(cls).items():
            if isinstance(member, property) or inspect.isgetsetdescriptor(member):
                yield name, field
