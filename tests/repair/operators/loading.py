"""Moves that were pushed into what loader workers and pinned batches go through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from repair.change import Change, change
from repair.script import Script, TextEdit
from repair.shapes import is_move

_CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def moved_by_data(script: Script) -> Iterator[Change]:
    """What ``__getitem__`` or a collate function returns is moved there."""
    for function in ast.walk(script.tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        operator = _place(function)
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
        if not operator or not returns:
            continue
        edits = tuple(_moved(script, function, item) for item in _items(returns[-1].value))
        if edits:
            yield change(operator, "batch", returns[-1], *edits)


def generator_moved(script: Script) -> Iterator[Change]:
    """A generator that the host draws with is made on the accelerator."""
    for call in script.calls():
        if ast.unparse(call.func) == "torch.Generator" and not call.args and not call.keywords:
            end = script.end(call) - 1
            edit = TextEdit(end, end, f"device={_device(script, script.function_of(call))}")
            yield change("generator-device", "generator", call, edit)


def _place(function: ast.FunctionDef) -> str:
    if function.name == "__getitem__":
        return "moved-in-dataset"
    return "moved-in-collate" if "collate" in function.name or function.name == "pad_batch" else ""


def _items(value: ast.expr | None) -> list[ast.expr]:
    """What a sample or batch consists of."""
    if isinstance(value, ast.Tuple | ast.List):
        return [item for item in value.elts if not isinstance(item, ast.Constant | ast.Starred)]
    if isinstance(value, ast.Dict):
        return [item for item in value.values if not isinstance(item, ast.Constant)]
    return [] if value is None or (isinstance(value, ast.Call) and is_move(value)) else [value]


def _moved(script: Script, function: ast.FunctionDef, item: ast.expr) -> TextEdit:
    text = script.segment(item)
    simple = isinstance(item, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    moved = f"{text if simple else f'({text})'}.to({_device(script, function)})"
    return TextEdit(script.start(item), script.end(item), moved)


def _device(script: Script, function: ast.FunctionDef | None) -> str:
    """An expression for the device: the file's own variable where it has one that is visible."""
    for statement in script.tree.body:
        if isinstance(statement, ast.Assign) and re.match(r"(device|DEVICE)\b", ast.unparse(statement)):
            return ast.unparse(statement.targets[0])
    body = function.body if function is not None else []
    for inner in body:
        if (
            function is not None
            and function.name != "__getitem__"
            and re.match(r"device = ", ast.unparse(inner))
        ):
            return "device"
    return _CHOICE
