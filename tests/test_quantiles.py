"""Quantiles: a list of them is an array of float64 in NumPy, a vector of them gives a dimension more in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from text_program import Ending, clashes

from devfix.analysis.domain.values import Array, Tensor

HEAD = """
import numpy as np
import torch

x = np.ones((4, 3), dtype=np.float32)
"""


@pytest.mark.parametrize(
    ("name", "q", "axis"),
    [
        ("quantile", [0.25, 0.75], 0),
        ("percentile", (5, 95), None),
        ("nanpercentile", [50], 1),
        ("quantile", 0.5, 0),
        ("percentile", 75, None),
        ("nanquantile", 0.1, 1),
    ],
)
def test_quantiles_are_as_numpy_has_them(name: str, q: object, axis: int | None) -> None:
    found = Ending(HEAD + f"found = np.{name}(x, {q!r}, axis={axis})\n")["found"]
    true = getattr(np, name)(np.ones((4, 3), dtype=np.float32), q, axis=axis)
    assert isinstance(found, Array)
    assert (found.dtype, found.rank) == (str(true.dtype), true.ndim)


TENSORS = """
import torch

x, levels, half = torch.rand(4, 3), torch.tensor([0.25, 0.75]), torch.tensor(0.5)
found = {call}
"""
CALLS = {
    "torch.quantile(x, 0.5)": 0,
    "torch.quantile(x, half)": 0,
    "torch.quantile(x, levels)": 1,
    "x.quantile(0.5, dim=0)": 1,
    "x.nanquantile(half, 0)": 1,
    "torch.quantile(x, levels, dim=0)": 2,
    "x.quantile(levels, 0, True)": 3,
    "torch.nanquantile(x, q=levels, dim=1, keepdim=True)": 3,
    "torch.quantile(x, half, dim=0, keepdim=True)": 2,
    "torch.quantile(x, levels, dim=0)[1]": 1,
}


@pytest.mark.parametrize("call", CALLS)
def test_a_vector_of_quantiles_gives_a_dimension_more(call: str) -> None:
    text = TENSORS.format(call=call)
    names: dict[str, torch.Tensor] = {}
    exec(text, names)
    found = Ending(text)["found"]
    assert isinstance(found, Tensor)
    assert found.rank == names["found"].ndim == CALLS[call]


@pytest.mark.parametrize("q", ["make()", "torch.as_tensor(make())"])
def test_what_nobody_knows_of_q_may_be_a_number(q: str) -> None:
    text = TENSORS.format(call=f"torch.quantile(x, {q})")
    assert clashes(f"{text}print(found + torch.ones(3).cuda())\n") == []


def test_a_row_of_quantiles_meets_the_accelerator() -> None:
    text = TENSORS.format(call="torch.quantile(x, levels, dim=0)")
    assert clashes(f"{text}print(found[0] + torch.ones(3).cuda())\n") == ["6: device"]
    assert clashes(f"{text}print(found[0][0] + torch.ones(3).cuda())\n") == []
