"""Asked there: a table that is kept on the CPU, of which a program asks something, is looked up by indices that come to it.

``if seen[ids].any()`` needs nothing on the accelerator: the indices are few, and the table may be large.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Mismatch, Operand
from devfix.placement.moves import destination

#: What leads from some tensors to fewer, or to a number, on whichever device they are.
_REDUCING = frozenset("any all sum max min mean numel item tolist bool float int long eq ne gt lt".split())
#: What gives Python's own values.
_FETCHING = frozenset({"item", "tolist"})
_READERS = frozenset({"bool", "int", "float", "print", "str"})


def index_moved(
    facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]
) -> tuple[FileEdit, ...]:
    """``seen[ids.to(seen.device)]`` where nobody but the host asks for what is there."""
    if operand.role != "self" or not mismatch.operation.endswith(".__getitem__"):
        return ()
    outline = facts.outline(mismatch.path) if mismatch.path in facts.program.sources else None
    node = outline.expression_at(mismatch.sink) if outline is not None else None
    if outline is None or not isinstance(node, ast.Subscript) or not _is_asked(outline, node):
        return ()
    found = destination.fix(facts, mismatch, operand, peers, anyway=True)
    return found.edits if found is not None else ()


def _is_asked(outline: Outline, node: ast.expr) -> bool:
    """Whether what stands there becomes a truth, a number or a text of Python's in the same expression."""
    fetched, current = False, node
    while True:
        around = outline.parents.get(current)
        call = outline.parents.get(around) if around is not None else None
        if isinstance(around, ast.Attribute) and isinstance(call, ast.Call) and call.func is around:
            if around.attr not in _REDUCING or call.args or call.keywords:
                return fetched
            fetched = fetched or around.attr in _FETCHING
            current = call
        elif isinstance(around, ast.BoolOp):
            current = around
        elif isinstance(around, ast.UnaryOp):
            fetched = fetched or isinstance(around.op, ast.Not)
            current = around
        elif isinstance(around, ast.Call) and current in around.args:
            return fetched or getattr(around.func, "id", "") in _READERS
        else:
            asked = isinstance(around, (ast.If, ast.While, ast.Assert, ast.IfExp)) and around.test is current
            return fetched or asked
