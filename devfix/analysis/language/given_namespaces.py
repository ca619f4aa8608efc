"""Given namespaces: ``self.__dict__ = entries``: an object whose attributes are the entries of a dict that others may have, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Class, Obj, Ref, Value
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "__dict__"
#: Under this name an object whose class descends from ``dict`` or ``list`` has its entries, which are no attributes.
ENTRIES = "own entries"
#: The fact of a dict that shows the attributes of an object.
NAMESPACE_OF = "namespace of"
#: What every module has in its ``__dict__``.
OF_MODULES = frozenset(
    "training _parameters _buffers _non_persistent_buffers_set _modules _backward_hooks _backward_pre_hooks "
    "_is_full_backward_hook _forward_hooks _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks "
    "_forward_pre_hooks_with_kwargs _load_state_dict_post_hooks _load_state_dict_pre_hooks _state_dict_hooks "
    "_state_dict_pre_hooks".split()
)
#: Bases that give an object nothing more.
_PLAIN_BASES = frozenset(
    {"torch.nn.Module", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"}
)


def given(interp: Interpreter, obj: Obj, entries: Value) -> Obj:
    """The object from then on: what it had is gone, and what it shares with an object that was given none is not known."""
    held = interp.obj_of(entries)
    view = held is not None and NAMESPACE_OF in held.facts
    return replace(obj, attrs={NAME: UNKNOWN if view else entries})


def of(interp: Interpreter, obj: Obj) -> Ref | None:
    """The dict that an object was given, where it is known."""
    entries = obj.attrs.get(NAME)
    held = interp.obj_of(entries)
    return entries if isinstance(entries, Ref) and held is not None and held.kind == "dict" else None


def read(interp: Interpreter, obj: Obj, name: str) -> Value | None:
    """An attribute of such an object; None where it has none of that name."""
    if NAME not in obj.attrs:
        return None
    entries = of(interp, obj)
    if entries is None:
        return UNKNOWN
    held = interp.obj(entries)
    return held.attrs.get(name, UNKNOWN if held.element is not None else None)


def write(interp: Interpreter, entries: Ref, name: str, value: Value) -> None:
    """An attribute of such an object is set."""
    interp.update(entries, interp.obj(entries).with_attr(name, value))


def lacks(interp: Interpreter, view: Obj, name: str) -> bool:
    """Whether the ``__dict__`` of a module certainly has nothing under a name, though not all of it is known."""
    owner = view.facts.get(NAMESPACE_OF)
    obj = interp.obj_of(owner)
    if obj is None or not isinstance(obj.cls, Class) or name in view.attrs or name in OF_MODULES:
        return False
    if modules.HANDED_OUT in obj.facts:
        return False
    known = name not in obj.attrs and all(map(str.isidentifier, obj.attrs))
    bases = modules.external_bases(interp, obj.cls)
    return known and _PLAIN_BASES.issuperset(bases) and not modules.has_strange_base(interp, obj.cls)
