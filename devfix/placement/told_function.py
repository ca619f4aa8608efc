"""Told functions: a function that makes tensors where it knows no device is told it by whoever calls it and knows one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import AddParameter, FileEdit, Origin, SetKeyword
from devfix.placement import device_expression, told_class
from devfix.placement.device_expression import Place, place_at
from devfix.placement.provenance import MADE
from devfix.placement.told_class import HOST, NAME

Edits = tuple[FileEdit, ...]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: How many functions hand the device on.
_MAX_DEPTH = 3


def told(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``def prior(size, device="cpu")``, ``torch.zeros(size, device=device)`` and ``prior(4, device=args.device)``.

    Where one function makes all the values, and is only ever called, by callers that all name a device or can be told it.
    """
    makers = [_maker(facts, life[0]) for life in trails]
    if not makers or None in makers or len({function for _, function in filter(None, makers)}) != 1:
        return ()
    [(outline, function), *_] = filter(None, makers)
    given = _given(facts, outline, function, _MAX_DEPTH)
    if not given:
        return ()
    path = outline.source.path
    made = dict.fromkeys(life[0] for life in trails)
    own = [FileEdit(path, edit) for site in made for edit in told_class.on_device(outline, site)]
    return (*given, *own)


def _maker(facts: Facts, made: Origin) -> tuple[Outline, ast.FunctionDef] | None:
    """The function of a file that makes a value, and has nothing of the name that it is to be told."""
    place = place_at(facts, made.path, made.span) if made.kind in MADE else None
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(function, ast.FunctionDef):
        return None
    return (place.outline, function) if _can_be_told(place.outline, function) else None


def _can_be_told(outline: Outline, function: ast.AST | None) -> bool:
    """Whether it is a plain function at the top of a file; methods are called by other names as well."""
    return (
        isinstance(function, ast.FunctionDef)
        and function in outline.source.tree.body
        and not function.decorator_list
        and not told_class.knows(function)
    )


def _given(facts: Facts, outline: Outline, function: ast.FunctionDef, depth: int) -> Edits:
    """The parameter, and what each call of the function gives for it; nothing where one of them cannot, or none is seen."""
    found = list(calls(facts, outline, function))
    ways = [_at(facts, place, depth) if place is not None else () for place in found]
    if not found or not all(ways):
        return ()
    edit = AddParameter(outline.source.span(function), NAME, HOST)
    handed = dict.fromkeys(edit for way in ways for edit in way)
    return (FileEdit(outline.source.path, edit), *handed)


def calls(facts: Facts, outline: Outline, function: ast.FunctionDef) -> Iterator[Place | None]:
    """The calls of a function by its name; None for another use, or another thing of that name."""
    for path in facts.program.sources:
        if function.name not in facts.source(path).text:
            continue
        other = facts.outline(path)
        if any(
            other.source.tree is not outline.source.tree or node is not function
            for node in _bound(other, function.name)
        ):
            yield None
        for use in told_class.uses(other, function.name):
            call = other.parents[use.node]
            yield Place(path, other, call) if isinstance(call, ast.Call) and call.func is use.node else None


def _bound(outline: Outline, name: str) -> Iterator[ast.AST]:
    """What gives a name of a file a meaning, but imports."""
    for node in ast.walk(outline.source.tree):
        stored = isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        defined = isinstance(node, _DEFINITIONS) and node.name == name
        if stored or defined or (isinstance(node, ast.arg) and node.arg == name):
            yield node


def _at(facts: Facts, place: Place, depth: int) -> Edits:
    """One call names the device that its caller knows, or is told for it."""
    call = place.node
    if not isinstance(call, ast.Call) or any(keyword.arg in (NAME, None) for keyword in call.keywords):
        return ()
    span = place.outline.source.span(call)
    found = device_expression.chosen(facts, place) or device_expression.find(facts, place, [])
    if found is not None:
        return (*found.edits, FileEdit(place.path, SetKeyword(span, NAME, found.code)))
    caller = place.outline.function_of(call)
    if depth == 0 or not isinstance(caller, ast.FunctionDef) or not _can_be_told(place.outline, caller):
        return ()
    given = _given(facts, place.outline, caller, depth - 1)
    return (*given, FileEdit(place.path, SetKeyword(span, NAME, NAME))) if given else ()
