"""Which operations, layers and losses take which dtypes, and what they make of them.

Each line of the tables in ``operands`` is asked for several dtypes, ``T`` and ``U``, with operands on the GPU. The answer is the
dtype and the device of what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import torch
from recorded import operand_values
from recorded.questions import Outcomes, answer
from torch.nn import functional

TABLES = Path(__file__).parent / "operands"
NAMES: dict[str, Any] = {**vars(operand_values), "F": functional}
_SINGLE = [(name,) for name in ("i64", "i32", "u8", "b1", "f16", "bf16", "f64")]
_PAIRS = [
    tuple(pair.split())
    for pair in (
        *("f32 f64", "f64 f32", "f32 i64", "i64 f32", "f16 f32", "f32 f16", "i64 i64", "i64 i32"),
        *("f16 f16", "bf16 bf16", "b1 b1", "f32 b1", "f64 i64"),
    )
]
_GRADIENT_PAIRS = [pair for pair in _PAIRS if pair[0].startswith("f") and pair != ("f64", "i64")]
#: What each table is asked for.
ASKED: dict[str, list[tuple[str, ...]]] = {
    "layers": _SINGLE,
    "operations": _SINGLE,
    "pairs": _PAIRS,
    "gradients": _GRADIENT_PAIRS,
}


def said(result: Any) -> Any:
    """Dtype, device and layout of a tensor or of each of several, and of others what does not differ between runs."""
    if isinstance(result, torch.Tensor):
        layout = "" if result.layout is torch.strided else f" {str(result.layout)[6:]}"
        return f"{str(result.dtype)[6:]} {result.device.type}{layout}"
    if isinstance(result, (list, tuple)):
        return ", ".join(map(str, map(said, result)))
    if isinstance(result, torch.device):
        return result.type
    plain = isinstance(result, (bool, int, float, torch.dtype, type(None)))
    return result if plain else type(result).__name__


def lines(table: str) -> list[str]:
    """What is asked in a table."""
    return (TABLES / f"{table}.txt").read_text(encoding="utf-8").splitlines()


def _outcomes(code: CodeType, operands: list[tuple[str, ...]]) -> Outcomes:
    found: dict[str, list[str]] = {}
    for dtypes in operands:
        chosen = {letter: NAMES[name] for letter, name in zip("TU", dtypes, strict=False)}
        outcome = str(answer(lambda chosen=chosen: _settled(code, chosen)))  # type: ignore[misc]
        found.setdefault(outcome, []).append(" ".join(dtypes))
    return Outcomes({outcome: ", ".join(names) for outcome, names in found.items()})


def _settled(code: CodeType, chosen: dict[str, torch.dtype]) -> Any:
    result = said(eval(code, {**NAMES, **chosen}))
    torch.cuda.synchronize()
    return result


def _questions() -> Iterator[tuple[str, Callable[[], Outcomes]]]:
    for table, operands in ASKED.items():
        for line in lines(table):
            code = compile(line, table, "eval")
            yield line, lambda code=code, operands=operands: _outcomes(code, operands)  # type: ignore[misc]


#: Each line, and what it comes to for each of its dtypes.
QUESTIONS: dict[str, Callable[[], Outcomes]] = dict(_questions())
