"""Moves to the accelerator that were forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repair.change import Change, change
from repair.roles import role
from repair.script import Script
from repair.shapes import assigned_to_itself, is_device, is_move, keyword_of, method, receiver


def move_dropped(script: Script) -> Iterator[Change]:
    """``x = x.to(device)`` is left out, or ``.to(device)`` where it is part of an expression."""
    for call in script.calls():
        if not is_move(call):
            continue
        statement = script.statement_of(call)
        moved = receiver(call)
        if assigned_to_itself(statement, call) or _is_statement(statement, call):
            yield change(
                "move-statement-dropped", role(script, moved), call, script.without_statement(statement)
            )
        else:
            yield change("move-dropped", role(script, moved), call, script.without_call(call))


def device_keyword_dropped(script: Script) -> Iterator[Change]:
    """``device=`` is left out where a tensor is made."""
    for call in script.calls():
        keyword = keyword_of(call, "device")
        if keyword is None or not is_device(ast.unparse(keyword.value)) or method(call) == "to":
            continue
        name = ast.unparse(call.func)
        if name.endswith("Generator"):
            yield change("generator-device", "generator", call, script.without_argument(keyword))
        elif name.startswith("torch.") or "new_" in name:
            yield change("device-keyword-dropped", role(script, call), call, script.without_argument(keyword))
        else:
            yield change("device-not-passed", role(script, call), call, script.without_argument(keyword))


def result_discarded(script: Script) -> Iterator[Change]:
    """``x.to(device)`` as a statement, whose result nobody keeps."""
    for call in script.calls():
        statement = script.statement_of(call)
        if not is_move(call) or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if assigned_to_itself(statement, call) or _is_parallel(target, statement.value, call):
            edit = script.without_binding(statement)
            yield change("move-result-discarded", role(script, receiver(call)), call, edit)


def _is_parallel(target: ast.expr, value: ast.expr, call: ast.Call) -> bool:
    """Whether the statement is ``x, y = x.to(device), y.to(device)``, and the call its first."""
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or value.elts[0] is not call:
        return False
    moves = [item for item in value.elts if isinstance(item, ast.Call) and is_move(item)]
    return [ast.unparse(receiver(move)) for move in moves] == [ast.unparse(item) for item in target.elts]


def _is_statement(statement: ast.stmt, call: ast.Call) -> bool:
    return isinstance(statement, ast.Expr) and statement.value is call
