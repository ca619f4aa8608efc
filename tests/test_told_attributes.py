"""What an object keeps is put where its constructor tells all else that it keeps to be."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

TEXT = """\
import torch
from torch import nn


class Bank:
    def __init__(self, size, device=None):
        self.rows = {rows}
        self.labels = {labels}
        self.at = 0

    def add(self, rows, labels):
        self.rows[: len(rows)] = {added}
        self.labels[: len(labels)] = labels

    def near(self, labels):
        return {near}, labels.unsqueeze(1) == self.labels
{more}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 4).to(device)
bank = Bank(8, device)
for _ in range(2):
    out, labels = net(torch.randn(3, 4).to(device)), torch.arange(3, device=device)
    rows, same = bank.near(labels)
    print((out @ rows.t()).masked_fill(same, 0.0).sum())
    bank.add(out.detach(), labels)
"""
PARTS = {
    "rows": "torch.zeros(size, 4)",
    "labels": "torch.full((size,), -1, device=device)",
    "added": "rows",
    "near": "self.rows",
    "more": "",
}


def text_of(**parts: str) -> str:
    return TEXT.format(**{**PARTS, **parts})


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize("near", ["self.rows", "self.rows.clone()", "self.rows.detach().clone()"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.zeros(size, 4)", "torch.zeros(size, 4, device=device)"),
        ("torch.randn(size, 4)", "torch.randn(size, 4).to(device)"),
        ("torch.randn(size, 4).softmax(1)", "torch.randn(size, 4).softmax(1).to(device)"),
    ],
    ids=["made there", "drawn", "computed"],
)
def test_it_is_put_where_the_others_are(near: str, before: str, after: str) -> None:
    assert fixed(text_of(rows=before, near=near)) == text_of(rows=after, near=near)


def test_what_moves_beside_it_tells_the_device_as_well() -> None:
    labels = "torch.arange(size).to(device)"
    after = text_of(labels=labels, rows="torch.zeros(size, 4, device=device)")
    assert fixed(text_of(labels=labels)) == after


@pytest.mark.parametrize(
    "parts",
    [
        {"added": "rows.cpu()"},
        {"more": "\n    def dump(self):\n        return self.rows.numpy()\n"},
        {"labels": "torch.full((size,), -1, device=device)\n        self.seen = torch.zeros(size)"},
        {"more": "\n    def __getitem__(self, index):\n        return self.rows[index]\n"},
        {"more": "\n    def clear(self):\n        self.rows = torch.zeros(8, 4)\n"},
    ],
    ids=["it gets copies", "it is an array", "something stays", "it is data", "it is made again"],
)
def test_what_may_be_kept_on_the_cpu_stays_there(parts: dict[str, str]) -> None:
    text = text_of(**parts)
    after = fixed(text)
    assert "self.rows = torch.zeros(size, 4)\n" in after
    assert after != text


def test_what_is_there_stays() -> None:
    text = text_of(rows="torch.zeros(size, 4, device=device)")
    assert fixed(text) == text
