"""Where a move goes: to what can be moved, written as somebody who keeps the program would write it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """\
import numpy as np
import torch
import torch.nn as nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""

#: Programs that fail on an accelerator, and the lines that change.
PROGRAMS = {
    "an array is left where it is, the tensor made of it moves": (
        """
class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2).to(device)

    def act(self, state):
        return self.net(state).argmax().item()


agent = Agent()
state = np.zeros(4, dtype=np.float32)
for _ in range(3):
    agent.act(torch.from_numpy(state))
""",
        {"        return self.net(state.to(device)).argmax().item()"},
    ),
    "a table is moved once, what is looked up in it is there": (
        """
class Diffusion:
    def __init__(self, steps):
        self.betas = torch.linspace(0.1, 0.2, steps)

    def at(self, t, x):
        return self.betas[t].view(-1, 1) * x


Diffusion(4).at(torch.tensor([0, 1], device=device), torch.rand(2, 3, device=device))
""",
        {"        self.betas = torch.linspace(0.1, 0.2, steps, device=device)"},
    ),
    "a module follows its input, not the script around it": (
        """
class Noise(nn.Module):
    def forward(self, x):
        return x + torch.arange(3)


Noise().to(device)(torch.rand(2, 3, device=device))
""",
        {"        return x + torch.arange(3, device=x.device)"},
    ),
    "a module that uses the script's device does so again": (
        """
class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3, device=device))

    def forward(self, x):
        return x * self.scale + torch.arange(3)


Noise().to(device)(torch.rand(2, 3, device=device))
""",
        {"        return x * self.scale + torch.arange(3, device=device)"},
    ),
    "all parameters in one vector are where they are one by one": (
        """
net = nn.Linear(3, 2).to(device)
vector = nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
""",
        {"vector = nn.utils.parameters_to_vector(net.parameters()).detach().cpu().numpy()"},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_repairs_change_these_lines(name: str) -> None:
    text, lines = PROGRAMS[name]
    fixed = fix_texts({"main.py": HEAD + text})[0]["main.py"]
    assert set(fixed.splitlines()) - set((HEAD + text).splitlines()) == lines
