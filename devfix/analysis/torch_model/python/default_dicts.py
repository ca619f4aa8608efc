"""``collections.defaultdict`` and ``Counter``: dicts whose entries appear when they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import NONE, UNKNOWN, Class, External, Function, Obj, Ref, Scalar, Value
from devfix.analysis.language import containers, object_keys
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.iteration import dict_key

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "collections.defaultdict"
#: The fact of a dict that says what makes an entry that is not there.
FACTORY = "factory"
_MISSING = "__missing__"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``defaultdict(list)``; with entries to begin with it may hold anything."""
    factory = site.value(0, "default_factory")
    if factory is None or factory == NONE:
        return interp.new(Obj("dict", element=UNKNOWN))
    begun = len(site.args) > 1 or bool(site.keywords) or site.open
    return interp.new(Obj("dict", element=UNKNOWN if begun else None, facts={FACTORY: factory}))


def counter(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Counter(items)``: whole numbers."""
    begun = bool(site.args or site.keywords or site.open)
    facts = {FACTORY: External("builtins.int")}
    return interp.new(Obj("dict", element=Scalar("int") if begun else None, facts=facts))


def has_own(interp: Interpreter, obj: Obj) -> bool:
    """Whether the class of a dict says what it gives for keys that it does not have."""
    return isinstance(obj.cls, Class) and isinstance(classes.find(interp, obj.cls, _MISSING), Function)


def own_item(interp: Interpreter, ref: Ref, obj: Obj, key: Value, node: ast.expr) -> Value:
    """``d[key]``: the entry, or what ``__missing__`` gives."""
    name = dict_key(key)
    if name is not None and name in obj.attrs:
        return obj.attrs[name]
    method = classes.find(interp, obj.cls, _MISSING) if isinstance(obj.cls, Class) else None
    made = interp.call(method, CallSite(node, (Arg(ref), Arg(key)))) if method is not None else UNKNOWN
    return join_all([made, *(containers.everything(obj) if name is None else _others(obj))])


def _others(obj: Obj) -> list[Value]:
    return [obj.element] if obj.element is not None else []


def item(interp: Interpreter, ref: Ref, obj: Obj, key: Value, node: ast.expr) -> Value:
    """``d[key]``: the entry, which may be made for it."""
    name = dict_key(key)
    if name is not None and name in obj.attrs:
        return obj.attrs[name]
    if obj.element is not None:
        return obj.element if name is not None else join_all(containers.everything(obj))
    made = interp.call(obj.facts[FACTORY], CallSite(node))
    now = interp.obj(ref)
    if name is not None:
        interp.update(ref, now.with_attr(name, made))
        return made
    interp.update(ref, replace(object_keys.added(now, key), element=made))
    return join_all([*now.attrs.values(), made])


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "collections.defaultdict": make,
    "collections.Counter": counter,
}
