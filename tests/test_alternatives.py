"""What is one of several: of alternatives none is beside another, as items of one list are."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TABLE = """
import torch

class Calculator:
    def __init__(self, names):
        self.names = names

    def collected(self, outputs, system):
        results = {{name: [] for name in self.names}}
        for output in outputs:
            for name in self.names:
                results[name].append({one})
        for name in self.names:
            results[name] = torch.stack(results[name]){moved}
        return results

def main(names, outputs):
    system = torch.ones(3).cuda()
    return Calculator(names).collected(outputs, system)
"""


def test_what_a_table_holds_before_and_after_is_not_in_one_list() -> None:
    assert not clashes(TABLE.format(one="torch.from_numpy(output[name])", moved=".to(system.device)"))


CHOSEN = """
import sys
import torch

def joined(function, xs):
    return torch.cat([function(x) for x in xs])

def short(x):
    return torch.zeros(0)

def long(x):
    return elsewhere(x)

x = torch.ones(3).cuda()
function = short if len(sys.argv) > 1 else long
print(joined(function, [x, x, x]))
"""


def test_a_function_that_was_chosen_once_makes_all_items() -> None:
    assert not clashes(CHOSEN)


MIXED = """
import torch

def piece(x):
    if {test}:
        return torch.zeros(0)
    return {other}

x = torch.ones(3).cuda()
print(torch.cat([piece(part) for part in x.chunk(many)]))
"""


@pytest.mark.parametrize(
    ("test", "other", "found"),
    [
        ("x.sum() < 1", "x * 2", ["10: device"]),
        ("x.sum() < 1", "elsewhere(x)", []),
        ("x.sum() < 1", "torch.ones(2)", []),
    ],
)
def test_items_of_which_some_took_the_other_path(test: str, other: str, found: list[str]) -> None:
    assert clashes(MIXED.format(test=test, other=other)) == found


def test_what_is_cut_out_of_a_tuple_is_known_where_the_bounds_are() -> None:
    text = """
import torch

def split(*args, **named):
    many = len(args)
    rows = list(zip(*map(lambda x: x.chunk(2), [*args, *named.values()])))
    return [(row[:many], dict(zip(named.keys(), row[many:]))) for row in rows]

def masked(x, mask=None):
    return x if mask is None else x.masked_fill(~mask, 0)

x = torch.ones(4).cuda()
for args, named in split(x, {given}):
    masked(*args, **named)
"""
    assert not clashes(text.format(given=""))
    assert not clashes(text.format(given="mask=x > 0"))
    assert clashes(text.format(given="mask=x * 2"))


def test_a_type_that_is_named_by_another_tensor_is_not_known() -> None:
    text = """
import torch.nn.functional as F

def loss(outputs, targets):
    targets = targets.type({type})
    return F.binary_cross_entropy_with_logits(outputs, targets)
"""
    assert not clashes(text.format(type="outputs.type()"))
    assert clashes(text.format(type="'torch.LongTensor'"))


INPUT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.scale = scale

    def {method}(self, inputs):
        return self.first(torch.tensor({data}).float())
"""


@pytest.mark.parametrize(
    ("method", "data", "found"),
    [
        ("forward", "inputs", []),
        ("forward", "inputs[0]", []),
        ("forward", "self.scale", ["12: device"]),
        ("forward", "[each for each in inputs]", ["12: device"]),
        ("act", "inputs", ["12: device"]),
    ],
)
def test_a_copy_of_what_forward_is_called_with_is_where_that_is(
    method: str, data: str, found: list[str]
) -> None:
    assert clashes(INPUT.format(method=method, data=data)) == found


def test_where_only_a_tensor_can_stand_the_other_alternatives_are_no_matter() -> None:
    text = """
import argparse
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.weights = weights

    def forward(self, x):
        out = self.fc(x)
        if self.weights:
            return out, [out.sum()]
        return out

parser = argparse.ArgumentParser()
parser.add_argument("--weights", action="store_true")
options = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net(options.weights).to(device)
target = torch.ones(4, 3)
out = net(torch.ones(4, 3, device=device))
{use}
"""
    assert clashes(text.format(use="nn.MSELoss()(out, target)")) == ["26: device"]
    assert clashes(text.format(use="F.mse_loss(out, target)")) == ["26: device"]
    assert clashes(text.format(use="nn.MSELoss()(out.detach(), target)")) == ["26: device"]
    assert not clashes(text.format(use="nn.MSELoss()(out.detach().cpu(), target)"))
    assert not clashes(text.format(use="nn.MSELoss()(out, target.to(device))"))
    assert not clashes(text.format(use="list(out)"))


def test_an_array_has_no_methods_of_tensors() -> None:
    text = """
import argparse
import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--host", action="store_true")
options = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
found = torch.ones(3, device=device)
if options.host:
    found = found.cpu().numpy()
{use}
"""
    assert clashes(text.format(use="F.mse_loss(found.detach(), torch.ones(3))")) == ["13: device"]
    assert not clashes(text.format(use="found.mean().item() + 1"))


def test_the_move_of_what_may_be_a_pair_is_discarded_all_the_same() -> None:
    text = """
import argparse
import torch
from torch import nn

def state(pair):
    return (torch.zeros(1, 4, 3), torch.zeros(1, 4, 3)) if pair else torch.zeros(1, 4, 3)

parser = argparse.ArgumentParser()
parser.add_argument("--pair", action="store_true")
parser.add_argument("--cuda", action="store_true")
options = parser.parse_args()
net = nn.GRU(3, 3)
x = torch.ones(2, 4, 3)
hidden = state(options.pair)
if options.cuda:
    net.cuda()
    x = x.cuda()
    hidden.cuda()
net(x, hidden)
"""
    fixed, _ = fix_texts({"main.py": text}, Applicability.SAFE)
    assert fixed["main.py"] == text.replace("    hidden.cuda()", "    hidden = hidden.cuda()")


OPTIONAL = """
import argparse
import torch
from functools import partial
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
make = partial(torch.ones, device=device) if args.gpu else {other}
made = make(3)
print(torch.ones(3, device=device if {test} else "cpu") + made)
"""


@pytest.mark.parametrize("other", ["torch.ones", "lambda n: torch.ones(n)"])
def test_an_option_that_names_the_device_where_it_is_used_chose_what_makes_tensors_as_well(
    other: str,
) -> None:
    assert not clashes(OPTIONAL.format(other=other, test="args.gpu"))
    assert clashes(OPTIONAL.format(other=other, test="not args.gpu"))
