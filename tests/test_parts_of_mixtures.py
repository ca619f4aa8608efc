"""A mixture knows the distribution that chooses, and those that it chooses from."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

PROGRAM = """
import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal

weights, rows = torch.ones(2), torch.ones(2, 3)
parts = Independent(Normal(rows, rows), 1)
mixture = MixtureSameFamily({chosen}, parts)
x = torch.ones(4, 3, device="cuda")
{again}
"""
NAMED = "Categorical(logits=weights)"
LOGITS = 'mixture.mixture_distribution.logits.to("cuda")'
MOVED = (
    'Independent(Normal(mixture.component_distribution.base_dist.loc.to("cuda"), '
    'mixture.component_distribution.base_dist.scale.to("cuda")), 1)'
)


@pytest.mark.parametrize(
    "again",
    [
        f"MixtureSameFamily(Categorical(logits=mixture.mixture_distribution.logits), {MOVED}).log_prob(x)",
        f"MixtureSameFamily(Categorical(logits={LOGITS}), mixture.component_distribution)",
        "mixture.component_distribution.log_prob(x)",
        "mixture.mixture_distribution.probs + x[0, :2]",
    ],
)
def test_each_part_is_where_it_was_made(again: str) -> None:
    assert clashes(PROGRAM.format(chosen=NAMED, again=again)) == ["9: device"]


@pytest.mark.parametrize(
    "again",
    [
        f"MixtureSameFamily(Categorical(logits={LOGITS}), {MOVED}).log_prob(x)",
        "MixtureSameFamily(mixture.mixture_distribution, mixture.component_distribution).log_prob(x.cpu())",
        "mixture.component_distribution.log_prob(x.cpu())",
    ],
)
def test_parts_that_are_together_are_taken(again: str) -> None:
    assert clashes(PROGRAM.format(chosen=NAMED, again=again)) == []
    assert (
        clashes(PROGRAM.format(chosen="mixture_of_others(weights)", again="mixture.log_prob(x.cpu())")) == []
    )


def test_pytorch_agrees() -> None:
    text = """
    import torch
    from torch.distributions import Categorical, MixtureSameFamily, Normal

    mixture = MixtureSameFamily(Categorical(logits=torch.zeros(2)), Normal(torch.zeros(3, 2), torch.ones(3, 2)))
    logits = mixture.mixture_distribution.logits
    loc = mixture.component_distribution.loc
    value = mixture.log_prob(torch.zeros(3))
    """
    assert lies(text) == []
