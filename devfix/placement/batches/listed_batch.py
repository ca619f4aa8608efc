"""Listed batches: what a loader may hand out in a list moves behind the test that takes it out of there."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import FileEdit, InsertAfter, Operand, Origin
from devfix.placement.batches.branching import asks_what
from devfix.placement.devices import device_expression, imported_device
from devfix.placement.devices.device_expression import Place
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]
_LOOPS = (ast.For, ast.AsyncFor)
#: What has no ``to``. What is none of these and serves in the same way as a part of one is a tensor as well.
_CONTAINERS = frozenset({"list", "tuple", "dict"})


def moved(facts: Facts, place: Place, peers: list[Operand], trail: tuple[Origin, ...]) -> Edits:
    """``x = x.to(device)`` behind ``if isinstance(x, list): x = x[0]``, where ``x`` is what a loop gets from a loader."""
    test = _test_around(place.outline, place.node)
    if test is None or not isinstance(place.node, ast.Name) or trail[0].kind != "loader":
        return ()
    name = place.node.id
    rest = _behind(place.outline, test, name)
    if not rest or any(_is_told_apart(place.outline, part, name) for part in rest):
        return ()
    behind = Place(place.path, place.outline, rest[0])
    found = device_expression.find(facts, behind, peers) or imported_device.find(facts, behind)
    if found is None or found.code.partition(".")[0] == name:
        return ()
    edit = InsertAfter(place.outline.source.span(test), f"{name} = {name}.to({found.code})")
    return (*found.edits, FileEdit(place.path, edit))


def _test_around(outline: Outline, name: ast.AST) -> ast.If | None:
    """The test whether a name is a container that leads to ``name = name[0]``, and to nothing where it is none."""
    statement = outline.statement_of(name)
    test = outline.parents[statement]
    if (
        not isinstance(name, ast.Name)
        or not isinstance(statement, ast.Assign)
        or not isinstance(test, ast.If)
    ):
        return None
    taken = statement.targets == [name] and isinstance(statement.value, ast.Subscript)
    own = taken and any(chains.name_of(part) == name.id for part in in_rows(statement.value))
    return test if own and not test.orelse and _asks_for_container(test.test, name.id) else None


def _asks_for_container(test: ast.expr, name: str) -> bool:
    """Whether a test is ``isinstance(name, list)`` or asks for several such classes."""
    if not isinstance(test, ast.Call) or called(test) != "isinstance" or len(test.args) != 2:
        return False
    kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
    asked = chains.name_of(test.args[0]) == name
    return asked and all(isinstance(kind, ast.Name) and kind.id in _CONTAINERS for kind in kinds)


def _behind(outline: Outline, test: ast.If, name: str) -> list[ast.stmt]:
    """What a loop that takes a name out of something does behind a test at the level of its body."""
    loop = outline.parents[test]
    if not isinstance(loop, _LOOPS) or not any(chains.name_of(part) == name for part in in_rows(loop.target)):
        return []
    return loop.body[loop.body.index(test) + 1 :]


def _is_told_apart(outline: Outline, code: ast.stmt, name: str) -> bool:
    """Whether code asks what a name is, or takes it for a container: no tensor has keys, nor is it all of ``**name``."""
    uses = (part for part in in_rows(code) if chains.name_of(part) == name)
    return asks_what(code, name) or any(_is_container(outline.parents[use]) for use in uses)


def _is_container(use: ast.AST) -> bool:
    """Whether what is done with a name suits no tensor: ``name["key"]``, ``f(**name)``."""
    if isinstance(use, ast.keyword):
        return use.arg is None
    key = use.slice if isinstance(use, ast.Subscript) else None
    return isinstance(key, ast.Constant) and isinstance(key.value, str)
