"""Windows of pandas: what is computed of the rows around each row of a table is float64, whatever the table holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import table_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: ``table.rolling(3)``, ``table.expanding()`` and ``table.ewm(span=3)``.
WINDOW = External("pandas.core.window")
#: The methods of a table that give such windows.
OPENING = frozenset("rolling expanding ewm".split())
_TABLE = "table"
_COMPUTED = frozenset("mean sum std var sem min max median count skew kurt quantile apply".split())


def opened(interp: Interpreter, ref: Ref) -> Ref:
    """The windows of a table, or of a column."""
    return interp.new(Obj("external", WINDOW, facts={_TABLE: ref}))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``table.rolling(3).mean()``: the same columns."""
    table = table_types.of(interp, obj.facts[_TABLE])
    if table is None or name not in _COMPUTED:
        return UNKNOWN
    return table_types.changed(interp, table, lambda _dtype: "float64")
