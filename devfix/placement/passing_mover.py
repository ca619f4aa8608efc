"""Passing movers: a function that moves batches, and hands on one form as it is, looks into that form as well."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, InsertBefore, Origin
from devfix.placement.device_expression import Place, place_at

Edits = tuple[FileEdit, ...]
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
#: What a function asks of its parameter, and returns, by what it hands on; a named tuple is a tuple, and asks for more.
_BRANCHES = {
    "left-namedtuple": (
        'isinstance({whole}, tuple) and hasattr({whole}, "_fields")',
        "type({whole})(*({part} for {name} in {whole}))",
    ),
    "left-tuple": ("isinstance({whole}, tuple)", "tuple({part} for {name} in {whole})"),
    "left-list": ("isinstance({whole}, list)", "[{part} for {name} in {whole}]"),
    "left-dict": ("isinstance({whole}, dict)", "{{key: {part} for key, {name} in {whole}.items()}}"),
}


def looking_into(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``if isinstance(batch, tuple): return tuple(...)`` before ``return batch``, for each form that was left.

    Nothing unless each of the values was left in this way.
    """
    ways = [_of_life(facts, trail) for trail in dict.fromkeys(trails)]
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if ways and all(ways) else ()


def _of_life(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    left = next((site for site in trail if site.kind in _BRANCHES), None)
    place = place_at(facts, left.path, left.span) if left is not None else None
    if left is None or place is None or not isinstance(place.node, ast.Name):
        return ()
    returned = place.outline.statement_of(place.node)
    found = _call_of_itself(place, place.node.id)
    if found is None or not isinstance(returned, ast.Return):
        return ()
    part, name = found
    test, value = (code.format(whole=place.node.id, part=part, name=name) for code in _BRANCHES[left.kind])
    code = f"if {test}:\n    return {value}"
    return (FileEdit(place.path, InsertBefore(place.outline.source.span(returned), code)),)


def _call_of_itself(place: Place, whole: str) -> tuple[str, str] | None:
    """How the function calls itself for each part of another form: the call as it is written, and the part's name."""
    function = place.outline.function_of(place.node)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call) and node.args):
        called = getattr(call.func, "attr", getattr(call.func, "id", ""))
        part, around = call.args[0], place.outline.parents[call]
        if called != function.name or not isinstance(part, ast.Name) or part.id in (whole, "key"):
            continue
        if isinstance(around, _COMPREHENSIONS) and not _reads_more(around, call, part.id):
            source = place.outline.source
            return source.segment(source.span(call)), part.id
    return None


def _reads_more(around: ast.AST, call: ast.Call, part: str) -> bool:
    """Whether a call reads another name that the comprehension binds: the key of a dict, say."""
    targets = (node.target for node in ast.walk(around) if isinstance(node, ast.comprehension))
    bound = {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)} - {
        part
    }
    return any(isinstance(node, ast.Name) and node.id in bound for node in ast.walk(call))
