"""What a function chose by an option is what another function finds behind the same test that is given it."""

from __future__ import annotations

import pytest
from text_program import clashes

#: The one network takes a table of numbers, the other places in it first.
NETWORKS = """
import argparse
import torch
from torch import nn

class Numbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, y):
        return self.layer(x) + y

class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(3, 3)

    def forward(self, x, y):
        return self.table(x) + y

parser = argparse.ArgumentParser()
parser.add_argument("--kind")
parser.add_argument("--other")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
numbers = torch.ones(2, 3).to(device)
places = torch.tensor([0, 2]).to(device)
"""
GLOBAL = """
args = parser.parse_args()

def main():
    if args.kind == "numbers":
        network = Numbers().to(device)
    elif args.kind == "places":
        network = Places().to(device)
    else:
        raise ValueError(args.kind)
    train(network)

def train(net):
{body}

main()
"""
GIVEN = """
def main():
    args = parser.parse_args()
    network = Numbers().to(device) if args.kind == "numbers" else Places().to(device)
    train(network, args)

def train(net, args):
{body}

main()
"""
#: Between the two functions there is a third, which asks nothing.
THROUGH = GLOBAL.replace("    train(network)", "    repeat(network)").replace(
    "def train(net)", "def repeat(net):\n    for _ in range(3):\n        train(net)\n\ndef train(net)"
)
RIGHT = """    if args.kind == "numbers":
        net(numbers, numbers)
    elif args.kind == "places":
        net(places, numbers)
"""
ALSO_RIGHT = """    if args.kind != "numbers":
        return net(places, numbers)
    return net(numbers, numbers)
"""


def of_functions(program: str, body: str) -> list[str]:
    return clashes(NETWORKS + program.format(body=body))


@pytest.mark.parametrize("body", [RIGHT, ALSO_RIGHT])
@pytest.mark.parametrize("program", [GLOBAL, GIVEN, THROUGH], ids=["global", "given", "through"])
def test_a_function_finds_what_its_caller_chose(program: str, body: str) -> None:
    assert of_functions(program, body) == []


@pytest.mark.parametrize(
    "body",
    [
        RIGHT.replace("args.kind", "args.other"),
        RIGHT.replace("numbers, numbers", "places, numbers"),
        "    if args.kind:\n        net(numbers, numbers)\n",
        "    net(numbers, numbers)\n",
        "    args = parser.parse_args()\n" + RIGHT,
        "    args.kind = input()\n" + RIGHT,
    ],
    ids=["another-option", "the-wrong-one", "another-test", "no-test", "other-arguments", "other-value"],
)
@pytest.mark.parametrize("program", [GLOBAL, GIVEN, THROUGH], ids=["global", "given", "through"])
def test_what_the_test_did_not_choose_is_still_found(program: str, body: str) -> None:
    assert of_functions(program, body) != []


#: Two variables of the same members, chosen the other way round, or by options of their own.
PAIR = """
def main():
    args = parser.parse_args()
    one, two = Numbers().to(device), Places().to(device)
    first = one if args.kind else two
    second = {second}
    train(first, second, one, two, args)

def train(first, second, one, two, args):
{body}

main()
"""
OPPOSITE = "two if args.kind else one"
BOTH = """    if args.kind:
        first(numbers, numbers)
        second({then}, numbers)
    else:
        first(places, numbers)
        second({other}, numbers)
"""
OF_ITS_OWN = """    other = two if args.other else one
    if args.kind:
        first(numbers, numbers)
        if args.other:
            other({given}, numbers)
"""


@pytest.mark.parametrize(
    ("second", "body", "count"),
    [
        (OPPOSITE, BOTH.format(then="places", other="numbers"), 0),
        (OPPOSITE, BOTH.format(then="numbers", other="numbers"), 1),
        ("first", BOTH.format(then="numbers", other="places"), 0),
        ("first", OF_ITS_OWN.format(given="places"), 0),
        ("first", OF_ITS_OWN.format(given="numbers"), 1),
    ],
    ids=["opposite", "opposite-wrong", "the-same", "of-its-own", "of-its-own-wrong"],
)
def test_a_choice_is_that_of_the_variable_it_was_made_for(second: str, body: str, count: int) -> None:
    assert len(clashes(NETWORKS + PAIR.format(second=second, body=body))) == count
