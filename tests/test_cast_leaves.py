"""Parameters that are cast when they are made: what has the dtype already stays the parameter that it is."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes
from torch import nn


def _program(data: str) -> str:
    return f"""
import numpy as np
import torch
from torch import nn

class Scale(nn.Module):
    def build(self, shape, factor):
        self.weight = nn.Parameter({data}).to(dtype=torch.float)
"""


@pytest.mark.parametrize(
    "data", ["1.0 / np.prod(shape) * torch.randn(size=shape)", "factor * torch.randn(shape)", "factor"]
)
def test_what_nobody_knows_the_dtype_of_may_have_that_dtype(data: str) -> None:
    assert not clashes(_program(data))


@pytest.mark.parametrize("data", ["torch.zeros(3, dtype=torch.float64)", "torch.randn(3).double()"])
def test_what_has_another_dtype_is_no_leaf_any_more(data: str) -> None:
    assert clashes(_program(data)) == ["8: no-leaf"]


@pytest.mark.parametrize(("dtype", "kept"), [(torch.float32, True), (torch.float64, False)])
def test_torch_gives_back_what_has_the_dtype(dtype: torch.dtype, kept: bool) -> None:
    made = nn.Parameter(torch.zeros(3, dtype=dtype))
    assert (made.to(dtype=torch.float) is made) == kept


MOVED = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(n), requires_grad=True)
        {made}

    def forward(self, x):
        {moved}
        return x * self.weight
"""


@pytest.mark.parametrize("target", ["x.device", "'cuda'", "device=x.device"])
def test_a_parameter_of_a_module_may_be_where_it_is_moved_to(target: str) -> None:
    text = MOVED.format(made="pass", moved=f"self.weight = self.weight.to({target})")
    assert not clashes(text)


def test_a_parameter_that_is_just_made_is_on_the_cpu() -> None:
    text = MOVED.format(made="self.shift = nn.Parameter(torch.rand(n)).to('cuda')", moved="pass")
    assert clashes(text + "\nLayer(3)\n") == ["9: no-leaf"]


def test_a_module_takes_only_a_parameter_in_the_place_of_one() -> None:
    module = nn.Linear(2, 2)
    module.weight = module.weight.to("cpu")
    assert isinstance(module.weight, nn.Parameter)
    with pytest.raises(TypeError, match="cannot assign"):
        module.weight = module.weight.to("meta")
