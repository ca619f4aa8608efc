"""Brought back: what a function computes on the CPU of a tensor that it is given goes back to where that one is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.scope_names import only_return, own_nodes, parameters_of
from devfix.findings import FileEdit, Operand, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.devices.reaching import is_usable
from devfix.placement.moves import suffixes
from devfix.placement.telling import told_function
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]
Trail = tuple[Origin, ...]


def where_returned(facts: Facts, operand: Operand, trails: Sequence[Trail]) -> Edits:
    """``return torch.from_numpy(out).to(x.device)`` in a function that took its argument to the CPU: ``x.cpu().numpy()``.

    All that it is called for is used on the accelerator: what is read on the CPU as well stays there.
    """
    births = {life[0] for life in trails if life}
    if facts.program.adopts or any(map(facts.is_read_on_host, trails)):
        return ()
    own = _returned(facts, operand.trail[0]) if operand.trail else ()
    return own or (_returned(facts, births.pop()) if len(births) == 1 else ())


def _returned(facts: Facts, born: Origin) -> Edits:
    made = place_at(facts, born.path, born.span)
    function = made.outline.function_of(made.node) if made is not None else None
    if made is None or not isinstance(function, ast.FunctionDef):
        return ()
    returned = only_return(function)
    value = returned.value if returned is not None and returned is function.body[-1] else None
    if value is None or not _is_it(made, value):
        return ()
    place = Place(made.path, made.outline, value)
    given = _taken_to_host(facts, place, function)
    if given is None or not _all_fail(facts, place, function, born):
        return ()
    return suffixes.added(facts, place.outline, value, f".to({given}.device)")


def _is_it(made: Place, value: ast.expr) -> bool:
    """Whether an expression is what is made at a place, or the name that this got."""
    if value is made.node:
        return True
    statement = made.outline.parents.get(made.node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return isinstance(value, ast.Name) and [getattr(each, "id", None) for each in targets] == [value.id]


def _taken_to_host(facts: Facts, place: Place, function: ast.FunctionDef) -> str | None:
    """The parameter that is on the accelerator, and of which the function takes a copy to the CPU."""
    scope = place.outline.scopes(place.node)[0]
    known = facts.bindings(place.path, scope)
    names = {parameter.arg for parameter in parameters_of(function)}
    for node in own_nodes(function.body):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != "cpu":
            continue
        name = chains.name_of(node.func, ast.Call, ast.Attribute)
        if name not in names or _is_bound(place, function, name):
            continue
        statement = place.outline.statement_of(node)
        if statement is not function.body[-1] and not place.outline.dominates(statement, place.node):
            continue  # it may be None
        if is_usable(place, scope, known.get(name, []), "tensor"):
            return name
    return None


def _is_bound(place: Place, function: ast.FunctionDef, name: str) -> bool:
    return any(not isinstance(node.ctx, ast.Load) for node in place.outline.occurrences(function, name))


def _all_fail(facts: Facts, place: Place, function: ast.FunctionDef, born: Origin) -> bool:
    """Whether what each call of a function gives meets the accelerator as it is."""
    calls = list(told_function.calls(facts, place.outline, function))
    used = set(_uses(facts, born))
    return bool(calls) and all(call is not None and _lines(call) & used for call in calls)


def _lines(call: Place) -> set[tuple[str, int]]:
    span = call.outline.source.span(call.node)
    return {(call.path, line) for line in range(span.line, span.end_line + 1)}


def _uses(facts: Facts, born: Origin) -> Iterator[tuple[str, int]]:
    """The lines in which what was made at a place gets a name, is given on, or meets the accelerator."""
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands:
            lives = (operand.trail, *operand.roots) if operand.device == "cpu" else ()
            for life in lives:
                if life[:1] == (born,):
                    yield operand.path, operand.span.line
                    yield from ((site.path, site.span.line) for site in life[1:])
