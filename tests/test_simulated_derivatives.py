"""Moves between devices within ``torch.func``: what comes out are the numbers of a machine without an accelerator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

from devfix.simulator import simulated_accelerator

#: torch scripts some of its formulas when it first pushes derivatives forward.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
Tensor = torch.Tensor


def _there_and_back(tensor: Tensor) -> Tensor:
    return (tensor.cpu() ** 3).to(tensor.device)


ASKED: list[Callable[[Tensor], Any]] = [
    grad(lambda x: _there_and_back(x).sum()),
    grad(lambda x: (x.to("cpu") * torch.ones(3)).sum()),
    lambda x: grad(grad(lambda each: each.cpu() ** 3))(x.sum()),
    jacrev(_there_and_back),
    jacfwd(_there_and_back),
    hessian(lambda x: _there_and_back(x).sum()),
    vmap(lambda x: x.cpu() * 2),
    lambda x: vmap(grad(lambda each: _there_and_back(each).sum()))(x.expand(2, 3)),
    lambda x: jvp(_there_and_back, (x,), (x,))[1],
    lambda x: vjp(_there_and_back, x)[1](x)[0],
    lambda x: torch.autograd.functional.jacobian(_there_and_back, x),  # type: ignore[no-untyped-call]
    lambda x: torch.autograd.functional.jvp(_there_and_back, x, x)[1],  # type: ignore[no-untyped-call]
]


@pytest.mark.parametrize("asked", ASKED)
def test_derivatives_pass_through_moves(asked: Callable[[Tensor], Any]) -> None:
    expected = asked(torch.arange(1.0, 4.0)).tolist()
    with simulated_accelerator():
        assert asked(torch.arange(1.0, 4.0, device="cuda")).tolist() == expected


def test_tangents_pass_through_moves() -> None:
    forward: Any = torch.autograd.forward_ad
    with simulated_accelerator(), forward.dual_level():
        moved = forward.unpack_dual(forward.make_dual(torch.ones(2), torch.ones(2)).cuda())
        assert moved.tangent.device == moved.primal.device == torch.device("cuda:0")


def test_what_does_not_move_along_is_refused_within_derivatives() -> None:
    with simulated_accelerator(), pytest.raises(RuntimeError, match="same device"):
        grad(lambda x: (x * torch.ones(3)).sum())(torch.ones(3, device="cuda"))
