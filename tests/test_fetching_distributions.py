"""Distributions that take their value to where their parameters are, and those that do not."""

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import distributions as D

scale = torch.ones(3).cuda()
made = {made}
print(made.{asked}(torch.rand(3)).sum())
"""


@pytest.mark.parametrize("made", ["D.Gamma(scale, scale)", "D.Chi2(scale)", "D.HalfCauchy(scale)"])
def test_log_prob_fetches_its_value(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, asked="log_prob")) == []


@pytest.mark.parametrize("made", ["D.Gamma(scale, scale)", "D.Chi2(scale)", "D.HalfCauchy(scale)"])
def test_their_cdf_fetches_nothing(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, asked="cdf")) == ["7: device"]


@pytest.mark.parametrize("made", ["D.Normal(scale, scale)", "D.Beta(scale, scale)", "D.HalfNormal(scale)"])
def test_others_fetch_nothing(made: str) -> None:
    assert clashes(PROGRAM.format(made=made, asked="log_prob")) == ["7: device"]


def test_what_was_fetched_is_where_the_parameters_are() -> None:
    text = """
import torch
from torch.distributions import Gamma

rate = torch.ones(3).cuda()
found = Gamma(rate, rate).log_prob(torch.rand(3))
print(found + torch.ones(3))
"""
    assert clashes(text) == ["7: device"]


BOUNDS = """
import torch
from torch import distributions as D

x = torch.rand(4, 3).cuda()
made = {made}
print({asked})
"""


@pytest.mark.parametrize(
    "made",
    ["D.Uniform(0.0, 1.0)", "D.Uniform(torch.tensor(0.0), torch.tensor(1.0))"],
    ids=["numbers", "tensors of one number"],
)
def test_a_uniform_density_is_where_the_bounds_are(made: str) -> None:
    """A single number on the CPU is taken with what is on the accelerator, but the result is brought to it."""
    assert clashes(BOUNDS.format(made=made, asked="made.log_prob(x) + x")) == ["7: device"]
    assert clashes(BOUNDS.format(made=made, asked="made.log_prob(x).numpy() + x.cpu().numpy()")) == []
    assert clashes(BOUNDS.format(made=made, asked="made.cdf(x) + x")) == []
    assert clashes(BOUNDS.format(made=made.replace("Uniform", "Normal"), asked="made.log_prob(x) + x")) == []


def test_bounds_that_are_moved_bring_nothing_back() -> None:
    made = "D.Uniform(torch.tensor(0.0).cuda(), torch.tensor(1.0).cuda())"
    assert clashes(BOUNDS.format(made=made, asked="made.log_prob(x) + x")) == []
