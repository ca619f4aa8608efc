"""What stands at the ends of a tuple reaches the targets at the ends, however many items a starred part in between has."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

MODULE = """
import torch
from torch import nn


class Pairs(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, x):
        {unpacked}
        own = torch.eye(4, dtype=torch.bool{made})
        numbers = torch.arange(4, device=device).expand(4, 4)
        return numbers.masked_select(own)
"""


@pytest.mark.parametrize(
    "unpacked",
    [
        "b, n, *_, device = *x.shape, x.device",
        "*_, n, device = *x.shape, x.device",
        "device, *_ = x.device, *x.shape",
        "device, *_, n = x.device, *x.shape",
        "b, n, d, device = *x.shape, x.device",
        "b, n, d, h, device = *x.shape, self.heads, x.device",
        "b, n, d, device, h = *x.shape, x.device, self.heads",
        "(b, *_), device = x.shape, x.device",
        "[b, n, d, device] = *x.shape, x.device",
    ],
)
def test_a_device_at_the_end(unpacked: str) -> None:
    text = MODULE.format(unpacked=unpacked, made="")
    assert clashes(text) == ["15: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == MODULE.format(unpacked=unpacked, made=", device=device")


@pytest.mark.parametrize(
    "unpacked",
    [
        "b, device, *_ = *x.shape, x.device",
        "b, *device = *x.shape, x.device",
        "device, *_ = *x.shape, x.device",
        "*_, device, n = *x.shape, x.device",
        "b, n, device = *x.shape, *x.devices",
        "b, n, device = *x.shape, x.find_device()",
    ],
)
def test_what_nobody_knows(unpacked: str) -> None:
    assert clashes(MODULE.format(unpacked=unpacked, made="")) == []


def test_a_name_that_the_same_assignment_binds_is_asked_before() -> None:
    swapped = "x, *_, device = *x.shape, x.device"
    assert clashes(MODULE.format(unpacked=swapped, made="")) == ["15: device"]


def test_several_targets() -> None:
    chained = "whole = *_, device = *x.shape, x.device"
    assert clashes(MODULE.format(unpacked=chained, made="")) == ["15: device"]


def test_what_fits_no_targets_is_left_alone() -> None:
    assert clashes(MODULE.format(unpacked="device = (x.device, *x.shape, 4)[0]", made="")) == []
