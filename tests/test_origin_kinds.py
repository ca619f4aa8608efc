"""``ORIGIN_KINDS`` names the kinds of places that the analysis and the runs note in the life of a value, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import devfix
from devfix.origin_kinds import ORIGIN_KINDS

_ROOT = Path(devfix.__file__).parent
#: The calls that note a place, by the name of what is called; the kind is what they are given first.
_NOTING = frozenset({"site", "site_of_caller", "Origin", "origin"})


@cache
def _trees() -> tuple[ast.Module, ...]:
    paths = [
        path for folder in ("analysis", "observation") for path in sorted((_ROOT / folder).rglob("*.py"))
    ]
    return tuple(ast.parse(path.read_text(encoding="utf-8")) for path in paths)


def _strings(node: ast.AST) -> Iterator[str]:
    """What an expression may come to: of ``a if test else b`` the test is none of it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _strings(node.body)
        yield from _strings(node.orelse)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _strings(value)


def _assigned(scope: ast.AST, name: str) -> Iterator[str]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            yield from _strings(node.value)


def _noted(tree: ast.Module) -> Iterator[str]:
    """The kinds that the calls of a file may note: written there, or under a name of the function or of the file."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for scope in (*functions, tree):
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call) and node.args):
            if getattr(call.func, "attr", getattr(call.func, "id", "")) not in _NOTING:
                continue
            kind = call.args[0].value if isinstance(call.args[0], ast.Subscript) else call.args[0]
            yield from _strings(kind)
            if isinstance(kind, ast.Name):
                yield from _assigned(scope, kind.id)
                yield from (text for text in _assigned(tree, kind.id) if kind.id.isupper())


@pytest.fixture(scope="module")
def noted() -> set[str]:
    """All kinds that are noted somewhere."""
    return {kind for tree in _trees() for kind in _noted(tree)}


def test_each_kind_that_is_noted_is_listed(noted: set[str]) -> None:
    assert noted - set(ORIGIN_KINDS) == set()


def test_each_listed_kind_is_noted_somewhere(noted: set[str]) -> None:
    written = {node.value for tree in _trees() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert set(ORIGIN_KINDS) - noted - written == set()
    assert len(ORIGIN_KINDS) == len(set(ORIGIN_KINDS))


def test_the_kinds_are_found_in_every_way_they_are_written(noted: set[str]) -> None:
    ways = {"inverted", "left-part", "left-dict", "left-tuple", "random-factory", "checkpoint", "other"}
    assert ways <= noted
