"""Lists, tuples and dicts of modules within a list or dict, and dicts whose keys are no texts."""

from __future__ import annotations

from textwrap import indent

import pytest
import torch
from reality import run
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """\
from enum import Enum

import torch
from torch import nn


class Stage(Enum):
    FIRST = "first"
    LAST = "last"


def pair():
    return nn.Linear(4, 4), nn.ReLU()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
{made}

    def forward(self, x):
        x = self.inner(x)
{used}
        return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
y = net(torch.ones(2, 4, device=device))
"""
PAIRS = "for layer, act in self.parts:\n    x = act(layer(x))"
ROWS = "for row in self.parts:\n    for layer in row:\n        x = layer(x)"
NAMED = "for name in ('a', 'b'):\n    for layer in self.parts[name]:\n        x = layer(x)"


def program(made: str, used: str) -> str:
    return PROGRAM.format(made=indent(made, " " * 8), used=indent(used, " " * 8))


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    ("made", "used", "after"),
    [
        (
            "self.parts = [(nn.Linear(4, 4), nn.ReLU()) for _ in range(2)]",
            PAIRS,
            "self.parts = nn.ModuleList([nn.ModuleList([nn.Linear(4, 4), nn.ReLU()]) for _ in range(2)])",
        ),
        (
            "self.parts = [pair(), pair()]",
            PAIRS,
            "self.parts = nn.ModuleList([nn.ModuleList(pair()), nn.ModuleList(pair())])",
        ),
        (
            "self.parts = list(zip([nn.Linear(4, 4)], [nn.ReLU()]))",
            PAIRS,
            "self.parts = nn.ModuleList(nn.ModuleList(row) for row in zip([nn.Linear(4, 4)], [nn.ReLU()]))",
        ),
        (
            "self.parts = [[nn.Linear(4, 4)] * 2 for _ in range(2)]",
            ROWS,
            "self.parts = nn.ModuleList([nn.ModuleList([nn.Linear(4, 4)] * 2) for _ in range(2)])",
        ),
        (
            "self.parts = []\nfor _ in range(2):\n    self.parts.append((nn.Linear(4, 4), nn.ReLU(),))",
            PAIRS,
            "self.parts = nn.ModuleList()\nfor _ in range(2):\n    self.parts.append(nn.ModuleList([nn.Linear(4, 4), nn.ReLU()]))",
        ),
        (
            "self.parts = []\nfor k in range(2):\n    self.parts.append([])\n    self.parts[k].append(nn.Linear(4, 4))",
            ROWS,
            (
                "self.parts = nn.ModuleList()\nfor k in range(2):\n    self.parts.append(nn.ModuleList())\n"
                "    self.parts[k].append(nn.Linear(4, 4))"
            ),
        ),
        (
            "self.parts = {}\nfor name in ('a', 'b'):\n    self.parts[name] = [nn.Linear(4, 4) for _ in range(2)]",
            NAMED,
            (
                "self.parts = nn.ModuleDict()\nfor name in ('a', 'b'):\n"
                "    self.parts[name] = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])"
            ),
        ),
        (
            "self.parts = {'a': [nn.Linear(4, 4)], 'b': []}",
            NAMED,
            "self.parts = nn.ModuleDict({'a': nn.ModuleList([nn.Linear(4, 4)]), 'b': nn.ModuleList()})",
        ),
        (
            "self.parts = {'a': {'one': nn.Linear(4, 4)}}",
            "x = self.parts['a']['one'](x)",
            "self.parts = nn.ModuleDict({'a': nn.ModuleDict({'one': nn.Linear(4, 4)})})",
        ),
        (
            "self.parts = {k: nn.Linear(4, 4) for k in range(2)}",
            "x = self.parts[1](self.parts[0](x))",
            "self.parts = {k: nn.Linear(4, 4) for k in range(2)}\nself.parts_modules = nn.ModuleList(self.parts.values())",
        ),
        (
            "self.parts = {Stage.FIRST: nn.Linear(4, 4), Stage.LAST: nn.Linear(4, 4)}",
            "for stage in Stage:\n    x = self.parts[stage](x)",
            (
                "self.parts = {Stage.FIRST: nn.Linear(4, 4), Stage.LAST: nn.Linear(4, 4)}\n"
                "self.parts_modules = nn.ModuleList(self.parts.values())"
            ),
        ),
        (
            "self.parts = {(0, 1): [nn.Linear(4, 4)]}",
            "for layer in self.parts[0, 1]:\n    x = layer(x)",
            (
                "self.parts = {(0, 1): [nn.Linear(4, 4)]}\n"
                "self.parts_modules = nn.ModuleList(module for row in self.parts.values() for module in row)"
            ),
        ),
        (
            "self.parts = [{(0, k): nn.Linear(4, 4) for k in range(2)} for _ in range(2)]",
            "for row in self.parts:\n    for layer in row.values():\n        x = layer(x)",
            (
                "self.parts = [{(0, k): nn.Linear(4, 4) for k in range(2)} for _ in range(2)]\n"
                "self.parts_modules = nn.ModuleList(module for row in self.parts for module in row.values())"
            ),
        ),
    ],
)
def test_rows_become_containers_that_are_registered(made: str, used: str, after: str) -> None:
    before, wanted = program(made, used), program(after, used)
    assert clashes(before)
    assert fixed(before) == wanted
    assert clashes(wanted) == []
    names = run(wanted)
    assert torch.equal(names["y"], run(before)["y"])
    assert len(list(names["net"].parameters())) > 2


