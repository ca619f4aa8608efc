"""Classes of the project that descend from classes outside of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    External,
    Function,
    Ref,
    Value,
)
from devfix.analysis.language import enumerations, unknown_code
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.concurrency import threads
from devfix.analysis.torch_model.libraries import graphs, hf_trainer, vision, vision_layers
from devfix.analysis.torch_model.loading import batches, data
from devfix.analysis.torch_model.modules import layers, norms
from devfix.analysis.torch_model.modules.layer_specs import WEIGHTED
from devfix.analysis.torch_model.python import command_line, default_dicts, exceptions, mappings
from devfix.analysis.torch_model.tensors import distributions, losses, maxima
from devfix.analysis.torch_model.training import optim

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def special_instance(interp: Interpreter, cls: Class, site: CallSite) -> Value | None:
    """Instances that are no plain objects: enumerations, dicts with methods. None for the rest."""
    bases = set(modules.external_bases(interp, cls))
    if enumerations.is_one(interp, cls):
        return enumerations.member(interp, cls, site.value(0, "value") or UNKNOWN)
    if bases & _TYPED_DICTS:
        return interp.call(External("builtins.dict"), site)  # at run time it is no more
    if bases & _DICTS and not _OF_DICTS & set(_defined(interp, cls)):
        init = classes.find(interp, cls, "__init__")
        given = CallSite(site.node) if isinstance(init, Function) else site
        by_default = default_dicts.NAME in bases and not isinstance(init, Function)
        made = interp.call(External(default_dicts.NAME if by_default else "builtins.dict"), given)
        obj = interp.obj_of(made)
        if obj is not None and isinstance(made, Ref):
            interp.update(made, replace(obj, cls=cls, trail=(interp.site("other", site.node),)))
            if isinstance(init, Function):
                interp.call_function(init, [made], site.node, site)
        return made
    if bases & _LISTS and not _OF_DICTS & set(_defined(interp, cls)):
        return _own_list(interp, cls, site)
    return None


def _own_list(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """A list with methods of its own."""
    init = classes.find(interp, cls, "__init__")
    given = CallSite(site.node) if isinstance(init, Function) else site
    made = interp.call(External("builtins.list"), given)
    if isinstance(made, Ref):
        interp.update(made, replace(interp.obj(made), cls=cls, trail=(interp.site("other", site.node),)))
        if isinstance(init, Function):
            interp.call_function(init, [made], site.node, site)
    return made


_TYPED_DICTS = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
_LISTS = frozenset({"builtins.list", "collections.UserList", "collections.deque"})
_DICTS = frozenset({"builtins.dict", "collections.OrderedDict", default_dicts.NAME, mappings.USER_DICT})
#: A class with one of these is no dict as any other. With ``__getattr__`` and ``__setattr__`` it gives its
#: entries as attributes, as configurations do.
_OF_DICTS = frozenset("__new__ __getitem__ __setitem__ __getattribute__".split())


def _defined(interp: Interpreter, cls: Class) -> Iterator[str]:
    for part in classes.linearise(cls):
        yield from interp.state.variables(part.frame)


def initialise(interp: Interpreter, ref: Ref, cls: Value, site: CallSite) -> None:
    """The ``__init__`` of the first base class outside the project; one that nobody here knows got what it is given."""
    bases = modules.external_bases(interp, cls)
    known = any(initialise_base(interp, ref, base, site) for base in bases)
    if not known and not all(base.startswith("torch.") for base in bases):
        unknown_code.call(interp, site)


def initialise_base(interp: Interpreter, ref: Ref, base: str, site: CallSite) -> bool:
    """``base.__init__(ref, ...)``; whether anything is known of it."""
    package, _, last = base.rpartition(".")
    if base in _DICTS or base in _LISTS:
        _initialise_container(interp, ref, base, site)
    elif base == "torch.optim.Optimizer" or (package == "torch.optim" and last[:1].isupper()):
        optim.initialise_base(interp, ref, base, site)
    elif base in hf_trainer.TRAINERS:
        hf_trainer.initialise(interp, ref, base, site)
    elif base == batches.LOADER:
        data.initialise_loader(interp, ref, site)
    elif vision.describes(base):
        vision.initialise(interp, ref, base, site)
    elif graphs.describes(base):
        graphs.initialise(interp, ref, site)
    elif base.startswith("torch.distributions."):
        distributions.initialise(interp, ref, base, site)
    elif base == threads.THREAD:
        threads.initialise(interp, ref, site)
    elif base == command_line.NAMESPACE.name:
        command_line.initialise_namespace(interp, ref, site)
    elif exceptions.describes(base):
        exceptions.keep(interp, ref, site)
    elif package == "torch.nn" or vision_layers.is_layer(base):
        _initialise_module(interp, ref, base, site)
    else:
        return False
    return True


def _initialise_container(interp: Interpreter, ref: Ref, base: str, site: CallSite) -> None:
    """``dict.__init__(ref, entries)``, ``list.__init__(ref, items)``."""
    obj = interp.obj(ref)
    maker = "builtins.dict" if base in _DICTS else "builtins.list"
    made = interp.call(External(base if base == default_dicts.NAME else maker), site)
    held = interp.obj_of(made)
    if held is None:
        return
    if base == mappings.USER_DICT and obj.kind == "instance":
        interp.update(ref, obj.with_attr("data", made))
    elif base in _DICTS:
        ref = mappings.wrapped(interp, obj) or ref
        obj = interp.obj(ref)
        entries = {**obj.attrs, **held.attrs}
        obj = obj.with_facts(held.facts) if base == default_dicts.NAME else obj
        interp.update(ref, replace(obj, attrs=entries, element=held.element or obj.element))
    else:
        ref = mappings.wrapped(interp, obj) or ref
        obj = interp.obj(ref)
        if obj.kind == "list":
            interp.update(ref, replace(obj, items=held.items, element=held.element))


def _initialise_module(interp: Interpreter, ref: Ref, base: str, site: CallSite) -> None:
    obj, last = interp.obj(ref), base.rpartition(".")[2]
    if vision_layers.is_layer(base):
        vision_layers.initialise(interp, ref, base, site, layers.parameter(interp, site))
    elif last in layers.CONTAINERS:
        if obj.items is None and obj.element is None:
            interp.update(ref, replace(obj, items=()))
        layers.fill_container(interp, ref, site)
    elif last in losses.CRITERIA:
        layers.fill_criterion(interp, ref, last, site)
    elif last in layers.WRAPPERS:
        layers.fill_wrapper(interp, ref, site)
    elif last in WEIGHTED:
        # What can be moved is the object: the call of its base's ``__init__`` gives None.
        place = norms.own(last, site, layers.parameter(interp, site))
        interp.update(ref, replace(obj, place=place and replace(place, trail=obj.trail)))
    else:
        interp.update(ref, maxima.built(last, obj, site))
