"""Gradients that a program hands over: they are where the output is, unless they have no dimensions."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
import torch.nn as nn
x = torch.ones(4, 3, device="cuda", requires_grad=True)
y = nn.Linear(3, 1).cuda()(x)
one = torch.FloatTensor([1])
n = int(input())
{use}
"""
#: What PyTorch says of each on an H100: "invalid gradient at index 0 - expected device cuda:0 but got cpu".
REFUSED = [
    "y.mean(0).backward(one)",
    "y.mean(0).backward(gradient=one)",
    "y.backward(torch.ones(y.size()))",
    "torch.autograd.backward(y, torch.ones(4, 1))",
    "torch.autograd.grad(y, x, grad_outputs=torch.ones(4, 1))",
    "torch.autograd.grad([y, y * 2], x, grad_outputs=[torch.ones_like(y), torch.ones(4, 1)])",
    "torch.autograd.grad([y for _ in range(n)], x, grad_outputs=[torch.ones(4, 1) for _ in range(n)])",
    "torch.autograd.backward((y,), (torch.ones(4, 1),))",
]
TAKEN = [
    "y.sum().backward(torch.tensor(1.0))",
    "torch.autograd.grad(y.sum(), x, torch.tensor(1.0))",
    "y.mean(0).backward(one.cuda())",
    "y.backward(torch.ones_like(y))",
    "y.sum().backward(retain_graph=True)",
    "y.cpu().backward(torch.ones(4, 1))",
    "torch.autograd.backward([y], [torch.ones_like(y)])",
    "torch.autograd.grad([y.sum(), y], x, grad_outputs=[torch.tensor(1.0), torch.ones_like(y)])",
    "torch.autograd.grad([y for _ in range(n)], x, grad_outputs=[torch.ones_like(y) for _ in range(n)])",
    "torch.autograd.grad([y, y], x, grad_outputs=[torch.ones_like(y), None])",
]


@pytest.mark.parametrize("use", REFUSED)
def test_a_gradient_of_the_host_is_refused_by_an_output_of_the_accelerator(use: str) -> None:
    assert clashes(PROGRAM.format(use=use)) != []


@pytest.mark.parametrize("use", TAKEN)
def test_a_gradient_beside_its_output_or_without_dimensions_is_taken(use: str) -> None:
    assert clashes(PROGRAM.format(use=use)) == []
