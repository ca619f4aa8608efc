"""A parameter that some script gives what nobody knows: what is called on it tells that it is a tensor."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
import strange
import torch
from torch import nn

class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.of = nn.CrossEntropyLoss()

    def forward(self, logit):
        {count}
        target = torch.arange(count)
        return self.of(logit, target)

loss = Loss()
x = torch.ones(3, 3).cuda()
print(loss(nn.Linear(3, 3).cuda()(x)))
print(loss(strange.logits(x)))
"""


@pytest.mark.parametrize(
    "count",
    ["count = logit.size(1)", "count, _ = (logit.size(0), 1)", "logit.dim()\n        count = len(logit)"],
)
def test_what_has_a_size_to_call_tells_its_device(count: str) -> None:
    fixed = fix_texts(files(PROGRAM.format(count=count)))[0]["main.py"]
    assert "torch.arange(count, device=logit.device)" in fixed
    assert clashes(fixed) == []


@pytest.mark.parametrize(
    "count",
    [
        "count = len(logit)",
        "count = logit.shape[1]",
        "count = logit.size(1) if torch.is_tensor(logit) else len(logit)",
        "count = len(logit)\n        if torch.is_tensor(logit):\n            count = logit.size(0)",
        "count = logit.size(1)\n        logit = open_(logit)",
    ],
)
def test_what_may_have_none_tells_nothing(count: str) -> None:
    text = PROGRAM.format(count=count)
    fixed = fix_texts(files(text))[0]["main.py"]
    assert "logit.device" not in fixed
