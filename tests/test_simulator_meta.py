"""Tensors without data beside a simulated accelerator: they are where they truly are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn
from torch.nn import functional

from devfix.simulator import simulated_accelerator
from devfix.simulator.machine import Machine


@pytest.fixture
def cuda() -> Iterator[Machine]:
    with simulated_accelerator() as machine:
        yield machine


@pytest.mark.parametrize(
    "operation",
    [
        torch.relu,
        torch.zeros_like,
        lambda x: x + 1,
        lambda x: x @ x.T,
        lambda x: torch.where(x > 0, x, 0),
        lambda x: x.masked_fill(x > 0, 1.0),
        lambda x: torch.cat([x, x]),
        lambda x: x.view(-1)[:2].sum(),
        lambda x: functional.layer_norm(x, (3,)),
        nn.Sequential(nn.Linear(3, 2), nn.ReLU()).to("meta"),
    ],
)  # fmt: skip
def test_what_is_made_of_a_tensor_without_data_has_none(
    cuda: Machine, operation: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    result = operation(torch.empty(2, 3, device="meta"))
    assert str(result.device) == "meta"
    assert result.is_meta


def test_a_network_gets_its_memory_on_the_accelerator(cuda: Machine) -> None:
    with torch.device("meta"):
        net = nn.Linear(3, 2)
    weight = net.to_empty(device="cuda").weight
    assert weight.is_cuda
    assert torch.empty_like(torch.empty(2, device="meta"), device="cuda").is_cuda


def test_data_does_not_go_with_what_has_none(cuda: Machine) -> None:
    with pytest.raises(RuntimeError, match=r"on device meta|meta tensor"):
        torch.ones(2, 3, device="cuda") + torch.empty(2, 3, device="meta")
