"""What ``functools.cached_property`` computes before a module is moved stays where the module was."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
import copy
import functools
import torch
from functools import cached_property
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))
    @property
    def device(self):
        return self.gain.device
    @cached_property
    def grid(self):
        return torch.linspace(0, 1, 3, device=self.device)
    @functools.cached_property
    def ends(self):
        return self.grid[0], self.grid[1:2]
    def forward(self, x):
        return self.gain * x + self.grid
    {extra}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net()
{before}
net = net.to(device)
{after}
"""
CALLED = "print(net(torch.ones(2, 3, device=device)))"


def _program(before: str = "", after: str = CALLED, extra: str = "") -> str:
    return PROGRAM.replace("{before}", before).replace("{after}", after).replace("{extra}", extra)


@pytest.mark.parametrize(
    "before",
    [
        "print(net.grid.shape)",
        "print(net(torch.ones(2, 3)).sum())",
        "print(net.ends)",
        "if net.grid.max() > 0.5: print('far')",
        "getattr(net, 'grid')",
        "print(net.grid)\nnet = copy.deepcopy(net)",
    ],
)
def test_what_was_computed_before_the_move_is_moved_where_it_is_used(before: str) -> None:
    text = _program(before)
    assert clashes(text) == ["21: device"]
    after, _ = fix_texts(files(text))
    assert "return self.gain * x + self.grid.to(self.gain.device)\n" in after["main.py"]
    assert not clashes(after["main.py"])


def test_tuples_are_kept_as_well() -> None:
    assert clashes(_program("print(net.ends)", "print(net.gain[:1] * net.ends[1])")) == ["27: device"]
    assert not clashes(_program("", "print(net.gain[:1] * net.ends[1])"))


_AROUND = """def {name}(self, *args, **kwargs):
        self.__dict__.pop("grid", None)
        return super().{name}(*args, **kwargs)"""


@pytest.mark.parametrize(
    ("before", "after", "extra"),
    [
        ("", CALLED, ""),
        ("other = Net()\nprint(other.grid)", CALLED, ""),
        ("print(net.grid)", f"del net.grid\n{CALLED}", ""),
        ("print(net.grid)", f'delattr(net, "grid")\n{CALLED}', ""),
        ("print(net.grid)", f'del net.__dict__["grid"]\n{CALLED}', ""),
        ("print(net.grid)", f'net.__dict__.pop("grid", None)\n{CALLED}', ""),
        ("print(net.grid)", f"vars(net).clear()\n{CALLED}", ""),
        ("print(net.grid)", f"net.grid = net.grid.to(device)\n{CALLED}", ""),
        ("print(net.grid)", CALLED, _AROUND.replace("{name}", "_apply")),
        ("print(net.grid)", CALLED, _AROUND.replace("{name}", "to")),
        ("print(net.grid)", "print(net.grid.sum() + net.gain.sum().item())", ""),
        ("print(net.device)", CALLED, ""),
        ("print(net.grid)", "net = Net().to(device)\n" + CALLED, ""),
    ],
)
def test_what_is_computed_where_the_module_is_is_left_alone(before: str, after: str, extra: str) -> None:
    assert not clashes(_program(before, after, extra))


def test_a_plain_property_is_computed_each_time() -> None:
    assert not clashes(_program("print(net.grid)").replace("    @cached_property", "    @property"))


MADE_WITHIN = """
from functools import cached_property
import torch

class Market:
    def __init__(self, device):
        self.device = device
        self.base = torch.eye(3)

    @cached_property
    def factor(self):
        {made}
        return torch.linalg.cholesky(found)

    def paths(self):
        return torch.ones(2, 3, device=self.device) @ self.factor

market = Market(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print(market.paths())
"""


def test_what_it_makes_by_itself_is_made_on_the_device() -> None:
    text = MADE_WITHIN.format(made="found = torch.eye(3)")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("found = torch.eye(3)", "found = torch.eye(3, device=self.device)")


def test_what_it_computes_of_other_things_moves_where_it_is_used() -> None:
    text = MADE_WITHIN.format(made="found = self.base + torch.eye(3)")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("@ self.factor", "@ self.factor.to(self.device)")
