"""A module moves where a flag gives a name the accelerator's tensor type, by which its inputs move."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
{args} = parser.parse_args()

def main(options):
    {before}
    net = nn.Linear(3, 2)
    {after}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.ones(4, 2, 3):
        x = {moved}
        net(x).sum().backward()
        optimizer.step()

main({args})
"""
CHOICE = "if options.cuda:\n        kind = torch.cuda.FloatTensor\n        whole = torch.cuda.LongTensor"


def _program(
    after: str = "",
    before: str = "kind = torch.FloatTensor",
    moved: str = "x.type(kind)",
    args: str = "given",
) -> str:
    return PROGRAM.format(after=after, before=before, moved=moved, args=args)


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_the_block_that_names_the_types_moves_the_module() -> None:
    text = _program(CHOICE)
    moved = text.replace("if options.cuda:\n", "if options.cuda:\n        net.cuda()\n")
    assert _fixed(text) == moved
    assert _fixed(moved) == moved


@pytest.mark.parametrize("moved", ["x.type(kind)", "kind(x.tolist())"])
def test_the_test_of_a_choice_between_two_types_guards_the_module(moved: str) -> None:
    choice = "kind = torch.cuda.FloatTensor if args.cuda else torch.FloatTensor"
    text = _program(before=choice, moved=moved, args="args").replace("main(options)", "main(rounds)")
    assert _fixed(text) == text.replace(
        "net = nn.Linear(3, 2)\n", "net = nn.Linear(3, 2)\n    if args.cuda:\n        net.cuda()\n"
    )


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (CHOICE + "\n        print(kind)\n        options = None", "kind = torch.FloatTensor"),
        ("", "kind = torch.cuda.FloatTensor if torch.cuda.device_count() > 1 else torch.FloatTensor"),
        (
            "",
            "if options.cpu:\n        kind = torch.FloatTensor\n    else:\n        kind = torch.cuda.FloatTensor",
        ),
    ],
)
def test_what_says_more_or_the_opposite_guards_no_module(after: str, before: str) -> None:
    assert "net.cuda()" not in _fixed(_program(after, before))


def test_a_name_that_something_else_binds_is_no_alias() -> None:
    text = _program(before="kind = torch.FloatTensor\n    kind = torch.cuda.FloatTensor\n    kind = str")
    assert "net.cuda()" not in _fixed(text)
