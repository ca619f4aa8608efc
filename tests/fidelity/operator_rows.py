"""Every operator of PyTorch's own database with one tensor on another device than the rest.

For up to four samples of each operator: each tensor in turn is left on the CPU (mode ""), or is the only one on
the accelerator (mode "only"); for the function and, where there is one, for its in-place method.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from fidelity import answers
from fidelity.answers import Answer
from torch.utils import _pytree as pytree

SAMPLES = 4
_MOST_OPERANDS = 6


class Case(NamedTuple):
    """One call: which operator, which of its samples, and where its tensors are."""

    operator: str
    variant: str
    sample: int
    mode: str
    operand: int

    @property
    def name(self) -> str:
        """The case in one line."""
        return json.dumps(list(self))


class Drawn(NamedTuple):
    """One sample of an operator and the function that takes it."""

    call: Callable[..., Any]
    sample: Any


def database() -> list[Any]:
    """PyTorch's operators by name; its tests import a library that the operators do not need."""
    if "expecttest" not in sys.modules and importlib.util.find_spec("expecttest") is None:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415 - takes a second
    return sorted(op_db, key=lambda operator: (operator.name, operator.variant_test_name))


def full_name(operator: Any) -> str:
    """Name and variant."""
    return f"{operator.name}.{operator.variant_test_name}".rstrip(".")


def cases(operator: Any, samples: int = SAMPLES) -> Iterator[tuple[Case, Drawn]]:
    """All calls of one operator, the one with nothing displaced (operand -1) before the others."""
    # torch writes down the whole stack whenever it is seeded, which is often; that of a new thread is short.
    with ThreadPoolExecutor(1) as thread:
        drawn = thread.submit(_samples, operator, samples).result()
    for variant, function in (("", _at_run_time(operator)), ("inplace", operator.inplace_variant)):
        if function is None:
            continue
        for number, sample in enumerate(drawn):
            count = min(len(tensors_of(sample)), _MOST_OPERANDS)
            every = [("", operand) for operand in range(-1, count)]
            if len(tensors_of(sample)) > 2:
                every += [("only", operand) for operand in range(count)]
            for mode, operand in every:
                case = Case(full_name(operator), variant, number, mode, operand)
                yield case, Drawn(function, sample)


def _at_run_time(operator: Any) -> Callable[..., Any]:
    """The operator's function as a program finds it when it calls it, by its name in torch."""

    def found() -> Any:
        value: Any = torch
        for part in operator.name.split("."):
            value = getattr(value, part, None)
        return value

    if found() is not operator.op:
        return operator.op  # type: ignore[no-any-return]
    return lambda *args, **kwargs: found()(*args, **kwargs)  # noqa: PLW0108 - what is found changes


def _samples(operator: Any, most: int) -> list[Any]:
    dtypes = operator.supported_dtypes("cuda") & operator.supported_dtypes("cpu")
    wanted = (torch.float32, torch.complex64, torch.int64, torch.bool)
    dtype = next((dtype for dtype in wanted if dtype in dtypes), None)
    found: list[Any] = []
    if dtype is None:
        return found
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for sample in operator.sample_inputs("cpu", dtype):
                if len(tensors_of(sample)) > 1:
                    found.append(sample)
                if len(found) == most:
                    break
        except Exception:  # noqa: BLE001 - an operator without samples here is left out
            return []
    return found


def tensors_of(sample: Any) -> list[torch.Tensor]:
    """The tensors among the arguments of a sample."""
    leaves = pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def ask(case: Case, drawn: Drawn) -> Answer:
    """Make one call; the answer of one that works is where its results are."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            value, args, kwargs = _placed(case, drawn.sample)
            out = drawn.call(value, *args, **kwargs)
            places = {str(leaf.device) for leaf in pytree.tree_leaves(out) if isinstance(leaf, torch.Tensor)}
            return answers.of_result(sorted(places))
        except Exception as error:  # noqa: BLE001 - whatever is raised is the answer
            return answers.of_error(error)


def _placed(case: Case, sample: Any) -> Any:
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    number = -1
    placed: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            number += 1
            here = (number == case.operand) == (case.mode == "only")
            placed.append(leaf.detach().to("cuda" if here else "cpu"))
        else:
            placed.append(torch.device("cuda") if isinstance(leaf, torch.device) else leaf)
    return pytree.tree_unflatten(placed, spec)
