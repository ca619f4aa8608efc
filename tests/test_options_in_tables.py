"""What a table holds under an option's default is what a run without options has: also where it is asked whether that is None."""

from __future__ import annotations

import pytest
from text_program import clashes

TEXT = """
import argparse
import functools
import torch
from torch import nn

place = torch.device("cuda")

class Precision:
    types = {{"bf16": torch.bfloat16, "fp32": None}}
    def __init__(self, name):
        self.dtype = self.types[name]
    def wrap(self, function):
        @functools.wraps(function)
        def inner(*args):
            {test}
                {first}
            else:
                {second}
        return inner

parser = argparse.ArgumentParser()
parser.add_argument("--precision", choices=["bf16", "fp32"], default={default!r})
precision = Precision(parser.parse_args().precision)
net = nn.Linear(3, 3).to(place)
rows = torch.zeros(4, 3, device=place)
found = precision.wrap(net)(torch.rand(4, 3, device=place))
with torch.no_grad():
    rows[torch.tensor([0, 1, 2, 3], device=place)] = found{cast}
"""
PLAIN = "return function(*args)"
LOWERED = "with torch.autocast(place.type, dtype=self.dtype): return function(*args)"
ASKED = [
    ("if self.dtype is None:", PLAIN, LOWERED),
    ("if self.dtype is not None:", LOWERED, PLAIN),
    ("if not self.dtype is None:", LOWERED, PLAIN),
]


@pytest.mark.parametrize(("test", "first", "second"), ASKED)
def test_what_an_option_chooses_by_default_is_told_from_none(test: str, first: str, second: str) -> None:
    def faults(default: str, cast: str = "") -> list[str]:
        text = TEXT.format(test=test, first=first, second=second, default=default, cast=cast)
        return clashes(text)

    assert faults("bf16") == [f"{TEXT.count(chr(10))}: dtype"]
    assert not faults("bf16", ".to(rows.dtype)")
    assert not faults("fp32")
