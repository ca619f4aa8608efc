"""Notes for the fixes: which names stand for a device, a tensor or a module, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import is_accelerator_choice
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, UNKNOWN_DEVICE, Device, parse_device
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Namespace,
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
from devfix.analysis.language import containers, records
from devfix.analysis.language.frames import Arg
from devfix.analysis.nn.modules import first_parameter, is_module, is_module_class
from devfix.analysis.record.recorder import CLASSES, ENTRIES, Binding
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.devices import device_settings
from devfix.analysis.torch_model.libraries import movables
from devfix.analysis.torch_model.tensors.arguments import is_shown_device

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: Values that are of no use to who looks for a device, whatever they hold, and what kinds of things they are.
_PLAIN: dict[type[Value], str] = {
    Array: "number",
    **dict.fromkeys((DTypeValue, External, Function, Class, BoundMethod, Namespace), "other"),
}
#: Values that are of use, or may be, whatever they hold.
_OF_USE = frozenset({Tensor, Ref, DeviceValue, TupleValue})
#: Types of numbers.
_NUMBERS = frozenset({"int", "float", "bool"})
#: Kinds of objects that hold values, and are of no class that could move them.
_OF_VALUES = frozenset({"list", "dict", "set"})
#: What a parser of the command line returns.
NAMESPACE = External("argparse.Namespace")
#: Frameworks whose objects know the device.
_OWNERS = frozenset({"accelerate.Accelerator", "lightning.Fabric"})


#: What a name is good for: the kind and the device of what it stands for; and True for a Parameter that is an attribute.
Found = tuple[str, Device | None] | tuple[str, Device | None, bool]


def note_binding(
    interp: Interpreter, path: str, scope: str, name: str, value: Value, statement: ast.stmt | ast.expr | None
) -> None:
    """Tell the recorder what a name (or dotted attribute) was bound to.

    What is computed of arguments that no script gave says nothing against what scripts have there.
    """
    kind = _plain_kind(interp, value)
    if kind is None:
        note_summary(interp, path, scope, name, value, statement, summary(interp, value))
        return
    if statement is not None and value.__class__ is Unknown and not interp.is_script:
        kind = "ungiven"
    _note(interp, path, scope, name, statement, (kind, None))


def _plain_kind(interp: Interpreter, value: Value) -> str | None:
    """What a value is that is of no use to who looks for a device; None for any other.

    That is a ``number`` where it certainly has no device, as arrays have none, or ``none``, which a test tells from what has.
    What a script got from elsewhere is ``strange``: it may be one.
    """
    if value.__class__ in _OF_USE:
        return None
    if isinstance(value, Const):
        held = value.value
        if held is None:
            return "none"
        return "number" if isinstance(held, (int, float)) else None if isinstance(held, str) else "other"
    if isinstance(value, Unknown):
        if value.token and device_settings.is_device(value):
            return None
        return "strange" if interp.is_script else "other"
    if isinstance(value, Scalar):
        return None if is_shown_device(value) else "number" if value.type in _NUMBERS else "other"
    return _PLAIN.get(value.__class__)


def _is_number(value: Value) -> bool:
    if isinstance(value, Const):
        return isinstance(value.value, (int, float))
    return isinstance(value, Scalar) and value.type in _NUMBERS


def note_attribute(
    interp: Interpreter,
    classes_of: Iterable[Class],
    name: str,
    value: Value,
    statement: ast.stmt | ast.expr | None,
) -> None:
    """Tell the recorder what an attribute of an object was bound to, for each class that it is one of.

    Of an argument that no script gave nothing is known, which says nothing against what a script gave.
    """
    plain = _plain_kind(interp, value)
    if plain is not None and isinstance(value, Unknown) and not interp.is_script:
        plain = "ungiven"
    found: Found = (plain, None) if plain is not None else summary(interp, value)
    if isinstance(value, Tensor) and value.parameter:
        found = (*found, True)
    for cls in classes_of:
        note_summary(interp, cls.path, cls.scope, f"self.{name}", value, statement, found)


def note_summary(
    interp: Interpreter,
    path: str,
    scope: str,
    name: str,
    value: Value,
    statement: ast.stmt | ast.expr | None,
    found: Found,
) -> None:
    """Tell the recorder what a name was bound to, whose summary is known."""
    _note(interp, path, scope, name, statement, found)
    obj = interp.obj_of(value) if value.__class__ is Ref else None
    if obj is None:
        return
    if isinstance(obj.cls, Class):
        _note(interp, path, scope + CLASSES, name, statement, (obj.cls.node.name, None))
    made_by = obj.cls.name if isinstance(obj.cls, External) else ""
    if made_by in _OWNERS:
        span = interp.source.span(statement) if statement is not None else None
        interp.recorder.bind(path, scope, f"{name}.device", Binding("device", ACCELERATOR, span))
    elif made_by == NAMESPACE.name:
        _note_devices(interp, path, scope, name, obj, statement)
    elif obj.kind == "instance" and not is_module(interp, value):
        _note_parts(interp, path, scope, name, value, statement)
    elif obj.kind == "dict":
        _note_entries(interp, path, scope, name, obj, statement)


def note_option(
    interp: Interpreter, obj: Obj, target: ast.Attribute, value: Value, statement: ast.stmt | ast.expr | None
) -> None:
    """Tell the recorder of ``args.device = torch.device(...)``, where ``args`` is a namespace with a name."""
    if obj.cls == NAMESPACE and isinstance(value, DeviceValue) and isinstance(target.value, ast.Name):
        frame = interp.frame
        note_binding(interp, frame.path, frame.scope, interp.text(target), value, statement)


def keeps_device(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a device, or an object other than a module, such as a configuration, that keeps one."""
    if isinstance(value, (DeviceValue, Const)):
        return summary(interp, value)[0] == "device"
    obj = interp.obj_of(value)
    if obj is None or not (obj.cls == NAMESPACE or obj.kind == "instance") or is_module(interp, value):
        return False
    return any(isinstance(held, DeviceValue) for held in obj.attrs.values())


