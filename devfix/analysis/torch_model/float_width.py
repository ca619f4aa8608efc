"""Float width: whether the floats of a program are as wide as PyTorch makes them, float32, as far as can be seen."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.syntax import walk

if TYPE_CHECKING:
    from devfix.analysis.frames import CallSite
    from devfix.analysis.interpreter import Interpreter
    from devfix.source import Source

#: Methods of models and tensors that make their floats wider or narrower.
_CASTS = frozenset({"double", "half", "bfloat16"})
#: What sets the default dtype, and how what they are told ends where that is float32.
_CHOOSING = frozenset({"set_default_dtype", "set_default_tensor_type"})
_USUAL = ("torch.float32", "torch.float", "torch.FloatTensor", "torch.FloatTensor'")


def note_cast(interp: Interpreter, site: CallSite) -> None:
    """Write down that a script calls ``x.double()``, or alike, on something that is not known, or one of several."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr in _CASTS and interp.is_script and not site.all_args():
        interp.library.casts_unknown = True


def note_choice(interp: Interpreter, source: Source) -> None:
    """Write down that a function of a file sets the default dtype, as what prepares tests does.

    Of functions that nobody is seen to call no one knows which is called first.
    """
    if "set_default_" not in source.text:
        return
    functions = (
        node for node in walk(source.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    calls = (part for function in functions for part in walk(function) if isinstance(part, ast.Call))
    if any(_widens(call) for call in calls):
        interp.library.default_floats = False


def _widens(call: ast.Call) -> bool:
    """Whether a call makes floats something else than float32 by default, as far as can be seen."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _CHOOSING and bool(call.args) and not ast.unparse(call.args[0]).endswith(_USUAL)


def is_known(interp: Interpreter) -> bool:
    """Whether what is made without a dtype is float32 and stays so.

    Models that nobody is seen to construct may be those that a script casts.
    """
    library = interp.library
    return library.default_floats and (interp.is_script or not library.casts_unknown)
