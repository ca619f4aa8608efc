"""``dict(...)`` and ``dict.fromkeys``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, UNKNOWN, Obj, TupleValue, Union, Value, without_none
from devfix.analysis.language import containers, iteration, text_keys
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def dict_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``dict``: a copy of a dict, or of each that it may be, or the values of known pairs by their keys, and the keywords."""
    copied = without_none(site.args[0].value) if site.args else None
    if isinstance(copied, Union) and all(map(_is_dict, map(interp.obj_of, copied.members))):
        return interp.either(copied.members, lambda each: dict_(interp, name, _given(site, each)))
    attrs: dict[str, Value] = {}
    element: Value | None = None
    if copied is not None:
        attrs, element = containers.entries(interp, copied) or _of_pairs(interp, copied, site)
    attrs = {**attrs, **{key: arg.value for key, arg in site.keywords.items()}}
    trail = (interp.site("other", site.node),)
    return interp.new(Obj("dict", attrs=attrs, element=UNKNOWN if site.open else element, trail=trail))


def _is_dict(obj: Obj | None) -> bool:
    return obj is not None and obj.kind == "dict"


def _given(site: CallSite, copied: Value) -> CallSite:
    return replace(site, args=(Arg(copied, site.args[0].node), *site.args[1:]))


def _of_pairs(interp: Interpreter, given: Value, site: CallSite) -> tuple[dict[str, Value], Value | None]:
    attrs: dict[str, Value] = {}
    element: Value | None = None
    items = iteration.fresh_items(interp, given, site.args[0].node)
    if items is None:
        pair = iteration.element(interp, given, site.args[0].node)
        known = isinstance(pair, TupleValue) and len(pair.items) == 2
        return attrs, pair.items[1] if isinstance(pair, TupleValue) and known else UNKNOWN
    for item in items:
        if not isinstance(item, TupleValue) or len(item.items) != 2:
            element = UNKNOWN
            continue
        key = iteration.dict_key(item.items[0]) or text_keys.some_key(len(attrs))
        attrs[key] = item.items[1]
    return attrs, element


def of_keys(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``dict.fromkeys(names, value)``."""
    held = site.value(1, "value") or NONE
    names = site.args[0].value if site.args else UNKNOWN
    keys = [iteration.dict_key(key) for key in iteration.exact_items(interp, names) or (UNKNOWN,)]
    attrs = {key: held for key in keys if key is not None}
    return interp.new(Obj("dict", attrs=attrs, element=held if None in keys else None))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.dict": dict_,
    "builtins.dict.fromkeys": of_keys,
    "collections.OrderedDict.fromkeys": of_keys,
}