def _note_devices(
    interp: Interpreter, path: str, scope: str, name: str, obj: Obj, statement: ast.stmt | ast.expr | None
) -> None:
    """Devices that a namespace of options keeps; a text counts where it names an accelerator by itself."""
    for part, held in obj.attrs.items():
        if isinstance(held, DeviceValue) or is_accelerator_choice(held):
            note_summary(interp, path, scope, f"{name}.{part}", held, statement, summary(interp, held))


def _note_parts(
    interp: Interpreter, path: str, scope: str, name: str, value: Value, statement: ast.stmt | ast.expr | None
) -> None:
    """Devices that an object keeps, such as those of configurations, can be named through it."""
    obj = interp.obj_of(value)
    attrs = obj.attrs if obj is not None else {}
    parts = {part: summary(interp, held) for part, held in attrs.items() if _may_name_device(held)}
    devices = {part: (kind, device) for part, (kind, device) in parts.items() if kind == "device"}
    if "device" not in attrs and isinstance(statement, (ast.For, ast.AsyncFor)):
        devices["device"] = ("other", None)  # not all that the loop goes through have one
    for part, (kind, device) in devices.items():
        _note(interp, path, scope, f"{name}.{part}", statement, (kind, device))


def _note_entries(
    interp: Interpreter, path: str, scope: str, name: str, obj: Obj, statement: ast.stmt | ast.expr | None
) -> None:
    """Devices that a dict of settings keeps, ``cfg["device"]``, among the entries of a scope; or that it keeps none."""
    found = {
        key: told
        for key, held in obj.attrs.items()
        if _may_name_device(held) and key.isidentifier() and (told := summary(interp, held))[0] == "device"
    }
    for key, told in found.items():
        _note(interp, path, scope + ENTRIES, f"{name}.{key}", statement, told)
    if not found:
        _note(interp, path, scope + ENTRIES, name, statement, ("other", None))


def _may_name_device(value: Value) -> bool:
    return isinstance(value, DeviceValue) or (isinstance(value, Const) and isinstance(value.value, str))


def _note(
    interp: Interpreter,
    path: str,
    scope: str,
    name: str,
    statement: ast.stmt | ast.expr | None,
    found: Found,
) -> None:
    if interp.bindings_noted:
        return
    # Most bindings are made again and again: their spans are looked up once.
    note = (path, scope, name, found, id(statement))
    known = interp.library.noted.get(note)
    if known is not None:
        if interp.recorder.journal is not None:
            interp.recorder.journal[known] = None
    else:
        span = interp.source.span(statement) if statement is not None else None
        kind, device, *registered = found
        binding = Binding(kind, device, span, bool(registered))
        interp.library.noted[note] = interp.recorder.bind(path, scope, name, binding)


def summary(interp: Interpreter, value: Value) -> tuple[str, Device | None]:
    """What a value is good for when a fix looks for a device: its kind and device."""
    if isinstance(value, Tensor):
        return ("packed", None) if value.packed else ("tensor", value.device)
    if isinstance(value, DeviceValue):
        # Nobody chose the CPU where the device was read from a tensor there.
        return "device", UNKNOWN_DEVICE if value.followed and value.device == CPU else value.device
    if isinstance(value, Const):
        device = parse_device(value.value) if isinstance(value.value, str) else UNKNOWN_DEVICE
        return ("device", device) if device.is_known else ("other", None)
    if isinstance(value, Ref):
        return _summary_of_object(interp, value)
    if is_shown_device(value):
        return "device", ACCELERATOR
    if isinstance(value, Union) and all(is_module(interp, member) for member in value.members):
        return _summary_of_several(interp, value)
    if isinstance(value, TupleValue) and all(isinstance(item, Tensor) for item in value.items):
        return records.form(interp, value) or "tensors", None
    if isinstance(value, Unknown) and device_settings.is_device(value):
        return "device", ACCELERATOR
    return _movable(interp, value) or records.form(interp, value) or _nested(interp, value) or "other", None


