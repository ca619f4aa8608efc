"""Filled tensors: what a function makes to write values into is of their dtype, where what it is for wants that as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.domain.lattice import FLOATS, INTEGERS
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand, Origin, SetKeyword
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.device_expression import place_at
from devfix.placement.text.dependence import dotted
from devfix.placement.text.naming import may_be_number

#: The operands that operations write into another one.
_WRITTEN = frozenset(("src", "source", "values"))
#: Methods by which a tensor is written to as by ``out[index] = values``.
_WRITERS = ("index_", "scatter_", "masked_scatter_")
#: What makes a tensor that is there to be filled.
_MAKERS = frozenset({"zeros", "ones", "empty", "full"})
#: What is asked of a tensor to make one that is like it.
_ASKED = frozenset({"shape", "size", "device"})
#: What makes ones or zeros.
_OF_UNITS = frozenset({"zeros", "ones", "zeros_like", "ones_like"})


def as_values(facts: Facts, mismatch: Mismatch) -> Iterator[Fix]:
    """``out = torch.zeros(n, dtype=x.dtype)`` for ``out[mask] = x``, where something else refuses ``out`` for its dtype.

    Of values that have no name ``x`` is what they are computed from, where the call asks that for the shape or the device.

    That, or the writing, is the mismatch. One cast of ``x`` does where nothing else does, unless it makes whole numbers of floats.
    """
    yield from _as_floats(facts, mismatch)
    met = list(facts.mismatches(mismatch.kind))
    for fill in filter(_writes, met):
        values, whole = fill.operands[:2]
        made = whole.trail[0] if whole.trail else None
        if made is None or not (mismatch is fill or _goes_back_to(mismatch, made)):
            continue
        others = [each for each in met if each is not fill and _goes_back_to(each, made)]
        alike = all(each.get("wanted") == values.dtype and not _writes(each) for each in others)
        if others and alike:
            edit = _told(facts, made, fill)
            if edit is not None:
                title = f"make `{whole.text}` in the dtype of `{values.text}`"
                yield Fix(title, (edit,), Applicability.UNSAFE)


def rounds(facts: Facts, mismatch: Mismatch) -> bool:
    """Whether a cast of floats to what they are written into makes other numbers of them; it does not of ones and zeros."""
    if not _writes_floats(mismatch):
        return False
    values = mismatch.operands[0]
    made = place_at(facts, values.trail[0].path, values.trail[0].span) if values.trail else None
    return made is None or not isinstance(made.node, ast.Call) or called(made.node) not in _OF_UNITS


def _writes(mismatch: Mismatch) -> bool:
    """Whether an operation writes values into another tensor."""
    return len(mismatch.operands) > 1 and mismatch.operands[0].role in _WRITTEN


def _writes_floats(mismatch: Mismatch) -> bool:
    """Whether an operation writes floats into whole numbers."""
    if not _writes(mismatch):
        return False
    values, whole = mismatch.operands[:2]
    return whole.dtype in INTEGERS and values.dtype in FLOATS


def _as_floats(facts: Facts, mismatch: Mismatch) -> Iterator[Fix]:
    """``start = torch.full((n,), 0, dtype=x.dtype)`` for ``start.scatter_add(0, index, x)``, where ``x`` is of floats."""
    if not _writes_floats(mismatch):
        return
    values, whole = mismatch.operands[:2]
    made = whole.trail[0] if whole.trail else None
    if made is not None and made.kind == "factory":
        edit = _told(facts, made, mismatch)
        if edit is not None:
            title = f"make `{whole.text}` in the dtype of `{values.text}`"
            yield Fix(title, (edit,), Applicability.UNSAFE)


def _goes_back_to(mismatch: Mismatch, made: Origin) -> bool:
    """Whether what was made, or is computed from it, is an operand of a mismatch."""
    return any(life[:1] == (made,) for each in mismatch.operands for life in (each.trail, *each.roots))


def _told(facts: Facts, made: Origin, fill: Mismatch) -> FileEdit | None:
    """The call makes its result in the dtype of the values, which are there by then, where nothing else is written to it."""
    place, values = place_at(facts, made.path, made.span), fill.operands[0]
    if place is None or values.path != place.path:
        return None
    outline, statement = place.outline, place.outline.statement_of(place.node)
    name = _filled(statement, place.node)
    node = outline.expression_at(values.span)
    if name is None or node is None or may_be_number(outline, facts, node):
        return None
    function = outline.function_of(place.node)
    path = dotted(node) or _asked(place.node, values)
    if path is None or outline.function_of(node) is not function:
        return None
    scope, filling = function or outline.source.tree, outline.statement_of(node)
    known = is_bound(outline, place.node, path.partition(".")[0])
    written = {
        outline.statement_of(each) for each in outline.occurrences(scope, name) if _is_written(outline, each)
    }
    if not known or written - {filling} or _is_bound_later(scope, statement, path):
        return None
    return FileEdit(place.path, SetKeyword(made.span, "dtype", f"{path}.dtype"))


def _asked(call: ast.AST, values: Operand) -> str | None:
    """What values are computed from, and a call asks: ``x`` of ``torch.zeros(x.shape, device=x.device)``."""
    sources = {site.text for root in values.roots for site in root[-1:] if site.kind in ("argument", "name")}
    asked = (node for node in in_rows(call) if isinstance(node, ast.Attribute) and node.attr in _ASKED)
    return next((found for node in asked if (found := dotted(node.value)) in sources), None)


def _filled(statement: ast.stmt, call: ast.AST) -> str | None:
    """The one name that a statement gives to what is made there to be filled, in a dtype that it does not tell."""
    targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is call else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or not isinstance(call, ast.Call):
        return None
    package, _, maker = (dotted(call.func) or "").rpartition(".")
    told = any(keyword.arg in ("dtype", None) for keyword in call.keywords)
    return targets[0].id if package and maker in _MAKERS and not told else None


def _is_bound_later(scope: ast.AST, statement: ast.stmt, path: str) -> bool:
    """Whether a name, or what is found by way of it, is another value from some line behind a statement on."""
    head = path.partition(".")[0]
    stores = (
        node
        for node in in_rows(scope)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
    )
    return any(
        (dotted(node) or "").partition(".")[0] == head and node.lineno > statement.lineno for node in stores
    )


def _is_written(outline: Outline, name: ast.Name) -> bool:
    """Whether a name stands for what entries of are set."""
    around = outline.parents[name]
    if isinstance(around, ast.Attribute):
        return around.attr.startswith(_WRITERS) and around.attr.endswith("_")
    return isinstance(around, ast.Subscript) and around.value is name and not isinstance(around.ctx, ast.Load)
