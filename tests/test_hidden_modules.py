"""Modules that a module holds in its ``__dict__`` alone: they stay where they are when it is moved."""

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn


class Student(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.net = nn.Linear(4, 4)
        {stored}

    def forward(self, x):
        return self.net(x) - {read}(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
student = Student(nn.Linear(4, 4)).to(device)
{after}
print(student(torch.ones(2, 4, device=device)).sum())
"""
HIDING = [
    'self.__dict__["teacher"] = teacher',
    'vars(self)["teacher"] = teacher',
    "self.__dict__.update(teacher=teacher)",
    'object.__setattr__(self, "teacher", teacher)',
]


def program(stored: str, read: str = "self.teacher", after: str = "") -> str:
    return PROGRAM.format(stored=stored, read=read, after=after)


@pytest.mark.parametrize("stored", HIDING)
@pytest.mark.parametrize("read", ["self.teacher", 'self.__dict__["teacher"]', 'getattr(self, "teacher")'])
def test_a_hidden_module_stays_behind(stored: str, read: str) -> None:
    assert clashes(program(stored, read)) == ["13: device"]


@pytest.mark.parametrize("stored", HIDING)
def test_it_is_moved_where_it_is_made(stored: str) -> None:
    text = program(stored)
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(fixed["main.py"]) == []


@pytest.mark.parametrize("stored", HIDING)
def test_one_that_is_moved_by_itself(stored: str) -> None:
    assert clashes(program(stored, after="student.teacher.to(device)")) == []


@pytest.mark.parametrize(
    "stored",
    ["self.teacher = teacher", 'setattr(self, "teacher", teacher)', 'self.add_module("teacher", teacher)'],
)
def test_a_registered_one_moves_along(stored: str) -> None:
    assert clashes(program(stored)) == []


@pytest.mark.parametrize("stored", HIDING)
def test_one_that_is_registered_afterwards_moves_along(stored: str) -> None:
    assert clashes(program(f"{stored}; self.teacher = teacher")) == []


def test_one_that_only_some_runs_hide_is_anywhere() -> None:
    stored = dedent(
        """
        if torch.rand(1) > 0.5:
                    self.__dict__["teacher"] = teacher
                else:
                    self.teacher = teacher
        """
    ).strip()
    assert clashes(program(stored)) == []


def test_a_plain_object_has_but_one_kind_of_attribute() -> None:
    text = """
import torch
from torch import nn

class Holder:
    def __init__(self, net):
        self.__dict__["net"] = net

holder = Holder(nn.Linear(2, 2).cuda())
print(holder.net(torch.ones(2, 2)))
"""
    assert clashes(text) == ["10: device"]


@pytest.mark.parametrize(
    "method",
    [
        "def _apply(self, fn, recurse=True):\n        self.teacher._apply(fn)\n        return super()._apply(fn)",
        "def to(self, *args, **kwargs):\n        self.teacher.to(*args, **kwargs)\n        return super().to(*args, **kwargs)",
    ],
)
@pytest.mark.parametrize("stored", HIDING)
def test_a_class_that_moves_it_itself(stored: str, method: str) -> None:
    text = program(stored).replace("    def forward", f"    {method}\n\n    def forward")
    assert clashes(text) == []
