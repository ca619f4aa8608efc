"""Methods that classes of the project have from classes outside of it: ``super().forward(x)``, ``nn.Linear.forward(self, x)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, UNKNOWN, Class, Const, Ref, SuperValue, Value
from devfix.analysis.language import construction
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model import external_objects
from devfix.analysis.torch_model.loading import data
from devfix.analysis.torch_model.modules import bases, module_apply, module_methods
from devfix.analysis.torch_model.python import container_bases, reflection

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def call_super(interp: Interpreter, value: SuperValue, name: str, site: CallSite) -> Value:
    """``super().name(...)`` where no class of the project has ``name``."""
    receiver = value.receiver
    if name == "__call__" and isinstance(receiver, Class):
        return construction.made(interp, receiver, site)  # what a metaclass does not do itself
    if not isinstance(receiver, Ref):
        return construction.of_super(interp, site) if name == "__new__" else UNKNOWN
    obj = interp.obj(receiver)
    if name == "__init__":
        start = obj.cls if isinstance(obj.cls, Class) else value.owner
        if not construction.initialise_fields(interp, classes.after(start, value.owner), receiver, site):
            bases.initialise(interp, receiver, obj.cls, site)
        return NONE
    if name == "__setattr__":
        return reflection.setattr_(interp, name, replace(site, args=(Arg(receiver, None), *site.args)))
    if name == "__iter__" and data.descends(obj):
        return data.inherited_batches(interp, obj)
    if name == "_apply":
        module_apply.inherited(interp, receiver, site.value(0, "fn") or UNKNOWN, site.node)
        return receiver
    if name == "__getattr__" and modules.is_module(interp, receiver):
        return _registered(interp, receiver, site.value(0, "name"))
    if modules.is_module(interp, receiver):
        return module_methods.call(interp, receiver, name, site)
    found = container_bases.method(interp, receiver, name, site)
    return found if found is not None else external_objects.call(interp, receiver, obj, name, site)


def _registered(interp: Interpreter, ref: Ref, name: Value | None) -> Value:
    """``Module.__getattr__``: a parameter, buffer or submodule; it raises where there is none of that name."""
    found = interp.obj(ref).attrs.get(str(name.value)) if isinstance(name, Const) else UNKNOWN
    if found is None:
        interp.state.dead = True
        return UNKNOWN
    return found


def call_unbound(interp: Interpreter, base: str, name: str, site: CallSite) -> Value | None:
    """``nn.Linear.forward(self, ...)``, ``dict.get(self, key)``: the method of a named base. None for what is no such call."""
    receiver = site.value(0)
    if base in container_bases.NAMES and isinstance(receiver, Ref):
        return _of_container(interp, receiver, base, name, site)
    if not base.startswith("torch.nn.") or not isinstance(receiver, Ref):
        return None
    cls = interp.obj(receiver).cls
    if not isinstance(cls, Class) or not modules.is_module(interp, receiver):
        return None
    rest = replace(site, args=site.args[1:])
    if name == "__init__":
        bases.initialise_base(interp, receiver, base, rest)
        return NONE
    return call_super(interp, SuperValue(cls, receiver), name, rest)


def _of_container(interp: Interpreter, ref: Ref, base: str, name: str, site: CallSite) -> Value | None:
    if name == "__setattr__":
        return reflection.setattr_(interp, name, site)
    rest = replace(site, args=site.args[1:])
    if name == "__init__" and isinstance(interp.obj(ref).cls, Class):
        bases.initialise_base(interp, ref, base, rest)
        return NONE
    return container_bases.method(interp, ref, name, rest)
