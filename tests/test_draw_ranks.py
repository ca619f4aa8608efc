"""How many dimensions a draw of a distribution has, as the shape that is asked for and the parameters tell."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, files, fix_texts

from devfix.analysis.domain.values import Tensor

MADE = """
import torch
from torch import distributions as D

rows = torch.full((2, 3), 0.5)
row = torch.tensor([0.5])
one = torch.tensor(0.5)
drawn = {drawn}
"""


@pytest.mark.parametrize(
    ("drawn", "rank"),
    [
        ("D.Normal(row, row).sample(sample_shape=rows.shape)", 3),
        ("D.Normal(row, row).sample(rows.shape).squeeze(-1)", 2),
        ("D.Normal(row, row).sample(one.shape)", 1),
        ("D.Normal(0.0, rows).rsample((4,))", 3),
        ("D.Normal(one, one).sample((4, 2))", 2),
        ("D.Uniform(one - 1, rows).sample()", 2),
        ("D.Beta(row, rows).sample([4])", 3),
        ("D.Bernoulli(logits=rows).sample()", 2),
        ("D.Dirichlet(rows).sample((4,))", 3),
        ("D.OneHotCategorical(rows).sample()", 2),
        ("D.Categorical(rows).sample()", 1),
        ("D.Categorical(rows[0]).sample()", 0),
        ("D.Categorical(rows[0]).sample((4,))", 1),
        ("D.MixtureSameFamily(D.Categorical(rows[0]), D.Normal(rows[0], rows[0])).sample()", 0),
        ("D.MixtureSameFamily(D.Categorical(rows), D.Normal(rows, rows)).sample((4,))", 2),
        ("D.TransformedDistribution(D.Normal(rows, rows), [D.TanhTransform()]).sample()", 2),
        ("D.LKJCholesky(3, 1.0).sample()", -1),
        ("D.LKJCholesky(3, one).sample((2,))", -1),
        # A transform may give more dimensions.
        ("D.TransformedDistribution(D.Normal(0.0, 1.0), D.AffineTransform(rows, 1.0)).sample()", None),
        ("D.TransformedDistribution(D.Normal(row, row), [D.AffineTransform(rows, 1.0)]).sample()", -1),
        ("D.TransformedDistribution(D.Normal(row, row), [D.ReshapeTransform((1,), (1, 1))]).sample()", -1),
        (
            "D.MixtureSameFamily(D.Categorical(rows[0]), D.MultivariateNormal(row, torch.eye(1).expand(3, 1, 1))).sample()",
            None,
        ),
        # An event of these may have a dimension that no parameter told has.
        ("D.MultivariateNormal(rows, torch.eye(3)).sample()", -1),
        ("D.Normal(row, row).expand((2, 3)).sample()", -1),
    ],
)
def test_a_draw_has_the_dimensions_of_both(drawn: str, rank: int | None) -> None:
    found = Ending(MADE.format(drawn=drawn))["drawn"]
    assert isinstance(found, Tensor)
    assert found.rank == rank
    assert lies(MADE.format(drawn=drawn)) == []


def test_another_parameter_may_have_other_dimensions() -> None:
    text = (
        MADE.format(drawn="D.Normal(rows, rows)")
        + "drawn.loc, drawn.scale = row, row\ndrawn = drawn.sample()\n"
    )
    assert lies(text) == []


NOISY = """
import torch
import torch.nn as nn
from torch.distributions import {family}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Linear(3, 2).to(device)


def smoothed(states):
    actions = policy(states)
    noise = {family}({parameters}).sample({shape}).squeeze(-1)
    return actions + noise


print(smoothed(torch.zeros(5, 3, device=device)).sum())
"""


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("Normal", "torch.tensor([0.0]), torch.tensor([0.2])"),
        ("Laplace", "torch.zeros(1), torch.ones(1)"),
        ("Exponential", "torch.ones(1)"),
    ],
)
def test_noise_that_loses_the_dimension_of_its_parameters_is_drawn_where_it_is_added(
    family: str, parameters: str
) -> None:
    text = NOISY.format(family=family, parameters=parameters, shape="actions.shape")
    assert clashes(text) == ["13: device"]
    texts, _ = fix_texts(files(text))
    assert texts["main.py"].count("device=actions.device") == parameters.count("torch.")
    assert clashes(texts["main.py"]) == []


def test_so_many_draws_are_a_dimension_of_their_own() -> None:
    found = Ending(MADE.format(drawn="D.Exponential(row).sample_n(5)"))["drawn"]
    assert isinstance(found, Tensor)
    assert found.rank == 2


@pytest.mark.parametrize("shape", ["", "torch.Size()", "actions.sum().shape"])
def test_a_single_number_may_stay_on_the_cpu(shape: str) -> None:
    parameters = "torch.tensor([0.0]), torch.tensor([0.2])"
    assert clashes(NOISY.format(family="Normal", parameters=parameters, shape=shape)) == []


@pytest.mark.parametrize(
    "drawn",
    [
        "D.Categorical(torch.ones(3)).sample()",
        "D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.zeros(3), torch.ones(3))).sample()",
    ],
)
def test_what_chooses_among_the_entries_of_a_row_draws_a_number(drawn: str) -> None:
    text = f"""
    import torch
    from torch import distributions as D

    print(torch.ones(4).cuda() + {drawn})
    """
    assert clashes(text) == []
