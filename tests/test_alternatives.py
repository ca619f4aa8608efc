"""What is one of several: of alternatives none is beside another, as items of one list are."""

from __future__ import annotations

import pytest
from text_program import clashes

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
