"""A ``match`` on values is judged as the chain of tests that it is."""

from __future__ import annotations

import ast

import pytest
from reality import lies
from text_program import clashes

from devfix.analysis.text.value_matches import as_tests

HEAD = """
import argparse
import os
import random
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="host")
parser.add_argument("--device", default="auto")
args = parser.parse_args([])
here, there = torch.ones(4), torch.ones(4, device="cuda")
"""
CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'
DEVICES = f"""
match args.device:
    case "auto":
        device = {CHOICE}
    case name:
        device = torch.device(name)

match args.device:
    case "auto":
        device = {CHOICE}
    case "cpu" | "cuda":
        device = args.device
    case _:
        raise ValueError(args.device)

match args.device:
    case "auto" if torch.cuda.is_available():
        device = "cuda"
    case "auto":
        device = "cpu"
    case name:
        device = name

kind = os.environ.get("DEVICE", "auto")
if kind == "auto":
    device = {CHOICE}
elif kind in ("cpu", "cuda"):
    device = kind
else:
    raise ValueError(kind)
""".strip().split("\n\n")


@pytest.mark.parametrize("chosen", DEVICES)
def test_an_option_chooses_the_device(chosen: str) -> None:
    assert len(clashes(f"{HEAD}{chosen}\ntorch.ones(4, device=device) + here\n")) == 1
    assert clashes(f"{HEAD}{chosen}\ntorch.ones(4, device=device) + here.to(device)\n") == []


USUAL = """
match args.kind:
    case "host" | "cpu":
        held = {first}
    case _:
        held = {other}
held + there
"""


def test_what_an_option_usually_chooses_is_what_most_runs_have() -> None:
    assert len(clashes(HEAD + USUAL.format(first="here", other="there"))) == 1
    assert clashes(HEAD + USUAL.format(first="there", other="here")) == []


DRAWN = """
for _ in range(50):
    kind = random.choice(["a", "b", "c"])
    match kind:
        case "a":
            held = here
        case "b" | "c":
            held = {other}
    held + there
"""


def test_what_is_drawn_is_each_of_the_cases_in_turn() -> None:
    assert len(clashes(HEAD + DRAWN.format(other="there"))) == 1
    assert clashes(HEAD + DRAWN.format(other="there").replace("held = here", "held = there * 2")) == []


TWICE = """
import sys
import torch
mode = sys.argv[1]
match mode:
    case "a":
        held = torch.ones(4)
    case _:
        held = torch.ones(4, device="cuda")
match mode:
    case "a":
        held = held.cuda()
    case other:
        print(other)
held + torch.ones(4, device="cuda")
"""


def test_two_of_one_value_go_the_same_way() -> None:
    assert clashes(TWICE) == []


RUN = """
import enum

class Kind(enum.Enum):
    FIRST = 1
    SECOND = 2

def told(value, flag=False):
    match value:
        case None:
            return "none"
        case True | 7:
            return "true"
        case Kind.SECOND:
            return "second"
        case "x" | "y" if flag:
            return "flagged"
        case "x":
            return "x"
        case _ if flag:
            return "any"
        case other:
            return other

made = [told(None), told(True), told(7), told(Kind.SECOND), told("x"), told("x", True), told("y"), told("y", True)]
more = [told(3, True), told(2.5), told(Kind.FIRST).value, told("")]
"""


def test_python_agrees() -> None:
    assert lies(RUN) == []


@pytest.mark.parametrize(
    "text",
    [
        "match f():\n    case 1:\n        pass",
        "match rows[i]:\n    case 1:\n        pass",
        "match x:\n    case [1, 2]:\n        pass",
        "match x:\n    case 1:\n        pass\n    case int():\n        pass",
        "match x:\n    case name if name > 1:\n        pass\n    case _:\n        pass",
        "match x:\n    case _:\n        pass",
    ],
)
def test_others_are_no_tests(text: str) -> None:
    [node] = ast.parse(text).body
    assert isinstance(node, ast.Match)
    assert as_tests(node) is None
