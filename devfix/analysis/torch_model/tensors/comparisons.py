"""Python's comparisons of tensors, arrays and plain objects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding import answers, asked_places
from devfix.analysis.domain.lattice import CPU, NOT_HAD, Device, rank_of_broadcast
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Partial,
    Scalar,
    Tensor,
    Union,
    Unknown,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import Arg
from devfix.analysis.record.trails import roots_of
from devfix.analysis.text.comparing import COMPARISONS
from devfix.analysis.torch_model.arrays import sparse_matrices, table_types
from devfix.analysis.torch_model.devices import device_settings
from devfix.analysis.torch_model.python import instance_checks, python_version, value_classes
from devfix.analysis.torch_model.tensors import operand_types, requirements
from devfix.analysis.torch_model.tensors.operators import known_rank
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def compare(
    interp: Interpreter, node: ast.Compare, op: ast.cmpop, left: Value, right: Value, where: ast.expr
) -> Value:
    """The value of one comparison, decided as far as both sides are known."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = answers.compare_identity(interp, left, right)
        same = value_classes.are_same(left, right) if same is None else same
        return answers.boolean(None if same is None else same is isinstance(op, ast.Is))
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _contains(interp, left, right)
        if inside is None:
            return Scalar("bool", usual_answer(interp, op, left, right))
        return answers.boolean(inside is isinstance(op, ast.In))
    if isinstance(op, (ast.Eq, ast.NotEq)) and instance_checks.is_named_otherwise(interp, node.left, right):
        return Const(isinstance(op, ast.NotEq))
    left, right = operand_types.operands(interp, left, right)
    table = table_types.of(interp, left) or table_types.of(interp, right)
    if table is not None:
        return table_types.changed(interp, table, lambda _dtype: "bool")
    if sparse_matrices.of(interp, left) is not None or sparse_matrices.of(interp, right) is not None:
        return sparse_matrices.made(interp, "bool")
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensor_comparison(interp, node, left, right, where)
    if isinstance(left, Array) or isinstance(right, Array):
        rank = rank_of_broadcast([known_rank(left), known_rank(right)])
        return Array("bool", rank)
    sides = Arg(left, node.left if len(node.ops) == 1 else None), Arg(right, where)
    if isinstance(op, (ast.Eq, ast.NotEq)) and device_settings.is_held_to_host(*sides):
        return Const(isinstance(op, ast.NotEq))
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN  # what nobody knows may be a tensor, and then so is the answer
    known = _compare_plain(op, left, right, judged=_judges(interp, left, right))
    return Scalar("bool", usual_answer(interp, op, left, right)) if known is None else Const(known)


def _judges(interp: Interpreter, left: Value, right: Value) -> bool:
    """Whether one of two values is a device that nobody decides, and is taken for an accelerator."""
    devices = (value.device for value in (left, right) if isinstance(value, DeviceValue))
    return any(asked_places.are_judged(interp, device) for device in devices)


