"""What a finding says of where its operands came from: places of the device where that does not fit, of the dtype where that does not."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import check_texts

HEAD = """\
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
"""


def told(text: str) -> dict[str, list[str]]:
    """For each message what its notes say."""
    found = check_texts({"main.py": HEAD + dedent(text)})
    return {finding.message: [note.text for note in finding.notes] for finding in found}


def test_a_loader_hands_out_its_batches() -> None:
    (notes,) = told(
        """
        for (batch,) in DataLoader(TensorDataset(torch.randn(8, 4))):
            model(batch)
        """
    ).values()
    assert "`DataLoader(TensorDataset(torch.randn(8, 4)))` hands out its batches here, on the CPU" in notes


def test_a_move_tells_where_to() -> None:
    (notes,) = told("print(torch.ones(2, device=device) * model(torch.ones(4).to(device)).cpu())").values()
    assert [note for note in notes if "moves" in note] == [
        "`model(torch.ones(4).to(device)).cpu()` moves to the CPU here",
    ]


def test_what_is_on_the_accelerator_moved_there() -> None:
    (notes,) = told("x = torch.ones(2).to(device)\nprint(x * torch.ones(2))").values()
    assert "`torch.ones(2).to(device)` moves to the accelerator here" in notes


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.from_numpy(np.random.rand(8, 4))", "is made of an array here, in float64"),
        ("torch.zeros(8, 4, dtype=torch.float64)", "is made here, in float64"),
        ("torch.randn(8, 4, dtype=torch.float64)", "is drawn here, in float64"),
        ("torch.ones(8, 4).double()", "is cast to float64 here"),
        ("torch.ones(8, 4).to(torch.float64)", "is cast to float64 here"),
    ],
)
@pytest.mark.parametrize("move", ["", ".to(device)"])
def test_a_dtype_is_told_from_where_it_comes_wherever_it_moved(made: str, expected: str, move: str) -> None:
    found = told(f"data = {made}\nx = data{move}\nnn.Linear(4, 2){move}(x)")
    message = f"`x` is float64 and `nn.Linear(4, 2){move}` is float32, which PyTorch does not take together"
    notes = found[message]
    assert notes[-1] == f"`{made}` {expected}"
    assert not any("moves" in note or "CPU" in note for note in notes)


def test_a_loss_says_where_its_weight_and_where_it_is_computed() -> None:
    (message,) = told(
        """
        criterion = nn.CrossEntropyLoss(weight=torch.ones(2))
        criterion(model(torch.ones(3, 4, device=device)), torch.ones(3, dtype=torch.long, device=device))
        """
    )
    assert message == (
        "`torch.ones(2)`, the weight of the loss, stays on the CPU, while the loss is computed on the accelerator"
    )
