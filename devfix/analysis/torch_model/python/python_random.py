"""Python's ``random``: its functions, and the methods of a ``random.Random``, which are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_elements
from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Ref, Scalar, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

GENERATOR = "random.Random"
_REAL = frozenset(
    "random uniform gauss normalvariate lognormvariate expovariate betavariate gammavariate triangular "
    "vonmisesvariate paretovariate weibullvariate".split()
)
_WHOLE = frozenset("randint randrange getrandbits".split())
_SEVERAL = frozenset("sample choices".split())


def generator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``random.Random(seed)``."""
    return interp.new(Obj("external", External(GENERATOR)))


def function(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``random.choice(items)`` and the like."""
    return _drawn(interp, name.rpartition(".")[2], site)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``rng.choice(items)``."""
    return _drawn(interp, name, site)


def _drawn(interp: Interpreter, name: str, site: CallSite) -> Value:
    if name in _REAL:
        return Scalar("float")
    if name in _WHOLE:
        return Scalar("int")
    if name == "choice":
        return _one_of(interp, site)
    if name in _SEVERAL:
        trail = (interp.site("other", site.node),)
        return interp.new(Obj("list", element=_one_of(interp, site), trail=trail))
    if name == "shuffle":
        _shuffle(interp, site.value(0, "x"))
    return NONE if name in ("shuffle", "seed", "setstate") else UNKNOWN


def _shuffle(interp: Interpreter, value: Value | None) -> None:
    """The list is as long as before, and nobody knows where which of its items is."""
    obj = interp.obj_of(value)
    if isinstance(value, Ref) and obj is not None and obj.kind == "list":
        items = (join_elements(list(obj.items)),) * len(obj.items) if obj.items else obj.items
        interp.update(value, replace(obj, items=items))


def _one_of(interp: Interpreter, site: CallSite) -> Value:
    arg = site.get(0, "population", "seq")
    return iteration.element(interp, arg.value, arg.node) if arg is not None else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    GENERATOR: generator,
    "random.SystemRandom": generator,
    **{f"random.{name}": function for name in (*_REAL, *_WHOLE, *_SEVERAL, "choice", "shuffle")},
    "numpy.random.shuffle": function,
}
