"""Halves that meet float32 parameters: code that nobody is seen to call may be called under autocast, or of a model of halves."""

from __future__ import annotations

import pytest
from text_program import clashes

MODEL = """\
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            x = {}
            return self.layer(x)
    """


@pytest.mark.parametrize(
    "cast", ["x.bfloat16()", "x.half()", "torch.zeros(2, 3, dtype=torch.bfloat16, device=x.device)"]
)
def test_whoever_calls_it_has_cast_the_model_as_well(cast: str) -> None:
    assert clashes(MODEL.format(cast)) == []


@pytest.mark.parametrize("cast", ["x.bfloat16()", "x.half()"])
def test_a_script_that_calls_it_has_not(cast: str) -> None:
    text = MODEL.format(cast) + "\n    Net()(torch.randn(2, 3))\n"
    assert clashes(text) == ["11: dtype"]


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_nobody_awaits_other_dtypes(dtype: str) -> None:
    made = f"torch.zeros(2, 3, dtype=torch.{dtype}, device=x.device)"
    assert clashes(MODEL.format(made)) == ["11: dtype"]


def test_parameters_of_halves_do_not_take_what_is_made_as_wide_as_always() -> None:
    text = MODEL.format("torch.zeros(2, 3, device=x.device)").replace("Linear(3, 3)", "Linear(3, 3).half()")
    assert clashes(text) == ["11: dtype"]
