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


_OF_PAIRS = """
import torch
from torch.optim.swa_utils import AveragedModel, update_bn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pairs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))

    def forward(self, pair):
        return self.net(pair[0]) - self.net(pair[1])


def main():
    average = AveragedModel(Pairs().to(device))
    before, after = torch.ones(8, 3), torch.zeros(8, 3)
    update_bn([((before, after), torch.ones(8))], average)


main()
"""


def test_a_model_of_pairs_is_given_them_moved_as_no_pair_can_be() -> None:
    fixed, _ = fix_texts({"main.py": _OF_PAIRS})
    moved = "torch.ones(8, 3, device=device), torch.zeros(8, 3, device=device)"
    assert fixed["main.py"] == _OF_PAIRS.replace("torch.ones(8, 3), torch.zeros(8, 3)", moved)


@pytest.mark.parametrize(
    "batches",
    [
        "[((before, after), torch.ones(8))]",
        "[([before, after], torch.ones(8))]",
        "[{0: before, 1: after}]",
        "[({0: before, 1: after}, torch.ones(8))]",
    ],
)
@pytest.mark.parametrize("place", ["device", "'cpu'"])
def test_what_has_no_method_to_is_never_said_to_be_moved(batches: str, place: str) -> None:
    text = _OF_PAIRS.replace("[((before, after), torch.ones(8))]", batches)
    text = text.replace("before, after = ", f"place = {place}\n    before, after = ").replace(
        "8, 3)", "8, 3, device=place)"
    )
    text = text.replace("Pairs().to(device)", "Pairs().to(place)")
    assert fix_texts({"main.py": text})[0]["main.py"] == text
