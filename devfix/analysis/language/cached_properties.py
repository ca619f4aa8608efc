"""``functools.cached_property``: what is computed once is where the object was then, and stays there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.assumptions import unsure_entries
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Class, Const, Function, Ref, Tensor, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import hidden_modules
from devfix.analysis.nn.modules import is_module, remember
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

KIND = "cached_property"
#: How the life of a tensor begins that is computed from no other.
_MADE = ("factory", "random-factory")


def read(interp: Interpreter, found: Function, receiver: Ref, node: ast.expr) -> Value:
    """The first read of an object's attribute: it is kept in ``__dict__``, where no module registers it."""
    value = interp.call_function(found, [receiver], node)
    name = getattr(found.node, "name", "")
    if interp.state.dead or not name or not _is_kept(value):
        return value
    kept = _kept(interp, found, value, node)
    _note_return(interp, found, kept)
    interp.update(receiver, interp.obj(receiver).with_attr(name, kept))
    if is_module(interp, receiver):
        hidden_modules.hide(interp, receiver, name)
    return kept


def _note_return(interp: Interpreter, found: Function, value: Value) -> None:
    """A module remembers the call that the property gives back: what makes it may know no device, while the object does."""
    returns = [each.value for each in in_rows(found.node) if isinstance(each, ast.Return)]
    call = returns[0] if len(returns) == 1 else None
    if isinstance(call, ast.Call) and is_module(interp, value):
        source = interp.program.sources[found.path]
        span = source.span(call)
        remember(interp, value, Origin("collected", found.path, span, source.line_at(span), found.scope))


def _is_kept(value: Value) -> bool:
    """Whether a value has a place; of others it makes no difference when they are computed."""
    if isinstance(value, TupleValue):
        return any(map(_is_kept, value.items))
    return isinstance(value, (Tensor, Ref))


def _kept(interp: Interpreter, found: Function, value: Value, node: ast.expr) -> Value:
    """The value begins its life here, if it is not all made there: what it was computed from may have moved when it is used."""
    if isinstance(value, TupleValue):
        return value.with_items(_kept(interp, found, item, node) for item in value.items)
    if not isinstance(value, Tensor) or _is_all_made(found, value):
        return value
    return replace(value, trail=(interp.site("other", node),), roots=())


def _is_all_made(found: Function, value: Tensor) -> bool:
    """Whether the property itself makes a tensor, and all that it is computed from."""
    born = [life[0] for life in (value.trail, *value.roots) if life]
    made = [site for site in born if site.kind in _MADE]
    lines = range(found.node.lineno, (found.node.end_lineno or 0) + 1)
    within = all(site.path == found.path and site.span.line in lines for site in born)
    computed = value.trail[:1] != () and value.trail[0].kind == "result"
    return bool(made) and within and len(made) == len(born) - computed


def forget(interp: Interpreter, owner: Value, name: Value | None) -> None:
    """``del x.name``, ``x.__dict__.pop(name)``: it is computed anew when it is asked for; without a name, all are.

    That it was dropped is remembered: where another path kept it, nobody knows which of the two is read.
    """
    obj = interp.obj_of(owner)
    if not isinstance(owner, Ref) or obj is None or not isinstance(obj.cls, Class):
        return
    known = name.value if isinstance(name, Const) else None
    names = [each for each in obj.attrs if known in (None, each) and is_cached(interp, obj.cls, each)]
    if names:
        interp.update(owner, unsure_entries.without(obj, names))


def is_cached(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether what a class has by a name is computed once for each of its objects."""
    found = classes.find(interp, cls, name)
    return isinstance(found, Function) and found.kind == KIND


def delattr_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``delattr(x, "name")``."""
    forget(interp, site.value(0) or UNKNOWN, site.value(1))
    return Const(None)