@pytest.mark.parametrize(
    ("made", "used"),
    [
        ("self.parts = [[nn.Linear(4, 4), torch.tanh]]", PAIRS),
        ("self.parts = [[nn.Linear(4, 4)], nn.Linear(4, 4)]", "x = self.parts[1](self.parts[0][0](x))"),
        ("self.parts = [[nn.Linear(4, 4)]]\nself.parts.extend([[nn.Linear(4, 4)]])", ROWS),
        (
            "self.parts = [{0: nn.Linear(4, 4)}]\nself.parts[0][1] = nn.Linear(4, 4)",
            "x = self.parts[0][1](self.parts[0][0](x))",
        ),
        (
            "self.parts = [{0: nn.Linear(4, 4)}]\nself.parts.append({1: nn.Linear(4, 4)})",
            "x = self.parts[1][1](self.parts[0][0](x))",
        ),
        # A row that is filled, or used as a plain list or dict, once it is in the container.
        (
            "self.parts = []\nfor _ in range(2):\n    row = []\n    self.parts.append(row)\n    row.append(nn.Linear(4, 4))",
            ROWS,
        ),
        (
            "row = []\nself.parts = []\nfor _ in range(2):\n    row.append(nn.Linear(4, 4))\n    self.parts.append(row)",
            ROWS,
        ),
        (
            "layers = []\nself.parts = layers\nlayers.append(nn.Linear(4, 4))",
            "for layer in self.parts:\n    x = layer(x)",
        ),
        ("self.parts = {'a': {'one': nn.Linear(4, 4)}}", "x = self.parts['a'].get('one')(x)"),
        (
            "self.parts = {'a': {'one': nn.Linear(4, 4)}}",
            "for _, row in self.parts.items():\n    x = row.get('one')(x)",
        ),
        (
            "self.parts = [[nn.Linear(4, 4)] for _ in range(2)]",
            "for layer in sum(self.parts, []):\n    x = layer(x)",
        ),
        (
            "self.parts = [[nn.Linear(4, 4)] for _ in range(2)]",
            "for row in self.parts:\n    for layer in [nn.ReLU()] + row:\n        x = layer(x)",
        ),
        (
            "self.parts = {Stage.FIRST: (nn.Linear(4, 4), 1.0)}",
            "layer, scale = self.parts[Stage.FIRST]\nx = layer(x) * scale",
        ),
    ],
)
def test_what_no_container_takes_is_not_put_into_one(made: str, used: str) -> None:
    before = program(made, used)
    assert clashes(before)
    after = fixed(before)
    assert "nn.Module" not in after.replace("(nn.Module)", "")
    run(after)


