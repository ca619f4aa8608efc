"""Items that are assigned: what torch makes of them depends on where it believes everything to be."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch

from devfix.simulator import simulated_accelerator


@pytest.mark.parametrize("index", [[1], [0, 1], torch.tensor([1]), torch.tensor([[0], [2]])])
def test_an_index_on_the_host_is_taken_along(index: Any) -> None:
    with simulated_accelerator():
        x = torch.zeros(3, 4).cuda()
        x[index] = 2.0
        x[:, index] = 2.0
        x[0, index] += 1.0
        assert x.sum().item() > 0


def test_an_assigned_item_may_be_filled_by_an_index_on_the_host() -> None:
    """As newer releases of torch do it, whose item assignment is no function of Python."""
    with simulated_accelerator():
        x = torch.zeros(3, 4).cuda()
        filling = type(
            "Filling", (), {"__setitem__": staticmethod(partial(torch.Tensor.index_fill_, x, 0))}
        )()
        filling[torch.tensor([1])] = 2.0
        assert x.sum().item() == 8


def test_a_fill_by_an_index_on_the_host_is_refused() -> None:
    with simulated_accelerator():
        x = torch.zeros(3, 4).cuda()
        with pytest.raises(RuntimeError, match="same device"):
            x[0] = x.index_fill_(0, torch.tensor([1]), 2.0)[0]


@pytest.mark.parametrize("number", [5, 2.5, True])
def test_a_mask_of_the_host_is_taken_along(number: float) -> None:
    kept = torch.tensor([True, False, True])
    with simulated_accelerator():
        table = torch.zeros(3, 2, device="cuda")
        table[kept] = number
        table[~kept, 1] = number
        table[..., torch.tensor([True, False])] *= 2
    assert table.sum().item() == 7 * number


def test_no_number_is_put_where_it_does_not_fit() -> None:
    with simulated_accelerator():
        table = torch.zeros(3, device="cuda", dtype=torch.uint8)
        with pytest.raises(RuntimeError, match="without overflow"):
            table[torch.tensor([True, False, True])] = 300


def test_a_mask_of_the_accelerator_is_taken_along_as_well() -> None:
    with simulated_accelerator():
        table, kept = torch.zeros(3), torch.tensor([True, False, True], device="cuda")
        table[kept] = 1
    assert table.tolist() == [1, 0, 1]


def test_filling_by_name_takes_no_mask_along() -> None:
    with simulated_accelerator():
        table = torch.zeros(3, device="cuda")
        with pytest.raises(RuntimeError, match=r"masked_fill|same device"):
            table.masked_fill_(torch.tensor([True, False, True]), 1.0)
