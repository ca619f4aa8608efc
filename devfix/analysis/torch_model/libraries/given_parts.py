"""Models of torchvision whose classes a program calls itself, with parts of its own: they hold these, and move with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGE = "torchvision.models."
#: How the first arguments of such a class are called: of a detector the first alone is a module.
_POSITIONAL = ("backbone", "classifier", "aux_classifier")
#: What one of these classes keeps under another name than it is given.
_KEPT_AS = {"BackboneWithFPN": {"backbone": "body"}}


def held(interp: Interpreter, name: str, site: CallSite) -> dict[str, Value]:
    """The modules that a call of ``name`` is given, by the names of the attributes that hold them."""
    last = name.rpartition(".")[2]
    if not name.startswith(_PACKAGE) or not last[:1].isupper():
        return {}
    given = {
        **dict(zip(_POSITIONAL, (arg.value for arg in site.args), strict=False)),
        **{key: arg.value for key, arg in site.keywords.items()},
    }
    kept = _KEPT_AS.get(last, {})
    return {
        kept.get(key, key): value
        for key, value in given.items()
        if isinstance(value, Ref) and modules.is_module(interp, value)
    }
