"""Batch mates: values of which nothing is known, taken out of one batch of which the program moves a part.

``for x, y in loader`` with a loader that nobody sees: once ``x = x.to(device)`` has moved the one, it is on the
accelerator, and the other is known to have stayed on the CPU, as long as it is what the batch gave. So is ``batch["y"]``
once ``batch["x"].to(device)`` was moved, where nobody else gets the batch. Whether one of them is a tensor says what
takes it as one.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, UNKNOWN_INDEX, Device, same_as
from devfix.analysis.domain.values import UNKNOWN, DeviceValue, Tensor, Unknown, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text import whole_batches
from devfix.analysis.torch_model.devices import followed
from devfix.analysis.torch_model.loading import part_movers
from devfix.analysis.torch_model.tensors.specs import FLOATING, RESHAPES, SAME

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: How the tokens begin of what a batch gave, of what was left of it where another part moved, and of what moved.
_GIVEN, _LEFT, _MOVED = "@given:", "@left:", "@moved:"
#: And of what was moved to where something is of which nobody knows where that is.
_ASKED = "@asked:"
#: What stands between a batch and its parts, and before the name of a part that was set anew.
_WITHIN, _RENEWED = ">", "~"
#: Methods that leave a tensor where it is, and that no collection has.
_KEEPING = (SAME | FLOATING | RESHAPES | {"long", "float", "int", "double"}) - frozenset(
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
    group = _group(interp, target)
    found = list(parts)
    for number, each in enumerate(target.elts):
        if parts[number] == UNKNOWN:
            found[number] = Unknown(f"{_GIVEN}{group}:{number}")
            interp.given[f"{group}:{number}"] = (interp.site("name", each),)
    return found


def _whole(interp: Interpreter, target: ast.Name, statement: ast.AST | None) -> Value:
    """A batch of which nothing is known that a loop, or ``next``, gives a name: its parts are told from one another."""
    if interp.program.adopts or not (_is_next(statement) or isinstance(statement, (ast.For, ast.AsyncFor))):
        return UNKNOWN
    if not whole_batches.is_taken_apart(interp, target.id):
        return UNKNOWN
    return Unknown(f"{_GIVEN}{_group(interp, target)}:0")


def _group(interp: Interpreter, target: ast.AST) -> str:
    place = interp.site("name", target)
    return f"{place.path.replace('.', '-')}|{place.span.line}|{place.span.column}"


def _is_of_batch(statement: ast.AST | None) -> bool:
    """Whether a statement goes over something, or takes apart what has a name: no call that may have moved a part."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return True
    value = statement.value if isinstance(statement, ast.Assign) else None
    return _is_next(statement) or isinstance(value, (ast.Name, ast.Attribute, ast.Subscript))


def _is_next(statement: ast.AST | None) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "next"


def bound(interp: Interpreter, value: Unknown, target: ast.Name, statement: ast.AST | None) -> Value:
    """What a name is bound to, which remembers that where it is such a part under a new name."""
    if not value.token:
        return _whole(interp, target, statement)
    if not is_one(value) or _is_attribute(value):
        return value
    site = interp.site("name", target)
    kind, _, part = value.token.partition(":")
    life = interp.given.get(part, ())
    if site in life:
        return value
    part = f"{part.partition('@')[0]}@{target.lineno}-{target.col_offset}"
    interp.given[part] = (*life, site)
    return Unknown(f"{kind}:{part}")


def part(
    interp: Interpreter, value: Value, name: object, node: ast.Attribute | ast.Subscript
) -> Value | None:
    """``batch["y"]`` or ``batch.y`` of a batch that nobody else gets, or of a part of one; None for any other value."""
    if not _is_whole(value) or interp.program.adopts or not isinstance(node.value, ast.Name):
        return None
    if not isinstance(name, (str, int)) or not re.fullmatch(r"\w+", str(name)):
        return None
    if not whole_batches.is_taken_apart(interp, node.value.id):
        return None
    holder, *told = value.token.partition(":")[2].split(_RENEWED)
    if str(name) in told:
        return None
    own = f"{_WITHIN.join(holder.rsplit(':', 1))}:{name}"
    renewed = interp.given.get(value.token, ())
    interp.given[own] = (interp.site("loader", node), *(replace(site, text=str(name)) for site in renewed))
    return Unknown(f"{_LEFT if value.token.startswith(_LEFT) else _GIVEN}{own}")


def attribute(interp: Interpreter, value: Unknown, name: str, node: ast.expr) -> Value:
    """``batch.y`` of a batch that nobody else gets; anything else keeps what it is an attribute of."""
    found = part(interp, value, name, node) if isinstance(node, ast.Attribute) and name != "device" else None
    return found or (UNKNOWN if name == "device" else Unknown(f"{value.token}.{name}"))


