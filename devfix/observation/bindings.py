"""Bindings: which statement gave a name or an attribute the value it has at some place, by syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.analysis.text import scope_names
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import COMPREHENSIONS, DEFINITIONS, LOOPS, parameters_of
from devfix.findings import Span
from devfix.observation.spots import Spot

_SCOPES = (*DEFINITIONS, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Binding:
    """How a name gets its value: ``target`` is where it is bound, ``value`` what it is bound to.

    ``kind`` is ``assigned`` (to all of the value), ``unpacked`` (to a part of it), ``looped`` (to its elements,
    or to a part of one), ``parameter`` (no value is known) or ``other``.
    """

    kind: str
    target: Spot
    value: ast.expr | None = None


def binding_of(name: str, at: Spot) -> Binding | None:
    """What binds a name as it is seen from a spot: the last statement before it, or the one loop around it."""
    outline = at.outline
    for comprehension in _comprehensions_around(at):
        for generator in comprehension.generators:
            target = _named(generator.target, name)
            if target is not None:
                return Binding("looped", at.at(target), generator.iter)
    scope: ast.AST | None = outline.function_of(at.node)
    while scope is not None:
        found = _in_scope(name, at, scope)
        if found is not None:
            return found
        scope = outline.function_of(scope)
    return _in_scope(name, at, outline.source.tree)


def _comprehensions_around(
    at: Spot,
) -> Iterator[ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp]:
    current: ast.AST | None = at.node
    while current is not None and not isinstance(current, ast.stmt):
        if isinstance(current, COMPREHENSIONS):
            yield current
        current = at.outline.parents.get(current)


def bindings_in(scope: ast.AST, at: Spot, name: str) -> list[Binding]:
    """Everything that binds a name in one function, or in the module."""
    parameter = _parameter(scope, name)
    own = [Binding("parameter", at.at(parameter))] if parameter is not None else []
    return [*own, *_bindings(scope, at, name)]


def _in_scope(name: str, at: Spot, scope: ast.AST) -> Binding | None:
    """The binding in one function, or in the module: the nearest above the spot, else the last one."""
    found = [binding for binding in _bindings(scope, at, name) if not _is_evaluated_in(at, binding)]
    above = [binding for binding in found if binding.target.span.start < _start(at)]
    around = [binding for binding in above if _is_certain(binding, at)]
    best = max(around or above or found, key=lambda binding: binding.target.span.start, default=None)
    if best is not None:
        return best
    parameter = _parameter(scope, name)
    return Binding("parameter", at.at(parameter)) if parameter is not None else None


def _start(at: Spot) -> tuple[int, int]:
    return (
        at.outline.source.span(at.outline.statement_of(at.node)).start
        if _has_statement(at)
        else at.span.start
    )


def _has_statement(at: Spot) -> bool:
    # A loop is seen from inside: its target is bound where its body runs.
    return not isinstance(at.node, LOOPS)


def _is_evaluated_in(at: Spot, binding: Binding) -> bool:
    """Whether the spot is part of what the name is bound to, so that it still sees what was before."""
    value = binding.value
    return value is not None and at.outline.source.span(value).contains(at.span)


def _is_certain(binding: Binding, at: Spot) -> bool:
    statement = at.outline.statement_of(binding.target.node)
    return at.outline.dominates(statement, at.node) or _is_around(at, statement)


def _is_around(at: Spot, statement: ast.stmt) -> bool:
    return at.outline.source.span(statement).contains(at.span)


def _bindings(scope: ast.AST, at: Spot, name: str) -> Iterator[Binding]:
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _of_target(target, node.value, at, name)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield from _of_target(node.target, node.value, at, name)
        elif isinstance(node, LOOPS):
            element = _named(node.target, name)
            if element is not None:
                yield Binding("looped", at.at(element), node.iter)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                entered = _named(item.optional_vars, name)
                if entered is not None:
                    yield Binding("other", at.at(entered))


def _of_target(target: ast.expr, value: ast.expr, at: Spot, name: str) -> Iterator[Binding]:
    if isinstance(target, ast.Name) and target.id == name:
        yield Binding("assigned", at.at(target), value)
        return
    found = _named(target, name) if isinstance(target, (ast.Tuple, ast.List, ast.Starred)) else None
    if found is None:
        return
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for part, own in zip(target.elts, value.elts, strict=False):
            yield from _of_target(part, own, at, name)
        return
    yield Binding("unpacked", at.at(found), value)


def _named(target: ast.AST | None, name: str) -> ast.Name | None:
    """The part of a target that binds the name."""
    if target is None:
        return None
    stores = (
        node for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return next((node for node in stores if node.id == name), None)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module without those of the functions and classes inside of it."""
    return scope_names.own_nodes(getattr(scope, "body", ()), _SCOPES)


def _parameter(scope: ast.AST, name: str) -> ast.arg | None:
    return next((part for part in parameters_of(scope) if part.arg == name), None)


def argument_for(function: ast.AST, parameter: str, call: ast.AST, *, is_method: bool) -> ast.expr | None:
    """The expression that a call gives for a parameter; None where that cannot be told."""
    spec = getattr(function, "args", None)
    if not isinstance(call, ast.Call) or not isinstance(spec, ast.arguments):
        return None
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    names = [part.arg for part in (*spec.posonlyargs, *spec.args)][1 if is_method else 0 :]
    index = names.index(parameter) if parameter in names else None
    if index is None or index >= len(call.args):
        return None
    before = call.args[: index + 1]
    return None if any(isinstance(part, ast.Starred) for part in before) else call.args[index]


def span_of_header(loop: ast.AST, outline: Outline) -> Span | None:
    """From the target of a loop to the end of what it iterates over."""
    if not isinstance(loop, (*LOOPS, ast.comprehension)):
        return None
    target, source = outline.source.span(loop.target), outline.source.span(loop.iter)
    return Span(target.line, target.column, source.end_line, source.end_column)
