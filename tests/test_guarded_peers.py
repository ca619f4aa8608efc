"""A device is not asked of a parameter where the module may have none."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

SCALE = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, affine=False):
        super().__init__()
        self.affine = affine
        {made}

    def forward(self, x, mask=None):
        self.look(x, mask=mask)
        return self.scale(x)

    def look(self, x, mask=None):
        if mask is None:
            mask = torch.ones((x.shape[0], x.shape[-1]))
        seen = torch.where(mask.unsqueeze(1).bool(), x, torch.nan)
        self.mean = torch.nanmean(seen, dim=-1, keepdim=True).detach()
        self.spread = seen.square().nanmean(dim=-1, keepdim=True).detach()

    def scale(self, x):
        x = x - self.mean
        x = x / self.spread
        if self.affine:
            x = x * self.weight
        return x


class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.scale = Scale(affine=config.affine)

    def forward(self, x, mask=None):
        return self.scale(x, mask=mask)
"""


MADE = "self.weight = nn.Parameter(torch.ones(1, 3, 1))"


@pytest.mark.parametrize(
    ("made", "before", "after"),
    [
        (f"if affine:\n            {MADE}", "x * self.weight", "x.to(self.weight.device) * self.weight"),
        (MADE, "x / self.spread", "(x / self.spread).to(self.weight.device)"),
    ],
)
def test_a_parameter_that_may_be_missing_tells_the_device_only_behind_the_test(
    made: str, before: str, after: str
) -> None:
    text = SCALE.format(made=made)
    assert fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"] == text.replace(before, after)
