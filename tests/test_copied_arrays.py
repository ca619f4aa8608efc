"""Copies of arrays: ``torch.tensor(array)`` has the dtype of NumPy, which nobody chose, unless the call names one."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

WEIGHTED = """
    import numpy as np
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Rides(Dataset):
        def __init__(self, targets, weights):
            self.targets, self.weights = targets, weights

        def __len__(self):
            return len(self.targets)

        def __getitem__(self, i):
            y = torch.tensor(self.targets[i], dtype=torch.float32)
            w = COPY
            return {"y": y, "w": w}

    weights = 0.5 ** np.arange(8.0)
    for batch in DataLoader(Rides(np.zeros(8), weights), 4):
        errors = (torch.rand(len(batch["y"])) - batch["y"]) ** 2
        print(torch.dot(batch["w"], errors))
"""


def changed(text: str) -> list[str]:
    """The lines that the repair of a program writes."""
    before = dedent(text).lstrip("\n")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in before.splitlines()]


@pytest.mark.parametrize("copy", ["torch.tensor(self.weights[i])", "torch.as_tensor(self.weights[i])"])
def test_a_width_that_nobody_chose_gives_way(copy: str) -> None:
    told = copy.replace(")", ", dtype=torch.float32)")
    assert changed(WEIGHTED.replace("COPY", copy)) == [f"w = {told}"]


def test_a_width_that_is_named_is_chosen() -> None:
    found = changed(WEIGHTED.replace("COPY", "torch.tensor(self.weights[i], dtype=torch.float64)"))
    assert not any(line.startswith("w =") for line in found)
    single = WEIGHTED.replace("COPY", "torch.tensor(self.weights[i], dtype=torch.float32)")
    assert clashes(single) == []


def test_all_double_stays_double() -> None:
    text = WEIGHTED.replace("COPY", "torch.tensor(self.weights[i])").replace(
        "dtype=torch.float32", "dtype=torch.float64"
    )
    assert clashes(text.replace("torch.rand(len", "torch.zeros(1).double() + torch.rand(len")) == []
