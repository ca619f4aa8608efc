"""``torch.cdist``, of which the simulated accelerator sees another operator where there are many rows."""

from __future__ import annotations

import pytest
import torch

from devfix.simulator import simulated_accelerator


@pytest.mark.parametrize(("rows", "words"), [(3, "wrapper_CUDA___cdist_forward"), (40, "X1: cuda X2: cpu")])
def test_rows_on_two_devices_have_no_distances(rows: int, words: str) -> None:
    """As an H100 said it, torch 2.11."""
    with simulated_accelerator("cuda"):
        here, there = torch.ones(rows, 4, device="cuda"), torch.ones(rows, 4)
        with pytest.raises(RuntimeError, match=words):
            torch.cdist(here, there)
        assert torch.cdist(here, there.cuda()).device.type == "cuda"
        assert torch.cdist(here.cpu(), there).device.type == "cpu"