def _summary_of_object(interp: Interpreter, value: Ref) -> tuple[str, Device | None]:
    obj = interp.obj_of(value)
    if obj is None:
        return "other", None
    if obj.kind == "module" or (obj.kind == "instance" and is_module_class(interp, obj.cls)):
        first = first_parameter(interp, value)
        return "module", first.device if first is not None else None
    if obj.cls == UNKNOWN and obj.kind in _OF_VALUES:
        return _nested(interp, value) or "other", None
    return _movable(interp, value) or records.form(interp, value) or _nested(interp, value) or "other", None


def _nested(interp: Interpreter, value: Value) -> str:
    """``list`` for tensors in a list, ``dict`` in a dict, ``dicts`` in dicts in a list, as batches have them.

    ``mixed dict`` and ``mixed dicts`` hold other things, too. A list of numbers has no more of a device than they.
    """
    found = _of_dict(interp, value)
    if found:
        return found
    items = _elements(interp, value)
    if not items:
        return ""
    if all(isinstance(item, Tensor) for item in items):
        return "list"
    if all(map(_is_number, items)):
        return "number"
    common = _common({_of_dict(interp, item) for item in items})
    return f"{common}s" if common and "own" not in common else ""


def _of_dict(interp: Interpreter, value: Value) -> str:
    """``dict`` for a dict of tensors, or one of several that are such, ``mixed dict`` for one of other things, too.

    ``own dict`` and ``mixed own dict`` are of a class of the project that is made of a dict, and has what others call or read.
    """
    if isinstance(value, Union):
        return _common({_of_dict(interp, member) for member in value.members})
    obj = interp.obj_of(value)
    if (
        obj is None
        or not (obj.kind == "dict" or movables.is_batch(interp, value))
        or (isinstance(obj.cls, Class) and not containers.is_made_of_entries(interp, obj))
    ):
        return ""
    parts = [*obj.attrs.values(), *([obj.element] if obj.element is not None else [])]
    tensors = sum([isinstance(part, Tensor) for part in parts])
    form = "own dict" if isinstance(obj.cls, Class) else "dict"
    return (
        "" if not tensors else form if tensors == len(parts) and "mixed" not in obj.facts else f"mixed {form}"
    )


def _common(forms: AbstractSet[str]) -> str:
    """What dicts of several forms have in common; "" where one of them is none."""
    if "" in forms:
        return ""
    return " ".join([*(word for word in ("mixed", "own") if any(word in form for form in forms)), "dict"])


def _elements(interp: Interpreter, value: Value) -> tuple[Value, ...]:
    """What is known of the items of a list or tuple."""
    if isinstance(value, (TupleValue, Sequence)):
        return value.items if isinstance(value, TupleValue) else (value.element,)
    obj = interp.obj_of(value)
    return tuple(containers.everything(obj)) if obj is not None and obj.kind == "list" else ()


def _summary_of_several(interp: Interpreter, value: Union) -> tuple[str, Device | None]:
    """One of several modules is where all of them are."""
    found = {summary(interp, member)[1] for member in value.members}
    return "module", found.pop() if len(found) == 1 else None


def _movable(interp: Interpreter, value: Value) -> str:
    """``object`` for one whose class has a ``to`` that returns something, ``mover`` when it returns nothing."""
    obj = interp.obj_of(value)
    if movables.is_graph(obj) or movables.moves_itself(interp, value):
        return "object"
    if obj is None or obj.kind not in ("instance", "dict") or not isinstance(obj.cls, Class):
        return ""
    move = classes.find(interp, obj.cls, "to")
    if not isinstance(move, Function) or not isinstance(move.node, ast.FunctionDef):
        return ""
    if len(move.node.args.args) < 2:
        return ""  # it takes no device
    returns = (node for node in in_rows(move.node) if isinstance(node, ast.Return))
    return "object" if any(node.value is not None for node in returns) else "mover"


def choice(interp: Interpreter, arg: Arg) -> None:
    """Remember a dotted device expression (``args.device``) that a call was given, for fixes."""
    if isinstance(arg.node, ast.Attribute):
        kind, device = summary(interp, arg.value)
        if kind == "device":
            frame = interp.frame
            interp.recorder.bind(frame.path, frame.scope, interp.text(arg.node), Binding(kind, device, None))
