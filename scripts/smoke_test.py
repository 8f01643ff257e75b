"""Whether an installed mancala_rl works with NumPy alone. Runs by the Python of a clean environment, without arguments.

What it finds to be wrong is an AssertionError. scripts/try_package.py makes the environment.
"""

import importlib
import tempfile
import time
from importlib import metadata
from pathlib import Path

import numpy  # noqa: F401

begun = time.perf_counter()
import mancala_rl as mrl  # noqa: E402

seconds = time.perf_counter() - begun

PACKAGE = Path(mrl.__file__).parent
BESIDE = {"mancala-rl", "numpy", "pip", "setuptools", "wheel"}
"""All that may be there: the last three come with the environment."""
NETS = ("giuthi-5x4", "giuthi-6x6", "giuthi-8x8", "kiothi")


def only_numpy_came_with_it() -> None:
    found = {distribution.metadata["Name"].lower().replace("_", "-") for distribution in metadata.distributions()}
    assert {"mancala-rl", "numpy"} <= found <= BESIDE, f"installed: {sorted(found)}"


def it_is_the_version_it_says() -> None:
    assert mrl.__version__ == metadata.version("mancala-rl"), (mrl.__version__, metadata.version("mancala-rl"))


def nets_that_ship_play() -> None:
    for net in NETS:
        result = mrl.match(net, f"net:{net},sims=8", "greedy", games=2, seed=1)
        assert result.games == 2, result
    result = mrl.match("giuthi-5x4", "net:giuthi-5x4,sims=16", "random", games=10, seed=1)
    assert result.score >= 0.7, f"a net that ships has {result.score} points a game against random play"


def games_are_to_be_looked_at() -> None:
    state = mrl.State("giuthi-6x6")
    while not state.is_over:
        state.play(state.legal_actions()[0])
    assert mrl.render_svg(state).startswith("<svg")
    assert mrl.render_rgb(state).ndim == 3
    with tempfile.TemporaryDirectory() as folder:
        page = mrl.replay(state).save(Path(folder) / "game.html").read_text(encoding="utf-8")
    assert "<script" in page and "<style" in page, "the page has lost its parts"


def modules_that_need_more_name_their_extra() -> None:
    extras = metadata.metadata("mancala-rl").get_all("Provides-Extra") or []
    named = set()
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            importlib.import_module(module)
        except ImportError as error:
            names = {extra for extra in extras if f'pip install "mancala-rl[{extra}]"' in str(error)}
            assert len(names) == 1, f"import {module}: {error!r} names none of the extras {extras}"
            named |= names
    assert named == set(extras) - {"dev"}, f"of the extras {extras} only {sorted(named)} are asked for"


for check in (
    only_numpy_came_with_it,
    it_is_the_version_it_says,
    nets_that_ship_play,
    games_are_to_be_looked_at,
    modules_that_need_more_name_their_extra,
):
    check()
print(f"mancala_rl {mrl.__version__} works, imported in {1000 * seconds:.0f} ms")