def usual_answer(interp: Interpreter, op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """How a comparison of options comes out in a run that is given none: ``args.resume is not None``."""
    found, other = answers.usual_option(left), answers.usual_option(right)
    if isinstance(op, (ast.Is, ast.IsNot)) and None in (found, other):
        same = answers.compare_identity(interp, _usually(left), _usually(right))
        return None if same is None else same is isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _contains(interp, found, other or right) if found is not None else None
        return None if inside is None else inside is isinstance(op, ast.In)
    if found is None or other is None:
        return None
    if isinstance(op, (ast.Is, ast.IsNot)):
        return (found == other) is isinstance(op, ast.Is)
    return _compare_plain(op, found, other)


def _usually(value: Value) -> Value:
    """Of what an option chooses, that which its default does."""
    return value.usual if isinstance(value, Union) and value.usual is not None else value


def _tensor_comparison(
    interp: Interpreter, node: ast.Compare, left: Value, right: Value, where: ast.expr
) -> Value:
    pairs = ((left, node.left, "input"), (right, where, "other"))
    parts = [Part(value, role, n) for value, n, role in pairs if isinstance(value, Tensor)]
    if isinstance(left, Array) or isinstance(right, Array):
        return UNKNOWN
    device = requirements.meet(interp, node, "torch.eq", parts)
    if len(parts) == 1 and isinstance(left if parts[0].role == "other" else right, Unknown):
        device = parts[0].tensor.device
    tensors = [part.tensor for part in parts]
    rank = rank_of_broadcast([known_rank(left), known_rank(right)])
    trail = (interp.site("result", node),)
    return Tensor(device, "bool", rank, grad=False, leaf=True, trail=trail, roots=roots_of(tensors))


def _compare_plain(op: ast.cmpop, left: Value, right: Value, *, judged: bool = False) -> bool | None:
    if isinstance(left, DeviceValue) or isinstance(right, DeviceValue):
        return _compare_devices(op, left, right, judged=judged)
    if isinstance(left, DTypeValue) and isinstance(right, DTypeValue):
        if left.name is None or right.name is None or not isinstance(op, (ast.Eq, ast.NotEq)):
            return None
        return (left.name == right.name) is isinstance(op, ast.Eq)
    if isinstance(op, (ast.Eq, ast.NotEq)):
        same = value_classes.are_same(left, right)
        if same is not None:
            return same is isinstance(op, ast.Eq)
    if not (isinstance(left, Const) and isinstance(right, Const)):
        differ = isinstance(op, (ast.Eq, ast.NotEq)) and (
            _begins_otherwise(left, right) or _is_device_not_had(left, right)
        )
        return isinstance(op, ast.NotEq) if differ else python_version.compared(op, left, right)
    order = COMPARISONS.get(type(op))
    try:
        return bool(order(left.value, right.value)) if order is not None else None
    except TypeError:
        return None


def _begins_otherwise(one: Value, other: Value) -> bool:
    """Whether a text does not begin with what another, of which no more is known, begins with."""
    if isinstance(one, Scalar):
        one, other = other, one
    if not isinstance(one, Const) or not isinstance(one.value, str) or not isinstance(other, Scalar):
        return False
    return not one.value.startswith(other.ends[0])


def _is_device_not_had(one: Value, other: Value) -> bool:
    """Whether a text that nobody knows is held to a kind of device that a program's accelerator is not taken for."""
    if isinstance(one, Scalar):
        one, other = other, one
    asked = one.value if isinstance(one, Const) else None
    return asked in NOT_HAD and isinstance(other, Scalar) and other.type == "str"


def _compare_devices(op: ast.cmpop, left: Value, right: Value, *, judged: bool) -> bool | None:
    """Whether two devices are one. A device that nobody decides is no CPU where that is what is ``judged``."""
    if not isinstance(op, (ast.Eq, ast.NotEq)):
        return None
    devices: list[Device] = []
    for value in (left, right):
        if isinstance(value, DeviceValue):
            devices.append(value.device)
        elif isinstance(value, Const) and value.value == "cpu":
            devices.append(CPU)
    kinds = {device.kind for device in devices}
    if len(devices) == 2 and (kinds == {"cpu", "accelerator"} or (judged and kinds == {"cpu", "same-as"})):
        return isinstance(op, ast.NotEq)
    if kinds == {"cpu"} and len(devices) == 2:
        return isinstance(op, ast.Eq)
    return None


def _contains(interp: Interpreter, item: Value, container: Value) -> bool | None:
    obj = interp.obj_of(container)
    if obj is not None and obj.kind == "dict":
        key = iteration.dict_key(item)
        if key is not None and key in obj.attrs:
            return True
        return False if key is not None and containers.lacks(interp, obj, key) else None
    items = iteration.exact_items(interp, container)
    if isinstance(item, Const) and items is not None and all(isinstance(i, Const) for i in items):
        return item in items
    if items is not None and isinstance(item, (Class, External, Partial)):
        return value_classes.is_among(item, items)
    if isinstance(item, DTypeValue) and item.name is not None and items is not None:
        names = [other.name for other in items if isinstance(other, DTypeValue) and other.name is not None]
        return item.name in names if len(names) == len(items) else None
    if isinstance(item, Const) and isinstance(container, Const):
        if isinstance(item.value, str) and isinstance(container.value, str):
            return item.value in container.value
    if isinstance(item, Const) and isinstance(item.value, str) and isinstance(container, Scalar):
        return True if any(item.value in end for end in container.ends) else None
    return None
