"""Made beside: what a module makes for one record or tuple is all made where one of it has to be: ``State(zeros, zeros)``.

So are the states ``h`` and ``c`` of a recurrent layer, which two statements make alike and ``(h, c)`` hands over.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin, SetKeyword
from devfix.placement.devices.device_expression import Place, is_in_module
from devfix.placement.text.provenance import MADE

#: Calls of which nothing depends on where they make their numbers.
_PLAIN = frozenset({"zeros", "ones", "empty", "full", "eye"})

#: Keywords of which a call that stands beside another has none.
_TOLD = frozenset({"device", "dtype", None})


def others(facts: Facts, place: Place, device: str) -> Iterator[FileEdit]:
    """The device for the factory calls that stand beside the one at a place, and leave it and the dtype out as that does."""
    if not is_in_module(facts, place):
        return
    around = place.outline.parents[place.node]
    around = place.outline.parents[around] if isinstance(around, ast.keyword) else around
    plain = [node for node in _parts(around) if is_plain(node)] if is_plain(place.node) else []
    for node in (*plain, *_twins(place, device)):
        if node is not place.node:
            yield FileEdit(place.path, SetKeyword(place.outline.source.span(node), "device", device))


def is_displayed(place: Place, made: Origin) -> bool:
    """Whether the name at a place gets what is made beside others: ``x, n = torch.zeros(3), 0`` takes nothing apart."""
    statement = place.outline.statement_of(place.node)
    value = statement.value if isinstance(statement, ast.Assign) else None
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    is_there = any(place.outline.source.span(part) == made.span for part in parts)
    return is_there and made.path == place.path and made.kind in MADE


def _twins(place: Place, device: str) -> Iterator[ast.expr]:
    """The same call in the statements next to the one that gives it a name, if a call takes both names in a tuple."""
    outline = place.outline
    statement = outline.statement_of(place.node)
    name, made = _named(statement)
    if name is None or made is not place.node or not is_plain(made, {"device", None}):
        return
    block = outline.block_of(statement)
    at = block.index(statement)
    for other in block[max(at - 1, 0) : at + 2]:
        beside, node = _named(other)
        if beside is None or node is None or beside in (name, device.partition(".")[0]):
            continue
        if ast.dump(node) == ast.dump(made) and _go_together(outline, place.node, {name, beside}):
            yield node


def _named(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """``h`` and ``torch.zeros(3)`` of ``h = torch.zeros(3)``."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None, None
    return getattr(statement.targets[0], "id", None), statement.value


def _go_together(outline: Outline, node: ast.AST, names: set[str]) -> bool:
    """Whether a call in the function around a node is given both names in a tuple."""
    tuples = (part for part in in_rows(outline.function_of(node) or node) if isinstance(part, ast.Tuple))
    return any(
        names == {getattr(part, "id", None) for part in each.elts}
        and isinstance(outline.parents[each], ast.Call)
        for each in tuples
    )


def _parts(around: ast.AST) -> list[ast.expr]:
    """What a tuple is made of, or an object of a class: one with the name of a class."""
    if isinstance(around, ast.Tuple):
        return around.elts
    if not isinstance(around, ast.Call):
        return []
    named = ast.unparse(around.func).rpartition(".")[2].lstrip("_")
    return [*around.args, *(each.value for each in around.keywords)] if named[:1].isupper() else []


def is_plain(node: ast.AST, settled: AbstractSet[str | None] = _TOLD) -> bool:
    """Whether a call makes numbers that depend on nothing but its arguments, none of which is one of ``settled``."""
    func = node.func if isinstance(node, ast.Call) else None
    told = {keyword.arg for keyword in node.keywords} if isinstance(node, ast.Call) else set()
    return isinstance(func, ast.Attribute) and func.attr in _PLAIN and told.isdisjoint(settled)
