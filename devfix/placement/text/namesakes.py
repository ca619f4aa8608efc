"""Namesakes: methods of classes that have nothing to do with one another may have one name, and each object calls its own."""

from __future__ import annotations

import ast
from functools import cached_property

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Namesakes:
    """The methods of a name that classes define which have nothing to do with its owner."""

    def __init__(self, facts: Facts, owner: ast.ClassDef | None) -> None:
        self.facts = facts
        self.owner = owner

    def has(self, outline: Outline, node: ast.AST) -> bool:
        """Whether a name is that of such a method: in its definition, or in what objects of the class call of their own."""
        cls = outline.parents.get(node) if isinstance(node, _FUNCTIONS) else of_receiver(outline, node)
        name = node.name if isinstance(node, _FUNCTIONS) else getattr(node, "attr", "")
        if self.owner is None or not isinstance(cls, ast.ClassDef) or cls is self.owner:
            return False
        defined = any(isinstance(each, _FUNCTIONS) and each.name == name for each in cls.body)
        return defined and not self._are_related({cls.name, self.owner.name})

    def _are_related(self, names: set[str]) -> bool:
        """Whether a class derives from the other, or some class from both."""
        return len(names) < 2 or any(names <= _ancestors(self._bases, name) for name in self._bases)

    @cached_property
    def _bases(self) -> dict[str, set[str]]:
        """The names of what each class derives from, and its own."""
        bases: dict[str, set[str]] = {}
        for path in self.facts.program.sources:
            for name, given in _bases_in(self.facts.source(path).tree):
                bases.setdefault(name, {name}).update(given)
        return bases


def of_receiver(outline: Outline, node: ast.AST) -> ast.ClassDef | None:
    """The class in which an object calls something of its own; None of any other name."""
    function = outline.function_of(node)
    if function is None or not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    return outline.class_of(function) if outline.receiver_name(function) == node.value.id else None


@noted
def _bases_in(tree: ast.AST) -> list[tuple[str, set[str]]]:
    """The names of the classes of a file, and of what they derive from."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return [(cls.name, {ast.unparse(base).rpartition(".")[2] for base in cls.bases}) for cls in classes]


def _ancestors(bases: dict[str, set[str]], name: str) -> set[str]:
    """A class and all that it derives from, by their names."""
    found, left = set[str](), [name]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left.extend(bases.get(each, ()))
    return found
