"""Elements: what a loop gets of an object, be it of the project or of a library."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import UNKNOWN, Obj, Ref, Scalar, Value
from devfix.analysis.language import iteration, iterators, object_keys
from devfix.analysis.torch_model.loading import data
from devfix.analysis.torch_model.modules import module_walks

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def of_object(interp: Interpreter, value: Value, obj: Obj, node: ast.expr | None) -> Value:
    """A typical element of what is ``obj``."""
    if obj.kind in ("loader", "sampler") or data.is_own_loader(interp, obj):
        return data.batch(interp, value, node)
    if obj.kind == "dataset" or data.is_of_library(obj):
        where = node if node is not None else ast.Constant(None, lineno=1, col_offset=0)
        return data.sample(interp, value, where)
    if obj.kind == "instance":
        return iterators.iterate_instance(interp, value, node)
    if obj.kind == "dict":
        return join_all([*map(iteration.key_value, obj.attrs), object_keys.of(obj)])
    if obj.cls in iteration.NAMED:
        return Scalar("str")
    if obj.kind == "module" and obj.place is not None and isinstance(value, Ref):
        return module_walks.part(interp, value)
    parts = [*(obj.items or ()), *([obj.element] if obj.element is not None else [])]
    return join_all(parts, split=True) if parts else UNKNOWN
