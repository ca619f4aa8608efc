"""A module that gives one of its own parameters data from the CPU leaves that one there, and no other."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

_MIXTURE = """
import os

import numpy as np
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 3)
        self.weights = nn.Parameter(torch.ones(4) / 4)
        self.means = nn.Parameter(torch.zeros(4, 3))

    def prepare(self, path):
        if not os.path.exists(path):
            self.weights.data = {weights}
            self.means.data = torch.from_numpy(np.random.rand(4, 3)).cuda().float()
        else:
            self.load_state_dict(torch.load(path, map_location="cpu"))

    def loss(self, x):
        return (torch.log(self.weights.unsqueeze(0)) + self.encoder(x) @ self.means.t()).mean()


model = Mixture().cuda()
model.prepare("mixture.pt")
optimizer = torch.optim.Adam(model.parameters())
model.loss(torch.rand(5, 3).cuda()).backward()
optimizer.step()
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_the_data_go_where_the_parameter_is() -> None:
    made = "torch.from_numpy(np.random.rand(4)).float()"
    text = _MIXTURE.format(weights=made)
    assert _fixed(text) == text.replace(made, f"{made}.to(self.weights.device)")


@pytest.mark.parametrize(
    "made",
    [
        "torch.from_numpy(np.random.rand(4)).float().cuda()",
        "torch.from_numpy(np.random.rand(4)).cuda().float()",
        "torch.rand(4, device=self.means.device)",
        "self.weights.data / 2",
    ],
)
def test_data_that_are_there_are_left_alone(made: str) -> None:
    text = _MIXTURE.format(weights=made)
    assert not check_texts({"main.py": text})
    assert _fixed(text) == text


def test_what_was_taken_to_the_cpu_on_purpose_is_left_there() -> None:
    text = _MIXTURE.format(weights="self.weights.data.cpu()").replace(
        "torch.log(self.weights.unsqueeze(0))", "torch.log(self.weights.unsqueeze(0)).cuda()"
    )
    assert _fixed(text) == text


_TIED = """
import torch
from torch import nn


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4, bias=False)
        self.decoder = nn.Linear(4, 4, bias=False)
        self.gain = nn.Parameter(torch.ones(4))
        {tie}

    def forward(self, x):
        return self.encoder(x)


model = Coder().cuda()
model.{written}.data = torch.ones({size})
print({read})
"""


@pytest.mark.parametrize(
    ("tie", "written", "size", "read"),
    [
        ("self.decoder.weight = self.encoder.weight", "decoder.weight", "4, 4", "model(torch.rand(2, 4))"),
        ("self.factor = self.gain", "gain", "4", "model.factor + torch.rand(4)"),
        ("self.factor = self.gain", "factor", "4", "model.gain + torch.rand(4)"),
    ],
)
def test_a_parameter_with_two_names_has_its_data_under_both(
    tie: str, written: str, size: str, read: str
) -> None:
    assert check_texts({"main.py": _TIED.format(tie=tie, written=written, size=size, read=read)}) == []


def test_a_parameter_beside_one_that_got_data_is_where_it_was() -> None:
    text = _TIED.format(tie="pass", written="gain", size="4", read="model(torch.rand(2, 4))")
    assert check_texts({"main.py": text})
