"""Modules in a tuple are registered as little as those in a list, and become parts of a ``ModuleList``."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes, fix_texts
from torch import nn

from devfix.findings import Applicability

TEXT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        {made}
        self.out = nn.Linear(2, 1)

    def forward(self, x):
        first, second = self.parts
        return self.out(first(x) * second(x))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
net(torch.ones(1, 2, device=device))
"""

MADE = [
    ("self.parts = (nn.Linear(2, 2), nn.Linear(2, 2))", "self.parts = nn.ModuleList((nn.Linear(2, 2), nn.Linear(2, 2)))"),
    ("self.parts = nn.Linear(2, 2), nn.Linear(2, 2)", "self.parts = nn.ModuleList((nn.Linear(2, 2), nn.Linear(2, 2)))"),
    ("self.parts = (nn.Linear(2, 2)), (nn.Linear(2, 2))", "self.parts = nn.ModuleList(((nn.Linear(2, 2)), (nn.Linear(2, 2))))"),
    ("self.parts: tuple = (nn.Linear(2, 2), nn.Linear(2, 2))", "self.parts: nn.ModuleList = nn.ModuleList((nn.Linear(2, 2), nn.Linear(2, 2)))"),
    ("self.parts = tuple(nn.Linear(2, 2) for _ in range(depth))", "self.parts = nn.ModuleList(nn.Linear(2, 2) for _ in range(depth))"),
    ("self.parts = tuple([nn.Linear(2, 2) for _ in range(depth)])", "self.parts = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])"),
]  # fmt: skip


@pytest.mark.usefixtures("long_lines")
@pytest.mark.parametrize(("made", "registered"), MADE)
def test_a_tuple_becomes_a_list_of_modules(made: str, registered: str) -> None:
    text = TEXT.format(made=made)
    assert clashes(text)
    assert fix_texts({"main.py": text})[0]["main.py"] == text  # they would be trained, and saved
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert mended["main.py"] == TEXT.format(made=registered)
    names: dict[str, nn.Module] = {}
    exec(mended["main.py"], names)
    assert len(list(names["net"].parameters())) == 6


PLAIN = "self.parts = (nn.Linear(2, 2), nn.Linear(2, 2))"


@pytest.mark.parametrize(
    "made",
    [
        f"{PLAIN}\n        self.parts = nn.ModuleList(self.parts)",
        f"{PLAIN}\n        self.all = nn.ModuleList(self.parts)",
        "self.parts = (nn.Linear(2, 2, device=device), nn.Linear(2, 2).to(device))",
        "self.a = self.b = nn.Linear(2, 2)\n        self.parts = (self.a, self.b)",
        "self.parts = (nn.ReLU(), nn.Tanh())",
    ],
)
def test_what_works_is_left_alone(made: str) -> None:
    assert clashes(TEXT.format(made=made)) == []


def test_what_has_two_names_is_not_rewritten() -> None:
    text = TEXT.format(made=PLAIN).replace("self.parts = (", "parts = self.parts = (")
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "ModuleList" not in mended["main.py"]


def test_pairs_with_something_else_move_where_they_are_made() -> None:
    text = TEXT.format(made="self.parts = (nn.Linear(2, 2), 0.5)").replace("second(x)", "second")
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert mended["main.py"] == text.replace("(nn.Linear(2, 2),", "(nn.Linear(2, 2).to(device),")


def test_a_tuple_that_is_asked_what_no_list_of_modules_tells_stays_one() -> None:
    text = TEXT.format(made=PLAIN).replace(
        "first, second = self.parts", "first, second = self.parts\n        print(self.parts.index(first))"
    )
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "ModuleList" not in mended["main.py"]
    assert not hasattr(nn.ModuleList(), "index")


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = (nn.Linear(1, 1),)


def test_moving_reaches_no_tuple() -> None:
    """That is what is wrong with them."""
    net = Kept()
    net.to("meta")
    assert net.parts[0].weight.device == torch.device("cpu")
