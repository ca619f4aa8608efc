"""Passing movers: a function that moves batches, and hands on one form as it is, looks into that form as well."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import COMPREHENSIONS, positional_of
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import Edit, FileEdit, InsertBefore, Operand, Origin, Span
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text import imported_package

Edits = tuple[FileEdit, ...]
#: What a function asks of its parameter, and returns, by what it hands on; a named tuple is a tuple, and asks for more.
_BRANCHES = {
    "left-namedtuple": (
        'isinstance({whole}, tuple) and hasattr({whole}, "_fields")',
        "type({whole})(*({part} for {name} in {whole}))",
    ),
    "left-tuple": ("isinstance({whole}, tuple)", "tuple({part} for {name} in {whole})"),
    "left-list": ("isinstance({whole}, list)", "[{part} for {name} in {whole}]"),
    "left-dict": ("isinstance({whole}, dict)", "{{key: {part} for key, {name} in {whole}.items()}}"),
    "left-mapping": (
        "isinstance({whole}, {package}.UserDict)",
        "type({whole})({{key: {part} for key, {name} in {whole}.items()}})",
    ),
}
_RECORD, _MAPPING = "left-dataclass", "left-mapping"


def looking_into(facts: Facts, operand: Operand, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``if isinstance(batch, tuple): return tuple(...)`` before ``return batch``, for each form that was left.

    Nothing unless the operand, or each of the values that it comes of, was left in this way.
    """
    own = _left(operand.trail) is not None
    ways = [_of_life(facts, trail) for trail in ((operand.trail,) if own else dict.fromkeys(trails))]
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if ways and all(ways) else ()


def _left(trail: tuple[Origin, ...]) -> Origin | None:
    return next((site for site in trail if site.kind in _BRANCHES or site.kind == _RECORD), None)


def _of_life(facts: Facts, trail: tuple[Origin, ...]) -> Edits:
    left = _left(trail)
    place = place_at(facts, left.path, left.span) if left is not None else None
    if left is None or place is None or not isinstance(place.node, ast.Name):
        return ()
    returned = place.outline.statement_of(place.node)
    found = _call_of_itself(place, place.node.id)
    if found is None or not isinstance(returned, ast.Return):
        return ()
    if left.kind == _RECORD:
        return _of_record(place, returned, *found)
    package, imports = (
        imported_package.named(place.outline, "collections") if left.kind == _MAPPING else ("", ())
    )
    if left.kind == _MAPPING and not package:
        return ()
    test, value = (
        code.format(whole=place.node.id, package=package, part=_text(place, found[0]), name=found[1].id)
        for code in _BRANCHES[left.kind]
    )
    code = f"if {test}:\n    return {value}"
    edits: tuple[Edit, ...] = (*imports, InsertBefore(place.outline.source.span(returned), code))
    return tuple(FileEdit(place.path, edit) for edit in edits)


def _of_record(place: Place, returned: ast.Return, call: ast.Call, part: ast.Name) -> Edits:
    """``if dataclasses.is_dataclass(batch): return dataclasses.replace(batch, ...)`` before ``return batch``."""
    package, imports = imported_package.named(place.outline, "dataclasses")
    if not package or not isinstance(place.node, ast.Name):
        return ()
    source, whole = place.outline.source, place.node.id
    names = {node.id for node in in_rows(call) if isinstance(node, ast.Name)} | {whole}
    each = "field" if "field" not in names else "each"
    begin, end = source.span(call), source.span(part)
    before = source.segment(Span(*begin.start, *end.start))
    behind = source.segment(Span(*end.end, *begin.end))
    moved = f"{each}.name: {before}getattr({whole}, {each}.name){behind}"
    lines = (
        f"if {package}.is_dataclass({whole}):",
        f"    parts = {{{moved} for {each} in {package}.fields({whole})}}",
        f"    return {package}.replace({whole}, **parts)",
    )
    edits: tuple[Edit, ...] = (*imports, InsertBefore(source.span(returned), "\n".join(lines)))
    return tuple(FileEdit(place.path, edit) for edit in edits)


def _text(place: Place, node: ast.AST) -> str:
    return place.outline.source.segment(place.outline.source.span(node))


def _call_of_itself(place: Place, whole: str) -> tuple[ast.Call, ast.Name] | None:
    """How the function calls itself for each part of another form: the call as it is written, and the part's name."""
    function = place.outline.function_of(place.node)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    position = _position(function, whole)
    for call in (node for node in in_rows(function) if isinstance(node, ast.Call)):
        if called(call) != function.name or len(call.args) <= position:
            continue
        part, around = call.args[position], place.outline.parents[call]
        if not isinstance(part, ast.Name) or part.id in (whole, "key"):
            continue
        if isinstance(around, COMPREHENSIONS) and not _reads_more(around, call, part.id):
            return call, part
    return None


def _position(function: ast.FunctionDef | ast.AsyncFunctionDef, whole: str) -> int:
    """Which argument of a call of the function itself is what it moves."""
    names = [each.arg for each in positional_of(function)]
    given = names[names[:1] == ["self"] :]
    return given.index(whole) if whole in given else 0


def _reads_more(around: ast.AST, call: ast.Call, part: str) -> bool:
    """Whether a call reads another name that the comprehension binds: the key of a dict, say."""
    targets = (node.target for node in in_rows(around) if isinstance(node, ast.comprehension))
    bound = {node.id for target in targets for node in in_rows(target) if isinstance(node, ast.Name)} - {part}
    return any(isinstance(node, ast.Name) and node.id in bound for node in in_rows(call))
