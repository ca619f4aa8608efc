"""What a script makes and hands to modules within modules moves in the script, not where the innermost one uses it."""

from __future__ import annotations

from text_program import clashes, fix_texts

from devfix.findings import Applicability

MODULES = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = nn.Linear(a, b)

    def forward(self, x, edges, mask):
        x = torch.where(mask == 0, x, -x)
        src, dst = edges
        return self.lin(torch.zeros_like(x).index_add_(0, dst, x[src]))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Layer(4, 4), Layer(4, 2)

    def forward(self, x, edges, mask):
        return self.second(self.first(x, edges, mask), edges, mask)


def graph(n):
    src = torch.arange(n)
    dst = (src + 1) % n
    return torch.randn(n, 4), torch.stack([src, dst])


def lower(n):
    return torch.tril(torch.ones(n, 4))


"""
SCRIPT = """\
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, edges = graph(6)
x = x.to(device)
edges = edges.to(device)
mask = lower(6).to(device)
net = Net().to(device)
print(net(x, edges, mask).sum())
"""
IN_FUNCTION = """\
def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x, edges = graph(6)
    x = x.to(device)
    edges = edges.to(device)
    mask = lower(6).to(device)
    net = Net().to(device)
    print(net(x, edges, mask).sum())


main()
"""


def _changes(before: str) -> list[str]:
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert fix_texts(after, Applicability.UNSAFE)[0] == after
    return [line for line in after["main.py"].splitlines() if line not in before.splitlines()]


def _without(script: str, line: str, instead: str = "") -> str:
    assert line in script
    return MODULES + script.replace(line, instead)


def test_a_mask_that_a_function_makes_moves_where_it_gets_its_name() -> None:
    for script in (SCRIPT, IN_FUNCTION):
        assert _changes(_without(script, "lower(6).to(device)", "lower(6)")) == [
            f"{'    ' * (script is IN_FUNCTION)}mask = lower(6).to(device)"
        ]


def test_what_is_taken_apart_in_a_module_moves_where_it_was_given_a_name() -> None:
    assert _changes(_without(SCRIPT, "edges = edges.to(device)\n")) == ["edges = edges.to(device)"]
    assert _changes(_without(IN_FUNCTION, "    edges = edges.to(device)\n")) == [
        "    edges = edges.to(device)"
    ]


def test_what_a_script_has_moved_is_left_alone() -> None:
    for script in (SCRIPT, IN_FUNCTION):
        assert clashes(MODULES + script) == []
        assert _changes(MODULES + script) == []


RELATIONS = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)

    def forward(self, x, rel):
        return torch.matmul(rel, self.lin(x))


rel = torch.zeros(20, 5)
rel[torch.arange(20), torch.arange(20) % 5] = 1
encoder = Encoder()
if args.cuda:
    encoder.cuda()
for _ in range(3):
    x = torch.randn(2, 5, 3)
    if args.cuda:
        x = x.cuda()
    out = encoder(x, rel)
"""


def test_it_moves_under_the_guard_under_which_the_module_does() -> None:
    assert _changes(RELATIONS) == ["    rel = rel.cuda()"]


def test_it_does_not_where_something_was_read_from_it_before() -> None:
    before = RELATIONS.replace("encoder = Encoder()", "part = rel[:2]\nencoder = Encoder()")
    assert _changes(before) == ["        return torch.matmul(rel.to(x.device), self.lin(x))"]


def test_it_does_not_where_the_guard_does_something_else() -> None:
    before = RELATIONS.replace("    encoder.cuda()", "    encoder.cuda()\n    print('moved')")
    assert "    rel = rel.cuda()" not in _changes(before)
