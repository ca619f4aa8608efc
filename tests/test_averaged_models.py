"""Averaged models: what makes their means anew runs them on the batches of a loader."""

from __future__ import annotations

import pytest
from text_program import fix_texts

_TEXT = """
import torch
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Averaging:
    def __init__(self, start):
        self.start, self.average = start, None

    def epoch_end(self, epoch, model):
        if epoch >= self.start:
            if self.average is None:
                self.average = AveragedModel(model)
            self.average.update_parameters(model)

    def finish(self, loader):
        update_bn(loader, self.average)
        return self.average


def main():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).to(device)
    loader = DataLoader(TensorDataset(torch.ones(8, 3)), 4)
    averaging = Averaging(2)
    for epoch in range(4):
        for (x,) in loader:
            model(x.to(device)).sum().backward()
        averaging.epoch_end(epoch, model)
    averaging.finish(loader)


main()
"""


def test_a_model_that_is_averaged_from_some_epoch_on_gets_its_batches_on_its_device() -> None:
    fixed, _ = fix_texts({"main.py": _TEXT})
    assert fixed["main.py"] == _TEXT.replace(
        "self.average)\n        return", "self.average, device=device)\n        return"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AveragedModel(model)", "AveragedModel(model, 'cpu')"),
        ("update_bn(loader, self.average)", "update_bn(loader, self.average, device)"),
        ("finish(loader)\n\n\nmain", "finish([(x.to(device),) for (x,) in loader])\n\n\nmain"),
    ],
)
def test_where_batches_and_model_are_together_nothing_changes(old: str, new: str) -> None:
    text = _TEXT.replace(old, new)
    assert text != _TEXT
    assert fix_texts({"main.py": text})[0]["main.py"] == text
