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


UNSEEN = """
from abc import ABC
import torch
from torch import nn
{imported}

class Base({base}):
    def setup(self, where):
        {set}

class Net(Base, ABC):
    def __init__(self, n):
        super().__init__()
        self.embedding = nn.Embedding(n, 3)
        self.tokens = torch.zeros(4, dtype=torch.long).to(self.device)

    def forward(self, x):
        return self.embedding(self.tokens) + x
"""
FRAMEWORK = "from lightning import LightningModule"


@pytest.mark.parametrize(
    ("imported", "base"), [("", "nn.Module"), ("from unheard import Kit", "Kit, nn.Module")]
)
def test_a_device_that_a_class_sets_somewhere_is_not_known_before(imported: str, base: str) -> None:
    assert not clashes(UNSEEN.format(imported=imported, base=base, set="self.device = where"))


def test_what_python_has_gives_modules_no_device() -> None:
    assert not clashes(UNSEEN.format(imported="", base="nn.Module", set="pass"))


def test_a_module_of_a_framework_that_is_just_made_is_on_the_cpu() -> None:
    assert clashes(UNSEEN.format(imported=FRAMEWORK, base="LightningModule", set="pass"))
