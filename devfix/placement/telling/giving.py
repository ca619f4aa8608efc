"""Giving: where a program hands what it has just made to an object or a function that keeps it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.findings import Origin
from devfix.placement.devices.device_expression import Place

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def place(facts: Facts, site: Origin) -> Place | None:
    """``build()`` in the one ``Solver(build())`` of the scripts, where ``site`` is the parameter that gets it."""
    return _only(facts, site, [path for path in facts.program.sources if facts.is_script(path)])


def anywhere(facts: Facts, site: Origin) -> Place | None:
    """The same in the one of the whole program."""
    return _only(facts, site, facts.program.sources)


def _only(facts: Facts, site: Origin, paths: Iterable[str]) -> Place | None:
    outline = facts.outline(site.path) if site.kind == "argument" else None
    parameter = (
        next((n for n in outline.nodes_at(site.span) if isinstance(n, ast.arg)), None) if outline else None
    )
    if outline is None or parameter is None:
        return None
    function = outline.parents[outline.parents[parameter]]
    if not isinstance(function, _FUNCTIONS):
        return None
    names = [each.arg for each in positional_of(function)]
    cls = outline.class_of(function)
    called = cls.name if cls is not None and function.name == "__init__" else function.name
    position = names.index(parameter.arg) - (cls is not None) if parameter.arg in names else None
    found = [
        Place(path, facts.outline(path), given)
        for path in paths
        for given in _given(facts.outline(path), called, parameter.arg, position)
    ]
    return found[0] if len(found) == 1 and isinstance(found[0].node, ast.Call) else None


def _given(outline: Outline, called: str, name: str, position: int | None) -> Iterator[ast.expr]:
    """What calls of a function, by its own name, give one of its parameters."""
    for node in outline.calls(called):
        by_name = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
        if by_name is not None:
            yield by_name
        elif position is not None and 0 <= position < len(node.args):
            yield node.args[position]
