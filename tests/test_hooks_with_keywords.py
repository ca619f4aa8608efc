"""Forward hooks that are given the keywords of a call."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x, mask=None):
        return self.layer(x) * mask

{hook}

net = Masked().cuda()
handle = net.{register}
y = torch.ones(4, 1)
print(net(torch.ones(4, 3){moved}, mask=torch.ones(4, 1){moved}) + y)
"""
BOTH = """
def before(module, args, kwargs):
    return tuple(a.cuda() for a in args), {k: v.cuda() for k, v in kwargs.items()}

def after(module, args, kwargs, output):
    return output.cpu()
"""
UNCLEAR = """
from elsewhere import place

def before(module, args, kwargs):
    return place(args), place(kwargs)

def after(module, args, kwargs, output):
    return place(output)
"""
SILENT = """
def before(module, args, kwargs):
    print(kwargs["mask"].shape)

after = before
"""
BEFORE = "register_forward_pre_hook(before, with_kwargs=True)"
AFTER = "register_forward_hook(after, with_kwargs=True)"


@pytest.mark.parametrize(
    ("hook", "register", "moved", "found"),
    [
        (BOTH, BEFORE, "", ["{last}: device"]),
        (BOTH, AFTER, ".cuda()", []),
        (UNCLEAR, BEFORE, "", ["{last}: device"]),
        (UNCLEAR, AFTER, ".cuda()", []),
        (SILENT, BEFORE, ".cuda()", ["{last}: device"]),
        (SILENT, BEFORE, "", ["11: device", "11: device", "{last}: device"]),
    ],
)
def test_what_hooks_return_goes_on(hook: str, register: str, moved: str, found: list[str]) -> None:
    text = PROGRAM.format(hook=hook, register=register, moved=moved)
    assert clashes(text) == [line.format(last=len(text.splitlines())) for line in found]
