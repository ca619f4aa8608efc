"""Tests that ask how wide a tensor is: one column is for two classes, more of them are for as many.

What goes beside the tensor is of another kind in either branch (floats here, places there), so that of the dtype of what
the function was given nothing is known while they last. A target as large as the prediction holds probabilities, and one
that is not holds classes.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding.correlated import bound_in
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Tensor
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Widths that tell kinds of tensors apart.
_TELLING = (1, 2)


def doubt(interp: Interpreter, node: ast.If) -> dict[str, Tensor]:
    """Let go of the dtypes of what stands beside the tensor that an undecided test is about; the tensors as they were."""
    function = interp.frame.function
    sized = _sized(node) if function is not None else ""
    alike = _of_one_size(node) if function is not None else frozenset()
    if function is None or not (sized or alike):
        return {}
    doubted = {}
    for name in (parameter.arg for parameter in parameters_of(function.node)):
        asked = name in alike if alike else name != sized
        value = interp.state.get(interp.frame.id, name) if asked else None
        if isinstance(value, Tensor) and value.dtype is not None:
            doubted[name] = value
            interp.state.set(interp.frame.id, name, replace(value, dtype=None, typed=()))
    return doubted


def believe(interp: Interpreter, node: ast.If, doubted: dict[str, Tensor]) -> None:
    """The branches have met: what none of them gave another value is what it was."""
    for name in doubted.keys() - bound_in(node):
        interp.state.set(interp.frame.id, name, doubted[name])


@remembered
def _sized(node: ast.If) -> str:
    """The ``x`` of ``if x.shape[1] == 1``, if there is something else to do where that is not so."""
    test = node.test
    if not node.orelse or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return ""
    width = test.comparators[0]
    if not isinstance(width, ast.Constant) or width.value not in _TELLING:
        return ""
    asked = test.left
    if isinstance(asked, ast.Subscript):
        owner = (
            asked.value.value
            if isinstance(asked.value, ast.Attribute) and asked.value.attr == "shape"
            else None
        )
    elif isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute) and asked.func.attr == "size":
        owner = asked.func.value if asked.args else None
    else:
        owner = None
    return owner.id if isinstance(owner, ast.Name) else ""


@remembered
def _of_one_size(node: ast.If) -> frozenset[str]:
    """The names in ``if target.size() == guess.size()``, if there is something else to do where that is not so."""
    test = node.test
    if not node.orelse or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return frozenset()
    if not isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        return frozenset()
    first, second = _measured(test.left), _measured(test.comparators[0])
    return frozenset((first, second)) if first and second else frozenset()


def _measured(side: ast.expr) -> str:
    """The ``x`` of ``x.size()`` and ``x.shape``."""
    if isinstance(side, ast.Call) and not side.args and not side.keywords:
        asked, word = side.func, "size"
    else:
        asked, word = side, "shape"
    owner = asked.value if isinstance(asked, ast.Attribute) and asked.attr == word else None
    return owner.id if isinstance(owner, ast.Name) else ""
