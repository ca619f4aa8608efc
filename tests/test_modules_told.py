"""A function that makes a module, and knows no device, is told it by those that call it, where they all do."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PARTS = """
from torch import nn


class Box:
    def __init__(self, item):
        self.item = item

    def unwrap(self):
        return self.item


def make_box(width):
    box = Box({"head": Box(nn.Linear(4, width))})
    return box


class Source:
    def __init__(self, width):
        self.box = Box(nn.Linear(4, width))

    def read(self):
        return self.box.unwrap()
"""

MAIN = """
import torch
from parts import IMPORTED


class Trainer:
    def __init__(self, holder):
        self.holder = holder

    def step(self, x):
        return self.holder.READ(x).sum()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    holder = MADE
    print(Trainer(holder).step(torch.randn(8, 4).to(device)))


if __name__ == "__main__":
    main()
"""


HEAD = 'unwrap()["head"].unwrap()'


def _texts(imported: str, read: str, made: str, more: str = "") -> dict[str, str]:
    main = MAIN.replace("IMPORTED", imported).replace("READ", read).replace("MADE", made)
    return files(main + more, parts=PARTS)


def _added(before: dict[str, str]) -> list[str]:
    after = fix_texts(before, Applicability.UNSAFE)[0]
    return [
        line.strip()
        for path, text in after.items()
        for line in text.splitlines()
        if line not in before[path].splitlines()
    ]


def test_a_function_is_told_where_its_module_goes() -> None:
    assert sorted(_added(_texts("make_box", HEAD, "make_box(2)"))) == [
        'box = Box({"head": Box(nn.Linear(4, width).to(device))})',
        'def make_box(width, device="cpu"):',
        "holder = make_box(2, device=device)",
    ]


def test_a_constructor_is_told_where_its_module_goes() -> None:
    assert sorted(_added(_texts("Source", "read()", "Source(2)"))) == [
        'def __init__(self, width, device="cpu"):',
        "holder = Source(2, device=device)",
        "self.box = Box(nn.Linear(4, width).to(device))",
    ]


@pytest.mark.parametrize(
    "more",
    [
        "\n\ndef spare():\n    return make_box(4)\n",
        "\n\nMAKERS = {'box': make_box}\n",
    ],
)
def test_not_where_another_use_of_the_function_tells_it_nothing(more: str) -> None:
    assert not [line for line in _added(_texts("make_box", HEAD, "make_box(2)", more)) if "make_box" in line]


@pytest.mark.parametrize("read", [f"{HEAD}.to(x.device)", f"{HEAD}.cuda()"])
def test_a_module_that_moves_where_it_is_read_is_left_alone(read: str) -> None:
    before = _texts("make_box", read, "make_box(2)")
    assert fix_texts(before)[0] == before


@pytest.mark.parametrize("base", ["class Base:\n    rate = 1\n", "from abc import ABC as Base\n"])
def test_a_class_with_a_base_is_told_as_well(base: str) -> None:
    name = "ABC" if "abc" in base else "Base"
    before = _texts("Source", "read()", "Source(2)")
    text = before["parts.py"].replace("class Source:", f"class Source({name}):")
    before["parts.py"] = f"\n{base}{text}".replace("ABC as Base", "ABC")
    assert "holder = Source(2, device=device)" in _added(before)


@pytest.mark.parametrize(
    "base",
    [
        "class Base:\n    def __new__(cls, width):\n        return super().__new__(cls)\n",
        "class Base(metaclass=Counting):\n    rate = 1\n",
        "from elsewhere import Base\n",
    ],
)
def test_not_a_class_whose_base_may_take_other_arguments(base: str) -> None:
    before = _texts("Source", "read()", "Source(2)")
    before["parts.py"] = f"\n{base}" + before["parts.py"].replace("class Source:", "class Source(Base):")
    assert "holder = Source(2, device=device)" not in _added(before)


NESTED = """

def make_nested(width):
    def optional(flag):
        return nn.Linear(4, width) if flag else None

    return Box({"head": Box(optional(True))})
"""


def test_a_function_within_one_knows_what_that_is_told() -> None:
    before = _texts("make_nested", HEAD, "make_nested(2)")
    before["parts.py"] += NESTED
    assert sorted(_added(before)) == [
        'def make_nested(width, device="cpu"):',
        "holder = make_nested(2, device=device)",
        "return nn.Linear(4, width).to(device) if flag else None",
    ]


def test_what_a_decorator_makes_is_told_by_nobody() -> None:
    before = _texts("make_nested", HEAD, "make_nested()")
    nested = NESTED.replace("make_nested(width)", "decorated(function)").replace("(4, width)", "(4, 2)")
    before["parts.py"] += nested.replace(
        'return Box({"head": Box(optional(True))})',
        'return lambda: Box({"head": Box(optional(function()))})\n\n\n@decorated\ndef make_nested():\n    return True',
    )
    assert not [line for line in _added(before) if "decorated" in line or "make_nested" in line]
