"""Data sets of tensors: what they are made of is tensors, even where a file holds them."""

from __future__ import annotations

import pytest
from text_program import clashes

TEXT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def load(part):
    return torch.load(f"data/{{part}}_x.pt"{located}), torch.load(f"data/{{part}}_y.pt"{located})

device = torch.device("cuda")
x, y = load("train")
loader = DataLoader({dataset}, batch_size=4)
net = nn.Linear(3, 2){moved}
for x, y in loader:
    x, y = {batch}
    loss = nn.functional.cross_entropy(net(x), y)
"""


def found(
    dataset: str, *, located: str = "", moved: str = "", batch: str = "x.to(device), y.to(device)"
) -> list[str]:
    """The mismatches of the program with these parts."""
    return clashes(TEXT.format(dataset=dataset, located=located, moved=moved, batch=batch))


@pytest.mark.parametrize("dataset", ["TensorDataset(x, y)", "TensorDataset(*load('train'))"])
def test_what_files_hold_moves_to_where_the_model_has_to_be(dataset: str) -> None:
    assert found(dataset) == ["15: device"]
    assert found(dataset, moved=".to(device)") == []


def test_where_a_file_is_loaded_to_its_tensors_are() -> None:
    dataset, host = "TensorDataset(x, y)", ", map_location='cpu'"
    assert found(dataset, located=host, moved=".to(device)", batch="x, y") == ["15: device"] * 2
    assert found(dataset, located=", map_location='cuda'", moved=".to(device)", batch="x, y") == []


def test_where_files_are_that_nobody_locates_is_not_known() -> None:
    assert found("TensorDataset(x, y)", moved=".to(device)", batch="x, y") == []
    assert found("TensorDataset(x, y)", batch="x, y") == []
