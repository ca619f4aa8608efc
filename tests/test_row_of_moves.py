"""A name that a batch is unpacked into joins the line on which its author moves the others."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

TEXT = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
{long}rows = TensorDataset(torch.ones(4, 3), torch.ones(4, 3), torch.zeros(4, dtype=torch.long))
loader = DataLoader(rows, batch_size=2)
loss_of = torch.nn.CrossEntropyLoss()
net = torch.nn.Linear(3, 2).to(device)

for {names} in loader:
    {body}
    print(loss_of(net(rows * mask), y))
"""


def text_of(body: str, names: str = "rows, mask, y", long: str = "") -> str:
    return TEXT.format(body=body, names=names, long=long)


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("names", "before", "after"),
    [
        (
            "rows, mask, y",
            "rows, y = rows.to(device), y.to(device)",
            "rows, mask, y = rows.to(device), mask.to(device), y.to(device)",
        ),
        (
            "mask, rows, y",
            "rows, y = rows.to(device, non_blocking=True), y.to(device, non_blocking=True)",
            """rows, y = rows.to(device, non_blocking=True), y.to(device, non_blocking=True)
    mask = mask.to(device, non_blocking=True)""",
        ),
        (
            "rows, mask, y",
            "y, rows = y.to(device), rows.to(device)",
            "y, rows, mask = y.to(device), rows.to(device), mask.to(device)",
        ),
        (
            "rows, mask, y",
            "(rows, y) = (rows.to(device), y.to(device))",
            "(rows, mask, y) = (rows.to(device), mask.to(device), y.to(device))",
        ),
    ],
    ids=["in order", "too long", "the author's order", "parentheses"],
)
def test_it_moves_with_the_others(names: str, before: str, after: str) -> None:
    assert fixed(text_of(before, names)) == text_of(after, names)


def test_lines_are_as_long_as_others_of_the_file() -> None:
    long = f"# {'-' * 108}\n"
    before = "rows, y = rows.to(device, copy=True), y.to(device, copy=True)"
    moves = ", ".join(f"{name}.to(device, copy=True)" for name in ("rows", "mask", "y"))
    after = text_of(f"rows, mask, y = {moves}", long=long)
    assert fixed(text_of(before, long=long)) == after


@pytest.mark.parametrize(
    "body",
    [
        "print(net(mask.to(device)))\n    rows, y = rows.to(device), y.to(device)",
        "rows, y = rows.to(device), y.to(device).long()",
        "rows, y = y.to(device), rows.to(device)\n    rows, y = y, rows",
    ],
    ids=["it was used before", "they move in two ways", "they change their names"],
)
def test_another_line_is_left_as_it_is(body: str) -> None:
    after = fixed(text_of(body))
    assert all(line in after for line in body.splitlines())
    assert "mask" in after.replace(text_of(body), "")


def test_what_moves_stays() -> None:
    text = text_of("rows, mask, y = rows.to(device), mask.to(device), y.to(device)")
    assert fixed(text) == text
