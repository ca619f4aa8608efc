"""Parametrizations and masks of a layer's weight meet the weight, wherever that is by then."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn
from torch.nn.utils import parametrize, prune
class Masked(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)
    def forward(self, weight):
        return weight * self.mask
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(4, 4)
{moved}
{registered}
{later}
print(layer(torch.ones(2, 4, device=device)).sum().item())
"""
REGISTERED = 'parametrize.register_parametrization(layer, "weight", Masked(torch.ones(4, 4)))'
MASKED = 'prune.custom_from_mask(layer, "weight", torch.ones(4, 4))'


def _program(registered: str, moved: str = "", later: str = "") -> str:
    return PROGRAM.replace("{moved}", moved).replace("{registered}", registered).replace("{later}", later)


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_it_meets_the_weight_when_it_is_registered(registered: str) -> None:
    assert clashes(_program(registered, moved="layer.to(device)"))


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_what_is_registered_before_moves_along(registered: str) -> None:
    assert not clashes(_program(registered, later="layer.to(device)"))
    after = "print(layer.parametrizations.weight.mask * torch.ones(4, 4, device=device))"
    assert not clashes(_program(REGISTERED, later=f"layer.to(device)\n{after}"))


@pytest.mark.parametrize("registered", [REGISTERED, MASKED])
def test_one_on_the_device_of_the_weight_is_right(registered: str) -> None:
    text = _program(registered.replace("(4, 4)", "(4, 4, device=device)"), moved="layer.to(device)")
    assert not clashes(text)
    assert not clashes(text.replace('"weight"', "name"))


def test_it_is_moved_where_it_is_registered() -> None:
    after = fix_texts({"train.py": _program(REGISTERED, moved="layer.to(device)")}, Applicability.SAFE)[0]
    assert REGISTERED[:-1] + ".to(device))" in after["train.py"]
