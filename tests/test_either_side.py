"""What serves the CPU as well as the accelerator goes by what it is given, and takes no side."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """
import copy
import torch
from torch import nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
POOLING = """
def pooled(embedded, rows):
    weights = torch.ones(len(rows), 1)
    return (embedded[rows] * weights).mean(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return pooled(self.layer(x), [0, 1])


{other}
net = Net().to(DEVICE)
print(net(torch.ones(3, 4, device=DEVICE)))
"""
EVALUATING = """
loader = torch.utils.data.DataLoader([(torch.ones(4), torch.ones(4))] * 4, batch_size=2)


def evaluated(model):
    total = 0.0
    for x, y in loader:
        total += (model(x) - y).abs().sum().item()
    return total


net = nn.Linear(4, 4).to(DEVICE)
{other}
print(evaluated(net))
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": HEAD + text})[0]["main.py"]


@pytest.mark.parametrize(
    ("other", "device"),
    [("print(Net()(torch.ones(3, 4)).detach().numpy())", "embedded.device"), ("", "DEVICE")],
)
def test_what_two_modules_use_is_made_where_either_is(other: str, device: str) -> None:
    text = _fixed(POOLING.format(other=other))
    assert f"weights = torch.ones(len(rows), 1, device={device})" in text
    assert other in text


def test_a_function_that_is_given_modules_of_both_sides_asks_the_module() -> None:
    other = "print(evaluated(copy.deepcopy(net).cpu()))"
    text = _fixed(EVALUATING.format(other=other))
    assert "    device = next(model.parameters()).device\n" in text
    assert "x, y = x.to(device), y.to(device)\n" in text
    assert other in text


def test_a_function_that_is_given_modules_of_one_side_takes_that() -> None:
    assert "x, y = x.to(DEVICE), y.to(DEVICE)\n" in _fixed(EVALUATING.format(other=""))


def test_what_a_function_moves_itself_does_not_tell_where_its_parameter_is() -> None:
    text = _fixed("""
def shifted(x):
    shift = torch.ones(4)
    return x.to(DEVICE).mul(2) + shift


net = nn.Linear(4, 4).to(DEVICE)
print(net(shifted(torch.ones(2, 4))), net(shifted(torch.ones(2, 4, device=DEVICE))))
""")
    assert "shift = torch.ones(4, device=DEVICE)" in text


def test_a_note_of_where_the_module_was_tells_where_it_is() -> None:
    text = _fixed("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.device = next(self.parameters()).device

    def forward(self, x):
        return self.layer(x)


def sampled(net, n):
    return net(torch.randn(n, 4).to(net.device))


print(sampled(Net().to(DEVICE), 3))
""")
    assert "return net(torch.randn(n, 4).to(net.device))" in text
    assert "@property\n    def device(self):\n        return next(self.parameters()).device" in text
