"""Movers: functions that move what they are given, or hand it on to functions of their program that do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.text import own_attributes
from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.parts_within import calls_in
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import first_name, remembered, spelt, statements_in
from devfix.analysis.text.targets import targets

if TYPE_CHECKING:
    from devfix.source import Source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: What moves a module; each way goes through its ``_apply``.
_MOVES = frozenset({"to", "cuda", "cpu", "_apply"})
#: Also of longer words, which do no harm; Python looks for a text that a pattern begins with far sooner than for a boundary.
_DEFINITION = re.compile(r"def[ \t]+(\w+)")
#: So many calls in a row are followed from one function to the next.
_MAX_CALLS = 4


class Movers:
    """The functions of a program, as far as they move what they are given; they are told by their names alone."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._files: dict[str, list[Source]] = {}
        #: By how many calls in a row are followed, the name and the argument.
        self._known: dict[tuple[int, str, int | str], bool] = {}
        for source in sources.values():
            for name in set(_DEFINITION.findall(source.text)):
                self._files.setdefault(name, []).append(source)

    def moves(self, called: str, place: int | str) -> bool:
        """Whether a function or method of this name moves an argument: the one of a number, ``self`` apart, or of a name."""
        return self._moves_within(_MAX_CALLS, called, place)

    def _moves_within(self, calls: int, called: str, place: int | str) -> bool:
        asked = calls, called, place
        known = self._known.get(asked)
        if known is None:
            known = self._known[asked] = self._moves(called, place, calls)
        return known

    def _moves(self, called: str, place: int | str, calls: int) -> bool:
        for source in self._files.get(called, ()):
            for function in _definitions(source.tree).get(called, ()):
                parameter = _parameter_at(function, place)
                if parameter in moved_parameters(function):
                    return True
                handed = (each for each in handed_on(function) if each[0] == parameter) if calls > 1 else ()
                if any(self._moves_within(calls - 1, called, place) for _, called, place in handed):
                    return True
        return False


@remembered
def moved_parameters(function: _Function) -> frozenset[str]:
    """The parameters that a function moves, or of which it moves an attribute; ``super().to(device)`` moves the first."""
    own = [part.arg for part in parameters_of(function)]
    found: set[str] = set()
    pending: list[ast.AST] = [function]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES:
            found.update(own[:1] if own_attributes.is_of_base(node) else [first_name(node.func.value)])
        if not isinstance(node, (ast.Name, ast.Constant)):
            pending += below(node)
    return frozenset(found.intersection(own))


@remembered
def refilled_parameters(function: _Function) -> frozenset[str]:
    """The parameters of which a function sets items: ``data[key] = value.to(device)``."""
    own = {part.arg for part in parameters_of(function)}
    found: set[str] = set()
    for statement in statements_in(function):
        for target in targets(statement):
            holder = target
            while isinstance(holder, ast.Subscript):
                holder = holder.value
            if holder is not target and isinstance(holder, ast.Name):
                found.add(holder.id)
    return frozenset(found & own)


@remembered
def handed_on(function: _Function) -> tuple[tuple[str, str, int | str], ...]:
    """Which parameters, by whatever name the function has for them, are which argument of a call of which name."""
    names = {part.arg: part.arg for part in parameters_of(function)}
    for node in statements_in(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            also = (target.id for target in node.targets if isinstance(target, ast.Name))
            names.update(dict.fromkeys(also, names[node.value.id]))
    return tuple(
        (names[first_name(arg)], spelt(call.func).rpartition(".")[2], place)
        for call in calls_in(function)
        for place, arg in arguments(call)
        if first_name(arg) in names
    )


def arguments(call: ast.Call) -> Iterator[tuple[int | str, ast.expr]]:
    """What a call is given, each by its place or its keyword."""
    yield from enumerate(call.args)
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)


def _parameter_at(function: _Function, place: int | str) -> str:
    """The name of a parameter; "" where a function has none there."""
    own = [part.arg for part in parameters_of(function)]
    if isinstance(place, str):
        return place if place in own else ""
    own = own[1:] if own[:1] in (["self"], ["cls"]) else own
    return own[place] if place < len(own) else ""


@remembered
def _definitions(tree: ast.Module) -> dict[str, list[_Function]]:
    """The functions and methods of a file by their names."""
    found: dict[str, list[_Function]] = {}
    for node in statements_in(tree):
        if isinstance(node, _FUNCTIONS):
            found.setdefault(node.name, []).append(node)
    return found
