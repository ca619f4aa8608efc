"""Made beside: what a module makes for one record or tuple is all made where one of it has to be: ``State(zeros, zeros)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, SetKeyword
from devfix.placement.device_expression import Place, is_in_module

#: Calls of which nothing depends on where they make their numbers.
_PLAIN = frozenset({"zeros", "ones", "empty", "full", "eye"})


def others(facts: Facts, place: Place, device: str) -> Iterator[FileEdit]:
    """The device for the factory calls that stand beside the one at a place, and leave it and the dtype out as that does."""
    around = place.outline.parents[place.node]
    around = place.outline.parents[around] if isinstance(around, ast.keyword) else around
    if not _is_plain(place.node) or not is_in_module(facts, place):
        return
    for node in _parts(around):
        if node is not place.node and _is_plain(node):
            yield FileEdit(place.path, SetKeyword(place.outline.source.span(node), "device", device))


def _parts(around: ast.AST) -> list[ast.expr]:
    """What a tuple is made of, or an object of a class: one with the name of a class."""
    if isinstance(around, ast.Tuple):
        return around.elts
    if not isinstance(around, ast.Call):
        return []
    named = ast.unparse(around.func).rpartition(".")[2].lstrip("_")
    return [*around.args, *(each.value for each in around.keywords)] if named[:1].isupper() else []


def _is_plain(node: ast.AST) -> bool:
    func = node.func if isinstance(node, ast.Call) else None
    told = {keyword.arg for keyword in node.keywords} if isinstance(node, ast.Call) else set()
    return (
        isinstance(func, ast.Attribute) and func.attr in _PLAIN and told.isdisjoint({"device", "dtype", None})
    )
