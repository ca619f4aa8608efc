"""Movers: functions of the project whose whole effect is to move what they are given.

A call of one counts as one move, at the call: what is inside of it serves other callers too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import BoundMethod, Function, Sequence, Tensor, TupleValue, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.loading.batches import leaves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MOVING_METHODS = ("to", "cuda")


def call(interp: Interpreter, callee: Function | BoundMethod, site: CallSite) -> Value:
    """A call while somebody watches what is put on the accelerator."""
    with interp.watching() as seen:
        if isinstance(callee, Function):
            result = interp.call_function(callee, [], site.node, site)
            # A collate function is called by the loader: nobody wrote that argument.
            written = bool(site.args) and site.args[0].node is not None
            moves = written and _is_moved_copy(interp, site.args[0].value, result)
            if written and _takes_any_number(callee, site):
                given = TupleValue(tuple(each.value for each in site.args))
                if isinstance(result, TupleValue) and _is_moved_copy(interp, given, result):
                    seen[:], moves = [interp.site("all-moved", site.node)], False
        else:
            result = interp.call_function(callee.function, [callee.receiver], site.node, site)
            moves = getattr(callee.function.node, "name", "") in _MOVING_METHODS
        if seen and moves and site.args:
            seen[:] = [interp.site("move", site.node)]
    return result


def _takes_any_number(callee: Function, site: CallSite) -> bool:
    """Whether a function takes the arguments of a call, of which there are several, as one tuple: ``def to_gpu(*tensors)``."""
    spec = callee.node.args
    return (
        spec.vararg is not None and not (spec.posonlyargs or spec.args or site.spread) and len(site.args) > 1
    )


def _is_moved_copy(interp: Interpreter, before: Value, after: Value) -> bool:
    """Whether ``after`` is ``before`` with every tensor moved to the accelerator."""
    tensors = leaves(interp, after)
    moved = bool(tensors) and all(leaf.device.is_accelerator for leaf in tensors)
    return moved and _same_form(interp, before, after)


def _same_form(interp: Interpreter, before: Value, after: Value) -> bool:
    if isinstance(before, Tensor) and isinstance(after, Tensor):
        return (before.dtype, before.rank) == (after.dtype, after.rank) and not after.roots
    # A mover may well make a list of a tuple, or a tuple of a list.
    olds, news = iteration.row_items(interp, before), iteration.row_items(interp, after)
    if olds is not None and news is not None:
        pairs = list(zip(olds, news, strict=False))
        return len(olds) == len(news) and all(_same_form(interp, a, b) for a, b in pairs)
    if isinstance(before, Sequence) and isinstance(after, Sequence):
        return _same_form(interp, before.element, after.element)
    old, new = interp.obj_of(before), interp.obj_of(after)
    if old is None or new is None or old.kind != new.kind or old.kind != "dict":
        return before == after
    kept = old.attrs.keys() == new.attrs.keys()
    return kept and all(_same_form(interp, value, new.attrs[key]) for key, value in old.attrs.items())
