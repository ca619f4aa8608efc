"""Outside autocast: the statement of a loss that autocast refuses gets a block that turns autocast off for the device of what it takes."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import walk
from devfix.analysis.torch_model.devices.autocast import HALVES
from devfix.findings import Applicability, DeleteStatement, FileEdit, Fix, InsertBefore, Mismatch
from devfix.placement.devices.device_expression import Place
from devfix.placement.devices.introduction import torch_name

#: Statements that compute and do no more.
_COMPUTING = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
#: What binds names within a statement, or does not compute all of it: in front of it there may be no such tensor.
_LATER = (ast.comprehension, ast.Lambda, ast.NamedExpr, ast.IfExp, ast.BoolOp)
#: Methods whose result is as wide as what they are called of, and that no precision was chosen for.
_LOOKING = frozenset("view squeeze unsqueeze reshape flatten float to type_as detach contiguous".split())


def in_block_without_autocast(
    facts: Facts, mismatch: Mismatch, place: Place, statement: ast.stmt
) -> list[Fix]:
    """A fix for a statement that computes nothing else under autocast, nothing where that cannot be told."""
    call = place.node
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    imports = torch_name(facts, place.path)
    if given is None or imports is None or not isinstance(statement, _COMPUTING):
        return []
    tensor = _looked_at(given)
    others = [node for node in walk(statement) if node is not call]
    alone = not any(isinstance(node, _LATER) or _may_be_cast(node) for node in others)
    if tensor is None or not alone or not _has_its_lines(place, statement):
        return []
    cast = ".float()" if any(operand.dtype in HALVES for operand in mismatch.operands) else ""
    torch, edits = imports
    header = f"with {torch}.autocast({ast.unparse(tensor)}.device.type, enabled=False):\n"
    code = header + indent(_with_cast(place, statement, given, cast), "    ")
    span = place.outline.source.span(statement)
    changes = (FileEdit(place.path, InsertBefore(span, code)), FileEdit(place.path, DeleteStatement(span)))
    return [Fix("compute it with autocast turned off", (*edits, *changes), Applicability.UNSAFE)]


def _looked_at(node: ast.expr) -> ast.expr | None:
    """The name of the tensor that an expression looks at, ``x`` of ``x.view(-1)``."""
    while isinstance(node, ast.Call) and _only_looks(node) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return node if isinstance(node, (ast.Name, ast.Attribute)) else None


def _may_be_cast(node: ast.AST) -> bool:
    """Whether autocast may choose in which precision an expression computes."""
    if isinstance(node, ast.Call):
        return not _only_looks(node)
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.MatMult, ast.Pow))


def _only_looks(node: ast.Call) -> bool:
    """Whether a call is one of a method that only looks at a tensor in another way."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKING


def _lines(place: Place, statement: ast.stmt) -> list[str]:
    return place.outline.source.lines[statement.lineno - 1 : statement.end_lineno]


def _has_its_lines(place: Place, statement: ast.stmt) -> bool:
    """Whether a statement has lines of its own, without a comment or a text that would be lost or moved with them."""
    lines = _lines(place, statement)
    before = lines[0].encode()[: statement.col_offset]
    behind = lines[-1].encode()[statement.end_col_offset :]
    text = "\n".join(lines)
    return not (before.strip() or behind.strip() or "#" in text or '"""' in text or "'''" in text)


def _with_cast(place: Place, statement: ast.stmt, given: ast.expr, cast: str) -> str:
    """The text of a statement, dedented, with a cast behind one of its expressions."""
    lines = [line.rstrip("\r\n") for line in _lines(place, statement)]
    row = (given.end_lineno or 0) - statement.lineno
    line = lines[row].encode()
    at = given.end_col_offset or 0
    lines[row] = (line[:at] + cast.encode() + line[at:]).decode()
    return dedent("\n".join(lines)) + "\n"
