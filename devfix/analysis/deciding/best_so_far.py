"""The best so far: what is kept of it is replaced sooner or later, since a record begins with less than all that follows."""

from __future__ import annotations

import ast

from devfix.analysis.text.syntax import remembered, spelt

_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@remembered
def is_beaten(node: ast.If) -> bool:
    """Whether a branch keeps as the record what a test holds it against: ``if best[i] < score[i]: best[i] = score[i]``."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], _ORDERING):
        return False
    sides = {spelt(test.left), spelt(test.comparators[0])}
    kept = (part for part in node.body if isinstance(part, ast.Assign))
    return len(sides) == 2 and any(
        {spelt(target), spelt(part.value)} == sides for part in kept for target in part.targets
    )
