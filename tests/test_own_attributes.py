"""What methods assign of their own object, also where they are not interpreted again."""

from __future__ import annotations

import pytest
from text_program import clashes

MOVING = """
import torch
from torch import nn
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.anchors = torch.zeros(3, 4)
    def {name}(self, *args, **kwargs):
        moved = {base}.{name}(*args, **kwargs)
        moved.anchors = moved.anchors.{name}(*args, **kwargs)
        return moved
    def forward(self, x):
        return self.layer(x) + self.anchors
"""


def test_what_an_own_move_brings_along_is_where_the_module_is() -> None:
    for name in ("to", "cuda"):
        assert clashes(MOVING.format(name=name, base="super()")) == []


def test_what_a_method_assigns_to_another_object_stays() -> None:
    assert clashes(MOVING.format(name="cuda", base="Head()")) == ["14: device"]


USED = """
import torch
class Grid:
    def __init__(self):
        self.shifts = torch.zeros(1)
    def prepare(self, n):
        self.shifts = torch.arange(n)
        {long}
    def read(self, values):
        return values[self.shifts]
def main(n):
    for size in ({sizes}):
        grid = Grid()
        grid.prepare(size)
        grid.read(torch.rand(4, 4))
"""


def test_a_method_that_is_not_followed_any_more_has_changed_its_object() -> None:
    long = "\n        ".join(f"a{i} = n + {i}" for i in range(400))
    assert clashes(USED.format(long=long, sizes=", ".join(map(str, range(12))))) == []


def test_wrappers_of_the_project_hold_what_they_were_given() -> None:
    text = """
    import torch
    from torch import nn
    class Parallel(nn.DataParallel):
        def scatter(self, inputs, kwargs, device_ids):
            return super().scatter(inputs, kwargs, device_ids)
    def run(net):
        return Parallel(net)(torch.rand(2, 2))
    model = Parallel(nn.Linear(2, 2).cuda())
    out = model.module(torch.rand(2, 2))
    """
    assert clashes(text) == ["10: device"]


HELPER = """import torch
from torch import nn

class Helper:
    def __init__(self, matrix):
        self.matrix = matrix

    def turn(self, x):
        return x @ self.matrix

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {kept}
        self.layer = nn.Linear(3, 3)
        self.helper = Helper({given})

    def forward(self, x: torch.Tensor):
        return self.helper.turn(self.layer(x))
"""


def test_a_parameter_that_a_plain_object_keeps_too_moves_with_its_module() -> None:
    text = HELPER.format(
        kept="self.matrix = nn.Parameter(torch.eye(3), requires_grad=False)", given="self.matrix"
    )
    assert clashes(text) == []


@pytest.mark.parametrize(
    ("kept", "given"),
    [
        ("self.size = 3", "torch.eye(3)"),
        ("self.size = 3", "nn.Parameter(torch.eye(3))"),
        ('self.register_buffer("matrix", torch.eye(3))', "self.matrix"),
    ],
)
def test_what_no_module_registers_or_what_it_replaces_stays(kept: str, given: str) -> None:
    assert clashes(HELPER.format(kept=kept, given=given)) == ["9: device"]


PROPERTY = """
import torch

class Options:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    @property
    def weight(self):
        return self.kept

    @weight.setter
    def weight(self, value):
        self.kept = value.{move}
        self.is_set = True

options = Options(weight=torch.ones(3), kept=torch.ones(3).cuda())
setattr(options, "weight", torch.ones(3))
torch.ones(3).cuda() * options.{read}
"""


@pytest.mark.parametrize("read", ["weight", "kept"])
def test_setattr_is_what_the_property_makes_of_it(read: str) -> None:
    assert clashes(PROPERTY.format(move="cuda()", read=read)) == []
    assert len(clashes(PROPERTY.format(move="cpu()", read=read))) == 1
