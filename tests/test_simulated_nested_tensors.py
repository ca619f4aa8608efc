"""Nested tensors on a simulated accelerator: they move, have gradients, and are where their rows are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from devfix.simulator import simulated_accelerator

CUDA = torch.device("cuda:0")


def _rows(**given: Any) -> Any:
    rows = [torch.ones(3, 4), torch.ones(5, 4)]
    return torch.nested.nested_tensor(rows, layout=torch.jagged, **given)


def test_a_layer_has_gradients_of_them() -> None:
    layer = nn.Linear(4, 2)
    layer(_rows()).values().sum().backward()
    assert layer.weight.grad is not None
    expected = layer.weight.grad.tolist()
    with simulated_accelerator():
        layer.to(CUDA).zero_grad()
        layer(_rows(device=CUDA)).values().sum().backward()
        assert layer.weight.grad.device == CUDA
        assert layer.weight.grad.tolist() == expected


def test_rows_and_offsets_move_along() -> None:
    with simulated_accelerator():
        moved = _rows().to(CUDA)
        assert moved.device == moved.values().device == moved.offsets().device == CUDA
        assert moved.cpu().device == moved.cpu().values().device == torch.device("cpu")
        assert (moved + moved.cpu().to(CUDA)).values().sum().item() == 64.0


def test_gradients_come_back_from_a_move() -> None:
    with simulated_accelerator():
        rows = _rows(requires_grad=True)
        nn.Linear(4, 2).to(CUDA)(rows.to(CUDA)).values().sum().backward()
        assert rows.grad is not None
        assert rows.grad.device == torch.device("cpu")


@pytest.mark.parametrize("there", [True, False])
def test_what_is_elsewhere_is_refused(there: bool) -> None:
    """Recorded: "mat1 is on cpu, different from other tensors on cuda:0", and the other way round."""
    with simulated_accelerator():
        layer = nn.Linear(4, 2).to("cpu" if there else CUDA)
        rows = _rows(device=CUDA if there else None)
        with pytest.raises(RuntimeError, match="got mat1 is on"):
            layer(rows)
        with pytest.raises(RuntimeError, match="same device"):
            rows + rows.to("cpu" if there else CUDA)


@pytest.mark.parametrize("name", ["nested_tensor", "as_nested_tensor"])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_rows_on_two_devices_are_refused(name: str) -> None:
    """Asked of an H200: "got tensors is on cpu, different from other tensors on cuda:0"."""
    with simulated_accelerator():
        here, there = torch.ones(3, 4), torch.ones(5, 4, device=CUDA)
        for rows in ([here, there], [there, here]):
            with pytest.raises(RuntimeError, match="got tensors is on"):
                getattr(torch.nested, name)(rows)
        assert getattr(torch.nested, name)([there, there]).device == CUDA
    with simulated_accelerator(heal=True) as machine:
        rows = [torch.ones(3, 4), torch.ones(5, 4, device=CUDA)]
        assert getattr(torch.nested, name)(rows).device == CUDA
        assert [found["kind"] for found in machine.log.mismatches] == ["device"]
