"""A process that hides the accelerators from itself has none."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import os
import torch
from torch import nn
def start():
    {first}
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
def worker():
    device = start()
    model = nn.Linear(2, 2)
    return model(torch.rand(3, 2).to(device))
worker()
"""


@pytest.mark.parametrize(
    "first", ['os.environ["CUDA_VISIBLE_DEVICES"] = ""', "os.environ['CUDA_VISIBLE_DEVICES'] = '-1'"]
)
def test_nothing_is_on_an_accelerator_that_is_hidden(first: str) -> None:
    assert clashes(PROGRAM.format(first=first)) == []


@pytest.mark.parametrize(
    "first",
    [
        'os.environ["CUDA_VISIBLE_DEVICES"] = "0"',
        'os.environ["OMP_NUM_THREADS"] = "-1"',
        'if os.path.exists("cpu"):\n        os.environ["CUDA_VISIBLE_DEVICES"] = ""',
    ],
)
def test_one_that_may_be_seen_is_used(first: str) -> None:
    assert [clash.partition(" ")[2] for clash in clashes(PROGRAM.format(first=first))] == ["device"]
