"""Registers ids with Gymnasium, at once if it has been imported, else when it is."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

GAMES = (
    "giuthi-4x3",
    "giuthi-5x4",
    "giuthi-6x6",
    "giuthi-8x8",
    "giuthi-10x9",
    "kiothi-3x1",
    "kiothi-4x3",
    "kiothi-6x5",
)
"""The games with an id of their own, ``mancala_rl/{game}-v0``."""


def register() -> None:
    """Registers the ids that nobody has registered."""
    from gymnasium.envs import registration

    for game in GAMES:
        name = f"mancala_rl/{game}-v0"
        if name not in registration.registry:
            registration.register(
                name,
                entry_point="mancala_rl.gym:MancalaEnv",
                vector_entry_point="mancala_rl.gym_vec:MancalaOpponentVecEnv",
                kwargs={"game": game, "illegal_action": "lose"},
            )


def register_with_gymnasium() -> None:
    """Registers now if Gymnasium is there; else waits for it, for importing it here would take longer than all of mancala_rl."""
    if sys.modules.get("gymnasium") is not None:
        register()
    elif not any(isinstance(finder, _Waiting) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """Finds Gymnasium as the others do, and registers once it has been imported."""

    def __init__(self) -> None:
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium" or self._asking:
            return None
        self._asking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader, self)
        return spec


class _Registering(Loader):
    """Gymnasium's loader, and our ids afterwards."""

    def __init__(self, loader: Loader, waiting: _Waiting) -> None:
        self._loader = loader
        self._waiting = waiting

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # Whoever looks at the module finds it as if nobody had waited.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._waiting in sys.meta_path:
            sys.meta_path.remove(self._waiting)
        register()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
