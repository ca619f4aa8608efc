"""How a frame names a tensor: everything that is in reach, and nothing of the program is called."""

from __future__ import annotations

import sys
from collections import UserDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

from devfix.simulator.expressions import holders, paths_to

GLOBAL = torch.ones(7)


@dataclass
class Plain:
    x: torch.Tensor


@dataclass(slots=True)
class Slotted:
    x: torch.Tensor


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


class Shared:
    table = torch.ones(9)


class Hostile:
    """Every door that a curious visitor might try fails."""

    def __init__(self) -> None:
        self.__dict__["kept"] = torch.ones(3)

    @property
    def computed(self) -> torch.Tensor:
        raise SystemError

    def __getattr__(self, name: str) -> Any:
        raise SystemError

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise SystemError

    def __eq__(self, other: object) -> bool:
        raise SystemError

    __hash__ = None  # type: ignore[assignment]


class HostileDict(dict[str, torch.Tensor]):
    def __getitem__(self, key: str) -> Any:
        raise SystemError

    def __iter__(self) -> Any:
        raise SystemError

    def items(self) -> Any:
        raise SystemError


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.plain = torch.ones(3)
        self.blocks = nn.Sequential(nn.Linear(3, 3))
        self.heads = nn.ModuleDict({"a": nn.Linear(6, 6)})
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(2))])
        self.kept = [torch.ones(5)]
        self.register_buffer("mean", torch.ones(4))

    def named_parameters(self, *_args: Any, **_kwargs: Any) -> Any:
        raise SystemError


#: What a frame holds under the name ``value``, the tensor that is looked for, and what it is called.
CASES: dict[str, tuple[Any, Callable[[Any], torch.Tensor], str]] = {
    "attribute": (Plain(torch.ones(1)), lambda v: v.x, "value.x"),
    "slot": (Slotted(torch.ones(1)), lambda v: v.x, "value.x"),
    "field": (Pair(torch.ones(1), torch.ones(2)), lambda v: v.second, "value.second"),
    "class attribute": (Shared(), lambda v: v.table, "value.table"),
    "item of a list": ([torch.ones(1), torch.ones(2)], lambda v: v[1], "value[1]"),
    "item of a queue": (deque([torch.ones(1)]), lambda v: v[0], "value[0]"),
    "item of a dict": ({"a": {3: torch.ones(1)}}, lambda v: v["a"][3], "value['a'][3]"),
    "item of a default dict": (
        defaultdict(list, k=[torch.ones(1)]),
        lambda v: v["k"][0],
        "value['k'][0]",
    ),
    "item of a wrapped dict": (UserDict({"q": torch.ones(2)}), lambda v: v["q"], "value['q']"),
    "hostile object": (Hostile(), lambda v: vars(v)["kept"], "value.kept"),
    "hostile dict": (HostileDict(a=torch.ones(2)), lambda v: dict.__getitem__(v, "a"), "value['a']"),
    "parameter": (Net(), lambda v: v.layer.weight, "value.layer.weight"),
    "child of a sequence": (Net(), lambda v: v.blocks[0].bias, "value.blocks[0].bias"),
    "child of a dict": (Net(), lambda v: v.heads["a"].bias, "value.heads['a'].bias"),
    "member of a list of parameters": (Net(), lambda v: v.weights[0], "value.weights[0]"),
    "buffer": (Net(), lambda v: v.mean, "value.mean"),
    "plain attribute of a module": (Net(), lambda v: v.plain, "value.plain"),
    "list of a module": (Net(), lambda v: v.kept[0], "value.kept[0]"),
}


def named(value: Any, tensor: torch.Tensor) -> list[str]:
    """What a frame with this value calls the tensor; the parameter itself does not count."""
    return [path for path in paths_to(tensor, sys._getframe()) if path != "tensor"]


@pytest.mark.parametrize("name", CASES)
def test_a_tensor_is_found(name: str) -> None:
    value, find, path = CASES[name]
    assert named(value, find(value)) == [path]


def test_names_of_functions_around_and_of_the_module_are_found() -> None:
    free = torch.ones(8)

    def inner() -> tuple[list[str], list[str]]:
        frame = sys._getframe()
        return paths_to(free, frame), paths_to(GLOBAL, frame)

    assert inner() == (["free"], ["GLOBAL"])


def test_a_view_of_the_same_shape_comes_after_the_tensor_itself() -> None:
    x = torch.ones(3)
    view, part = x.view(3), x[:2]
    assert paths_to(x, sys._getframe()) == ["x", "view"]
    assert (view.shape, part.shape) == ((3,), (2,))


def test_a_module_is_named_with_what_it_owns() -> None:
    net: Any = Net()
    assert holders(net.blocks[0].weight, sys._getframe()) == {
        "path": "net",
        "name": "blocks.0.weight",
        "class": "Net",
    }
    assert holders(torch.ones(1), sys._getframe()) is None


def test_what_contains_itself_and_what_is_huge_is_looked_at_for_a_while() -> None:
    ring: list[Any] = [torch.ones(1)]
    ring.append(ring)
    many = [torch.ones(1) for _ in range(5000)]
    assert paths_to(ring[0], sys._getframe()) == ["ring[0]"]
    assert paths_to(many[4999], sys._getframe()) == []
