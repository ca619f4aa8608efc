"""Records what PyTorch's operators give: calls of its operator database, and the dtype and rank of each result.

    python tests/fidelity/operator_results.py --out tests/data/operator_results.json

Needs ``expecttest``, which PyTorch's own tests need. The tables of the analysis are held against the record.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import torch

#: Operators that are no part of the public interface, or whose database entry takes its operands in another order.
_LEFT_OUT = frozenset(
    "nn.functional.embedding nn.functional.embedding_bag linalg.pinv.singular jiterator polygamma "
    "special.polygamma".split()
)
_DTYPES = (torch.float32, torch.int64)
_SAMPLES = 2
#: Each operand has a name of its own, so that many calls make one program.
_NUMBERS = count()


@dataclass(frozen=True)
class Call:
    """A call, the statements that make its operands, and what PyTorch gives for it.

    ``result`` is ``(dtype, rank)`` of a tensor, or a tuple of such for several.
    """

    text: str
    made: tuple[str, ...]
    result: Any


def calls() -> Iterator[Call]:
    """The first samples of each public operator, as functions and as methods."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415 - it takes a while

        for info in op_db:
            if info.name not in _LEFT_OUT and not info.name.startswith(("_", "jiterator", "masked.")):
                yield from _of_operator(info)


def _of_operator(info: Any) -> Iterator[Call]:
    forms = [f"torch.{info.name}({{}})"] if _is_function(info.name) else []
    if info.method_variant is not None and hasattr(torch.Tensor, info.name):
        forms.append(f"{{}}.{info.name}({{}})")
    for dtype in _DTYPES:
        if dtype in info.dtypes:
            for sample in _first(info.sample_inputs("cpu", dtype)):
                yield from _of_sample(info, sample, forms)


def _is_function(name: str) -> bool:
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return callable(found)


def _first(samples: Iterator[Any]) -> Iterator[Any]:
    for _, sample in zip(range(_SAMPLES), samples, strict=False):
        yield sample


def _of_sample(info: Any, sample: Any, forms: list[str]) -> Iterator[Call]:
    made: list[str] = []
    try:
        first = _written(sample.input, made)
        rest = [_written(value, made) for value in sample.args]
        rest += [f"{name}={_written(value, made)}" for name, value in sample.kwargs.items()]
        result = _described(info.op(sample.input, *sample.args, **sample.kwargs))
    except (_CannotBeWrittenError, RuntimeError):
        return
    if not made or "device" in sample.kwargs:
        return  # a factory
    for form in forms:
        several = form.startswith("{}.")
        text = form.format(first, ", ".join(rest)) if several else form.format(", ".join([first, *rest]))
        yield Call(text, tuple(made), result)


class _CannotBeWrittenError(ValueError):
    """A sample that no line of Python makes."""


def _written(value: Any, made: list[str]) -> str:
    if isinstance(value, torch.Tensor):
        name = f"x{next(_NUMBERS)}"
        made.append(f"{name} = torch.zeros({tuple(value.shape)}, dtype={value.dtype}, device='cuda')")
        return name
    if isinstance(value, (list, tuple)):
        text = "".join(f"{_written(item, made)}, " for item in value)
        return f"[{text}]" if isinstance(value, list) else f"({text})"
    if isinstance(value, (int, float, str, type(None), torch.dtype)):
        return repr(value)
    raise _CannotBeWrittenError


def _described(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch."), value.dim()
    return tuple(map(_described, value)) if isinstance(value, (tuple, list)) else None


def main() -> None:
    """Write the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    rows = ",\n  ".join(json.dumps(asdict(call)) for call in calls())
    text = f'{{"torch": "{torch.__version__}",\n "rows": [\n  {rows}\n]}}\n'
    parser.parse_args().out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
