"""A name that stood for a tensor on the CPU, and since a move stands for one on the accelerator, tells the device."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TRAINING = """import torch
from torch.utils.data import DataLoader, TensorDataset

net = torch.nn.Linear(3, 3)
net.cuda()
loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 3)), batch_size=4)
for x, y in loader:
{body}
"""


def fixed(body: str) -> str:
    text = TRAINING.format(body="".join(f"    {line}\n" for line in body.splitlines()))
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize("move", ["x, y = x.cuda(), y.cuda()", "x = x.cuda()", "x = x[:2]\nx = x.cuda()"])
def test_what_was_moved_before_tells_the_device(move: str) -> None:
    after = fixed(f"{move}\nnoise = torch.zeros(x.size(0), 3)\nprint(net(x) + noise)")
    assert "torch.zeros(x.size(0), 3, device=x.device)" in after
    assert not clashes(after)


@pytest.mark.parametrize(
    "body",
    [
        "noise = torch.zeros(x.size(0), 3)\nx = x.cuda()\nprint(net(x) + noise)",
        "x = x.cuda()\nz = net(x)\nx = x.cpu()\nnoise = torch.zeros(x.size(0), 3)\nprint(z + noise)",
        "if len(x) > 3:\n    x = x.cuda()\nnoise = torch.zeros(x.size(0), 3)\nprint(net(x.cuda()) + noise)",
    ],
)
def test_what_may_not_have_been_moved_yet_does_not(body: str) -> None:
    after = fixed(body)
    assert "device=x.device" not in after
    assert not clashes(after)
