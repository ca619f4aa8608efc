"""Python's version: what programs ask of it is whether it is Python 2, or older than they would like."""

from __future__ import annotations

import ast

from devfix.analysis.domain.values import Const, Scalar, TupleValue, Value

_FIELDS = ("major", "minor", "micro", "releaselevel", "serial")
#: ``sys.version_info``: of the minor version no more is known than that a PyTorch of today runs with it.
VERSION = TupleValue((Const(3), *map(Scalar, ("int", "int", "str", "int"))), names=_FIELDS)
_OLDEST, _NEXT = (3, 10), (4,)
#: What programs call it.
NAMES: dict[str, Value] = {"sys.version_info": VERSION, "six.PY2": Const(False), "six.PY3": Const(True)}


def compared(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """``sys.version_info >= (3, 6)``; None for what depends on the version, and for anything else."""
    if left != VERSION or not isinstance(right, TupleValue):
        return None
    wanted = tuple(item.value for item in right.items if isinstance(item, Const))
    if len(wanted) < len(right.items) or not all(isinstance(part, int) for part in wanted):
        return None
    newer = True if wanted <= _OLDEST else False if wanted >= _NEXT else None
    if newer is None or not isinstance(op, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)):
        return None
    return newer is isinstance(op, (ast.Gt, ast.GtE))
