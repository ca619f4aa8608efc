"""Rows of moves: a name that is unpacked beside others joins the one line on which their author moves all of these."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix import line_width
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter, ReplaceExpression
from devfix.placement.batches.branching import asks_what
from devfix.placement.devices.device_expression import Place
from devfix.placement.siblings import sibling_move

Edits = tuple[FileEdit, ...]


def joined(facts: Facts, place: Place) -> Edits:
    """``x, m, y = x.to(d), m.to(d), y.to(d)`` for ``x, y = x.to(d), y.to(d)`` below ``for x, m, y in loader:``.

    The place is that of the name ``m``; where the line would be too long, its move stands below that.
    """
    if not isinstance(place.node, ast.Name):
        return ()
    name, unpacking = place.node.id, place.outline.statement_of(place.node)
    unpacked = sibling_move.unpacked(unpacking)
    for statement in sibling_move.following(place, unpacking) if name in unpacked else ():
        moved, suffix = _row(statement)
        if len(moved) > 1 and unpacked.issuperset(moved) and not sibling_move.names(suffix, name):
            if name in moved:
                return ()
            if all(sibling_move.is_placed(facts, place, statement, each) for each in moved):
                return _with(place, statement, _in_order(unpacking, (*moved, name)), suffix)
        if _is_used(statement, name):
            return ()
    return ()


def _row(statement: ast.stmt) -> tuple[tuple[str, ...], str]:
    """What ``x, y = x.to(d), y.to(d)`` moves, and what it calls on each; () and "" for any other statement."""
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    )
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return (), ""
    names = tuple(part.id for part in target.elts if isinstance(part, ast.Name))
    suffixes = {sibling_move.move_of(part) for part in value.elts}
    suffix = suffixes.pop() if len(suffixes) == 1 else ""
    alike = [ast.unparse(part) for part in value.elts] == [name + suffix for name in names]
    return (names, suffix) if suffix and alike and len(names) == len(target.elts) else ((), "")


def _is_used(statement: ast.stmt, name: str) -> bool:
    """Whether a statement reads a name or asks of what kind it is; the body of a guard is looked at by itself."""
    if isinstance(statement, ast.If):
        return asks_what(statement, name) or name in _names([statement.test, *statement.orelse])
    return name in _names([statement])


def _names(parts: Iterable[ast.AST]) -> set[str]:
    return {node.id for part in parts for node in in_rows(part) if isinstance(node, ast.Name)}


def _in_order(unpacking: ast.stmt, moved: tuple[str, ...]) -> list[str]:
    """The names in the order in which they are unpacked, if the author keeps to it: the last one is new."""
    order = [node.id for node in in_rows(unpacking) if isinstance(node, ast.Name)]
    *known, _ = moved
    return sorted(moved, key=order.index) if sorted(known, key=order.index) == known else list(moved)


def _with(place: Place, statement: ast.stmt, names: list[str], suffix: str) -> Edits:
    outline, name = place.outline, getattr(place.node, "id", "")
    span = outline.source.span(statement)
    targets, values = ", ".join(names), ", ".join(f"{each}{suffix}" for each in names)
    too_long = span.column + len(f"{targets} = {values}") > line_width.of(outline.source.lines)
    if too_long or span.line != span.end_line or not isinstance(statement, ast.Assign):
        rank = outline.source.span(place.node).column
        return (FileEdit(place.path, InsertAfter(span, f"{name} = {name}{suffix}", rank)),)
    pairs = ((statement.targets[0], targets), (statement.value, values))
    return tuple(FileEdit(place.path, _replaced(outline, node, code)) for node, code in pairs)


def _replaced(outline: Outline, node: ast.expr, code: str) -> ReplaceExpression:
    """The row in place of another one, within parentheses if that has some."""
    span = outline.source.span(node)
    enclosed = outline.source.segment(span).startswith("(")
    return ReplaceExpression(span, f"({code})" if enclosed else code)
