"""A layer that is chosen by the number of its dimensions is one of that kind, whatever the number is."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import numpy as np
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        made = {made}
        self.first = made(1, 2, 3)
        self.norm = getattr(nn, "BatchNorm%dd" % dim)(2)

    def forward(self, x):
        return self.norm(self.first(x))

image = np.load("a.npy")[np.newaxis]
net = Net(len(image.shape[2:]))
print(net(torch.from_numpy(image).float().cuda()).sum())
"""


@pytest.mark.parametrize(
    "made",
    [
        'getattr(nn, "Conv%dd" % dim)',
        'getattr(nn, f"Conv{dim}d")',
        'getattr(nn, "Conv{0}d".format(dim))',
        'getattr(nn, "ConvTranspose" + str(dim) + "d")',
    ],
)
def test_it_has_parameters_that_move(made: str) -> None:
    text = PROGRAM.format(made=made)
    assert clashes(text)
    assert "net.cuda()" in fix_texts({"main.py": text})[0]["main.py"]
    assert not clashes(text.replace("shape[2:]))", "shape[2:])).cuda()"))


@pytest.mark.parametrize(
    "made", ['getattr(nn, "Conv%s" % dim)', 'getattr(nn, f"{dim}2d")', 'getattr(nn, f"Own{dim}d")']
)
def test_what_may_be_any_layer_is_unknown(made: str) -> None:
    text = PROGRAM.format(made=made).replace('getattr(nn, "BatchNorm%dd" % dim)(2)', "nn.Identity()")
    assert not clashes(text)
