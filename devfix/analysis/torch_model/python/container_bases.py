"""Container bases: what a class of the project has from ``list``, ``dict`` or ``set``, whoever calls it.

``super().append(x)``, ``dict.get(self, key)``, ``self.items()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import NONE, UNKNOWN, Obj, Ref, Scalar, Sequence, TupleValue, Value
from devfix.analysis.language import containers, item_assignment, iteration
from devfix.analysis.torch_model.python import container_methods, mappings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

NAMES = frozenset(
    "builtins.dict builtins.list builtins.set collections.OrderedDict collections.defaultdict "
    "collections.UserDict collections.UserList collections.deque".split()
)
_KINDS = ("list", "dict", "set")


def method(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value | None:
    """What a method of Python's own container does with what an object holds; None for what is no container."""
    obj = interp.obj(ref)
    held = mappings.wrapped(interp, obj) if obj.kind == "instance" else ref
    obj = interp.obj(held) if held is not None else obj
    if held is None or obj.kind not in _KINDS:
        return None
    first = site.value(0) or UNKNOWN
    if name == "__getitem__":
        return _part(interp, obj) if first == iteration.SLICE else containers.get_item(interp, held, first)
    if name == "__setitem__":
        item_assignment.assign(interp, held, first, site.value(1) or UNKNOWN, None)
        return NONE
    if name == "__delitem__":
        containers.delete_item(interp, held, first)
        return NONE
    if name == "__iter__":
        items = iteration.exact_items(interp, held)
        return TupleValue(items) if items is not None else Sequence(iteration.element(interp, held, None))
    return Scalar("int") if name == "__len__" else container_methods.call(interp, held, obj, name, site)


def _part(interp: Interpreter, obj: Obj) -> Value:
    """A slice of a list, which is one of Python's own."""
    values = containers.everything(obj)
    if obj.kind != "list":
        return UNKNOWN
    return interp.new(Obj("list", element=join_all(values, split=True) if values else None))
