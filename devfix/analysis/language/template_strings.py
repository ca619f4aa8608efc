"""Template strings, ``t"{name} of {total}"`` (Python 3.14): what stands in them is evaluated, and no text comes of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.values import UNKNOWN, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def template(interp: Interpreter, node: Any) -> Value:
    """A ``string.templatelib.Template``, of which nothing is known; its parts are evaluated from left to right."""
    for part in node.values:
        if not isinstance(part, ast.Constant):
            interp.eval(part.value)
    return UNKNOWN


_NODE: type[ast.expr] | None = getattr(ast, "TemplateStr", None)
EVALUATORS: Mapping[type[ast.expr], Callable[[Interpreter, Any], Value]] = {_NODE: template} if _NODE else {}
#: The kinds of strings that may hold expressions.
WITH_EXPRESSIONS: tuple[type[ast.expr], ...] = (ast.JoinedStr, *EVALUATORS)
