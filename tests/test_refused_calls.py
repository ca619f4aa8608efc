"""Calls that Python refuses, since arguments are missing or too many: nothing of what is called is run."""

from __future__ import annotations

import pytest
from reality import run
from text_program import clashes

TEXT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, {parameters}):
        return self.layer(x)

def call(*given, **named):
    return net(*given, **named)

net = Net().to({device})
x = torch.ones(2, 3)
{call}
"""
REFUSED = [
    ("x, mask", "net(x)"),
    ("x, mask, more=None", "net(x, more=x)"),
    ("x, *, mask", "net(x)"),
    ("x", "net(x, x)"),
    ("x", "net(x, mask=x)"),
]
TAKEN = [
    ("x, mask=None", "net(x)"),
    ("x, mask", "net(x, x)"),
    ("x, mask", "net(x, mask=x)"),
    ("x, *, mask", "net(x, mask=x)"),
    ("x, *rest, **named", "net(x, x, mask=x)"),
    ("x, mask", "call(x, mask=x)"),
    ("x, mask", "net(*[x, x])"),
    ("x, mask", "net(**{'x': x, 'mask': x})"),
]


def _text(parameters: str, call: str, device: str) -> str:
    return TEXT.format(parameters=parameters, call=call, device=device)


@pytest.mark.parametrize(("parameters", "call"), REFUSED)
def test_what_python_refuses_to_call_is_not_run(parameters: str, call: str) -> None:
    assert not clashes(_text(parameters, call, "'cuda'"))
    with pytest.raises(TypeError):
        run(_text(parameters, call, "'cpu'"))


@pytest.mark.parametrize(("parameters", "call"), TAKEN)
def test_what_python_calls_is_run(parameters: str, call: str) -> None:
    assert clashes(_text(parameters, call, "'cuda'")) == ["11: device"]
    run(_text(parameters, call, "'cpu'"))
