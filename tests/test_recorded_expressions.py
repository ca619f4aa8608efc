"""What a GPU computed is not accused: expressions that an H200 was asked, and ran (tests/fidelity)."""

from __future__ import annotations

import pytest
from fidelity import answers, snippets
from text_program import clashes

from devfix.simulator import simulated_accelerator

HEAD = """
import copy, io, pickle
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset

D = torch.device("cuda")

def g(*shape): return torch.ones(*shape, device=D)
def c(*shape): return torch.ones(*shape)
def gi(*values): return torch.tensor(values, device=D)
def ci(*values): return torch.tensor(values)
def gs(value): return torch.tensor(value, device=D)
def cs(value): return torch.tensor(value)
"""
#: What is told all the same: it fails where it is used, or on older versions, or is no good idea.
TOLD = {
    "r = torch.distributions.MultivariateNormal(g(2), torch.eye(2))",
    "x = g(2).requires_grad_(); F.l1_loss(x, g(2).double()).backward()",
    "x = g(2).requires_grad_(); F.smooth_l1_loss(x, g(2).double()).backward()",
    "x = g(2).requires_grad_(); F.kl_div(x, g(2).double()).backward()",
}
RAN = {
    row["name"]
    for row in answers.read(answers.RECORDED / "expressions.jsonl.gz")[1]
    if row["outcome"] == "ok"
}
ASKED = {asked.name for asked in snippets.expressions()}


@pytest.mark.parametrize("code", [asked.code for asked in snippets.expressions() if asked.name in RAN - TOLD])
def test_what_ran_is_not_accused(code: str) -> None:
    assert clashes(f"{HEAD}{code}\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "torch.lerp(g(2), cs(1.), .5)",
        "torch.lerp(cs(1.), g(2), .5)",
        "torch.lerp(g(2), cs(1.), g(2))",
        "torch.addcmul(g(2), cs(1.), cs(2.))",
        "torch.addcmul(cs(1.), g(2), g(2))",
        "torch.addcmul(g(2), cs(1.), g(2))",
        "torch.addcdiv(g(2), g(2), cs(2.))",
        "torch.addcdiv(g(2), cs(2.), g(2))",
        "torch.normal(g(2), cs(1.))",
        "torch.nested.nested_tensor([g(2), c(3)]).device",
    ],
)
def test_what_was_refused_is_found(code: str) -> None:
    assert f"r = {code}" in ASKED - RAN
    assert [line.partition(": ")[2] for line in clashes(f"{HEAD}{code}\n")] == ["device"]


POOLS = """
F.max_pool2d(n, 2)
F.max_pool1d(n[0], 2)
F.avg_pool2d(n, 2)
F.max_pool2d(n.bool(), 2)
F.max_pool2d(n.float(), 2)
F.max_pool2d(n.cpu(), 2)
nn.MaxPool2d(2)(n)
nn.MaxPool2d(2)(n.cpu())
nn.AvgPool2d(2)(n)
nn.AdaptiveAvgPool2d(2)(n)
nn.AdaptiveAvgPool2d(2)(n.cpu())
nn.AdaptiveAvgPool2d(2)(n.float())
F.adaptive_max_pool2d(n.cpu(), 2)
nn.Softmax(1)(n.cpu())
nn.ReLU()(n)
nn.Flatten()(n)
torch.cdist(n[0, 0].cpu(), n[0, 0].cpu())
"""


@pytest.mark.parametrize("use", POOLS.strip().splitlines())
def test_pools_of_integers_are_told_of_where_they_are_refused(use: str) -> None:
    program = f"{HEAD}n = torch.ones(1, 1, 4, 4, dtype=torch.int64, device=D)\n{use}\n"
    with simulated_accelerator():
        try:
            exec(program, {})
            refused = False
        except RuntimeError:
            refused = True
    assert [line.partition(": ")[2] for line in clashes(program)] == ["float-dtype"] * refused
