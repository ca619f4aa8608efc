"""Whole names: what a file calls ``nn.Module``, ``torch.nn.Module`` or ``Module`` is one thing."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.placement.text.dependence import dotted


def whole_name(outline: Outline, node: ast.expr) -> str:
    """A dotted name from the package down that its first part was imported from; "" for other expressions."""
    head, _, rest = (dotted(node) or "").partition(".")
    return f"{outline.imported.get(head, head)}.{rest}".strip(".")
