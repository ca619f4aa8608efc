"""Moves that were pushed into what loader workers and pinned batches go through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from repair.change import Change, change
from repair.script import Script, TextEdit
from repair.shapes import is_move

_DEVICE = re.compile(r"(device|DEVICE) = ")
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
        edits = tuple(_moved(script, item) for item in _items(returns[-1].value))
        if edits:
            yield change(operator, "batch", returns[-1], *edits)


def generator_moved(script: Script) -> Iterator[Change]:
    """A generator that the host draws with is made on the accelerator."""
    for call in script.calls():
        if ast.unparse(call.func) == "torch.Generator" and not call.args and not call.keywords:
            end = script.end(call) - 1
            edit = TextEdit(end, end, f"device={_device(script, call)}")
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


def _moved(script: Script, item: ast.expr) -> TextEdit:
    text = script.segment(item)
    simple = isinstance(item, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    moved = f"{text if simple else f'({text})'}.to({_device(script, item)})"
    return TextEdit(script.start(item), script.end(item), moved)


def _device(script: Script, place: ast.expr | ast.stmt) -> str:
    """An expression for the device: the program's own variable where one is bound before this place."""
    function = script.function_of(place)
    if function is not None and any(argument.arg == "device" for argument in function.args.args):
        return "device"
    for statement in [*script.tree.body, *(function.body if function is not None else [])]:
        name = _DEVICE.match(ast.unparse(statement))
        if name is not None and statement.lineno < place.lineno:
            return name[1]
    return _CHOICE
