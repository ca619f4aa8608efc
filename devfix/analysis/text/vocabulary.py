"""Vocabulary: the names in a piece of code, gathered once for all who ask about the same piece."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from devfix.analysis.text.noting import noted
from devfix.analysis.text.syntax import in_rows, walk


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that code reads (``loaded``) and gives a meaning or takes it from (``bound``), and its ``parameters``.

    ``attributes`` are listed by their names, in no order that matters.
    """

    loaded: frozenset[str]
    bound: frozenset[str]
    parameters: frozenset[str]
    attributes: Mapping[str, Sequence[ast.Attribute]]


@noted
def vocabulary(node: ast.AST) -> Vocabulary:
    """What is named in a node and in all that is within it, inner functions and classes among that."""
    loaded, bound, parameters = set[str](), set[str](), set[str]()
    attributes: dict[str, list[ast.Attribute]] = {}
    for part in walk(node):
        if isinstance(part, ast.Name):
            (loaded if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        elif isinstance(part, ast.Attribute):
            attributes.setdefault(part.attr, []).append(part)
        elif isinstance(part, ast.arg):
            parameters.add(part.arg)
    return Vocabulary(frozenset(loaded), frozenset(bound), frozenset(parameters), attributes)


@noted
def every_name_in(code: ast.AST) -> frozenset[str | None]:
    """All names that stand in code, keywords and what is imported, defined or caught among them."""
    return frozenset(
        getattr(part, "id", getattr(part, "arg", getattr(part, "name", None))) for part in in_rows(code)
    )
