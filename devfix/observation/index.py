"""Index: what a program defines, calls and stores, by name; made once for all that is looked up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.observation.bindings import own_nodes
from devfix.observation.spots import Spot

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Store:
    """A statement that sets an attribute: its target, the value, and the class whose method sets its own."""

    target: Spot
    value: ast.expr
    owner: ast.ClassDef | None


class Index:
    """The functions, classes, calls and attributes of a program."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def stores(self, attribute: str) -> Sequence[Store]:
        """The statements that set an attribute of this name, of whatever object."""
        return self._stores.get(attribute, ())

    def classes(self, name: str) -> Sequence[Spot]:
        """The classes of a name."""
        return self._definitions.get(name, ())

    def returned_by(self, call: ast.Call) -> Spot | None:
        """What a function of the program returns, where there is one function of that name with one return."""
        functions = [
            spot for spot in self._definitions.get(_name(call), ()) if isinstance(spot.node, _FUNCTIONS)
        ]
        if len(functions) != 1:
            return None
        [function] = functions
        returns = (node for node in own_nodes(function.node) if isinstance(node, ast.Return))
        values = [node.value for node in returns if node.value is not None]
        return function.at(values[0]) if len(values) == 1 else None

    def sole_call_of(self, function: ast.AST, outline: Outline) -> Spot | None:
        """The one call of a function in the program, or of the class whose constructor it is; None for several."""
        cls = outline.class_of(function)
        name = getattr(function, "name", "")
        found = self._calls.get(cls.name if cls is not None and name == "__init__" else name, ())
        return found[0] if len(found) == 1 else None

    @cached_property
    def _nodes(self) -> list[Spot]:
        return [
            Spot(path, self._facts.outline(path), node)
            for path in sorted(self._facts.program.sources)
            for node in self._facts.outline(path).parents
        ]

    @cached_property
    def _definitions(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot in self._nodes:
            if isinstance(spot.node, (*_FUNCTIONS, ast.ClassDef)):
                found.setdefault(spot.node.name, []).append(spot)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot in self._nodes:
            if isinstance(spot.node, ast.Call):
                found.setdefault(_name(spot.node), []).append(spot)
        return found

    @cached_property
    def _stores(self) -> dict[str, list[Store]]:
        found: dict[str, list[Store]] = {}
        for spot in self._nodes:
            for target, value in _assigned(spot.node):
                if isinstance(target, ast.Attribute):
                    store = Store(spot.at(target), value, _owner(spot.outline, target))
                    found.setdefault(target.attr, []).append(store)
        return found


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def _assigned(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The single targets of an assignment, each with what it gets."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _pairs(target, statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield statement.target, statement.value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its own value, or with the whole, where that is not told."""
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        same = len(values) == len(target.elts)
        for number, part in enumerate(target.elts):
            yield from _pairs(part, values[number] if same else value)
    else:
        yield target, value


def _owner(outline: Outline, target: ast.Attribute) -> ast.ClassDef | None:
    """The class whose method sets an attribute of its own object at ``target``."""
    function = outline.function_of(target)
    if function is None or getattr(target.value, "id", None) != outline.receiver_name(function):
        return None
    return outline.class_of(function)
