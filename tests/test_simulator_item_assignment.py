"""Numbers assigned by masks, which are taken along to where the tensor is."""

from __future__ import annotations

import pytest
import torch

from devfix.simulator import simulated_accelerator


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


def test_what_was_there_is_put_back() -> None:
    with simulated_accelerator():
        assert "__setitem__" in vars(torch.Tensor)
    assert "__setitem__" not in vars(torch.Tensor)
