"""What the analysis says that a PyTorch operator gives is what it gives: dtype, rank, and how many tensors."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from text_program import Ending

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import Sequence, Tensor, TupleValue, Value

#: Calls of PyTorch's operator database, and what they gave (``tests/fidelity/operator_results.py``).
RECORD = Path(__file__).parent / "data" / "operator_results.json"
#: What programs do not do with these functions, where the analysis takes the ordinary case for granted:
#: whoever names a dimension to ``squeeze`` knows that it has one entry; an index has the rank of what it
#: indexes; matrices are told from a vector of right-hand sides by their number of dimensions.
_ORDINARY = frozenset(
    "squeeze gather take_along_dim new_empty_strided tensorsolve pairwise_distance vander".split()
)
#: Operators of the CPU alone, which give nothing for a tensor that is elsewhere.
_ON_HOST = frozenset({"histogram"})
#: Operators with several results of which the analysis says one.
_SEVERAL = frozenset("lstsq lu_unpack triangular_solve solve_ex matrix_norm".split())


#: So many calls make one program.
_AT_ONCE = 100


@dataclass(frozen=True)
class Call:
    """A call, the statements that make its operands, and ``[dtype, rank]`` of its result, or a list of such."""

    text: str
    made: list[str]
    result: Any

    @property
    def operator(self) -> str:
        return self.text.partition("(")[0].rpartition(".")[2]


@cache
def answers() -> list[tuple[Call, Value]]:
    """Each call with what the analysis makes of it."""
    asked = [Call(**row) for row in json.loads(RECORD.read_text(encoding="utf-8"))["rows"]]
    return [
        pair
        for start in range(0, len(asked), _AT_ONCE)
        for pair in _answered(asked[start : start + _AT_ONCE])
    ]


def _answered(asked: list[Call]) -> list[tuple[Call, Value]]:
    lines = [line for k, call in enumerate(asked) for line in (*call.made, f"result{k} = {call.text}")]
    ending = Ending("\n".join(["import torch", *lines, ""]))
    return [(call, ending[f"result{k}"]) for k, call in enumerate(asked)]


def _false(value: Value, result: Any) -> bool:
    """Whether something that is said is not so; what is not said is not false."""
    if isinstance(value, Sequence):
        return isinstance(result, list) and all(_false(value.element, part) for part in result or ())
    if isinstance(value, TupleValue) and isinstance(result, list) and not isinstance(result[0], str):
        return len(value.items) != len(result) or any(map(_false, value.items, result))
    if not isinstance(value, Tensor) or result is None:
        return False
    if not isinstance(result[0], str):
        return True
    dtype, rank = result
    wrong_rank = value.rank not in (None, rank) and not (value.rank == AT_LEAST_1 and rank > 0)
    return value.dtype not in (None, dtype) or wrong_rank or str(value.device) not in ("cuda", "unknown")


def test_nothing_false_is_said_of_a_result() -> None:
    left_out = _ORDINARY | _SEVERAL | _ON_HOST
    asked = [(call, value) for call, value in answers() if call.operator not in left_out]
    assert [(call.text, call.result, value) for call, value in asked if _false(value, call.result)] == []


def _is_known(value: Value) -> bool:
    if isinstance(value, Sequence):
        return _is_known(value.element)
    if isinstance(value, TupleValue):
        return all(map(_is_known, value.items))
    return isinstance(value, Tensor) and str(value.device) == "cuda" and value.dtype is not None


def test_most_results_are_known() -> None:
    known = [_is_known(value) for call, value in answers() if call.result is not None]
    assert len(known) > 2_000
    assert sum(known) / len(known) > 0.9
