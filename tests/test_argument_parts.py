"""A script that goes through ``sys.argv`` by itself is told the device as with any option; other arguments tell nothing."""

from __future__ import annotations

import pytest
from text_program import clashes

PICK = """
import sys
import torch

def pick(argv):
    for arg in argv:
        if arg.startswith("--device="):
            return {value}
    return "cuda" if torch.cuda.is_available() else "cpu"

x = torch.ones(3).to(pick(sys.argv[1:]))
print(x + torch.ones(3))
"""


@pytest.mark.parametrize(
    "value",
    ['arg.split("=", 1)[1]', 'arg.split("=")[-1]', 'arg.partition("=")[2]', 'arg.rsplit("=", 1)[1]'],
)
def test_a_part_of_an_argument_is_a_device_where_the_default_is_one(value: str) -> None:
    assert clashes(PICK.format(value=value)) == ["12: device"]


LOOP = """
import sys
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
for arg in sys.argv[1:]:
    if arg.startswith("--device="):
        device = arg.split("=", 1)[1]
x = torch.ones(3).to(device)
print(x + {other})
"""


def test_a_loop_over_the_arguments_overrides_a_device() -> None:
    assert clashes(LOOP.format(other="torch.ones(3)")) == ["10: device"]
    assert clashes(LOOP.format(other="torch.ones(3, device=device)")) == []


def test_what_is_read_for_the_cpu_alone_stays_there() -> None:
    text = """
import sys
import torch

device = "cpu"
for arg in sys.argv[1:]:
    if arg.startswith("--name="):
        name = arg.split("=", 1)[1]
        print(name)
x = torch.ones(3).to(device)
print(x + torch.ones(3))
"""
    assert clashes(text) == []


def test_an_argument_that_numbers_something_is_no_device() -> None:
    text = """
import sys
import torch

sizes = [int(part) for arg in sys.argv[1:] for part in arg.split(",")]
x = torch.ones(sizes[0]) + torch.ones(sizes[0])
for arg in sys.argv[1:]:
    key, value = arg.split("=", 1)
    print(x * float(value))
"""
    assert clashes(text) == []
