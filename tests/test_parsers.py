"""Parsers of ``argparse`` that are put together: with parents, of own classes, and what they tell objects of the program's own."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import check_texts, clashes

HEAD = """
import argparse

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, device=device)
base = argparse.ArgumentParser(add_help=False)
base.add_argument("--dim", type=int, default=4)
base.add_argument("--wide", action="store_const", const=8, default=4)
base.add_argument("--name", action="store_const", const="other")


class Parser(argparse.ArgumentParser):
    def __init__(self, **options):
        super().__init__(**options)
        self.add_argument("--dim", type=int, default=4)

    def error(self, message):
        raise SystemExit(message)


class Told(Parser):
    def parse_args(self, args=None):
        told = super().parse_args(args)
        told.device = device
        return told


class Settings:
    dim = 4


settings = Settings()
"""
GIVEN = [
    "args = argparse.ArgumentParser(parents=[base]).parse_args([])",
    "args = Parser().parse_args([])",
    "args = Told().parse_args([])",
    "base.parse_args([], namespace=Settings)\nargs = Settings",
    "args = base.parse_args([], settings)",
    "args, rest = base.parse_known_args([], argparse.Namespace(dim=4))",
]


@pytest.mark.parametrize("given", GIVEN)
def test_the_size_that_they_tell(given: str) -> None:
    text = f"{HEAD}{given}\nx = x + torch.ones(args.dim)\n"
    assert clashes(text) == [f"{text.count(chr(10))}: device"]
    assert clashes(text.replace("(args.dim)", "(args.dim, device=device)")) == []


def test_a_subcommand_has_the_options_of_its_parents() -> None:
    text = f"""{HEAD}
commands = argparse.ArgumentParser().add_subparsers()
train = commands.add_parser("train", parents=[base])
x = x + torch.ones(train.parse_args([]).dim)
"""
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


def test_an_option_without_an_argument_is_its_default_or_its_constant() -> None:
    text = f"{HEAD}args = base.parse_args([])\nwide, name, dim = args.wide, args.name, args.dim\n"
    assert lies(text.replace("torch.cuda.is_available()", "False")) == []
    sized = f"{text}x = x + torch.ones(wide)\n"
    assert clashes(sized) == [f"{sized.count(chr(10))}: device"]
    named = f"{text}if name is None:\n    x = x + torch.ones(4)\n"
    assert clashes(named) == [f"{named.count(chr(10))}: device"]


def test_one_constant_of_the_place_where_all_is() -> None:
    text = f"""{HEAD}
base.add_argument("--cpu", dest="device", action="store_const", const="cpu", default="cuda")
args = base.parse_args([])
x = torch.ones(4, device=args.device) + torch.ones(4, device=args.device)
"""
    assert clashes(text) == []


HELD = [
    """
class Kept(argparse.Namespace):
    pass


held = Kept(device=device)
""",
    """
class Kept:
    device = device


held = Kept()
""",
    """
class Kept:
    @property
    def device(self):
        return device

    @device.setter
    def device(self, value):
        pass


held = Kept()
""",
    """
class Above:
    device = device


class held(Above):
    pass
""",
    "held = argparse.Namespace(device=device)\n",
]


@pytest.mark.parametrize("held", HELD)
def test_a_default_takes_the_place_of_nothing_that_is_there(held: str) -> None:
    text = f"""
import argparse

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
base = argparse.ArgumentParser()
base.add_argument("--device", default="cpu")
{held}
args = base.parse_args([], namespace=held)
x = torch.nn.Linear(4, 4).to(args.device)(torch.ones(4).cuda())
"""
    assert check_texts({"main.py": text}) == []


def test_a_default_is_what_an_empty_namespace_of_an_own_class_has() -> None:
    text = f"""{HEAD}
class Kept(argparse.Namespace):
    pass


args = base.parse_args([], namespace=Kept())
x = x + torch.ones(args.dim)
"""
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


SWITCH = """
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--keep", action="store_true"DEFAULT)
args = parser.parse_args()
x = torch.ones(4, device="cuda")
y = x if args.keep else x.numpy()
"""


@pytest.mark.parametrize(("default", "found"), [(", default=True", []), ("", ["10: numpy"])])
def test_a_switch_that_stores_what_it_is_anyway_is_never_turned(default: str, found: list[str]) -> None:
    assert clashes(SWITCH.replace("DEFAULT", default)) == found


@pytest.mark.parametrize("first", [True, False])
def test_two_switches_for_one_thing_turn_it(first: bool) -> None:
    other = 'parser.add_argument("--drop", dest="keep", action="store_false")\n'
    text = SWITCH.replace("DEFAULT", ", default=True")
    place = 'parser.add_argument("--keep"' if first else "args ="
    assert clashes(text.replace(place, other + place, 1)) == ["11: numpy"]
