"""Whether a value has an attribute, as far as its kind tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import NONE, UNKNOWN, Class, Const, Obj, Scalar, Tensor, TupleValue, Value
from devfix.analysis.language import given_namespaces, named_tuples
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What programs ask for that move batches of any form.
_OF_TENSORS = frozenset("to cuda cpu detach".split())
_OF_MODULES = frozenset("to cuda cpu parameters".split())
_OF_NAMED_TUPLES = frozenset("_fields _asdict _replace _make".split())
#: What only named tuples and dataclasses have.
_OF_RECORDS = _OF_NAMED_TUPLES | {classes.FIELDS}
_EMPTY: dict[str, object] = {"list": [], "dict": {}}


def hasattr_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``hasattr``: decided for tensors, numbers, containers and objects whose attributes are all known; else a bool.

    A tensor has ``to``, ``cuda`` and ``device``, which a number, a list or a dict has not: programs that move
    batches of any form ask for these.
    """
    value, attribute = site.value(0) or UNKNOWN, site.value(1)
    if not isinstance(attribute, Const) or not isinstance(attribute.value, str):
        return Scalar("bool")
    answer = has(interp, value, attribute.value)
    return Scalar("bool") if answer is None else Const(answer)


def has(interp: Interpreter, value: Value, name: str) -> bool | None:
    """Whether a value has an attribute; None where nobody can tell."""
    if isinstance(value, Tensor):
        known = name in ("to", "cuda", "cpu", "shape", "device", "dtype", "detach", "numpy", "size", "dim")
        return known or (None if name.startswith("__") and name not in _OF_RECORDS else False)
    if isinstance(value, TupleValue):
        return _tuple_has(value, name)
    if value == NONE:
        return hasattr(None, name)
    if scalar_type(value) is not None:
        return False if name in _OF_TENSORS or name in _OF_RECORDS else None
    obj = interp.obj_of(value)
    return None if obj is None else _object_has(interp, value, obj, name)


def _tuple_has(value: TupleValue, name: str) -> bool | None:
    """A tuple without names may be a result of PyTorch, whose parts have names of their own."""
    if name in value.names or hasattr((), name):
        return True
    if name in _OF_RECORDS:
        return bool(value.names) and name in _OF_NAMED_TUPLES
    return False if value.names or name in _OF_TENSORS or name in ("items", "keys", "__dict__") else None


def _object_has(interp: Interpreter, value: Value, obj: Obj, name: str) -> bool | None:
    own = obj.cls if isinstance(obj.cls, Class) else None
    given = given_namespaces.read(interp, obj, name)
    if given is not None:
        return None if given == UNKNOWN else True
    if name in obj.attrs and (own is not None or obj.kind != "dict"):
        return True
    if own is None and obj.kind in _EMPTY:
        return _collection_has(obj, name)
    if own is not None and classes.find(interp, own, name) is not None:
        return True
    if modules.is_module(interp, value) and name in _OF_MODULES:
        return True
    if own is None and obj.kind == "module":
        return False if name in _OF_RECORDS else None
    if own is None or obj.kind != "instance":
        return None
    return _instance_has(interp, own, obj, name)


def _collection_has(obj: Obj, name: str) -> bool | None:
    """A list may be another collection that is gone through, and a dict of a library's class has more than others."""
    if name in _OF_TENSORS or name in _OF_RECORDS:
        return False
    return True if obj.cls == UNKNOWN and hasattr(_EMPTY[obj.kind], name) else None


def _instance_has(interp: Interpreter, cls: Class, obj: Obj, name: str) -> bool | None:
    if named_tuples.is_one(interp, obj):
        return name in _OF_NAMED_TUPLES or hasattr((), name)
    if name == classes.FIELDS:
        return classes.is_dataclass(cls) or None
    if name == "__dict__":
        return None if classes.find(interp, cls, "__slots__") is not None else True
    if name.startswith("__") or modules.external_bases(interp, cls) or modules.has_strange_base(interp, cls):
        return None
    return None if classes.find(interp, cls, "__getattr__") is not None else False


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {"builtins.hasattr": hasattr_}
