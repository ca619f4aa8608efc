"""A head that a program gives a model from a library has to be where the rest of the model is."""

from __future__ import annotations

from text_program import clashes, fix_texts

SETUP = """
import torch
from torch import nn
from torchvision import models
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = models.resnet18(weights=None)
x = torch.randn(2, 3, 64, 64).to(device)
"""


def test_a_head_given_after_the_move_is_moved_as_well() -> None:
    program = SETUP + "model = model.to(device)\nmodel.fc = nn.Linear(512, 10)\nmodel(x)\n"
    assert clashes(program) == ["10: device"]
    assert "model.fc = nn.Linear(512, 10).to(device)\n" in fix_texts({"train.py": program})[0]["train.py"]


def test_a_head_given_before_the_move_goes_along() -> None:
    assert clashes(SETUP + "model.fc = nn.Linear(512, 10)\nmodel = model.to(device)\nmodel(x)\n") == []


def test_a_head_moved_by_itself_or_without_parameters_is_left_alone() -> None:
    heads = "model.fc = nn.Linear(512, 10).to(device)\nmodel.avgpool = nn.Identity()\n"
    assert clashes(SETUP + f"model = model.to(device)\n{heads}model(x)\n") == []


def test_a_model_that_stays_on_the_cpu_has_its_head_there() -> None:
    assert clashes(SETUP + "model.fc = nn.Linear(512, 10)\nmodel(x.cpu())\n") == []
