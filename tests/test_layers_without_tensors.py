"""A layer of torch's that has no weight or buffer gets none from being asked for one."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Masked(nn.Linear):
    def __init__(self):
        super().__init__(4, 4)
        self.register_buffer("mask", torch.ones(4, 4))

net = nn.Sequential(Masked(), {layer}, nn.Sequential(Masked())).cuda()
{used}
"""
_ASKED = """for module in net.modules():
    if hasattr(module, "bias") and module.bias is not None:
        print(module.bias.shape)
for p in net.parameters():
    p.detach().numpy()"""
_BUFFERS = """for module in net.modules():
    for name, mask in module.named_buffers():
        if "mask" in name:
            mask.detach().numpy()"""


@pytest.mark.parametrize("layer", ["nn.ReLU()", "nn.Dropout(0.5)", "nn.Sequential(nn.Tanh())"])
@pytest.mark.parametrize("used", [_ASKED, _BUFFERS])
def test_layers_without_tensors_leave_the_others_known(layer: str, used: str) -> None:
    assert len(clashes(PROGRAM.format(layer=layer, used=used))) == 1


def test_what_holds_another_module_keeps_what_nobody_sees() -> None:
    used = "import kit\nkit.fill(net)\nfor name, mask in net[1].named_buffers():\n    mask.numpy()"
    assert clashes(PROGRAM.format(layer="nn.DataParallel(nn.Linear(4, 4))", used=used)) == []
