"""Targets of detection: a list of dicts, one for each image, moves where the loop unpacks it, whoever uses it."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

_TEXT = """
import torch
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset):
    def __init__(self, n):
        self.items = []
        for _ in range(n):
            boxes = []
            for _ in range(2):
                boxes.append([0, 0, 1, 1])
            self.items.append((torch.rand(3), {{"boxes": torch.tensor(boxes).float(), "size": {size}}}))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), {targets}


class Loss:
    def __call__(self, out, targets):
        return sum((o - t["boxes"].sum(0)).abs().sum() for o, t in zip(out, targets))


criterion = Loss()
net = torch.nn.Linear(3, 4)
for images, targets in DataLoader(Boxes(8), 4, collate_fn=collate):
    criterion(net(images), targets).backward()
"""


@pytest.mark.parametrize("targets", ["list(targets)", "targets", "[t for t in targets]"])
@pytest.mark.parametrize(
    ("size", "moved"),
    [("torch.ones(2)", "v.to(device)"), ("(3, 3)", 'v.to(device) if hasattr(v, "to") else v')],
)
def test_they_move_where_they_are_unpacked(targets: str, size: str, moved: str) -> None:
    text = _TEXT.format(targets=targets, size=size)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE, adopt=True)[0]["main.py"]
    loop = fixed.partition("\nfor images, targets")[2].splitlines()[1:]
    assert loop == [
        f"    targets = [{{k: {moved} for k, v in t.items()}} for t in targets]",
        "    images = images.to(device)",
        "    criterion(net(images), targets).backward()",
    ]
    assert 't["boxes"].sum(0)).abs()' in fixed


def test_what_is_no_dict_of_tensors_stays() -> None:
    text = _TEXT.format(targets="[len(t) for t in targets]", size="3").replace('t["boxes"].sum(0)', "t")
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE, adopt=True)[0]["main.py"]
    assert "targets = [" not in fixed.partition("\nfor images, targets")[2]
