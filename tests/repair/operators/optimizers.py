"""Models that are moved after their optimizer was made, or after its state was loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repair.change import Change, change
from repair.script import Script, TextEdit
from repair.shapes import assigned_to_itself, is_move, method, receiver


def moved_late(script: Script) -> Iterator[Change]:
    """The model's move goes behind a later statement of its block that makes or loads the optimizer."""
    for call in script.calls():
        statement = script.statement_of(call)
        if (
            not is_move(call)
            or not isinstance(statement, ast.Assign | ast.Expr)
            or statement.value is not call
        ):
            continue
        if ast.unparse(receiver(call)).startswith(("torch.", "np.")):
            continue  # data, which no optimizer waits for
        name = _moved_name(statement, call)
        block = script.block_of(statement)
        for later in block[block.index(statement) + 1 :] if name else []:
            operator = _passed(later)
            if operator and not _is_used_between(block, statement, later, name):
                yield change(operator, "model", call, *_late(script, statement, call, later, name))


def _moved_name(statement: ast.Assign | ast.Expr, call: ast.Call) -> str:
    if isinstance(statement, ast.Expr):
        return ast.unparse(receiver(call))
    return ast.unparse(statement.targets[0]) if len(statement.targets) == 1 else ""


def _passed(statement: ast.stmt) -> str:
    """The mistake that moving behind this statement makes, or nothing."""
    value = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
    if not isinstance(value, ast.Call):
        return ""
    text = ast.unparse(value)
    if isinstance(statement, ast.Assign) and ".parameters()" in text:
        return "optimizer-before-move"
    if method(value) == "load_state_dict" and "opt" in ast.unparse(value.func):
        return "optimizer-state-before-move"
    return ""


def _is_used_between(block: list[ast.stmt], first: ast.stmt, last: ast.stmt, name: str) -> bool:
    """Whether the model is called between the two statements, which would be another mistake."""
    between = block[block.index(first) + 1 : block.index(last)]
    calls = [node for statement in between for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return any(ast.unparse(call.func) == name for call in calls)


def _late(
    script: Script, statement: ast.stmt, call: ast.Call, later: ast.stmt, name: str
) -> tuple[TextEdit, ...]:
    assert isinstance(call.func, ast.Attribute)
    words = script.text[script.end(call.func) : script.end(call)]
    again = f"{name}.{call.func.attr}{words}"
    if isinstance(statement, ast.Expr) or assigned_to_itself(statement, call):
        moved = script.segment(statement)
        return script.without_statement(statement), script.after_statement(later, moved)
    return script.without_call(call), script.after_statement(later, again)
