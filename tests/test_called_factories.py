"""Factories that are called under names which also stand for functions of other kinds."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

#: Each calls something that makes a tensor; only some of what is called takes a device.
CALLS = {
    "of a table, under any key": ("KINDS[name](3)", "for name in input().split():"),
    "of a table, under keys that are known": ("KINDS[name](3)", "for name in ('ones', 'twos'):"),
    "of a loop": ("make(3)", "for make in (torch.ones, twos):"),
}
PROGRAM = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
twos = lambda n: torch.ones(n) * 2
KINDS = {{"ones": torch.ones, "twos": twos}}
x = torch.arange(3.0).to(device)
{loop}
    y = {call}
    x = x * y
"""


@pytest.mark.parametrize(("call", "loop"), CALLS.values(), ids=CALLS)
def test_what_is_not_the_same_each_time_is_not_told_of_a_device(call: str, loop: str) -> None:
    before = PROGRAM.format(call=call, loop=loop)
    fixed, _ = fix_texts(files(before))
    assert fixed["main.py"] == before.replace(call, f"{call}.to(device)")


def test_neither_is_what_a_function_is_handed() -> None:
    before = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.arange(3.0).to(device)

def scaled(make):
    y = make(3)
    return x * y

scaled(torch.ones)
scaled(lambda n: torch.ones(n) * 2)
"""
    fixed, _ = fix_texts(files(before))
    assert fixed["main.py"] == before.replace("make(3)", "make(3).to(device)")


@pytest.mark.parametrize(
    ("names", "call"),
    [
        ("ones = torch.ones", "ones(3)"),
        ("from torch import ones", "ones(3)"),
        ("KINDS = {'ones': torch.ones}", "KINDS['ones'](3)"),
    ],
)
def test_another_name_of_a_factory_takes_a_device(names: str, call: str) -> None:
    before = f"""\
import torch
{names}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.arange(3.0).to(device)
y = {call}
print(x * y)
"""
    fixed, _ = fix_texts(files(before))
    assert fixed["main.py"] == before.replace(call, call.replace("(3)", "(3, device=device)"))


@pytest.mark.parametrize("loop", ["for name in input().split():", "for name in ('ones', 'one'):"])
def test_what_may_give_a_number_is_left_alone(loop: str) -> None:
    before = PROGRAM.format(call="KINDS[name](3)", loop=loop).replace("torch.ones(n) * 2", "2.0")
    before = before.replace('"twos"', '"one"')
    fixed, _ = fix_texts(files(before))
    assert fixed == files(before)