def renew(
    interp: Interpreter, target: ast.Attribute | ast.Subscript, value: Value, name: object, *, moves: bool
) -> None:
    """``batch["y"] = ...`` or ``batch.y = ...``: that part is no longer what the batch gave; where it moved, others were left."""
    holder = target.value
    if not isinstance(holder, ast.Name) or not _is_whole(value):
        return
    token = f"{value.token}{_RENEWED}{name}"
    before = interp.given.get(value.token, ())
    interp.given[token] = (part_movers.left_at(interp, "", target),) if moves else before
    interp.assign(interp.frame.id, holder.id, Unknown(token))


def _is_whole(value: Value) -> TypeGuard[Unknown]:
    """Whether a value is a part that may have parts, or the batch itself."""
    return isinstance(value, Unknown) and value.token.startswith((_GIVEN, _LEFT)) and not _is_attribute(value)


def _is_attribute(value: Unknown) -> bool:
    """Whether a value is an attribute of such a part, ``x.shape``, which may be anything."""
    return "." in value.token


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
    asked = _device_asked_for(interp, func.attr, site)
    if asked is None and not _is_move(func.attr, site):
        return None
    if whole and asked is None:
        _leave_behind(interp, whole)
    origin = interp.site("move", site.node)
    place = f"{origin.path.replace('.', '-')}|{origin.span.line}|{origin.span.column}:0"
    interp.given[place] = (origin,)
    if asked is None:
        return Unknown(_MOVED + place)
    interp.given[_ASKED + place] = (replace(origin, text=asked),)
    return Unknown(_ASKED + place)


def _device_asked_for(interp: Interpreter, name: str, site: CallSite) -> str | None:
    """What the device is called to which something is moved where no script tells which one it is: ``x.to(y.device)``."""
    device = site.value(0, "device") if name == "to" and not interp.is_script else None
    if not isinstance(device, DeviceValue) or device.device.kind != "same-as":
        return None
    followed.note(interp, device.device)
    return device.device.label


def _is_move(name: str, site: CallSite) -> bool:
    if name == "cuda":
        return True
    device = site.value(0, "device") if name == "to" else None
    return isinstance(device, DeviceValue) and device.device.is_accelerator


def _leave_behind(interp: Interpreter, token: str) -> None:
    """The variables around with other parts of the batch have what was left of it, as long as they have it."""
    group, _, _ = token.partition(":")[2].rpartition(":")
    holder = f"{_GIVEN}{':'.join(group.rsplit(_WITHIN, 1))}"
    frame = interp.frame.id
    for name, value in list(interp.state.bound(frame).items()):
        if not isinstance(value, Unknown) or value.token == token:
            continue
        if value.token.startswith(f"{_GIVEN}{group}:") or value.token.partition(_RENEWED)[0] == holder:
            interp.state.asked(frame, name)
            interp.assign(frame, name, Unknown(_LEFT + value.token.removeprefix(_GIVEN)))


def tensor(interp: Interpreter, value: Value) -> Tensor | None:
    """The tensor that something is which moved or was left behind, where it is used as a tensor."""
    if not isinstance(value, Unknown) or not value.token.startswith((_LEFT, _MOVED)):
        return None
    kind, _, part = value.token.partition(":")
    life = interp.given.get(part)
    return Tensor(CPU if f"{kind}:" == _LEFT else ACCELERATOR, trail=life) if life is not None else None


def operand(interp: Interpreter, value: Value) -> Value:
    """What is computed with: of what moved nothing but tensors can be, and they are on one of the accelerators."""
    if isinstance(value, Unknown) and value.token.startswith(_ASKED):
        return _beside(interp, value)
    moved = tensor(interp, value) if isinstance(value, Unknown) and value.token.startswith(_MOVED) else None
    return value if moved is None else replace(moved, device=Device("accelerator", UNKNOWN_INDEX))


def _beside(interp: Interpreter, value: Unknown) -> Value:
    """The tensor that something is which was moved to where another thing is; anything else for one of its attributes."""
    told, life = interp.given.get(value.token), interp.given.get(value.token.removeprefix(_ASKED))
    return Tensor(same_as(told[0].text), trail=life) if told and life else value


def item(value: Value, key: Value, node: ast.Subscript) -> Value | None:
    """``x[2]`` and ``x[:, 0]`` of what moved are where it is; None for any other item."""
    if not isinstance(value, Unknown) or not value.token.startswith((_MOVED, _ASKED)) or _is_attribute(value):
        return None
    index = node.slice
    kinds = index.elts if isinstance(index, ast.Tuple) else [index]
    cut = any(isinstance(each, ast.Slice) for each in kinds)
    return value if cut or scalar_type(key) == "int" else None
