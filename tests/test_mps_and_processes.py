"""What processes reduce together is on no MPS, for ``torch.distributed`` has no backend for it: float64 is right there."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

PROGRAM = """import torch
import torch.distributed as dist
from torch.distributed import all_reduce


def pick(name):
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def shared(value, device):
    total = {made}
    {used}
    return total.item()


print(shared(3, pick("auto")))
"""
MADE = [
    "torch.tensor(float(value), device=device, dtype=torch.float64)",
    "torch.tensor(float(value), dtype=torch.float64).to(device)",
]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("used", ["dist.all_reduce(total)", "all_reduce(total, op=dist.ReduceOp.SUM)"])
def test_what_is_reduced_together_may_be_wide(made: str, used: str) -> None:
    assert check_texts({"main.py": PROGRAM.format(made=made, used=used)}) == []


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("used", ["print(total)", "dist.barrier()", "print(dist.get_rank(), total)"])
def test_what_stays_in_one_process_may_not(made: str, used: str) -> None:
    assert names(check_texts({"main.py": PROGRAM.format(made=made, used=used)})) == {"float64-on-mps"}
