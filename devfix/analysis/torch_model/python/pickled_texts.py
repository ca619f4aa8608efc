"""``pickle.dumps``: what ``loads`` makes of the bytes is a copy of what they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.python import copies
from devfix.analysis.torch_model.training import saved_tensors

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Libraries that write alike, and read what the others have written.
PICKLING = ("pickle", "dill", "cloudpickle")
_NAME = "pickle.dumps"
_OF = "of"


def dumps(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pickle.dumps(x)``: bytes that hold what ``x`` is now."""
    saved_tensors.note(interp, site.value(0, "obj"))
    value = copies.clone(interp, site.value(0, "obj") or UNKNOWN, {})
    return interp.new(Obj("external", External(_NAME), attrs={_OF: value}))


def loads(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pickle.loads(data)``."""
    obj = interp.obj_of(site.value(0, "data"))
    if obj is None or obj.cls != External(_NAME):
        return UNKNOWN
    return copies.copied(interp, obj.attrs[_OF], site)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"{library}.dumps": dumps for library in PICKLING},
    **{f"{library}.loads": loads for library in PICKLING},
}
