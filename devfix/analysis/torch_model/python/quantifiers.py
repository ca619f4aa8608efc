"""``all`` and ``any``, as far as it is known whether the items are true."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.deciding import answers
from devfix.analysis.domain.values import Const, Scalar, Sequence, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def _quantifier(decisive: bool) -> Callable[[Interpreter, str, CallSite], Value]:
    """``all`` is decided by what is false, ``any`` by what is true."""

    def call(interp: Interpreter, name: str, site: CallSite) -> Value:
        value = site.value(0)
        found = None if value is None or site.open else _truths(interp, value)
        if found is None:
            return Scalar("bool")
        if decisive in found:
            return Const(decisive)
        return Scalar("bool") if None in found else Const(not decisive)

    return call


def _truths(interp: Interpreter, value: Value) -> set[bool | None] | None:
    """Whether the items count as true; a collection of which no more is known is taken to have some."""
    items = iteration.followed_items(interp, value)
    if items is not None:
        return {answers.truth(interp, item) for item in items}
    obj = interp.obj_of(value)
    if isinstance(value, Sequence):
        return {answers.truth(interp, value.element)}
    if obj is not None and obj.kind == "list" and not obj.items and obj.element is not None:
        return {answers.truth(interp, obj.element)}
    return None


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.all": _quantifier(False),
    "builtins.any": _quantifier(True),
}
