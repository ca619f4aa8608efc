"""Made instead: what a run makes in place of a tensor, where a test comes out otherwise, goes where that goes.

``noise = torch.randn(n) if noisy else torch.zeros(n)`` is on the CPU either way, and one of the two alone would not help.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from devfix.analysis.text.outline import Outline
from devfix.findings import Edit, FileEdit, Mismatch, SetKeyword, WrapExpression
from devfix.placement.devices.device_expression import Place
from devfix.placement.modules import module_choice

Edits = tuple[FileEdit, ...]

#: Calls that draw: what they draw on the CPU stays what it is, and moves.
_DRAWING = frozenset({"rand", "randn", "randint", "randperm"})
#: Calls that make a tensor where they are told to, and on the CPU where they are told nothing.
_MAKING = frozenset({"zeros", "ones", "empty", "full", "eye", "arange", "linspace", "tensor"}) | _DRAWING


def along(edits: Edits, place: Place, mismatch: Mismatch, device: str) -> Edits:
    """The edits that move what is made at a place, and with them those of what is made there otherwise."""
    if not edits:
        return ()
    others = (
        FileEdit(place.path, _made_on(place.outline, node, device)) for node in _others(place, mismatch)
    )
    return tuple(dict.fromkeys((*edits, *others)))


def _others(place: Place, mismatch: Mismatch) -> Iterator[ast.Call]:
    """The other part of a conditional expression, or what the other branches of an ``if`` make for a name that is used after it."""
    outline = place.outline
    choice = outline.parents.get(place.node)
    if isinstance(choice, ast.IfExp) and place.node is not choice.test:
        parts: tuple[ast.expr, ...] = (choice.body, choice.orelse)
        yield from (part for part in parts if part is not place.node and _makes(part, outline))
        return
    after = module_choice.after(outline, place.node) if isinstance(place.node, ast.expr) else None
    if after is None:
        return
    statement, name = after
    if mismatch.path == place.path and outline.source.span(statement).contains(mismatch.sink):
        return
    for part in ast.walk(statement):
        if not isinstance(part, ast.Assign) or [ast.unparse(target) for target in part.targets] != [name]:
            continue
        if part.value is not place.node and _makes(part.value, outline):
            yield part.value


def _makes(node: ast.expr, outline: Outline) -> TypeGuard[ast.Call]:
    """Whether an expression makes a tensor on the CPU."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute) or func.attr not in _MAKING:
        return False
    is_torch = isinstance(func.value, ast.Name) and func.value.id in outline.imported
    return is_torch and all(keyword.arg not in ("device", None) for keyword in node.keywords)


def _made_on(outline: Outline, node: ast.Call, device: str) -> Edit:
    span = outline.source.span(node)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _DRAWING:
        return WrapExpression(span, "", f".to({device})")
    return SetKeyword(span, "device", device)
