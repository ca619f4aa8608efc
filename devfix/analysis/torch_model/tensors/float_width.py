"""Float width: whether the floats of a program are as wide as PyTorch makes them, float32, as far as can be seen."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Methods of models and tensors that make their floats wider or narrower.
_CASTS = frozenset({"double", "half", "bfloat16"})


def note_cast(interp: Interpreter, site: CallSite) -> None:
    """Write down that a script calls ``x.double()``, or alike, on something that is not known, or one of several."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr in _CASTS and interp.is_script and not site.all_args():
        interp.library.casts_unknown = True


def is_known(interp: Interpreter) -> bool:
    """Whether what is made without a dtype is float32 and stays so.

    Models that nobody is seen to construct may be those that a script casts.
    """
    library = interp.library
    return library.default_floats and (interp.is_script or not library.casts_unknown)
