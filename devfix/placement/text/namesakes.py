"""Namesakes: methods of classes that have nothing to do with one another may have one name, and each object calls its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from devfix.analysis.record.asked_once import asked_once
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def class_of(outline: Outline, node: ast.AST) -> ast.ClassDef | None:
    """The class that defines a method there, or whose object calls something of its own; None of any other name."""
    cls = outline.parents.get(node) if isinstance(node, _FUNCTIONS) else _of_receiver(outline, node)
    return cls if isinstance(cls, ast.ClassDef) else None


def defines(cls: ast.ClassDef | None, name: str) -> bool:
    """Whether a class has a method of a name in its own body."""
    return cls is not None and any(isinstance(each, _FUNCTIONS) and each.name == name for each in cls.body)


@asked_once
def relatives(facts: Facts, name: str) -> frozenset[str]:
    """A class and those that it derives from, or from which some class derives as well as from it; by their names."""
    return frozenset(_reached(_bases(facts), _reached(_heirs(facts), [name])))


@asked_once
def _bases(facts: Facts) -> Mapping[str, set[str]]:
    """The names of what each class of a program derives from."""
    bases: dict[str, set[str]] = {}
    for path in facts.program.sources:
        for name, given in _bases_in(facts.source(path).tree):
            bases.setdefault(name, set()).update(given)
    return bases


@asked_once
def _heirs(facts: Facts) -> Mapping[str, set[str]]:
    """The names of what derives from each class."""
    heirs: dict[str, set[str]] = {}
    for name, bases in _bases(facts).items():
        for base in bases:
            heirs.setdefault(base, set()).add(name)
    return heirs


def _of_receiver(outline: Outline, node: ast.AST) -> ast.ClassDef | None:
    function = outline.function_of(node)
    if function is None or not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    return outline.class_of(function) if outline.receiver_name(function) == node.value.id else None


@noted
def _bases_in(tree: ast.AST) -> list[tuple[str, set[str]]]:
    """The names of the classes of a file, and of what they derive from."""
    classes = (node for node in in_rows(tree) if isinstance(node, ast.ClassDef))
    return [(cls.name, {ast.unparse(base).rpartition(".")[2] for base in cls.bases}) for cls in classes]


def _reached(next_to: Mapping[str, set[str]], names: Iterable[str]) -> set[str]:
    """Classes and all that can be reached from them, by their names."""
    found, left = set[str](), [*names]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left.extend(next_to.get(each, ()))
    return found
