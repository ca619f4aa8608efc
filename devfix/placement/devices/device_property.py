"""Device properties: the modules of some libraries tell where they are by ``model.device``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

_LIGHTNING = frozenset({"lightning", "pytorch_lightning"})
#: The classes whose objects have such a property, with the packages that they come from.
_CLASSES = {
    "LightningModule": _LIGHTNING,
    "PreTrainedModel": frozenset({"transformers"}),
    "ModelMixin": frozenset({"diffusers"}),
}
#: How the methods of a callback begin that Lightning's Trainer calls with itself and its module.
_HOOKS = ("on_", "setup", "teardown")


def of(place: Place, name: str) -> str | None:
    """``model.device`` for a parameter that is annotated with such a class, or that Lightning's Trainer gives its module to."""
    outline = place.outline
    function = outline.function_of(place.node)
    given = parameters_of(function) if function is not None else ()
    position = next((number for number, each in enumerate(given) if each.arg == name), None)
    if function is None or position is None or _is_bound(outline, function, name):
        return None
    noted = given[position].annotation
    is_one = noted is not None and _is_of(outline, noted, _CLASSES)
    return f"{name}.device" if is_one or (position == 2 and _is_hook(outline, function)) else None


def _is_hook(outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method has the signature ``(self, trainer, pl_module, ...)`` from Lightning's callbacks."""
    cls = outline.class_of(function)
    callback = {"Callback": _LIGHTNING}
    above = cls.bases if isinstance(cls, ast.ClassDef) else []
    return function.name.startswith(_HOOKS) and any(_is_of(outline, base, callback) for base in above)


def _is_of(outline: Outline, written: ast.expr, classes: Mapping[str, frozenset[str]]) -> bool:
    """Whether an expression, or the text of an annotation, is the name of one of some classes."""
    name = written.value if isinstance(written, ast.Constant) else dotted(written)
    if not isinstance(name, str):
        return False
    head, _, rest = name.partition(".")
    whole = f"{outline.imported.get(head, '')}.{rest}".strip(".")
    return whole.partition(".")[0] in classes.get(whole.rpartition(".")[2], ())


def _is_bound(outline: Outline, function: ast.AST, name: str) -> bool:
    return any(not isinstance(each.ctx, ast.Load) for each in outline.occurrences(function, name))
