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
