"""Files of which nobody knows what is in them: what a program that is adopted reads from them comes along."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files

TRAINED = """
import torch

model = torch.nn.Linear(3, 1)
{read}
loss = (model({inputs}) - {targets}).pow(2).mean()
loss.backward()
print(loss.item())
"""


@pytest.mark.parametrize(
    ("read", "inputs", "targets"),
    [
        ('x, y = torch.load("train.pt")', "x", "y"),
        ('x, y = torch.load("train.pt")', "x[[0, 2]]", "y[:2]"),
        ('rows = torch.load("train.pt")', "rows[0]", "rows[1]"),
        ('rows = torch.load("train.pt")', 'rows["x"]', 'rows["y"].float()'),
        ('rows = torch.load("train.pt")', "rows", "1.0"),
    ],
)
def test_tensors_of_a_file_are_loaded_to_the_device(read: str, inputs: str, targets: str) -> None:
    text = TRAINED.format(read=read, inputs=inputs, targets=targets)
    after = adopted(files(text))["main.py"]
    assert read.replace('"train.pt"', '"train.pt", map_location=device') in after
    assert after.count(".to(device)") == 1


def test_a_data_set_of_a_file_stays_on_the_host() -> None:
    after = adopted(
        files("""
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        model = torch.nn.Linear(3, 1)
        x, y = torch.load("train.pt")
        for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=2):
            print((model(inputs) - targets).pow(2).mean().item())
        """)
    )["main.py"]
    assert 'x, y = torch.load("train.pt")\n' in after
    assert "inputs, targets = inputs.to(device), targets.to(device)" in after


def test_numbers_of_a_file_stay_numbers() -> None:
    after = adopted(
        files("""
        import torch

        model = torch.nn.Linear(3, 1)
        kept = torch.load("kept.pt", map_location="cpu")
        for epoch in range(kept["epoch"] + 1, 3):
            print(epoch, model(torch.ones(2, 3)).sum().item() * kept["scale"])
        """)
    )["main.py"]
    assert 'kept = torch.load("kept.pt", map_location="cpu")\n' in after
    assert after.count("device") == 5


def test_a_program_with_a_device_knows_its_files() -> None:
    text = TRAINED.format(read='x, y = torch.load("train.pt")', inputs="x", targets="y")
    assert clashes(text.replace("Linear(3, 1)", "Linear(3, 1).cuda()")) == []
