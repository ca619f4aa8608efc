"""NVIDIA's apex: ``amp.initialize`` gives back the models and optimizers that it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, UNKNOWN, Ref, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def initialize(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``model, optimizer = amp.initialize(model, optimizer)``: the same objects, of a width that the level chooses.

    It moves nothing; what is no module, or a collection that is not known, is not followed.
    """
    models, optimizers = site.value(0, "models"), site.value(1, "optimizers")
    given = list(_each(interp, models))
    if models is None or not given or site.open:
        return UNKNOWN
    for model in given:
        modules.transform(interp, model, lambda own: replace(own, dtype=None))
    return models if optimizers is None or optimizers == NONE else TupleValue((models, optimizers))


def _each(interp: Interpreter, models: Value | None) -> Iterator[Ref]:
    """The modules among what is given, if there is nothing else."""
    obj = interp.obj_of(models) if models is not None else None
    listed = obj.items if obj is not None and obj.kind == "list" and obj.element is None else None
    items = listed or (models.items if isinstance(models, TupleValue) else (models,))
    if all(item is not None and modules.is_module(interp, item) for item in items):
        yield from (item for item in items if isinstance(item, Ref))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {"apex.amp.initialize": initialize}
