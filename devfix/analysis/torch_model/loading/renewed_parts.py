"""Renewed parts: ``batch["x"] = batch["x"].to(device)`` moves one part in its place, which the others remember.

So whoever finds one of them left behind knows where it would have moved as well.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Const, Ref, Tensor, Value, members
from devfix.analysis.text.syntax import spelt
from devfix.analysis.torch_model.loading import batch_mates, part_movers

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def note(
    interp: Interpreter, target: ast.Subscript | ast.Attribute, holder: Value, name: Value, value: Value
) -> None:
    """``holder[name] = value``, or ``holder.name = value``, is about to be done."""
    if not isinstance(name, Const):
        return
    moves = _is_move(interp.frame.statement, target)
    batch_mates.renew(interp, target, holder, name.value, moves=moves)
    if not moves or not isinstance(value, Tensor) or not value.device.is_accelerator:
        return
    for member in members(holder):
        obj = interp.obj_of(member)
        if obj is None or not isinstance(member, Ref):
            continue
        if isinstance(target, ast.Attribute):
            part_movers.left_by_itself(interp, member, target)
        elif obj.kind == "dict":
            left = part_movers.left_beside(interp, obj, target)
            interp.update(member, replace(obj, attrs={**obj.attrs, **left}))


def _is_move(statement: ast.stmt | None, target: ast.expr) -> bool:
    """Whether a statement moves what it assigns to, and does nothing else."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    func = value.func if isinstance(value, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr not in part_movers.MOVES:
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets == [target] and spelt(func.value) == spelt(target)
