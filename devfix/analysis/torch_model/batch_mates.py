"""Batch mates: values of which nothing is known, taken out of one batch of which the program moves a part.

``for x, y in loader`` with a loader that nobody sees: once ``x = x.to(device)`` has moved the one, it is on the
accelerator, and the other is known to have stayed on the CPU, as long as it is what the batch gave. Whether one of them
is a tensor says what takes it as one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.lattice import ACCELERATOR, CPU
from devfix.analysis.torch_model.specs import RESHAPES, SAME
from devfix.analysis.values import UNKNOWN, DeviceValue, Tensor, Unknown, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: How the tokens begin of what a batch gave, of what was left of it where another part moved, and of what moved.
_GIVEN, _LEFT, _MOVED = "@given:", "@left:", "@moved:"
#: Methods that leave a tensor where it is, and that no collection has.
_KEEPING = (SAME | RESHAPES | {"long", "float", "int", "double"}) - frozenset(
    name for kind in (list, dict, set, str, tuple) for name in dir(kind)
)


def named(
    interp: Interpreter, target: ast.Tuple | ast.List, parts: list[Value], statement: ast.AST | None
) -> list[Value]:
    """The parts of a batch that a loop or an assignment takes apart, told from one another where nothing is known."""
    if parts.count(UNKNOWN) < 2 or interp.program.adopts:
        return parts
    if not all(isinstance(each, ast.Name) for each in target.elts) or not _is_of_batch(statement):
        return parts
    group = f"{interp.frame.path.replace('.', '-')}|{target.lineno}|{target.col_offset}"
    found = list(parts)
    for number, each in enumerate(target.elts):
        if parts[number] == UNKNOWN:
            found[number] = Unknown(f"{_GIVEN}{group}:{number}")
            interp.given[f"{group}:{number}"] = (interp.site("name", each),)
    return found


def _is_of_batch(statement: ast.AST | None) -> bool:
    """Whether a statement goes over something, or takes apart what has a name: no call that may have moved a part."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return True
    value = statement.value if isinstance(statement, ast.Assign) else None
    is_next = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "next"
    return is_next or isinstance(value, (ast.Name, ast.Attribute, ast.Subscript))


def bound(interp: Interpreter, value: Value, target: ast.Name) -> Value:
    """What a name is bound to, which remembers that where it is such a part under a new name."""
    if not isinstance(value, Unknown) or not is_one(value):
        return value
    site = interp.site("name", target)
    kind, _, part = value.token.partition(":")
    life = interp.given.get(part, ())
    if site in life:
        return value
    part = f"{part.partition('@')[0]}@{target.lineno}-{target.col_offset}"
    interp.given[part] = (*life, site)
    return Unknown(f"{kind}:{part}")


def is_one(value: Value) -> bool:
    """Whether a value is such a part of a batch."""
    return isinstance(value, Unknown) and value.token.startswith((_GIVEN, _LEFT, _MOVED))


def method(interp: Interpreter, callee: Value, site: CallSite) -> Value | None:
    """``x.to(device)`` moves ``x`` and leaves its mates behind, ``x.long()`` is where ``x`` is; None for any other call."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(callee, Unknown) or not isinstance(func, ast.Attribute) or interp.program.adopts:
        return None
    token = callee.token.rpartition(".")[0] if is_one(callee) else ""
    whole = token if "." not in token.rpartition(":")[2] else ""
    if func.attr in _KEEPING and whole:
        return Unknown(whole)
    if not _is_move(func.attr, site):
        return None
    if whole:
        _leave_behind(interp, whole)
    origin = interp.site("move", site.node)
    place = f"{origin.path.replace('.', '-')}|{origin.span.line}|{origin.span.column}:0"
    interp.given[place] = (origin,)
    return Unknown(_MOVED + place)


def _is_move(name: str, site: CallSite) -> bool:
    if name == "cuda":
        return True
    device = site.value(0, "device") if name == "to" else None
    return isinstance(device, DeviceValue) and device.device.is_accelerator


def _leave_behind(interp: Interpreter, token: str) -> None:
    """The variables around with other parts of the batch have what was left of it, as long as they have it."""
    group, _, _ = token.partition(":")[2].rpartition(":")
    frame = interp.frame.id
    for name, value in list(interp.state.bound(frame).items()):
        if (
            isinstance(value, Unknown)
            and value.token.startswith(f"{_GIVEN}{group}:")
            and value.token != token
        ):
            interp.state.asked(frame, name)
            interp.assign(frame, name, Unknown(_LEFT + value.token.removeprefix(_GIVEN)))


def tensor(interp: Interpreter, value: Value) -> Tensor | None:
    """The tensor that something is which moved or was left behind, where it is used as a tensor."""
    if not isinstance(value, Unknown) or not value.token.startswith((_LEFT, _MOVED)):
        return None
    kind, _, part = value.token.partition(":")
    life = interp.given.get(part)
    return Tensor(CPU if f"{kind}:" == _LEFT else ACCELERATOR, trail=life) if life is not None else None
