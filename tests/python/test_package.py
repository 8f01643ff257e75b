"""The package itself: imports, types and documentation."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import mancala_rl as mrl
from mancala_rl import _core
from mancala_rl.looking import Replay

try:
    from mancala_rl import openspiel
except ImportError:
    openspiel = None
try:
    from mancala_rl import torch
except ImportError:
    torch = None

PACKAGE = Path(mrl.__file__).parent
SOURCE = Path(__file__).parents[2] / "python"


def python(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_import_takes_numpy_alone():
    """What the extras bring may be there, and is not loaded: that would be seconds."""
    python("""
import sys, numpy
known = set(sys.modules)
import mancala_rl
added = {name.partition(".")[0] for name in set(sys.modules) - known} - sys.stdlib_module_names
assert added == {"mancala_rl"}, added
""")


def test_without_gymnasium_all_but_environments_work():
    python("""
import sys
sys.modules["gymnasium"] = None
import importlib
import mancala_rl as mrl
assert mrl.State("giuthi").play("12ccw").laps > 0
for make in (
    lambda: mrl.make_vec("giuthi", 2),
    lambda: mrl.make_vec("giuthi", 2, opponent="random"),
    lambda: mrl.make("giuthi"),
    lambda: mrl.MancalaVecEnv,
    lambda: importlib.import_module("mancala_rl.env"),
    lambda: importlib.import_module("mancala_rl.gym"),
    lambda: importlib.import_module("mancala_rl.gym_vec"),
):
    try:
        make()
    except ImportError as error:
        assert 'pip install "mancala-rl[gym]"' in str(error), error
    else:
        raise AssertionError("no ImportError")
""")


def test_the_source_that_is_not_built_says_so(tmp_path):
    shutil.copytree(
        PACKAGE, tmp_path / "mancala_rl", ignore=shutil.ignore_patterns("_core*.so", "_core*.pyd", "__pycache__")
    )
    code = "try: import mancala_rl\nexcept ModuleNotFoundError as error: print(error.name, error, sep=chr(10))"
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    name, told = result.stdout.splitlines()
    assert name == "mancala_rl._core" and told.startswith("No module named 'mancala_rl._core': ")
    assert f"{tmp_path / 'mancala_rl'} is the package's source, not built" in told and "another folder" in told


def test_names():
    for name in mrl.__all__:
        assert getattr(mrl, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        mrl.nonsense  # noqa: B018
    assert mrl.__version__ == _core.__version__
    assert mrl.State.__module__ == mrl.Played.__module__ == "mancala_rl"
    assert (PACKAGE / "py.typed").exists()


def test_stub_and_module_have_the_same_words():
    """`_core.pyi` is what editors read, docstrings are what `help` reads: neither lags behind."""
    compared = 0

    def compare(node, thing):
        nonlocal compared
        written = ast.get_docstring(node)
        if written is not None:
            assert inspect.cleandoc(thing.__doc__ or "") == written, node.name
            compared += 1

    for node in ast.parse((PACKAGE / "_core.pyi").read_text()).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            thing = getattr(_core, node.name)
            compare(node, thing)
            for member in getattr(node, "body", []):
                if isinstance(node, ast.ClassDef) and isinstance(member, ast.FunctionDef):
                    compare(member, getattr(thing, member.name))
    assert compared > 30


DESCRIPTORS = (property, types.GetSetDescriptorType)
ENVIRONMENTS = (mrl.MancalaVecEnv, mrl.MancalaEnv, mrl.MancalaOpponentVecEnv, mrl.MancalaAECEnv)


def public_things():
    """Every public name, and of the public classes whatever they have that is public: full name, thing, docstring."""
    named = {name: getattr(mrl, name) for name in mrl.__all__ if not name.startswith("_")}
    modules = [module for module in (openspiel, torch) if module]
    # The fields of a named tuple are told of one by one.
    ours = [thing for module in modules for name in module.__all__ if callable(thing := getattr(module, name))]
    ours = [thing for thing in ours if not (inspect.isclass(thing) and issubclass(thing, tuple))]
    for thing in (*ENVIRONMENTS, Replay, *ours):
        named[f"{thing.__module__}.{thing.__qualname__}"] = thing
    for name, thing in named.items():
        if not isinstance(thing, (int, str)):
            yield name, thing, thing.__doc__
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                value = getattr(value, "__func__", value)
                if not member.startswith("_") and (callable(value) or isinstance(value, DESCRIPTORS)):
                    yield f"{name}.{member}", value, value.__doc__


def arguments(thing):
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    return [parameter.name for parameter in parameters if parameter.name not in ("self", "cls", "args", "kwargs")]


def test_public_things_are_documented():
    """A docstring for each, which names every argument: in an Args section, or as code."""
    things = list(public_things())
    assert len(things) > 150
    wrong = []
    for name, thing, words in things:
        if not words:
            wrong.append(f"{name} has no docstring")
        # What is made by a function is told there, and exceptions are made by us.
        elif not inspect.isclass(thing) or not ("made by" in words or issubclass(thing, BaseException)):
            for argument in arguments(thing):
                if not re.search(rf"^ *\**{argument}: |`[^`\n]*\b{argument}\b[^`\n]*`", words, re.MULTILINE):
                    wrong.append(f"{name} does not name {argument}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not SOURCE.is_dir(), reason="not in a checkout")
def test_types_hold(tmp_path):
    """Hints and stubs are what runs. Without OpenSpiel, which one module is for, only the stubs are compared."""
    stubtest = ["mypy.stubtest", "--mypy-config-file=pyproject.toml"]
    if openspiel is None:
        stubtest += ["mancala_rl._core"]
    else:
        stubtest += ["--allowlist=stubtest-allowlist.txt", "mancala_rl"]
        if torch is None:
            (tmp_path / "allowlist").write_text(r"mancala_rl\.torch(\..+)?")
            stubtest.append(f"--allowlist={tmp_path / 'allowlist'}")
    for tool in (["mypy"], stubtest):
        result = subprocess.run([sys.executable, "-m", *tool], cwd=SOURCE, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
