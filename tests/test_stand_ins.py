"""Tensors without elements that stand where there is none, and what an operation writes to instead of making it."""

from __future__ import annotations

import pytest
from text_program import clashes

DECODER = """\
    import torch
    from torch import nn

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 4)

        def forward(self, tokens, encoded=None):
            if encoded is not None:
                states = encoded[0]
                mask = encoded[1]
            else:
                states = {states}
                mask = {states}
            x = self.embed(tokens)
            scores = (states * x).sum(dim=2)
            return scores.float().masked_fill(mask, float("-inf"))
    """


@pytest.mark.parametrize(
    "states", ["torch.empty(0)", "torch.zeros(0)", "torch.tensor([])", "torch.Tensor([])"]
)
def test_what_has_no_elements_stands_where_there_is_nothing(states: str) -> None:
    assert clashes(DECODER.format(states=states)) == []


def test_what_has_elements_meets_the_others() -> None:
    assert "17: device" in clashes(DECODER.format(states="torch.zeros(3, 4)"))


@pytest.mark.parametrize("joined", ["torch.cat([seen, x])", "torch.hstack((seen, x))"])
def test_what_is_joined_to_a_tensor_without_elements_must_be_beside_it(joined: str) -> None:
    text = """\
        import torch

        x = torch.ones(3, device="cuda")
        seen = torch.tensor([])
        {}
        """
    assert clashes(text.format(joined)) == ["5: device"]


POSITIONS = """\
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 4)
            self.places = nn.Embedding(10, 4)

        def forward(self, tokens):
            {}
            return self.embed(tokens) + self.places(positions)
    """


def test_what_a_factory_writes_to_is_where_it_was() -> None:
    given = "positions = torch.arange(tokens.size(1), out=make(tokens))"
    assert clashes(POSITIONS.format(given)) == []
    given = "positions = torch.arange(tokens.size(1), out=tokens.new(4).long())"
    assert clashes(POSITIONS.format(given)) == []


def test_what_a_factory_makes_anew_is_on_the_cpu() -> None:
    assert clashes(POSITIONS.format("positions = torch.arange(tokens.size(1))")) == ["12: device"]
