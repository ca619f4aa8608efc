"""Where a function computes in float64 on purpose, what meets that is cast to it."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

SOLVED = """import torch

def kernel(a):
    return torch.cdist(a, a).double().neg().exp()

def nll(x, y):
    k = kernel(x) + torch.eye(len(x), dtype=torch.float64, device=x.device)
    chol = torch.linalg.cholesky(k)
    alpha = torch.cholesky_solve(y.unsqueeze(1), chol)
    return y.double() @ alpha.squeeze(1)

print(nll(torch.rand(8, 2), torch.rand(8)))
"""
LAYER = """import torch
from torch import nn

net = nn.Linear(2, 2)

def score(x):
    x = (x.double() / 3).clamp(max=1)
    return net(x)

print(score(torch.rand(8, 2)))
"""
ELSEWHERE = """import torch

def table(n):
    return torch.eye(n, dtype=torch.float64)

def mix(x):
    return x @ table(x.shape[1])

print(mix(torch.rand(8, 2)))
"""


def fixed(text: str) -> str:
    """The program in the end, in which nothing is left to fix."""
    texts, (report,) = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not report.findings
    return texts["main.py"]


def test_what_meets_float64_that_the_function_chose_is_cast_to_it() -> None:
    assert fixed(SOLVED) == SOLVED.replace("solve(y.unsqueeze(1)", "solve(y.unsqueeze(1).double()")


def test_the_parameters_of_a_layer_stay_as_they_are() -> None:
    after = fixed(LAYER)
    assert "net = nn.Linear(2, 2)\n" in after
    assert ".float()" in after


def test_float64_that_is_chosen_elsewhere_is_cast() -> None:
    assert ".double()" not in fixed(ELSEWHERE)
