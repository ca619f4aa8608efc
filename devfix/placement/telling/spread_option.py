"""Spread option: an option that a call gets from a dictionary or a ``partial``, ``DataLoader(data, **options)``, where that is written."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import own_nodes
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, ReplaceExpression
from devfix.placement.devices.boundness import parameters
from devfix.placement.devices.device_expression import Place
from devfix.placement.text.dependence import dotted

#: Dictionaries are followed through no more names than this.
_MOST_STEPS = 4


def spread_option(
    facts: Facts, place: Place, name: str, value: str, without: Collection[str] = ()
) -> tuple[FileEdit, ...]:
    """Another value for an option, in each dictionary or ``partial`` that may give it to the call at ``place``.

    Nothing where a dictionary is not found, or also has an option of those ``without``.
    """
    call, followed = place.node, _Followed(facts)
    if not isinstance(call, ast.Call):
        return ()
    spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
    written = [entry for each in spread for entry in followed.entries(place.outline, each, _MOST_STEPS)]
    written += followed.of_partial(place.outline, call.func)
    if any(key in without for _, key, _ in written):
        return ()
    return tuple(
        FileEdit(outline.source.path, ReplaceExpression(outline.source.span(given), value))
        for outline, key, given in dict.fromkeys(written)
        if key == name and ast.unparse(given) != value
    )


Entry = tuple[Outline, str, ast.expr]
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


class _Followed:
    """Where dictionaries of a program are written."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def entries(self, outline: Outline, node: ast.expr, steps: int) -> Iterator[Entry]:
        """The keys and values that are written for a dictionary, whichever of them it has in the end."""
        if isinstance(node, ast.IfExp):
            yield from self.entries(outline, node.body, steps)
            yield from self.entries(outline, node.orelse, steps)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield outline, str(key.value), value
                elif key is None:
                    yield from self.entries(outline, value, steps)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
            yield from self._of_call(outline, node, steps)
        elif isinstance(node, (ast.Name, ast.Attribute)) and steps:
            for where, written in self._written(outline, node):
                yield from self.entries(where, written, steps - 1)

    def of_partial(self, outline: Outline, called: ast.expr) -> Iterator[Entry]:
        """The keywords of a ``partial`` that a name or an attribute stands for."""
        found = self._written(outline, called) if isinstance(called, (ast.Name, ast.Attribute)) else []
        for where, made in found:
            if isinstance(made, ast.Call) and dotted(made.func) in ("partial", "functools.partial"):
                yield from self._of_call(where, ast.Call(made.func, [], made.keywords), _MOST_STEPS)

    def _of_call(self, outline: Outline, call: ast.Call, steps: int) -> Iterator[Entry]:
        """``dict(other, pin_memory=True)``, ``options.update(pin_memory=True)``."""
        for given in call.args:
            yield from self.entries(outline, given, steps)
        for keyword in call.keywords:
            if keyword.arg is not None:
                yield outline, keyword.arg, keyword.value
            else:
                yield from self.entries(outline, keyword.value, steps)

    def _written(self, outline: Outline, node: ast.Name | ast.Attribute) -> list[tuple[Outline, ast.expr]]:
        """The values that are written for a name in its scope, or for an attribute that one statement of the program sets."""
        if isinstance(node, ast.Name):
            function = outline.function_of(node)
            local = function is not None and _is_bound(outline, function, node.id)
            scope: Scope = function if local and function is not None else outline.source.tree
            return [(outline, value) for value in _of_name(scope, node.id)]
        outlines = map(self.facts.outline, self.facts.program.sources)
        found = [(where, value) for where in outlines for value in _of_attribute(where, node.attr)]
        return found if len(found) == 1 else []


def _is_bound(outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return name in outline.names_in(function).bound or name in parameters(function)


def _of_name(scope: Scope, name: str) -> Iterator[ast.expr]:
    """What a name is assigned in a scope, and what is put into it there."""
    for node in own_nodes(scope.body):
        for target, value in _assigned(node):
            if isinstance(target, ast.Name) and target.id == name:
                yield value
            elif isinstance(target, ast.Subscript) and getattr(target.value, "id", "") == name:
                yield ast.Dict([target.slice], [value])
        if isinstance(node, ast.Call) and dotted(node.func) == f"{name}.update":
            yield ast.Call(ast.Name("dict"), node.args, node.keywords)


def _of_attribute(outline: Outline, name: str) -> Iterator[ast.expr]:
    """What an attribute of that name is assigned, in the body of a class or of an object."""
    for node in in_rows(outline.source.tree):
        for target, value in _assigned(node):
            of_class = isinstance(outline.parents.get(node), ast.ClassDef)
            bound = getattr(target, "id", "") if of_class else ""
            if name in (bound, getattr(target, "attr", "")):
                yield value


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, and what they get."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else (node.target,):
            yield target, node.value