@pytest.mark.parametrize(
    ("made", "used"),
    [
        ("self.parts = nn.ModuleList([nn.ModuleList(pair()) for _ in range(2)])", PAIRS),
        ("self.parts = [pair() for _ in range(2)]\nfor k, (layer, _) in enumerate(self.parts):\n    self.add_module(str(k), layer)", PAIRS),
        ("self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))\nself.parts = [(layer, nn.ReLU()) for layer in self.layers]", PAIRS),
        ("self.parts = {0: nn.Linear(4, 4)}\nself.held = nn.ModuleList(self.parts.values())", "x = self.parts[0](x)"),
    ],
)  # fmt: skip
def test_rows_of_what_is_registered_stay_as_they_are(made: str, used: str) -> None:
    text = program(made, used)
    assert clashes(text) == []
    assert fixed(text) == text


def test_what_another_file_puts_in_is_a_row_as_well() -> None:
    text = program("self.parts = [[nn.Linear(4, 4)] for _ in range(2)]", ROWS)
    text = text.replace("\nimport torch\n", "\nimport grown\nimport torch\n", 1)
    changed = {"grown.py": "def grow(net, layers):\n    net.parts.append(layers)\n"}
    assert fix_texts({"main.py": text, **changed}, wanted=Applicability.UNSAFE)[0]["main.py"] == text


def test_a_list_of_another_class_is_its_own() -> None:
    other = "class Log:\n    def __init__(self):\n        self.parts = []\n\n    def note(self, pair):\n        self.parts.append([pair])\n\n\n"
    text = program("self.parts = []\nself.parts.append(nn.Linear(4, 4))", "x = self.parts[0](x)")
    text = text.replace("class Net", other + "class Net")
    assert fixed(text).count("nn.ModuleList") == 1
    assert "self.parts.append([pair])" in fixed(text)


@pytest.mark.parametrize(
    ("imports", "outer", "inner"),
    [
        ("from torch.nn import Linear, Module, ModuleList", "ModuleList", "torch.nn.ModuleDict"),
        ("from torch.nn import Linear, Module, ModuleList as Kept, ModuleDict", "Kept", "ModuleDict"),
    ],
)
def test_each_container_has_a_name_in_the_file(imports: str, outer: str, inner: str) -> None:
    text = program('self.parts = [{"a": nn.Linear(4, 4)} for _ in range(2)]', "x = self.parts[0]['a'](x)")
    text = text.replace("from torch import nn", imports).replace("nn.Linear", "Linear")
    text = text.replace("nn.Module", "Module").replace("nn.ReLU", "torch.nn.ReLU")
    after = fixed(text)
    assert f'self.parts = {outer}([{inner}({{"a": Linear(4, 4)}}) for _ in range(2)])' in after
    run(after)


def test_what_a_maker_is_given_is_no_row() -> None:
    made = "def build(sizes):\n    return [[nn.Linear(n, n) for n in size] for size in sizes]\n\n\nclass Net"
    text = program("wide = (4, 4)\nself.parts = build([wide])", ROWS).replace("class Net", made)
    assert "self.parts = nn.ModuleList(nn.ModuleList(row) for row in build([wide]))" in fixed(text)
    run(fixed(text))


def test_what_a_method_hands_on_and_is_listed_beside_the_rest_is_not_registered() -> None:
    listed = """self.parts = {"a": [nn.Linear(4, 4)], "b": [nn.Linear(4, 4)]}

def layers(self):
    return [layer for row in self.parts.values() for layer in row]

def weights(self):
    return [*self.parameters(), *(p for layer in self.layers() for p in layer.parameters())]"""
    text = program(listed, NAMED).replace("net.parameters()", "net.weights()")
    assert clashes(text)
    assert fixed(text) == text
