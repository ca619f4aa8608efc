"""Objects that are told a device and work in the workers of a loader are told the CPU."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaling:
    def __init__(self, width, {parameter}):
        {kept}
        {more}

    def __call__(self, x):
        x = x.to(self.device)
        return {result}


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.transform(torch.full((3,), float(i)))


{made}
for x in DataLoader(Rows(scaling), batch_size=4, num_workers=2):
    x = x.to(device)
    print(x.sum())
"""
USUAL = {
    "parameter": 'device="cpu"',
    "kept": "self.device = device",
    "more": "self.scale = torch.ones(width, device=device)",
    "result": "x * self.scale",
    "made": "scaling = Scaling(3, device=device)",
}


def mended(**parts: str) -> str:
    text = PROGRAM.format(**(USUAL | parts))
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("parts", "made"),
    [
        ({}, "scaling = Scaling(3)"),
        ({"made": "scaling = Scaling(3, device)"}, 'scaling = Scaling(3, "cpu")'),
        ({"parameter": "device"}, 'scaling = Scaling(3, device="cpu")'),
        ({"made": "Scaling(3)\nscaling = Scaling(3, device=device)"}, "Scaling(3)\nscaling = Scaling(3)"),
    ],
)
def test_it_is_made_on_the_cpu(parts: dict[str, str], made: str) -> None:
    text = mended(**parts)
    assert made + "\n" in text
    assert "x = x.to(self.device)" in text
    assert "num_workers=2" in text


def test_what_only_moves_moves_no_more() -> None:
    text = mended(more="pass", result="x * 2")
    assert "scaling = Scaling(3, device=device)" in text
    assert ".to(self.device)" not in text


@pytest.mark.parametrize(
    "parts",
    [
        {"made": "options = {'device': device}\nscaling = Scaling(3, **options)"},
        {"made": "given = [3, device]\nscaling = Scaling(*given)"},
        {
            "made": "def other():\n    class Scaling: pass\n    return Scaling()\nscaling = Scaling(3, device=device)"
        },
    ],
)
def test_where_nobody_sees_who_tells_it_nothing_changes(parts: dict[str, str]) -> None:
    assert mended(**parts) == PROGRAM.format(**(USUAL | parts))


def test_without_workers_it_runs_as_it_is() -> None:
    text = PROGRAM.format(**USUAL).replace("num_workers=2", "num_workers=0")
    assert fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"] == text


KEPT = """
import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Rows(Dataset):
    def __init__(self, data, like):
        self.data, self.like = data, like
        self.width = len(data)
        self.size = like.shape

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return {made}


rows = Rows([[1.0], [2.0]], torch.ones(3, device=device))
for x in DataLoader(rows, num_workers=2):
    x = x.to(device)
    print(x.sum())
"""


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("torch.as_tensor(self.data, device=device)", "torch.as_tensor(self.data)"),
        ("torch.ones(3).to(self.like)", "torch.ones(3)"),
        ("torch.ones(3).to(self.like.device)", "torch.ones(3)"),
    ],
)
def test_data_and_tensors_are_no_devices(made: str, after: str) -> None:
    text = fix_texts({"main.py": KEPT.replace("{made}", made)}, Applicability.SAFE)[0]["main.py"]
    assert "rows = Rows([[1.0], [2.0]], torch.ones(3, device=device))" in text
    assert f"return {after}\n" in text
