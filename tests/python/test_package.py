"""The package itself: imports, types and documentation."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import mancala_rl as mrl
from mancala_rl import _core

PACKAGE = Path(mrl.__file__).parent
SOURCE = Path(__file__).parents[2] / "python"


def python(code):
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_import_is_quick_and_takes_numpy_alone():
    code = """
import sys, time, numpy
known = set(sys.modules)
begun = time.perf_counter()
import mancala_rl
print(time.perf_counter() - begun)
added = {name.partition(".")[0] for name in set(sys.modules) - known} - sys.stdlib_module_names
assert added == {"mancala_rl"}, added
"""
    assert min(float(python(code)) for _ in range(5)) < 0.15


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
        assert "pip install mancala-rl[gym]" in str(error), error
    else:
        raise AssertionError("no ImportError")
""")


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


def test_public_things_are_documented():
    environments = (mrl.MancalaVecEnv, mrl.MancalaEnv, mrl.MancalaOpponentVecEnv, mrl.MancalaAECEnv)
    for owner in (mrl, mrl.State, mrl.Played, *environments):
        names = mrl.__all__ if owner is mrl else [name for name in vars(owner) if not name.startswith("_")]
        for name in names:
            thing = getattr(owner, name)
            if callable(thing) or isinstance(thing, property) or inspect.isgetsetdescriptor(thing):
                assert thing.__doc__, f"{owner}.{name}"


@pytest.mark.skipif(not SOURCE.is_dir(), reason="not in a checkout")
def test_types_hold():
    for tool in (["mypy"], ["mypy.stubtest", "mancala_rl._core"]):
        result = subprocess.run([sys.executable, "-m", *tool], cwd=SOURCE, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
