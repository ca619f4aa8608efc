"""Pools over maxima, which may be asked to tell where those were: their places are whole numbers, and come second."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import FALSE, TRUE, UNKNOWN, Obj, Tensor, TupleValue, Value
from devfix.analysis.language.frames import CallSite

#: The argument that asks for the places, and where the functions have it.
_ASKED = "return_indices"
FUNCTIONS: dict[str, int] = {
    **{f"max_pool{n}d": 6 for n in (1, 2, 3)},
    **{f"adaptive_max_pool{n}d": 2 for n in (1, 2, 3)},
    **{f"fractional_max_pool{n}d": 4 for n in (2, 3)},
}
#: And where the modules have it, which are told when they are made.
_MODULES = {
    **{f"MaxPool{n}d": 4 for n in (1, 2, 3)},
    **{f"AdaptiveMaxPool{n}d": 1 for n in (1, 2, 3)},
    **{f"FractionalMaxPool{n}d": 3 for n in (2, 3)},
}


def of_function(name: str, maxima: Tensor, site: CallSite) -> Value:
    """What a function gives, whose maxima are these."""
    return _with_places(maxima, site.value(FUNCTIONS[name], _ASKED))


def built(name: str, obj: Obj, site: CallSite) -> Obj:
    """A module that remembers whether it was told to give the places, too."""
    asked = site.value(_MODULES[name], _ASKED) if name in _MODULES else None
    return obj.with_fact(_ASKED, asked) if asked is not None else obj


def of_module(obj: Obj, maxima: Tensor) -> Value:
    """What a module gives, whose maxima are these."""
    return _with_places(maxima, obj.facts.get(_ASKED))


def _with_places(maxima: Tensor, asked: Value | None) -> Value:
    if asked is None or asked == FALSE:
        return maxima
    return TupleValue((maxima, replace(maxima, dtype="int64", grad=False))) if asked == TRUE else UNKNOWN
