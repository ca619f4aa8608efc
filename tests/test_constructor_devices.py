"""Modules whose constructor moves them to a device that may be left out: it is passed where they are made."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """\
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Critic(nn.Module):
    def __init__(self, n, device={default}):
        super().__init__()
        self.device = device
        self.net = nn.Linear(n, 1)
        self.to({target})

    def forward(self, x):
        return self.net(x)


x = torch.rand(2, 3).to(device)
"""


@pytest.mark.parametrize("default", ['"cpu"', 'torch.device("cpu")'])
@pytest.mark.parametrize("target", ["device", "self.device"])
def test_the_device_is_passed_where_the_module_is_made(default: str, target: str) -> None:
    text = HEAD.format(default=default, target=target) + "critic = Critic(3)\nprint(critic(x))\n"
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace("Critic(3)\n", "Critic(3, device=device)\n")


def test_what_a_call_cannot_be_told_the_module_is_moved() -> None:
    head = HEAD.format(default='"cpu"', target="device")
    text = head + "given = [3]\ncritic = Critic(*given)\nprint(critic(x))\n"
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace("Critic(*given)\n", "Critic(*given).to(device)\n")


@pytest.mark.parametrize(
    "use",
    [
        "critic = Critic(3, device=device)\nprint(critic(x))\n",
        "critic = Critic(3, device)\nprint(critic(x))\n",
        "critic = Critic(3).to(device)\nprint(critic(x))\n",
        "critic = Critic(3)\nprint(critic(x.cpu()))\n",
    ],
)
def test_modules_that_are_where_their_inputs_are_stay(use: str) -> None:
    assert clashes(HEAD.format(default='"cpu"', target="device") + use) == []
