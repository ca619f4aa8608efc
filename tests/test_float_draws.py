"""What is drawn from continuous distributions, or by probabilities, is of floats: PyTorch is asked which draws refuse integers."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch

n = torch.tensor([0, 1, 1])
m = n > 0
f = n.float()
"""
DRAWS = """
torch.rand_like(n)
torch.randn_like(n)
torch.randn_like(m)
torch.randn_like(input=n)
torch.randn_like(n, dtype=torch.float32)
torch.randn_like(n, dtype=None)
torch.randn_like(f)
torch.randint_like(n, 5)
torch.zeros_like(n)
torch.empty_like(n)
torch.bernoulli(n)
torch.bernoulli(f)
torch.bernoulli(torch.full((3,), 0.5))
torch.bernoulli(n, 0.5)
torch.bernoulli(m, p=0.5)
torch.poisson(n)
torch.poisson(f)
torch.multinomial(n, 2)
torch.multinomial(f, 2)
n.multinomial(2)
n.bernoulli()
n.bernoulli(0.5)
n.bernoulli(p=0.5)
f.multinomial(2)
f.bernoulli()
n.clone().normal_()
n.clone().uniform_(-1, 1)
n.clone().exponential_()
n.clone().cauchy_()
n.clone().log_normal_()
n.clone().random_(5)
n.clone().geometric_(0.5)
n.clone().bernoulli_(0.5)
n.clone().bernoulli_(f)
m.clone().bernoulli_()
m.clone().normal_()
f.clone().normal_()
torch.empty(3, dtype=torch.int64).normal_()
torch.empty(3).uniform_()
n.clone().float().normal_()
torch.inner(n, n)
torch.inner(n, f)
torch.inner(n[0], f)
torch.inner(f, n.sum())
torch.inner(f.sum().double(), f)
f.inner(n.sum())
"""


def _is_refused(use: str) -> bool:
    try:
        exec(f"{HEAD}{use}\n", {})
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("use", DRAWS.strip().splitlines())
def test_draws_are_told_of_as_torch_refuses_them(use: str) -> None:
    assert bool(clashes(f"{HEAD}{use}\n")) == _is_refused(use)


def test_numbers_of_a_draw_are_cast_for_it() -> None:
    text = f"{HEAD}noise = torch.randn_like(n)\npicked = torch.multinomial(n, 2)\nempty = torch.zeros_like(n)\nempty.normal_()\n"
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "noise = torch.randn_like(n.float())" in after["main.py"]
    assert "picked = torch.multinomial(n.float(), 2)" in after["main.py"]
    assert "empty = torch.zeros_like(n, dtype=torch.float32)" in after["main.py"]
    exec(after["main.py"], {})


def test_what_is_drawn_like_integers_is_of_floats_for_what_follows() -> None:
    assert len(clashes(f"{HEAD}noise = torch.randn_like(n)\nprint(noise.mean(), noise @ f)\n")) == 1
    assert torch.randn_like(torch.tensor([1]), dtype=torch.float32).dtype == torch.float32


@pytest.mark.parametrize("name", ["normal_", "xavier_uniform_", "orthogonal_"])
def test_what_initialises_a_tensor_draws_where_that_is(name: str) -> None:
    use = f"torch.nn.init.{name}(torch.ones(2, 2{{}}), generator=torch.Generator({{}}))"
    there = ', device="cuda"'
    assert clashes(f"import torch\n{use.format(there, '')}\n") == ["2: generator"]
    assert clashes(f"import torch\n{use.format('', repr('cuda'))}\n") == ["2: generator"]
    assert clashes(f"import torch\n{use.format('', '')}\n") == []
    assert clashes(f"import torch\n{use.format(there, repr('cuda'))}\n") == []
