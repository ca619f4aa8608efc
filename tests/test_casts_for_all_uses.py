"""A name all of whose uses are refused alike is cast where it gets its value."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

LOOKUP = """
    import torch

    table = torch.rand(10, 4)

    def look_up(scores):
        index = torch.floor(scores * 9)
        first = table[index]
        {second}

    look_up(torch.rand(3))
"""


def added(second: str) -> set[str]:
    before = dedent(LOOKUP.format(second=second))
    fixed = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    return {line.strip() for line in set(fixed.splitlines()) - set(before.splitlines())}


@pytest.mark.parametrize(
    "second", ["return first + table[index]", "return first, table[index], table[index]"]
)
def test_what_is_an_index_alone_is_made_one(second: str) -> None:
    assert added(second) == {"index = torch.floor(scores * 9).long()"}


@pytest.mark.parametrize(
    "second",
    [
        "return first.sum() + index.mean()",
        "return first",
        "index = index / 2; return first",
        "return first, lambda: index / 2",
    ],
)
def test_what_is_used_otherwise_as_well_is_cast_where_it_is_an_index(second: str) -> None:
    assert added(second) == {"first = table[index.long()]"}


def test_several_values_of_a_name_are_cast_where_each_is_used() -> None:
    assert added("index = torch.floor(index / 2); return first, table[index]") == {
        "first = table[index.long()]",
        "index = torch.floor(index / 2); return first, table[index.long()]",
    }


def test_a_target_that_two_losses_refuse_is_cast_once() -> None:
    before = dedent("""
        import torch
        import torch.nn.functional as F

        def loss(out, scores):
            target = torch.round(scores).to(torch.int32)
            return F.cross_entropy(out, target) + F.nll_loss(out, target)

        loss(torch.rand(3, 2), torch.rand(3))
    """)
    fixed = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == before.replace("to(torch.int32)", "to(torch.int32).long()")


LABELS = """
import torch

criterion = torch.nn.BCELoss()
net = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Sigmoid())
real, fake = 1, 0
for real_data in torch.rand(4, 2, 3):
    label = torch.full(({size},), real)
    real_loss = criterion(net(real_data).view(-1), label)
    {between}
    fake_loss = criterion(net(torch.rand({size}, 3)).view(-1), label)
"""
FILLED = LABELS.format(size="real_data.size(0)", between="label.fill_(fake)")


def test_labels_that_are_filled_with_numbers_are_made_as_floats() -> None:
    fixed = fix_texts({"main.py": FILLED}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == FILLED.replace(", real)", ", real, dtype=torch.float32)")


@pytest.mark.parametrize("between", ["print(label[0])", "counts = label + 1", "label = label - 1"])
def test_labels_that_serve_as_whole_numbers_as_well_are_cast_where_the_loss_is(between: str) -> None:
    before = LABELS.format(size="real_data.size(0)", between=between)
    fixed = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == before.replace("label)", "label.float())").replace("print(label.float())", "print(label)")


def test_labels_that_a_function_of_the_file_uses_are_cast_where_the_loss_is() -> None:
    before = FILLED + "\ndef tell():\n    print(label)\n\ntell()\n"
    fixed = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == before.replace(".view(-1), label)", ".view(-1), label.float())")
