"""torchdiffeq calls a model with the state it begins with, and gives the states that follow where that is."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files

HEAD = """
import torch
from torch import nn
from torchdiffeq import {solver} as odeint


class Speed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, t, y):
        return self.net(y**3) * t


"""
CHOSEN = """
func = Speed().cuda()
start, t, true = torch.ones(8, 2), torch.linspace(0.0, 1.0, 5), torch.zeros(5, 8, 2)
"""


@pytest.mark.parametrize("solver", ["odeint", "odeint_adjoint"])
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("odeint(func, start, t)", ["13: device"]),
        ("odeint(func=func, y0=start, t=t, method='euler')", ["13: device"]),
        # The moments follow the state.
        ("odeint(func, start.cuda(), t)", []),
        ("odeint(func, start.cuda(), t) - true", ["21: device"]),
        ("odeint(func, start.cuda(), t) - true.cuda()", []),
        ("odeint(func, start.cuda(), t)[0][0] - true.cuda()[0]", []),
        ("odeint(lambda t, y: y * true[0, 0, 0] + t, start.cuda(), t)", []),
        ("odeint(lambda t, y: y * true[0, 0], start.cuda(), t)", ["21: device"]),
        ("odeint(lambda t, y: (y[0].cuda(), y[1]), (start.cuda(), start), t)[1] - true", []),
        ("odeint(lambda t, y: y, (start.cuda(), start), t)[0] - true", ["21: device"]),
        ("odeint(*[func, start, t])", ["13: device"]),
        ("odeint(func, *input())", []),
    ],
)
def test_the_state_is_where_the_model_is(solver: str, line: str, found: list[str]) -> None:
    head = HEAD.format(solver=solver)
    text = f"{head}{CHOSEN}\n{line}\n"
    last = text.count("\n")
    assert clashes(text) == [each.replace("21", str(last)) for each in found]


def test_a_program_that_solves_is_given_a_device() -> None:
    script = """
func = Speed()
optimizer = torch.optim.Adam(func.parameters())
t = torch.linspace(0.0, 1.0, 5)
start, true = torch.ones(8, 2), torch.zeros(5, 8, 2)
for i in range(3):
    optimizer.zero_grad()
    loss = (odeint(func, start, t) - true).abs().mean()
    loss.backward()
    optimizer.step()
print(loss.item())
"""
    after = adopted(files(HEAD.format(solver="odeint") + script))["main.py"]
    assert "func = Speed().to(device)\n" in after
    assert "start, true = torch.ones(8, 2, device=device), torch.zeros(5, 8, 2, device=device)\n" in after
    assert "    loss = (odeint(func, start, t) - true).abs().mean()\n" in after
