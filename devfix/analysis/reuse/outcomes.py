"""Outcomes: what a function came to, so that calls that are like earlier ones need not be interpreted.

Two calls are alike when their arguments are of the same kinds: constants are told apart by value,
tensors by what is known of them, objects by their classes and flags. Where no object takes part, one
call tells what the others come to; where one does, two must agree, and what they return is known
by its type or is where an argument is. A call that changes what was there before, or finds a mismatch, tells nothing of others.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, Device
from devfix.analysis.domain.number_types import any_of_type
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
)
from devfix.analysis.record.recorder import MODULE_TOKEN
from devfix.analysis.record.trails import roots_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Values within values are told apart so far.
_DEPTH = 3
#: Stands for an object in the kind of a call.
_OBJECT = Obj


@dataclass(slots=True)
class Outcome:
    """What the calls of one ``kind`` have in common; ``exact``: no object takes part."""

    kind: Hashable
    exact: bool
    calls: int = 0
    #: What they return, without what belongs to one of them alone; None when that cannot be said.
    result: Value | None = None
    #: The arguments on whose device the result was each time.
    beside: frozenset[int] = frozenset()

    @property
    def is_known(self) -> bool:
        """Whether one more call need not be interpreted."""
        return self.result is not None and self.calls > (0 if self.exact else 1)

    def book(self, site: CallSite, result: Value, begin: int, *, pure: bool) -> None:
        """Write down one more call, which began at ``begin``; ``pure``: it changed nothing and found nothing."""
        beside = _beside(site, result)
        common = _apart_from_call(result, beside) if pure else None
        if common is None and pure and self.exact and _is_common_value(result, begin):
            common = result
        if common is not None and not self.exact:
            common = _by_type(common)
        if self.calls and common != self.result:
            common = None
        self.calls += 1
        self.result = common
        self.beside = beside if self.calls == 1 else self.beside & beside
        if isinstance(common, (Tensor, DeviceValue)) and not self.beside:
            if not (self.exact and common.device.is_known):
                self.result = None

    def repeated(self, interp: Interpreter, site: CallSite) -> Value:
        """What one more call of the function gives, which is not interpreted again: on the device of what decided the first."""
        result = self.result
        assert result is not None, "is_known was asked"
        if not self.beside or not isinstance(result, (Tensor, DeviceValue)):
            return result
        args = site.all_args()
        device, owner = next(_placed(args[index].value) for index in sorted(self.beside))
        if isinstance(result, DeviceValue):
            return DeviceValue(device)
        trail = (interp.site("result", site.node),)
        return replace(result, device=device, trail=trail, roots=roots_of([owner]) if owner else ())


def _placed(value: Value) -> tuple[Device, Tensor | None]:
    """The device of an argument, and the tensor that is there."""
    if isinstance(value, Tensor):
        return value.device, value
    return value.device if isinstance(value, DeviceValue) else UNKNOWN_DEVICE, None


def _beside(site: CallSite, result: Value) -> frozenset[int]:
    """The arguments that are where the result is."""
    device, _ = _placed(result)
    if not device.is_known:
        return frozenset()
    args = enumerate(site.all_args())
    return frozenset(index for index, arg in args if _placed(arg.value)[0] == device)


def _apart_from_call(result: Value, beside: frozenset[int]) -> Value | None:
    """A result without what belongs to this one call; None when nothing is left."""
    if isinstance(result, Tensor):
        if result.owner is not None or result.split is not None or result.paths:
            return None
        if beside:
            return replace(result, device=UNKNOWN_DEVICE, trail=(), roots=(), typed=())
        return result if _is_common(result.device) else None
    if isinstance(result, DeviceValue):
        return DeviceValue(UNKNOWN_DEVICE) if beside else result if _is_common(result.device) else None
    if isinstance(result, TupleValue):
        return result if all(isinstance(item, (Const, Scalar)) for item in result.items) else None
    if isinstance(result, Unknown):
        return UNKNOWN
    return result if isinstance(result, (Const, Scalar, DTypeValue, External)) else None


def _is_common_value(value: Value, begin: int) -> bool:
    """Whether a value holds nothing but what was there before the call: constants, functions, classes and such."""
    if isinstance(value, (Function, Class)):
        return value.frame < begin
    if isinstance(value, TupleValue):
        return all(_is_common_value(item, begin) for item in value.items)
    if isinstance(value, Union):
        return all(_is_common_value(member, begin) for member in value.members)
    if isinstance(value, Sequence):
        parts = (value.element, *value.row, UNKNOWN if value.result is None else value.result)
        return all(_is_common_value(part, begin) for part in parts)
    return isinstance(value, (Const, Scalar, DTypeValue, External)) or value == UNKNOWN


def _is_common(device: Device) -> bool:
    """Whether a device is one that does not depend on the call."""
    return device.kind in ("cpu", "accelerator", "meta") or device.label == MODULE_TOKEN


def _by_type(value: Value) -> Value:
    """What is left of a value that may depend on what the objects of a call hold."""
    if isinstance(value, TupleValue):
        return value.with_items(map(_by_type, value.items))
    return any_of_type(value) or value


def of_call(interp: Interpreter, function: Function, site: CallSite) -> Outcome:
    """The outcome of the calls that are like this one."""
    known = interp.library.outcomes
    kind = _kind_of_call(interp, function, site)
    outcome = known.get(kind)
    if outcome is None:
        outcome = known[kind] = Outcome(kind, exact=not _involves_objects(kind))
    return outcome


def _kind_of_call(interp: Interpreter, function: Function, site: CallSite) -> tuple[Hashable, ...]:
    """What calls have in common that are alike."""
    return (
        id(function.node),
        function.frame,
        interp.autocast,
        interp.grad,
        interp.state.default_device,
        interp.recorder.muted > 0,
        *[_kind(interp, arg.value, 0) for arg in site.args],
        *[(name, _kind(interp, arg.value, 0)) for name, arg in site.keywords.items()],
    )


def _involves_objects(kind: tuple[Hashable, ...]) -> bool:
    """Whether an object takes part in calls of a kind."""
    for part in kind:  # noqa: SIM110 - a generator costs more than looking at all parts
        if part is _OBJECT or (part.__class__ is tuple and _involves_objects(part)):
            return True
    return False


def _kind(interp: Interpreter, value: Value, depth: int) -> Hashable:
    # Plain tuples are hashed and compared many times as fast as values.
    if isinstance(value, Const):
        return (Const, value.value.__class__, value.value)
    if isinstance(value, Ref):
        obj = interp.obj_of(value)
        return (_OBJECT, Ref) if obj is None else _kind_of_object(interp, obj, depth)
    if isinstance(value, Unknown):
        return Unknown
    if isinstance(value, Tensor):
        return (Tensor, value.device.kind, value.dtype, value.rank, value.parameter, value.grad, value.leaf)
    if isinstance(value, Scalar):
        return (Scalar, value.type)
    if isinstance(value, (DTypeValue, External)):
        return (value.__class__, value.name)
    if isinstance(value, DeviceValue):
        return (DeviceValue, value.device.kind)
    if isinstance(value, (TupleValue, Union)) and depth < _DEPTH:
        parts = value.items if isinstance(value, TupleValue) else value.members
        return (value.__class__, *(_kind(interp, part, depth + 1) for part in parts))
    if isinstance(value, (Function, Class)):
        return (value.__class__, id(value.node), value.frame)
    return (_OBJECT, value.__class__)


def _kind_of_object(interp: Interpreter, obj: Obj, depth: int) -> Hashable:
    own = id(obj.cls.node) if isinstance(obj.cls, Class) else obj.cls
    if depth >= _DEPTH or obj.kind not in ("list", "dict", "set"):
        return (_OBJECT, obj.kind, own, *_flags(obj))
    parts = [*(obj.items or ()), *([obj.element] if obj.element else []), *obj.attrs.values()]
    return (_OBJECT, obj.kind, own, *obj.attrs, *(_kind(interp, part, depth + 1) for part in parts[:8]))


def _flags(obj: Obj) -> list[tuple[str, object]]:
    """The attributes of an object that are of the kind that tests ask for."""
    return [
        (name, value.value)
        for name, value in obj.attrs.items()
        if isinstance(value, Const) and (value.value is None or isinstance(value.value, (bool, str)))
    ]
