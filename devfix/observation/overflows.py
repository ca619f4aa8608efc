"""Overflows: a number that was written into a tensor whose dtype cannot hold it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from devfix.analysis.text.syntax import first_name
from devfix.analysis.torch_model.tensors.number_range import FILLING, MAKING
from devfix.findings import Mismatch, Operand
from devfix.observation.sighting import Sighting

_SAID = re.compile(r"to type (\S+) without overflow")
#: What C++ calls the dtypes that have a limit to write instead.
_DTYPES = {"c10::Half": "float16", "c10::BFloat16": "bfloat16", "float": "float32"}
#: No dtype refuses a number below the largest float16.
_HELD_BY_ALL = 65504


def translated(sighting: Sighting) -> list[Mismatch]:
    """The tensor (or the call that makes it) and the number, as operands; none where no one number can be told."""
    call, said = sighting.sink.node, _SAID.search(sighting.observed.message)
    dtype, end = _DTYPES.get(said[1]) if said else None, sighting.observed.wanted
    if not isinstance(call, ast.Call) or dtype is None or end is None:
        return []
    name = _name(call) or sighting.observed.operation.rpartition("::")[2].rstrip("_")
    pairs = [pair for pair in _pairs(sighting, call, name) if not _is_held(sighting, pair[1])]
    if len(pairs) != 1:
        return []
    holder, number = (sighting.sink.at(node) for node in pairs[0])
    role = "result" if holder.node is call else "input"
    tensor = Operand(holder.text, role, holder.path, holder.span, dtype=dtype)
    value = Operand(number.text, "value", number.path, number.span)
    detail = (("limit", end), ("scope", sighting.sink.scope))
    sink = sighting.sink
    return [Mismatch("value-range", sink.path, sink.span, f"torch.{name}", (tensor, value), detail)]


def _pairs(sighting: Sighting, call: ast.Call, name: str) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each tensor of the call with a number that is written into it."""
    if name in MAKING:
        number = _given(call, call.args, *MAKING[name])
        if number is not None:
            yield call.args[0] if name.endswith("_like") and call.args else call, number
        return
    receiver = _receiver(sighting, call)
    given = [*([receiver] if receiver is not None else []), *call.args]
    if name == "where":
        places = ((0, "input"), (2, "other")) if receiver is not None else ((1, "input"), (2, "other"))
        one, other = (_given(call, given, *place) for place in places)
        if one is not None and other is not None:
            yield from ((one, other), (other, one))
    for place in FILLING.get(name, ()):
        tensor, number = _given(call, given, 0, "input"), _given(call, given, *place)
        if tensor is not None and number is not None:
            yield tensor, number


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", ""))).rstrip("_")


def _receiver(sighting: Sighting, call: ast.Call) -> ast.expr | None:
    """The tensor whose method is called; None for a function of a module of Python's."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if receiver is None or (first_name(receiver) and not sighting.is_bound(receiver)):
        return None
    return receiver


def _given(call: ast.Call, given: list[ast.expr], position: int, name: str) -> ast.expr | None:
    if position < len(given):
        return given[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _is_held(sighting: Sighting, node: ast.expr) -> bool:
    """Whether an expression is a tensor, or a number that every dtype holds."""
    if any(node is known for known in sighting.nodes.values()) or sighting.what_is(node).startswith("tensor"):
        return True
    try:
        return bool(abs(ast.literal_eval(node)) <= _HELD_BY_ALL)
    except (ValueError, TypeError, SyntaxError):
        return False
