"""A model that is quantized for the CPU stays there."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

_TRAINED = """
import torch
import torch.ao.quantization as quantization
from torch import nn
from torch.ao.quantization import quantize_fx
from torch.quantization import quantize_dynamic

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
sgd = torch.optim.SGD(net.parameters(), lr=0.1)


def small(model):
    return quantize_dynamic(model.eval(), {{nn.Linear}}, dtype=torch.qint8)


for _ in range(3):
    loss = net(torch.randn(5, 4)).pow(2).mean()
    sgd.zero_grad()
    loss.backward()
    sgd.step()
{last}
"""


@pytest.mark.parametrize(
    "last",
    [
        "print(quantize_dynamic(net, {nn.Linear})(torch.ones(2, 4)).sum())",
        "print(torch.ao.quantization.quantize_dynamic(net, {nn.Linear}, dtype=torch.qint8)(torch.ones(2, 4)))",
        "print(torch.quantization.quantize_dynamic(model=net)(torch.ones(2, 4)))",
        "print(small(net)(torch.ones(2, 4)))",
        "print(quantization.convert(quantization.prepare(net))(torch.ones(2, 4)))",
        "print(quantize_fx.convert_fx(net)(torch.ones(2, 4)))",
        "quantization.quantize_qat(net, print, [])\nprint(net(torch.ones(2, 4)))",
        "print(quantization.quantize_dynamic_jit(torch.jit.script(net), {'': None})(torch.ones(2, 4)))",
        "print(torch.quantization.convert_jit(torch.jit.script(net))(torch.ones(2, 4)))",
    ],
)
def test_a_program_that_quantizes_its_model_is_left_on_the_cpu(last: str) -> None:
    texts = files(_TRAINED.format(last=last))
    assert adopted(texts) == texts


@pytest.mark.parametrize(
    "last",
    [
        "print(net(torch.ones(2, 4)).sum())",
        "def convert(model):\n    return model\nprint(convert(net)(torch.ones(2, 4)).sum())",
        "print(quantize_fx.fuse_fx(net.eval())(torch.ones(2, 4)).sum())",
    ],
)
def test_what_quantizes_nothing_is_no_obstacle(last: str) -> None:
    after = adopted(files(_TRAINED.format(last=last)))["main.py"]
    assert "nn.Linear(8, 2)).to(device)" in after
