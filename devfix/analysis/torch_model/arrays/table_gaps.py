"""Gaps of tables of pandas: what of a column is missing once a method moved its entries or left some out."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import FLOATS
from devfix.analysis.domain.values import Const, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.analysis.torch_model.arrays import numpy_types, table_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods that put something that is missing into a column; a float can be that.
NAMES = frozenset("shift diff reindex asof unstack pivot where mask".split())
#: Arguments that say what stands in the gaps, or that move rows otherwise.
_OTHERWISE = {
    "shift": ((1, "freq"), (2, "axis"), (3, "fill_value")),
    "diff": ((1, "axis"),),
    "where": ((1, "other"),),
    "mask": ((1, "other"),),
}
#: Methods that shift the rows by a number, which is 1 where it is not told.
_SHIFTING = frozenset(("shift", "diff"))
#: Methods of those who know that something is missing.
_MINDING = frozenset("dropna fillna ffill bfill interpolate isna isnull notna notnull".split())


def called(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Ref:
    """``column.shift(1)``, ``column.mask(column > 9)``, ``table.reindex(rows)``: what has gaps, for certain or perhaps."""
    certain = _is_certain(interp, obj, name, site)
    return table_types.changed(interp, obj, _with_some if certain else table_types.with_gaps)


def _is_certain(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> bool:
    """Whether something is missing, and nothing else in its place.

    A column of which entries may be hidden hides some where the file minds what is missing; a whole table may have them in
    another column.
    """
    if name not in _OTHERWISE or site.open or any(site.value(*each) is not None for each in _OTHERWISE[name]):
        return False
    if name in _SHIFTING:
        return _is_apart(site.value(0, "periods"))
    return table_types.is_single(obj) and _minds_gaps(interp.source.tree)


@remembered
def _minds_gaps(tree: ast.Module) -> bool:
    """Whether a file asks for what is missing, or fills it or leaves it out."""
    return any(isinstance(node, ast.Attribute) and node.attr in _MINDING for node in in_rows(tree))


def _is_apart(periods: Value | None) -> bool:
    """Whether rows are shifted by a number that is not zero."""
    return periods is None or (
        isinstance(periods, Const) and isinstance(periods.value, int) and periods.value != 0
    )


def _with_some(dtype: str | None) -> str | None:
    """The dtype of a column of which something is missing."""
    if dtype in FLOATS:
        return table_types.with_gaps(dtype)
    return "float64" if dtype in ("int32", "int64", numpy_types.WIDE) else None
