"""Shapes of expressions that several operators look for."""

from __future__ import annotations

import ast
import re

#: Dtypes as they are written, behind ``torch.`` or ``np.`` or as words of their own.
DTYPES = frozenset(
    "float float16 float32 float64 half double bfloat16 long int int8 int16 int32 int64 uint8 short bool".split()
)
#: What stands for a device in a program's text.
_DEVICE = re.compile(r"device|cuda|\bdev\b|\bgpu\b", re.IGNORECASE)
_HOST = re.compile(r"""^(torch\.device\()?["']cpu["']\)?$""")


def method(call: ast.Call) -> str:
    """The name of the method that is called, or nothing."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def is_device(text: str) -> bool:
    """Whether an expression's text speaks of an accelerator."""
    return bool(_DEVICE.search(text)) and not _HOST.match(text)


def is_host(text: str) -> bool:
    """Whether an expression's text is the CPU."""
    return bool(_HOST.match(text))


def is_dtype(node: ast.expr) -> bool:
    """Whether an expression names a dtype."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in DTYPES


def arguments(call: ast.Call) -> list[ast.expr]:
    """All arguments of a call, by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def is_move(call: ast.Call) -> bool:
    """Whether a call is ``.to(device)`` or ``.cuda()``, with whatever else it does."""
    if method(call) == "cuda":
        return not (isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "torch")
    texts = [ast.unparse(argument) for argument in arguments(call)]
    return method(call) == "to" and any(is_device(text) for text in texts)


def is_fetch(call: ast.Call) -> bool:
    """Whether a call is ``.cpu()`` or ``.to("cpu")``."""
    if method(call) == "cpu":
        return not call.args
    return method(call) == "to" and any(is_host(ast.unparse(argument)) for argument in arguments(call))


def receiver(call: ast.Call) -> ast.expr:
    """What a method is called on."""
    assert isinstance(call.func, ast.Attribute)
    return call.func.value


def assigned_to_itself(statement: ast.stmt, call: ast.Call) -> bool:
    """Whether the statement is ``x = x.method(...)`` of this call."""
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return False
    return ast.unparse(statement.targets[0]) == ast.unparse(receiver(call))


def keyword_of(call: ast.Call, name: str) -> ast.keyword | None:
    """The keyword of a call that goes by this name."""
    return next((keyword for keyword in call.keywords if keyword.arg == name), None)
