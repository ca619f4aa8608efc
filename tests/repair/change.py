"""Change: one mutation of one file, as an operator offers it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from repair.script import Script, TextEdit


@dataclass(frozen=True)
class Change:
    """Edits of one file that make one mistake; ``line`` is where, ``role`` what the tensor is there for."""

    operator: str
    role: str
    line: int
    edits: tuple[TextEdit, ...]


#: Offers every place of a file where its mistake could be made.
Operator = Callable[[Script], Iterator[Change]]


def change(operator: str, role: str, node: ast.expr | ast.stmt, *edits: TextEdit) -> Change:
    """A change at a node."""
    return Change(operator, role, node.lineno, edits)
