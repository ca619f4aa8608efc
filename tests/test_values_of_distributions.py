"""Numbers on the CPU that a distribution is asked for: most take one number from anywhere, some make more of it first."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import distributions

rows = torch.full((3,), 0.5, device="cuda")
one = torch.tensor(0.5, device="cuda")
distributions.{of}.log_prob(torch.tensor({value}))
"""


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("Categorical(rows)", "1"),
        ("Beta(rows, rows)", "0.5"),
        ("Beta(one, one)", "0.5"),
        ("Bernoulli(rows)", "1.0"),
    ],
)
def test_a_number_is_refused_where_more_is_made_of_it(of: str, value: str) -> None:
    assert clashes(PROGRAM.format(of=of, value=value)) == ["7: device"]


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("Bernoulli(one)", "1.0"), ("Normal(rows, rows)", "1.0"), ("Poisson(rows)", "1.0"), ("Geometric(rows)", "1.0"),
        ("Laplace(rows, rows)", "1.0"), ("Exponential(rows)", "1.0"),
    ],
)  # fmt: skip
def test_others_take_it_from_the_cpu(of: str, value: str) -> None:
    assert clashes(PROGRAM.format(of=of, value=value)) == []
    assert clashes(PROGRAM.format(of=of, value=f"[{value}, {value}, {value}]")) == ["7: device"]
