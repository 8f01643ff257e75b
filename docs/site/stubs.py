"""Types of what is compiled: a Rust extension has docstrings and names of arguments, its stub ``_core.pyi`` the types as well."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mancala_rl
from mancala_rl import _core

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STUB = ast.parse((Path(mancala_rl.__file__).parent / "_core.pyi").read_text())


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "property" for mark in function.decorator_list)


def is_static(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in function.decorator_list)


def signature(function: ast.FunctionDef, method: bool) -> tuple[str, str]:
    """Arguments and what is returned, as text."""
    arguments = function.args
    if method and not is_static(function):
        first = arguments.posonlyargs or arguments.args
        del first[0]
    returned = "" if function.returns is None else ast.unparse(function.returns)
    # The stub's own protocol and alias are documented under their public names.
    text = ast.unparse(arguments).replace("_ActsMany", "ActsMany").replace("_Floats", "npt.NDArray[np.floating[Any]]")
    return f"({text})", returned


def read() -> dict[str, tuple[str, str]]:
    """Signatures by full name. Types of properties are told to the classes, where autodoc looks for them."""
    signatures = {}
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            signatures[f"mancala_rl.{node.name}"] = signature(node, method=False)
        if not isinstance(node, ast.ClassDef):
            continue
        types = {}
        for member in node.body:
            if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                types[member.target.id] = ast.unparse(member.annotation)
            elif isinstance(member, ast.FunctionDef) and is_property(member) and member.returns is not None:
                types[member.name] = ast.unparse(member.returns)
            elif isinstance(member, ast.FunctionDef) and member.name == "__new__":
                signatures[f"mancala_rl.{node.name}"] = (signature(member, method=True)[0], "")
            elif isinstance(member, ast.FunctionDef):
                signatures[f"mancala_rl.{node.name}.{member.name}"] = signature(member, method=True)
        if types and hasattr(_core, node.name):
            getattr(_core, node.name).__annotations__ = types
    return signatures


SIGNATURES = read()


def sign(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, arguments: str | None, returned: str | None
) -> tuple[str, str] | None:
    """The stub's signature of what it knows."""
    return SIGNATURES.get(name)


class Whole:
    """Keeps attributes' docstrings from napoleon, which takes what stands before a colon in their first line for a type."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def take(self, app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        self._kept = lines[:] if what in ("attribute", "property", "data") else []
        if self._kept:
            lines.clear()

    def give_back(self, app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        if self._kept:
            lines[:] = self._kept


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", sign)
    whole = Whole()
    app.connect("autodoc-process-docstring", whole.take, priority=400)
    app.connect("autodoc-process-docstring", whole.give_back, priority=600)
    return {"parallel_read_safe": True}
