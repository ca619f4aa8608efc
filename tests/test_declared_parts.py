"""Which class moves a part that not all objects of a family of classes have."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

#: A class that has more parts than the one whose method moves them, which has objects of its own.
DERIVED = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Points:
    def __init__(self, x):
        self.x = x

    def to(self, device):
        self.x = self.x.to(device)
        return self

class Labelled(Points):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
OWN
batch = Labelled(torch.ones(5, 3), torch.ones(5)).to(device)
print((batch.x.sum(1) - batch.y).sum().item())
print(Points(torch.ones(2)).to(device).x.sum().item())
"""
OVERRIDDEN = """
    def to(self, device):
        super().to(device)
        self.count = len(self.y)
        return self
"""
LIKE = """
from dataclasses import dataclass, replace
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

@dataclass
class Points:
    x: torch.Tensor

    def to(self, device):
        return replace(self, x=self.x.to(device))

@dataclass
class Labelled(Points):
    y: torch.Tensor

batch = Labelled(torch.ones(5, 3), torch.ones(5)).to(device)
print((batch.x.sum(1) - batch.y).sum().item())
print(Points(torch.ones(2)).to(device).x.sum().item())
"""
#: A class whose objects may be there without one of the parts.
BASE = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Batch:
    def __init__(self, x, edges):
        self.x = x
        GIVEN

    def to(self, device):
        self.x = self.x.to(device)
        return self

MORE
batch = Batch(torch.ones(2, 4), torch.ones(2, 4)).to(device)
print((batch.x - batch.edges).sum().item())
"""
WITHOUT = """
class Small(Batch):
    def __init__(self, x):
        self.x = x

print(Small(torch.ones(3)).to(device).x.sum().item())
"""
_AT_TIMES = "if edges is not None:\n            self.edges = edges"


@pytest.mark.parametrize(
    ("given", "more"), [("self.edges = edges", WITHOUT), (_AT_TIMES, "print(Batch(torch.ones(3), None).x)")]
)
def test_a_part_that_some_objects_are_made_without_moves_where_it_is_made(given: str, more: str) -> None:
    text = BASE.replace("GIVEN", given).replace("MORE", more)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "self.edges.to" not in fixed
    assert check_texts({"main.py": fixed}) == []


def test_a_part_that_each_object_has_moves_in_the_method() -> None:
    text = BASE.replace("GIVEN", "self.edges = edges").replace("MORE", "")
    assert "self.edges = self.edges.to(device)" in fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize("text", [DERIVED.replace("OWN", ""), LIKE])
def test_a_base_does_not_move_what_only_derived_classes_have(text: str) -> None:
    after, _ = fix_texts({"main.py": text})
    assert after["main.py"] == text.replace("torch.ones(5))", "torch.ones(5, device=device))")
    assert not check_texts(after)


def test_a_derived_class_that_moves_by_its_base_moves_its_own_part_after_that() -> None:
    text = DERIVED.replace("OWN", OVERRIDDEN)
    after, _ = fix_texts({"main.py": text})
    moved = "super().to(device)\n        self.y = self.y.to(device)\n"
    assert after["main.py"] == text.replace("super().to(device)\n", moved)
    assert not check_texts(after)


def test_a_name_of_the_file_of_the_base_is_not_used_in_another_file() -> None:
    base, _, rest = DERIVED.replace("OWN", OVERRIDDEN).partition("class Labelled")
    base = base.replace("to(self, device)", "move(self)")
    rest = rest.replace("to(self, device)", "move(self)").replace(".to(device)", ".move()")
    main = "import torch\nfrom base import Points\n\nclass Labelled" + rest
    after, _ = fix_texts({"base.py": base, "main.py": main})
    assert ".to(device)" not in after["main.py"]
    assert "self.y" not in after["base.py"]
