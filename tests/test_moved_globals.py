"""Modules at the top of a file that functions move: where they are in the others depends on who is called first."""

from __future__ import annotations

import pytest
from text_program import clashes

KEPT = """
import torch
from torch import nn

model = nn.Linear(3, 3)
device = torch.device("cuda")


def prepare(other):
    {move}


def evaluate(x):
    return model(x.to(device))
"""


@pytest.mark.parametrize(
    "move", ["model.to(device)", "model.cuda()", "global model\n    model = model.to(device)"]
)
def test_nobody_knows_whether_it_was_moved_by_then(move: str) -> None:
    assert clashes(KEPT.format(move=move)) == []


@pytest.mark.parametrize(
    "move",
    [
        "other.to(device)",
        "model = other\n    model.to(device)",
        "device.type.cuda()",
        "other.model.to(device)",
    ],
)
def test_what_no_function_moves_stays_on_the_cpu(move: str) -> None:
    assert len(clashes(KEPT.format(move=move))) == 1


def test_a_script_knows_what_it_has_called() -> None:
    called = KEPT.format(move="model.to(device)") + "\n\nevaluate(torch.ones(2, 3))\n"
    assert len(clashes(called)) == 1
    assert clashes(called.replace("\n\nevaluate(", "\n\nprepare(model)\nevaluate(")) == []


def test_what_is_on_the_accelerator_before_stays_there() -> None:
    moved = KEPT.format(move="model.to(device)").replace(
        "\n\n\ndef prepare", "\nmodel.to(device)\n\n\ndef prepare", 1
    )
    assert clashes(moved) == []
    assert len(clashes(moved.replace("model(x.to(device))", "model(torch.ones(2, 3))"))) == 1
