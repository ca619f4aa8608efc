"""Beginning: a module registers nothing before the ``__init__`` of its base class has run."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.parts_within import calls_in


def is_ahead(outline: Outline, statement: ast.stmt) -> bool:
    """Whether a statement stands before ``super().__init__()``, where no attribute can be a module, parameter or buffer yet.

    PyTorch refuses it: "cannot assign module before Module.__init__() call".
    """
    function = outline.function_of(statement)
    if function is None:
        return False
    begun = (call.lineno for call in calls_in(function) if getattr(call.func, "attr", "") == "__init__")
    return any(line > statement.lineno for line in begun)
