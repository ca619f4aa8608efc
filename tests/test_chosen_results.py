"""What an option chose gives what goes with the option."""

from __future__ import annotations

import pytest
from text_program import clashes

#: Two ways of writing texts as numbers: the one leaves them on the CPU, for a loss that is computed there.
CONVERTERS = """
import argparse
import torch
from torch import nn

device = torch.device("cuda")

class Flat:
    def encode(self, texts):
        return torch.zeros(3, dtype=torch.long), torch.ones(3)

    def __call__(self, texts):
        return torch.zeros(3, dtype=torch.long)

class Padded:
    def encode(self, texts):
        return torch.zeros(3, dtype=torch.long).to(device), torch.ones(3).to(device)

    def __call__(self, texts):
        return torch.zeros(3, dtype=torch.long).to(device)

parser = argparse.ArgumentParser()
parser.add_argument("--kind", required=True)
parser.add_argument("--other", action="store_true")

def main(args):
    net = nn.Linear(4, 4).to(device)
    if "flat" in args.kind:
        converter = Flat()
    else:
        converter = Padded()
    for epoch in range(3):
        out = net(torch.ones(3, 4).to(device))
"""
RUN = "\nmain(parser.parse_args())\n"
BEHIND = CONVERTERS.count("\n")


def found(*lines: str) -> list[int]:
    """In which of these lines of the loop something clashes."""
    text = CONVERTERS + "".join(f"        {line}\n" for line in lines) + RUN
    return [int(each.partition(":")[0]) - BEHIND for each in clashes(text)]


@pytest.mark.parametrize("call", ["text = converter(['a'])", "text, lengths = converter.encode(['a'])"])
def test_a_result_is_that_of_the_object_which_the_test_chose(call: str) -> None:
    lines = (
        'if "flat" in args.kind:', "    loss = nn.functional.cross_entropy(out.cpu(), text)",
        "else:", "    loss = nn.functional.cross_entropy(out, text)",
    )  # fmt: skip
    assert not found(call, *lines)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ('"flat" in args.kind', [3]),  # the wrong way round
        ("args.other", [3]),  # another option
        ('"flat" not in args.kind', []),
    ],
)
def test_a_result_that_may_be_either_or_is_the_wrong_one_is_still_found(
    test: str, expected: list[int]
) -> None:
    use = "    loss = nn.functional.cross_entropy(out, text)"
    assert found("text, lengths = converter.encode(['a'])", f"if {test}:", use) == expected


def test_another_value_under_the_name_has_nothing_to_do_with_the_test() -> None:
    lines = (
        "text = converter(['a'])", "text = torch.zeros(3, dtype=torch.long)",
        'if "flat" not in args.kind:', "    loss = nn.functional.cross_entropy(out, text)",
    )  # fmt: skip
    assert found(*lines) == [4]


def test_another_object_under_the_name_gives_something_else() -> None:
    lines = (
        "converter = Flat()", "text = converter(['a'])",
        'if "flat" not in args.kind:', "    loss = nn.functional.cross_entropy(out, text)",
    )  # fmt: skip
    assert found(*lines) == [4]
