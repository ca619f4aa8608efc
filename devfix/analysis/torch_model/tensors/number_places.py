"""Number places: the expressions that give a number, an array or a list in some run; what moves there has no method of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    Array,
    Const,
    Obj,
    Scalar,
    Sequence,
    TupleValue,
    Union,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What is no tensor, nor contains one.
NUMBERS = frozenset({Const, Scalar, Array})
#: What is a list or tuple in every run.
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)


def note(interp: Interpreter, value: Value, node: ast.expr | None) -> None:
    """Remember what is no tensor at a place where others may hand over one: it has none of its methods."""
    if value.__class__ not in NUMBERS or node is None or isinstance(node, ast.Constant):
        return
    if not isinstance(value, Const) or isinstance(value.value, (int, float)):
        interp.recorder.remarked.add(interp.site("number", node))


def note_result(interp: Interpreter, value: Value, call: ast.Call) -> None:
    """Remember that a call gives a number, or in some runs does."""
    for each in value.members if value.__class__ is Union else (value,):
        note(interp, each, call)


def note_data(interp: Interpreter, value: Value, node: ast.expr) -> None:
    """Remember a list or tuple as well, at a place where others hand over a tensor that a new one is made of."""
    if isinstance(node, _DISPLAYS):
        return
    if isinstance(value, (TupleValue, Sequence)) or (interp.obj_of(value) or Obj("")).kind == "list":
        interp.recorder.remarked.add(interp.site("number", node))
    note(interp, value, node)


def note_items(interp: Interpreter, items: Iterable[Value], node: ast.expr | None) -> None:
    """Remember that a list holds numbers, or may do, at a place where others may hold tensors."""
    for each in items:
        note(interp, each, node)
        note_unsure(interp, each, node)


def note_unsure(interp: Interpreter, value: Value, node: ast.expr | None) -> None:
    """Remember that a place is given what may be a number, or a list of some, for all that is known: a file is read, say.

    What stands for an argument that nobody gives has a token, and says nothing against what is given.
    """
    if isinstance(value, Unknown) and node is not None and (interp.is_script or not value.token):
        interp.recorder.remarked.add(interp.site("unsure", node))
