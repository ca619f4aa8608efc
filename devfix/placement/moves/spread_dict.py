"""Spread dicts: the entries of a dict that is handed on as ``**batch`` move on the way, as it has no ``to`` of its own."""

from __future__ import annotations

import ast
import re

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, ReplaceExpression
from devfix.placement.batches import batch_forms
from devfix.placement.text.dependence import dotted

_MOVE = ".to("
_NAMED_DTYPE = re.compile(r"\.to\((\w+\.)?(u?int|b?float|bool|half|double|long|complex)\d*\)")


def moved(facts: Facts, outline: Outline, node: ast.expr, suffix: str) -> tuple[FileEdit, ...]:
    """``net(**{k: v.to(device) for k, v in batch.items()})`` for ``net(**batch)``, where ``batch`` is the name of a dict; no cast."""
    name = dotted(node)
    if suffix.endswith("dtype)") or _NAMED_DTYPE.match(suffix):
        return ()  # what one entry is cast to need not fit the others
    form = _form(facts, outline, node, name) if name is not None and suffix.startswith(_MOVE) else None
    if name is None or form is None:
        return ()
    code = batch_forms.written(form, name, suffix.removeprefix(_MOVE).removesuffix(")"))
    return (FileEdit(outline.source.path, ReplaceExpression(outline.source.span(node), code)),)


def _form(facts: Facts, outline: Outline, node: ast.expr, name: str) -> str | None:
    """How the dict is moved that has a name, if nothing else is seen to have it."""
    around = outline.scopes(node)[0]
    scope = around if isinstance(node, ast.Name) else around.rpartition(".")[0]  # an attribute is its class's
    kinds = {binding.kind for binding in facts.bindings(outline.source.path, scope).get(name, ())}
    return kinds.pop() if len(kinds) == 1 and kinds <= batch_forms.DICTS else None
